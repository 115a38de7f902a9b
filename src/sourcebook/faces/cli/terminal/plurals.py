"""How many of something, in words."""

from __future__ import annotations


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """`1 document`, `2 documents`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"
