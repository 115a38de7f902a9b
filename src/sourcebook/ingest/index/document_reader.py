"""Parsed text becomes a document and its chunks. No base and no model is asked here."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import file_digest
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from sourcebook.errors import FileOverLimit, UsageError
from sourcebook.ingest.add_request import Labels
from sourcebook.ingest.chunking.passages import chunk_document
from sourcebook.ingest.fingerprint import hash_bytes
from sourcebook.ingest.folder.type_rules import TypeRule, subcategory_of, type_of
from sourcebook.model.documents import Chunk, ChunkStrategy, Document, DocumentStatus
from sourcebook.text.case_and_accents import storable
from sourcebook.text.languages import detect_language

if TYPE_CHECKING:
    from sourcebook.errors import SourcebookError
    from sourcebook.ingest.parsers.parsed_text import ParsedText
    from sourcebook.model.documents import DocumentPath, JsonValue, Metadata

# Not every system has each of these.
_OPENING = sum(getattr(os, name, 0) for name in ("O_CLOEXEC", "O_NONBLOCK", "O_BINARY"))
MOST_SECTIONS = 2_000
"""Of a text with more sections, as of a sheet with very many rows, only its passages know theirs."""
_OVER_LIMIT = "over-limit:"
_UNREADABLE = "unreadable:"
HEAD = 8_192
"""Bytes of a file by which its kind is told."""


class Bytes(NamedTuple):
    """The bytes of a file, its hash, and its time in Unix seconds."""

    data: bytes
    file_hash: str
    mtime: int


class FileStamp(NamedTuple):
    """By what a file is known without being kept: its hash, how it begins, its size and its time."""

    file_hash: str
    head: bytes
    size: int
    mtime: int


@dataclass(frozen=True, slots=True)
class FilePlace:
    """Where a file lies: inside its source, for people, and in the world, which is what rules speak of."""

    path: str
    shown: str
    absolute: PurePosixPath


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document, the places it was found at, and its chunks, still without vectors."""

    document: Document
    paths: Sequence[DocumentPath]
    chunks: Sequence[Chunk]


def read_file(location: str, largest: int) -> Bytes:
    """The bytes of a regular file. Nothing else is opened: a pipe would keep us waiting for ever."""
    with os.fdopen(_open_regular(location, largest), "rb") as file:
        # The time comes first: a file that changes while it is read then looks older than it is, not newer.
        mtime = int(os.fstat(file.fileno()).st_mtime)
        data = file.read(largest + 1)
    if len(data) > largest:
        raise too_large(largest)
    return Bytes(data, hash_bytes(data), mtime)


def mark_file(location: str, largest: int) -> FileStamp:
    """What the bytes of a file are known by; they themselves are not kept."""
    with os.fdopen(_open_regular(location, largest), "rb") as file:
        status = os.fstat(file.fileno())
        head = file.read(HEAD)
        file.seek(0)
        return FileStamp(file_digest(file, "sha256").hexdigest(), head, status.st_size, int(status.st_mtime))


def _open_regular(location: str, largest: int) -> int:
    _require_regular(os.stat(location), largest)  # noqa: PTH116 - names may be no text
    descriptor = os.open(location, os.O_RDONLY | _OPENING)
    try:
        _require_regular(os.fstat(descriptor), largest)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _require_regular(status: os.stat_result, largest: int) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise UsageError("This is not a regular file, but a pipe, a socket or a device.")
    if status.st_size > largest:
        raise too_large(largest)


def too_large(largest: int) -> FileOverLimit:
    """What is said of a file that is larger than the limit."""
    return FileOverLimit(
        f"The file is larger than {largest / 1_000_000:g} MB, the limit that `max_file_mb` sets."
    )


def over_limit_mark(source_id: str, path: str, size: int, mtime: int) -> str:
    """What a file is known by that is too large to be read: it stands where the hash of its bytes would."""
    return _OVER_LIMIT + _known_by(source_id, path, size, mtime)


def unreadable_mark(source_id: str, path: str, size: int, mtime: int) -> str:
    """The same for a file that the system does not let us open."""
    return _UNREADABLE + _known_by(source_id, path, size, mtime)


def _known_by(source_id: str, path: str, size: int, mtime: int) -> str:
    known_by = f"{source_id}\0{path}\0{size}\0{mtime}"
    return hash_bytes(known_by.encode("utf-8", "surrogateescape"))


def is_over_limit(file_hash: str) -> bool:
    """Whether this stands for bytes that were too many to be read."""
    return file_hash.startswith(_OVER_LIMIT)


def is_mark(file_hash: str) -> bool:
    """Whether this stands for bytes that were never read, for whatever reason."""
    return file_hash.startswith((_OVER_LIMIT, _UNREADABLE))


def labels_for(place: FilePlace, given: Labels, said: Metadata) -> Labels:
    """What was given goes first, then the folder, then what the file says of itself."""
    return Labels(
        given.category if given.category is not None else said_in(said, "category"),
        given.subcategory
        if given.subcategory is not None
        else _storable(subcategory_of(place.absolute)) or said_in(said, "subcategory"),
    )


def described(
    document_id: str, place: FilePlace, parsed: ParsedText, given: Labels, rules: Sequence[TypeRule]
) -> Document:
    """The document that a parsed file is."""
    said = parsed.metadata
    labels = labels_for(place, given, said)
    return Document(
        id=document_id,
        content=parsed.text,
        title=parsed.title,
        file_path=place.shown,
        type=said_in(said, "type") or type_of(place.absolute, rules),
        category=labels.category or None,
        subcategory=labels.subcategory or None,
        language=said_in(said, "language") or detect_language(parsed.text),
        metadata=said,
        layout=_layout(parsed),
    )


def failed(
    document_id: str, place: FilePlace, error: SourcebookError, given: Labels, rules: Sequence[TypeRule]
) -> Document:
    """The document of a file that cannot be read: everything but its text."""
    labels = labels_for(place, given, {})
    return Document(
        id=document_id,
        content="",
        file_path=place.shown,
        type=type_of(place.absolute, rules),
        category=labels.category or None,
        subcategory=labels.subcategory or None,
        status=status_after(error),
        processing_error=f"{error.code}: {error.message}",
    )


def status_after(error: SourcebookError) -> DocumentStatus:
    return DocumentStatus.NEEDS_OCR if error.code == "needs_ocr" else DocumentStatus.FAILED


def cut(
    document: Document, paths: Sequence[DocumentPath], parsed: ParsedText, strategy: ChunkStrategy
) -> ReadDocument:
    chunks = chunk_document(document.id, parsed.text, parsed.sections, parsed.pages, strategy)
    return ReadDocument(replace(document, chunk_count=len(chunks)), paths, chunks)


def said_in(metadata: Metadata, key: str) -> str | None:
    value = metadata.get(key)
    return value.strip() or None if isinstance(value, str) else None


def _layout(parsed: ParsedText) -> Metadata:
    layout: dict[str, JsonValue] = {"kind": parsed.kind}
    if parsed.pages:
        layout["pages"] = [[page.number, page.start, page.end] for page in parsed.pages]
    if 0 < len(parsed.sections) <= MOST_SECTIONS:
        layout["sections"] = [[section.start, section.path] for section in parsed.sections]
    return layout


def _storable(text: str | None) -> str | None:
    return text if text is None or storable(text) else None
