"""Whether a file is worth reading, judged by its first bytes.

What only a parser can tell is left to it.
"""

from __future__ import annotations

from sourcebook.errors import DamagedFile, EmptyFile
from sourcebook.ingest.parsers.file_kinds import FileKind, kind_of
from sourcebook.ingest.parsers.text.decoding import decode

_NOT_TEXT = (FileKind.PDF, FileKind.DOCX)


def require_readable(head: bytes, name: str, *, is_all: bool) -> None:
    """Raise an UnsupportedFile or EmptyFile if the file is surely one, going by its first bytes, or all of them."""
    try:
        kind = kind_of(head, name)
    except EmptyFile:
        if is_all:
            raise
        return
    except DamagedFile:
        # The list of what is in an archive stands at its end.
        return
    if kind not in _NOT_TEXT:
        decode(head)
