"""Telling a file that was never a base from a base that is damaged."""

from __future__ import annotations

import codecs
from pathlib import Path

from sourcebook.errors import NotASourcebook
from sourcebook.storage.sqlite import base_files

_MAGIC = b"SQLite format 3\x00"
_LOOKED_AT = 4096
_KINDS = {b"%PDF-": "a PDF", b"PK\x03\x04": "a packed file, such as a DOCX or ZIP"}


def refuse_other_file(path: Path) -> None:
    """Raise NotASourcebook if the file is plainly something else: a text, a PDF, a packed file.

    Whatever may be a damaged base passes: one that lost its first page holds zeros, or has its log or its files beside
    it.
    """
    kind = _kind_of(path)
    if kind is not None and stands_alone(path):
        raise NotASourcebook(
            f"{path} is {kind}, not a Sourcebook base.",
            hint=f"Check `--db`, which names the base. `sourcebook add {path}` adds the file to one.",
        )


def is_database(path: Path) -> bool:
    """Whether the file is one of SQLite."""
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def stands_alone(path: Path) -> bool:
    """Whether nothing lies beside the file that would tell of a base."""
    beside = [base_files.side(path, "-wal"), base_files.side(path, "-shm")]
    beside += [base_files.stored_files_of(path), base_files.derived_files_of(path)]
    return not any(each.exists() for each in beside)


def _kind_of(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            head = file.read(_LOOKED_AT)
    except OSError:
        return None  # Opening it as a base says what is wrong.
    for magic, kind in _KINDS.items():
        if head.startswith(magic):
            return kind
    return "a text file" if head and _is_text(head) else None


def _is_text(head: bytes) -> bool:
    if b"\x00" in head:
        return False
    try:
        # The last letter may be cut in two.
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True
