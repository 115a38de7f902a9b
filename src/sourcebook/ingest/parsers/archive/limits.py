"""How much may be taken out of a file that holds others."""

from __future__ import annotations

from typing import NamedTuple

MOST_MEMBERS = 2_000
MOST_BYTES = 128 * 1024 * 1024
LARGEST_MEMBER = 50_000_000
MOST_TIMES = 200
"""An archive that unpacks to more than so many times its size, and to some size at all, was made to do harm."""


class Member(NamedTuple):
    """A file inside of another."""

    name: str
    data: bytes
