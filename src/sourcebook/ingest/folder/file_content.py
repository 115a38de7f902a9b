"""Whether a file holds anything at all. What it is, only its parser can tell."""

from __future__ import annotations

from sourcebook.errors import EmptyFile
from sourcebook.ingest.parsers.file_kinds import SPACE


def require_content(head: bytes, *, is_all: bool) -> None:
    """Raise an EmptyFile if these are all bytes of a file and none of them is a letter."""
    if is_all and not head.strip(SPACE):
        raise EmptyFile
