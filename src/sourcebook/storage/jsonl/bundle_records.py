"""Documents and chunks as the lines of a bundle, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from sourcebook.errors import BadBundle, SourcebookError
from sourcebook.model.documents import (
    Chunk,
    ChunkLevel,
    DistanceMetric,
    Document,
    DocumentPath,
    DocumentStatus,
)
from sourcebook.storage.index import vector_encoding

if TYPE_CHECKING:
    from sourcebook.model.documents import Collection
    from sourcebook.storage.jsonl.json_lines import JsonObject

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class BundledChunk:
    """A chunk with its vector as stored, and whether it is found by words."""

    chunk: Chunk
    vector: bytes | None
    has_words: bool


@dataclass(frozen=True, slots=True)
class BundledDocument:
    """All that a base knows of a document, but for the times at which it was written.

    Of a bare document nothing may be known but its chunks, which need not stand in any text.
    """

    document: Document
    content_hash: str | None
    is_bare: bool
    tracked_chunks: int | None
    paths: Sequence[DocumentPath]
    chunks: Sequence[BundledChunk]

    def timeless(self) -> BundledDocument:
        """Without paths and times: two that are equal now say the same."""
        return replace(
            self,
            document=replace(self.document, chunk_count=0, indexed_at=0),
            paths=(),
            chunks=[replace(c, chunk=replace(c.chunk, created_at=0)) for c in self.chunks],
        )


def document_line(collection: Collection, bundled: BundledDocument) -> str:
    document = bundled.document
    return _json(
        {
            "id": document.id,
            "collection": collection.id,
            "path": document.file_path,
            "title": document.title,
            "content": document.content,
            "hash": document.file_hash,
            "content_hash": bundled.content_hash,
            "mtime": document.mtime,
            "size": document.file_size_bytes,
            "type": document.type,
            "category": document.category,
            "subcategory": document.subcategory,
            "language": document.language,
            "metadata": document.metadata,
            "status": document.status.value,
            "error": document.processing_error,
            "is_active": document.is_active,
            "is_bare": bundled.is_bare,
            "tracked_chunks": bundled.tracked_chunks,
            "chunks": len(bundled.chunks),
            "paths": [
                {
                    "source": path.source_id,
                    "path": path.path,
                    "subcategory": path.subcategory,
                    "mtime": path.mtime,
                    "size": path.size,
                }
                for path in bundled.paths
            ],
        }
    )


def chunk_line(collection: Collection, document: Document, bundled: BundledChunk) -> str:
    chunk = bundled.chunk
    fields = _json(
        {
            "id": chunk.id,
            "doc_id": document.id,
            "chunk_id": chunk.id,
            "collection": collection.id,
            "text": chunk.content,
            "title": document.title,
            "path": document.file_path,
            "page": chunk.page,
            "section": chunk.section,
            "level": chunk.level.value,
            "parent_id": chunk.parent_id,
            "index": chunk.chunk_index,
            "start": chunk.start_index,
            "end": chunk.end_index,
            "tokens": chunk.token_count,
            "has_words": bundled.has_words,
            "language": document.language,
            "category": document.category,
            "subcategory": document.subcategory,
            "metadata": chunk.metadata,
        }
    )
    embedding = "null" if bundled.vector is None else _numbers(bundled.vector, collection.distance_metric)
    return f'{fields[:-1]}, "embedding": {embedding}}}'


def read_document(row: JsonObject, chunks: Sequence[BundledChunk], where: str) -> BundledDocument:
    read = Fields(row, where)
    document = Document(
        id=read.text("id"),
        content=read.text("content"),
        title=read.optional("title", str),
        file_path=read.text("path"),
        file_hash=read.optional("hash", str),
        file_size_bytes=read.optional("size", int),
        mtime=read.optional("mtime", int),
        type=read.optional("type", str),
        category=read.optional("category", str),
        subcategory=read.optional("subcategory", str),
        language=read.optional("language", str),
        metadata=read.value("metadata", dict[str, Any]),
        status=read.choice("status", DocumentStatus),
        processing_error=read.optional("error", str),
        is_active=read.value("is_active", bool),
    )
    return BundledDocument(
        document=document,
        content_hash=read.optional("content_hash", str),
        is_bare=read.value("is_bare", bool),
        tracked_chunks=read.optional("tracked_chunks", int),
        paths=[_path(Fields(path, where)) for path in read.value("paths", list[Any])],
        chunks=chunks,
    )


def _path(read: Fields) -> DocumentPath:
    return DocumentPath(
        source_id=read.text("source"),
        path=read.text("path"),
        subcategory=read.optional("subcategory", str),
        mtime=read.optional("mtime", int),
        size=read.optional("size", int),
    )


def read_chunk(row: JsonObject, collection: Collection, where: str) -> BundledChunk:
    read = Fields(row, where)
    chunk = Chunk(
        id=read.text("chunk_id"),
        document_id=read.text("doc_id"),
        content=read.text("text"),
        chunk_index=read.value("index", int),
        start_index=read.value("start", int),
        end_index=read.value("end", int),
        level=read.choice("level", ChunkLevel),
        parent_id=read.optional("parent_id", str),
        section=read.optional("section", str),
        page=read.optional("page", int),
        token_count=read.value("tokens", int),
        metadata=read.value("metadata", dict[str, Any]),
    )
    embedding = read.optional("embedding", list[Any])
    vector = None if embedding is None else _stored(embedding, collection, where)
    return BundledChunk(chunk, vector, read.value("has_words", bool))


def _stored(embedding: list[Any], collection: Collection, where: str) -> bytes:
    """The very bits from which the numbers were written."""
    try:
        numbers = vector_encoding.checked(embedding, collection.embedding_dimensions, where)
        with np.errstate(over="ignore"):
            as_written = numbers.astype(vector_encoding.stored_type(collection.distance_metric))
        return vector_encoding.encoded(as_written.astype(np.float32), collection, where)
    except SourcebookError as error:
        raise BadBundle(f"{where}: {error.message}") from error


class Fields:
    """The fields of a JSON object, each of the type that it should have, or an error that names the line."""

    def __init__(self, row: object, where: str) -> None:
        if not isinstance(row, dict):
            raise BadBundle(f"{where}: an object is missing")
        self._row = cast("Mapping[str, object]", row)
        self._where = where

    def text(self, name: str) -> str:
        return self.value(name, str)

    def value(self, name: str, kind: type[T]) -> T:
        found = self.optional(name, kind)
        if found is None:
            raise BadBundle(f"{self._where}: {name!r} is missing")
        return found

    def optional(self, name: str, kind: type[T]) -> T | None:
        found = self._row.get(name)
        plain = getattr(kind, "__origin__", kind)
        if found is None:
            return None
        if not isinstance(found, plain) or (plain is int and isinstance(found, bool)):
            raise BadBundle(f"{self._where}: {name!r} is not {_SPOKEN[plain]}")
        return cast("T", found)

    def choice(self, name: str, kind: type[T]) -> T:
        try:
            return cast("Any", kind)(self.text(name))
        except ValueError as error:
            raise BadBundle(f"{self._where}: {error}") from error


_SPOKEN: dict[type, str] = {
    str: "a text",
    int: "a whole number",
    bool: "true or false",
    dict: "an object",
    list: "a list",
}


def _json(fields: Mapping[str, object]) -> str:
    return json.dumps(fields, ensure_ascii=False, allow_nan=False)


def _numbers(vector: bytes, metric: DistanceMetric) -> str:
    """Numbers that give back the stored bits: of half precision the shortest ones, which need half the room."""
    if metric is DistanceMetric.COSINE:
        texts = half_precision_texts()
        places: list[int] = np.frombuffer(vector, dtype="<u2").tolist()
        return f"[{','.join([texts[bits] for bits in places])}]"
    return json.dumps(np.frombuffer(vector, dtype="<f4").tolist(), allow_nan=False)


@cache
def half_precision_texts() -> list[str]:
    """Each number of half precision, by its bits, in as few digits as tell it from its neighbours."""
    return [str(number) for number in np.arange(2**16, dtype="<u2").view("<f2")]
