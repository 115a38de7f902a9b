"""Metadata filters: what they mean, and how they are written after `--where`."""

from sourcebook.retrieve.filters.meaning import matches

__all__ = ["matches"]
