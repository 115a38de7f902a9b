"""The bytes of an uploaded file, unless it is plain at once that they cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcebook.errors import FileOverLimit
from sourcebook.ingest.parsers.file_kinds import kind_of

if TYPE_CHECKING:
    from starlette.datastructures import UploadFile

_ARCHIVE = b"PK"


async def bytes_of(file: UploadFile, name: str, largest: int) -> bytes:
    """The bytes of a file that is small enough and of a kind that is read, as far as its beginning tells.

    The worker would find out the same. Nobody should have to wait for that.
    """
    if (file.size or 0) > largest:
        raise FileOverLimit(f"The file is larger than {largest / 1_000_000:g} MB.")
    data = await file.read()
    if not data.startswith(_ARCHIVE):
        kind_of(data, name)
    return data
