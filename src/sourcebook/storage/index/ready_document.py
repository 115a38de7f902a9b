"""A document with everything computed that needs no transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

from sourcebook.errors import UsageError
from sourcebook.model.documents import ChunkLevel
from sourcebook.storage.argument_checks import require_sane_chunks, require_storable
from sourcebook.storage.index import vector_encoding
from sourcebook.storage.index.document_tracker import content_hash
from sourcebook.storage.index.document_words import DocumentWords
from sourcebook.storage.index.index_change import ReadyChunk

if TYPE_CHECKING:
    from sourcebook.model.documents import Collection, Document, PreparedDocument
    from sourcebook.storage.index.bm25 import WordCount


@dataclass(frozen=True, slots=True)
class ReadyDocument:
    """A prepared document with everything computed that needs no transaction."""

    prepared: PreparedDocument
    file_hash: str
    content_hash: str
    words: WordCount
    chunks: Sequence[ReadyChunk]

    @classmethod
    def of(cls, prepared: PreparedDocument, collection: Collection) -> ReadyDocument:
        """Checked and counted. Vectors are checked and encoded when they are written."""
        _require_sane(prepared)
        document = prepared.document
        hashed = content_hash(document.content)
        passages = [c.chunk for c in prepared.chunks if c.chunk.level is ChunkLevel.PARENT]
        spans = [(passage.start_index, passage.end_index) for passage in passages]
        words = DocumentWords.of(document.content, document.title, document.language, spans)
        of_passages = {p.id: count for p, count in zip(passages, words.of_passages, strict=True)}
        return cls(
            prepared=prepared,
            file_hash=document.file_hash or hashed,
            content_hash=hashed,
            words=words.of_document,
            chunks=_ready_chunks(prepared, of_passages, collection),
        )

    @property
    def document(self) -> Document:
        return self.prepared.document


def _require_sane(prepared: PreparedDocument) -> None:
    document = prepared.document
    what = f"document {document.id!r}"
    require_storable(
        what,
        document.id,
        document.content,
        document.title,
        document.file_path,
        document.file_hash,
        document.type,
        document.category,
        document.subcategory,
        document.language,
        document.processing_error,
        *(text for path in prepared.paths for text in (path.source_id, path.path, path.subcategory)),
    )
    require_sane_chunks([c.chunk for c in prepared.chunks])
    for chunk in (c.chunk for c in prepared.chunks):
        if chunk.document_id != document.id:
            raise UsageError(
                f"The chunk {chunk.id!r} belongs to document {chunk.document_id!r}, not to {what}"
            )
        if document.content[chunk.start_index : chunk.end_index] != chunk.content:
            raise UsageError(f"The chunk {chunk.id!r} is not at {chunk.start_index} in the text of {what}")


def _ready_chunks(
    prepared: PreparedDocument, words: Mapping[str, WordCount], collection: Collection
) -> list[ReadyChunk]:
    """Passages are found by words and vectors, children by vectors alone."""
    with_vectors = [c for c in prepared.chunks if c.embedding is not None]
    stored = vector_encoding.EncodedInTurn(
        [c.embedding for c in with_vectors if c.embedding is not None],
        collection,
        [f"chunk {c.chunk.id!r}" for c in with_vectors],
    )
    places = count()
    return [
        ReadyChunk(
            c.chunk,
            partial(stored.__getitem__, next(places)) if c.embedding is not None else None,
            words.get(c.chunk.id),
        )
        for c in prepared.chunks
    ]
