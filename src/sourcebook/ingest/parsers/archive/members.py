"""Files inside of other files: what is attached to letters, and what is packed in archives.

They are taken out within limits, by name; a name never leads out of the file that holds it.
"""

from __future__ import annotations

import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from typing import IO

from sourcebook.errors import BadFile, DamagedFile, EncryptedFile, FileOverLimit
from sourcebook.ingest.parsers.archive.limits import (
    LARGEST_MEMBER,
    MOST_BYTES,
    MOST_MEMBERS,
    MOST_TIMES,
    Member,
)
from sourcebook.ingest.parsers.clean_text import cleaned, one_line
from sourcebook.ingest.parsers.file_kinds import FileKind, kind_of
from sourcebook.ingest.parsers.mail.mailbox import attachments_of_box, attachments_of_letter
from sourcebook.ingest.parsers.parsed_text import ParsedText

_SOME_SIZE = 10 * 1024 * 1024
_ENCRYPTED = 0x1
# What the libraries raise on archives that are not whole.
_BROKEN = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
    OverflowError,
)
_LONGEST_NAME = 300


def parse_archive(data: bytes) -> ParsedText:
    """The names of what is packed, which is all that the archive itself says."""
    kind = FileKind.ZIP if data.startswith(b"PK") else FileKind.TAR
    return ParsedText("\n".join(filter(None, _listed(data))), kind=kind.value)


def members_of(data: bytes, name: str) -> list[Member]:
    """What is inside, under names that are different from each other."""
    match kind_of(data, name):
        case FileKind.EML:
            found: Iterable[tuple[str, bytes]] = ((a.name, a.data) for a in attachments_of_letter(data))
        case FileKind.MBOX:
            found = ((a.name, a.data) for a in attachments_of_box(data))
        case FileKind.ZIP | FileKind.TAR:
            found = _unpacked(data)
        case _:
            raise BadFile("The file holds no others.")
    return _within_limits(found, len(data))


def _within_limits(found: Iterable[tuple[str, bytes]], size: int) -> list[Member]:
    members: dict[str, Member] = {}
    total = 0
    for given, data in found:
        total += len(data)
        if len(members) >= MOST_MEMBERS:
            raise FileOverLimit(f"The file holds more than {MOST_MEMBERS:,} others.")
        if total > MOST_BYTES or (total > _SOME_SIZE and total > MOST_TIMES * size):
            raise FileOverLimit(
                "What the file holds unpacks to more than the limit.", hint=FileOverLimit.MALICIOUS
            )
        name = _free(_inner_path(given) or str(len(members) + 1), members)
        members[name] = Member(name, data)
    return list(members.values())


def _free(name: str, taken: dict[str, Member]) -> str:
    stem, dot, ending = name.rpartition(".")
    number = 1
    free = name
    while free in taken:
        number += 1
        free = f"{stem} ({number}){dot}{ending}" if stem else f"{name} ({number})"
    return free


def _inner_path(name: str) -> str:
    """The name as a path inside: no way up, no root, no drive, nothing that cannot be shown."""
    parts = [one_line(cleaned(part)) for part in name.replace("\\", "/").split("/")]
    kept = [part for part in parts if part not in ("", ".", "..") and not part.endswith(":")]
    return "/".join(kept)[-_LONGEST_NAME:].lstrip("/")


def _listed(data: bytes) -> Iterator[str]:
    with _opened_zip_or_tar(data) as archive:
        try:
            if isinstance(archive, zipfile.ZipFile):
                yield from (_inner_path(entry.filename) for entry in _files(archive))
            else:
                yield from (_inner_path(entry.name) for entry in _tar_files(archive))
        except _BROKEN as error:
            raise DamagedFile(f"The archive is damaged: {error}.") from None


def _unpacked(data: bytes) -> Iterator[tuple[str, bytes]]:
    with _opened_zip_or_tar(data) as archive:
        try:
            if isinstance(archive, zipfile.ZipFile):
                for entry in _files(archive):
                    with archive.open(entry) as stream:
                        yield entry.filename, _read(stream)
            else:
                for file in _tar_files(archive):
                    stream = archive.extractfile(file)
                    if stream is not None:
                        yield file.name, _read(stream)
        except _BROKEN as error:
            raise DamagedFile(f"The archive is damaged: {error}.") from None


def _opened_zip_or_tar(data: bytes) -> zipfile.ZipFile | tarfile.TarFile:
    try:
        if data.startswith(b"PK"):
            archive = zipfile.ZipFile(io.BytesIO(data))
            if any(entry.flag_bits & _ENCRYPTED for entry in archive.infolist()):
                raise EncryptedFile
            return archive
        return tarfile.open(fileobj=io.BytesIO(data), mode="r:*")
    except _BROKEN as error:
        raise DamagedFile(f"The archive is damaged: {error}.") from None


def _files(archive: zipfile.ZipFile) -> Iterator[zipfile.ZipInfo]:
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    if len(entries) > MOST_MEMBERS or sum(entry.file_size for entry in entries) > MOST_BYTES:
        raise FileOverLimit(
            "What the file holds unpacks to more than the limit.", hint=FileOverLimit.MALICIOUS
        )
    yield from (entry for entry in entries if not entry.filename.startswith("__MACOSX/"))


def _tar_files(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """Regular files only: links and devices lead elsewhere."""
    total = 0
    for count, entry in enumerate(archive):
        total += max(entry.size, 0)
        if count > 10 * MOST_MEMBERS or total > MOST_BYTES:
            raise FileOverLimit(
                "What the file holds unpacks to more than the limit.", hint=FileOverLimit.MALICIOUS
            )
        if entry.isreg():
            yield entry


def _read(stream: IO[bytes]) -> bytes:
    data = stream.read(LARGEST_MEMBER + 1)
    if len(data) > LARGEST_MEMBER:
        raise FileOverLimit("A file in the archive is larger than the limit.")
    return data
