"""A file or a note becomes a document and its chunks. No base and no model is asked here."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from sourcebook.errors import BadMetadata, BadText, SourcebookError, UsageError
from sourcebook.ingest.chunking import chunk_document
from sourcebook.ingest.fingerprint import document_id, hash_bytes, hash_text, source_id
from sourcebook.ingest.parsers.markdown import parse_markdown
from sourcebook.ingest.parsers.parsed import ParsedText
from sourcebook.ingest.parsers.plain import parse_plain
from sourcebook.ingest.placing import DEFAULT_TYPE, FoundFile, subcategory_of, type_of
from sourcebook.model.documents import Chunk, Document, DocumentPath
from sourcebook.text.languages import detect_language
from sourcebook.text.normal import storable

if TYPE_CHECKING:
    from sourcebook.model.documents import Metadata

PARSERS: dict[str, Callable[[bytes], ParsedText]] = {
    ".md": parse_markdown,
    ".markdown": parse_markdown,
    ".txt": parse_plain,
}
NOTES = "notes"
"""The root of the source that holds what was never a file."""


@dataclass(frozen=True, slots=True)
class Labels:
    """What whoever adds a file says about it. What the file says about itself goes first."""

    category: str | None = None
    subcategory: str | None = None


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document, the place it was found at, and its chunks, still without vectors."""

    document: Document
    path: DocumentPath
    chunks: Sequence[Chunk]


class Raw(Protocol):
    """What is known by its id and hash already, and understood only if it has to be."""

    @property
    def document_id(self) -> str: ...

    @property
    def file_hash(self) -> str: ...

    def agrees_with(self, document: Document) -> bool:
        """Whether the document, which holds this already, is also labelled as it would be now."""
        ...

    def read(self) -> ReadDocument: ...


@dataclass(frozen=True, slots=True)
class RawFile:
    """The bytes of a file."""

    found: FoundFile
    labels: Labels
    document_id: str
    data: bytes
    file_hash: str
    mtime: int

    @classmethod
    def load(cls, found: FoundFile, labels: Labels, collection_id: str) -> RawFile:
        """The file as it is now."""
        data, mtime = _read_regular(found.location)
        identity = document_id(collection_id, found.source_id, found.path)
        return cls(found, labels, identity, data, hash_bytes(data), mtime)

    def agrees_with(self, document: Document) -> bool:
        """A label that was not given asks for nothing, and neither does one that the file overrules."""
        given = {"category": self.labels.category, "subcategory": self.labels.subcategory}
        return all(
            label is None or _said(document.metadata, key) is not None or label == getattr(document, key)
            for key, label in given.items()
        )

    def read(self) -> ReadDocument:
        """The file parsed, described and cut."""
        parsed = _parse(self)
        said, place = parsed.metadata, self.found.location.absolute()
        subcategory = _said(said, "subcategory") or self.labels.subcategory or subcategory_of(place)
        document = Document(
            id=self.document_id,
            content=parsed.text,
            title=parsed.title,
            file_path=self.found.shown,
            file_hash=self.file_hash,
            file_size_bytes=len(self.data),
            mtime=self.mtime,
            type=_said(said, "type") or type_of(place),
            category=_said(said, "category") or self.labels.category,
            subcategory=subcategory,
            language=_said(said, "language") or detect_language(parsed.text),
            metadata=said,
        )
        path = DocumentPath(self.found.source_id, self.found.path, subcategory, self.mtime, len(self.data))
        return _cut(document, path, parsed)


def _read_regular(location: Path) -> tuple[bytes, int]:
    """The bytes of a regular file and its time. Nothing else is opened: a pipe would keep us waiting for ever."""
    _require_regular(location.stat())
    descriptor = os.open(location, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        # The time comes first: a file that changes while it is read then looks older than it is, not newer.
        opened = os.fstat(descriptor)
        _require_regular(opened)
        return file.read(), int(opened.st_mtime)


def _require_regular(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise UsageError("This is not a regular file, but a pipe, a socket or a device.")


def _parse(raw: RawFile) -> ParsedText:
    suffix = Path(raw.found.path).suffix.lower()
    parser = PARSERS.get(suffix)
    if parser is None:
        known = ", ".join(sorted(PARSERS))
        raise UsageError(f"Files that end with {suffix!r} cannot be read, only {known}.")
    try:
        return parser(raw.data)
    except SourcebookError:
        raise
    except Exception as error:
        # Files are hostile until parsed: whatever one of them sets off must not keep the others from being added.
        raise BadText(f"The file cannot be parsed: {type(error).__name__}: {error}") from error


def _said(metadata: Metadata, key: str) -> str | None:
    value = metadata.get(key)
    return value.strip() or None if isinstance(value, str) else None


def _cut(document: Document, path: DocumentPath, parsed: ParsedText) -> ReadDocument:
    chunks = chunk_document(document.id, parsed.text, parsed.sections)
    return ReadDocument(replace(document, chunk_count=len(chunks)), path, chunks)


@dataclass(frozen=True, slots=True)
class Note:
    """A text that never was a file."""

    document_id: str
    file_hash: str
    source_id: str
    text: str
    title: str | None
    metadata: Metadata
    labels: Labels

    @classmethod
    def of(
        cls,
        text: str,
        id: str | None,
        title: str | None,
        metadata: Metadata,
        labels: Labels,
        collection_id: str,
    ) -> Note:
        """The note under its id; without one, it is known by what it says."""
        if not storable(text):
            raise BadText
        source = source_id(collection_id, NOTES)
        hashed = _note_hash(text, title, metadata)
        return cls(
            id or document_id(collection_id, source, hashed), hashed, source, text, title, metadata, labels
        )

    def agrees_with(self, document: Document) -> bool:
        """A note says all of its labels. Its title and metadata are part of its hash."""
        return self.labels == Labels(document.category, document.subcategory)

    def read(self) -> ReadDocument:
        document = Document(
            id=self.document_id,
            content=self.text,
            title=self.title,
            file_hash=self.file_hash,
            file_size_bytes=len(self.text.encode()),
            type=DEFAULT_TYPE,
            category=self.labels.category,
            subcategory=self.labels.subcategory,
            language=detect_language(self.text),
            metadata=self.metadata,
        )
        path = DocumentPath(self.source_id, self.document_id, self.labels.subcategory)
        return _cut(document, path, ParsedText(self.text))


def _note_hash(text: str, title: str | None, metadata: Metadata) -> str:
    """The hash of all that was given, so that another title or other metadata is a change too."""
    if not title and not metadata:
        return hash_text(text)
    try:
        return hash_text(json.dumps([text, title, metadata], sort_keys=True, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise BadMetadata(f"The metadata is not plain JSON: {error}.") from None
