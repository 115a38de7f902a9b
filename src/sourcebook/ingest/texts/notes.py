"""Texts that are not in files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from anyio import to_thread

from sourcebook.errors import ActiveModelChanged, BadMetadata, BadText, DocumentChangedMeanwhile
from sourcebook.ingest.add_request import Labels
from sourcebook.ingest.fingerprint import chunk_id, document_id, hash_text, source_id
from sourcebook.ingest.folder.type_rules import DEFAULT_TYPE
from sourcebook.ingest.index.document_reader import ReadDocument, cut
from sourcebook.ingest.index.embedding import embed_chunks
from sourcebook.ingest.parsers.parsed_text import ParsedText
from sourcebook.ingest.texts.shared_texts import NOTES, SharedTexts
from sourcebook.model.documents import (
    Chunk,
    ChunkLevel,
    Document,
    DocumentPath,
    EmbeddedChunk,
    PreparedDocument,
    WriteOutcome,
    WriteReport,
)
from sourcebook.model.sources import Source, SourceKind
from sourcebook.ports.providers import known_model
from sourcebook.text.case_and_accents import storable
from sourcebook.text.languages import detect_language

if TYPE_CHECKING:
    from sourcebook.ingest.add_tools import Tools
    from sourcebook.model.documents import ChunkStrategy, Metadata, Vector

ATTEMPTS = 3


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
    vector: Vector | None = None
    """The vector of the text, if the caller has one: the text is then one passage, however long it is."""
    language: str | None = None

    @classmethod
    def of(
        cls,
        text: str,
        id: str | None,
        title: str | None,
        metadata: Metadata,
        labels: Labels,
        collection_id: str,
        vector: Vector | None = None,
        language: str | None = None,
    ) -> Note:
        """The note under its id; without one, it is known by what it says."""
        if not storable(text):
            raise BadText
        source = source_id(collection_id, NOTES)
        hashed = _note_hash(text, title, metadata)
        identity = id or document_id(collection_id, source, hashed)
        if vector is not None:
            # Another vector is a change too.
            hashed = hash_text(f"{hashed} {np.asarray(vector, np.float32).tobytes().hex()}")
        return cls(identity, hashed, source, text, title, metadata, labels, vector, language)

    def is_as(self, document: Document | None) -> bool:
        """Whether the document says this already. A note says all of its labels; the rest is part of its hash."""
        return (
            document is not None
            and document.file_hash == self.file_hash
            and self.labels == Labels(document.category, document.subcategory)
        )

    def read(self, strategy: ChunkStrategy) -> ReadDocument:
        document = Document(
            id=self.document_id,
            content=self.text,
            title=self.title,
            file_hash=self.file_hash,
            file_size_bytes=len(self.text.encode()),
            type=DEFAULT_TYPE,
            category=self.labels.category,
            subcategory=self.labels.subcategory,
            language=self.language or detect_language(self.text),
            metadata=self.metadata,
        )
        path = DocumentPath(self.source_id, self.document_id, self.labels.subcategory)
        if self.vector is None:
            return cut(document, [path], ParsedText(self.text), strategy)
        chunks = [_whole(document)] if self.text.strip() else []
        return ReadDocument(replace(document, chunk_count=len(chunks)), [path], chunks)


def _whole(document: Document) -> Chunk:
    """The text as one passage."""
    text = document.content
    return Chunk(
        id=chunk_id(document.id, ChunkLevel.PARENT, 0, text),
        document_id=document.id,
        content=text,
        end_index=len(text),
        token_count=len(text.split()),
    )


async def write_note(tools: Tools, collection_id: str, note: Note) -> WriteReport:
    """Write the note, and plan again if another process was faster."""
    attempt = 1
    while True:
        await tools.library.open_collection(collection_id, await known_model(tools.embedder))
        await claim_source(tools, collection_id, note.source_id)
        try:
            return await _write(tools, collection_id, note)
        except (DocumentChangedMeanwhile, ActiveModelChanged):
            if attempt == ATTEMPTS:
                raise
        attempt += 1


async def _write(tools: Tools, collection_id: str, note: Note) -> WriteReport:
    present = await tools.library.get_document(collection_id, note.document_id)
    if note.is_as(present):
        return WriteReport(WriteOutcome.UNCHANGED, note.document_id)
    owners = await tools.sources.owners(collection_id, [note.file_hash])
    read = await to_thread.run_sync(note.read, tools.config.strategy)
    if owners.get(note.file_hash, note.document_id) != note.document_id and present is None:
        owner = await tools.writer.add_path(collection_id, note.file_hash, read.paths[0])
        if owner is not None:
            return WriteReport(WriteOutcome.DUPLICATE, owner)
    if note.vector is None:
        chunks = await embed_chunks(tools.embedder, read.chunks, note.title)
    else:
        chunks = with_given_vector(note, read)
    prepared = prepared_note(tools, read, chunks, present)
    return await _replace(tools, collection_id, prepared, present)


async def _replace(
    tools: Tools, collection_id: str, prepared: PreparedDocument, present: Document | None
) -> WriteReport:
    """Write the note. If its old text was given under other ids too, these keep it."""
    successor = None
    if present is not None and present.file_hash != prepared.document.file_hash:
        shared = SharedTexts(collection_id, tools.library, tools.sources, tools.vectors)
        successor = await shared.successor(present)
    return await tools.writer.replace_document(collection_id, prepared, successor=successor)


def with_given_vector(note: Note, read: ReadDocument) -> list[EmbeddedChunk]:
    return [EmbeddedChunk(chunk, note.vector) for chunk in read.chunks]


def prepared_note(
    tools: Tools, read: ReadDocument, chunks: Sequence[EmbeddedChunk], present: Document | None = None
) -> PreparedDocument:
    document = read.document
    if present is not None:
        document = replace(document, is_active=present.is_active)
    return PreparedDocument(
        document=document,
        chunks=chunks,
        model=tools.embedder.model,
        paths=read.paths,
        expected_hash=present.file_hash if present else None,
    )


async def claim_source(tools: Tools, collection_id: str, id: str) -> None:
    """The source of notes is there from the first one on."""
    present = await tools.sources.list_sources(collection_id)
    if all(source.id != id for source in present):
        source = Source(id, SourceKind.TEXT, NOTES)
        await tools.sources.put_source(collection_id, source, (), [s.id for s in present])


def _note_hash(text: str, title: str | None, metadata: Metadata) -> str:
    """The hash of all that was given, so that another title or other metadata is a change too."""
    if not title and not metadata:
        return hash_text(text)
    try:
        return hash_text(json.dumps([text, title, metadata], sort_keys=True, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise BadMetadata(f"The metadata is not plain JSON: {error}.") from None
