"""Metadata filters: what they mean, and how they are written after `--where`."""

from sourcebook.retrieve.filters.filter_meaning import matches

__all__ = ["matches"]
