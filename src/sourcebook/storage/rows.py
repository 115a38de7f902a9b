"""Rows of a base as nouns, and nouns as rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Container
from functools import wraps
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from sourcebook.errors import BaseDamaged
from sourcebook.model.documents import (
    Chunk,
    ChunkLevel,
    Collection,
    DistanceMetric,
    Document,
    DocumentStatus,
    EmbeddedChunk,
    EmbeddingModel,
)
from sourcebook.model.sources import DocumentState, Refused, Source, SourceKind
from sourcebook.storage.argument_checks import metadata_text
from sourcebook.storage.index import vector_encoding
from sourcebook.text.case_and_accents import normal_form

if TYPE_CHECKING:
    from sourcebook.model.documents import JsonValue, Metadata
    from sourcebook.storage.database import Row


_VALUES = (bytes, str, int, float, type(None))
"""What a column can hold, whatever was declared for it."""

P = ParamSpec("P")
T = TypeVar("T")


def of_intact_rows(make: Callable[P, T]) -> Callable[P, T]:
    """Whatever makes nouns of rows: a row that makes no sense is a sign of damage, not of a mistake in the program."""

    @wraps(make)
    def checked(*arguments: P.args, **named: P.kwargs) -> T:
        return made_of_intact_rows(make, *arguments, **named)

    return checked


def made_of_intact_rows(make: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """What `make` makes of rows, once."""
    try:
        return make(*arguments, **named)
    except UnicodeEncodeError:
        # A text that was asked for cannot be stored anywhere; the base has nothing to do with it.
        raise
    except (ValueError, TypeError) as error:
        raise BaseDamaged(f"A row of the base is invalid ({error})") from error
    except AttributeError as error:
        # One changed bit makes bytes of a text. What is no value of a row lacks something by a mistake in the program.
        if not isinstance(error.obj, _VALUES):
            raise
        raise BaseDamaged(f"A row of the base is invalid ({error})") from error


@of_intact_rows
def collection_from(row: Row) -> Collection:
    return Collection(
        id=row["id"],
        name=row["name"],
        description=row["description"],
        embedding_dimensions=row["embedding_dimensions"],
        distance_metric=DistanceMetric(row["distance_metric"]),
        model=EmbeddingModel(
            name=row["model_name"],
            version=row["model_version"],
            dimensions=row["model_dimensions"],
            recipe=row["model_recipe"],
            tokenizer_hash=row["model_tokenizer_hash"],
        ),
        document_count=row["document_count"],
        chunk_count=row["chunk_count"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )


@of_intact_rows
def document_from(row: Row) -> Document:
    return Document(
        id=row["id"],
        content=row["content"],
        title=row["title"],
        file_path=row["file_path"],
        file_hash=row["file_hash"],
        file_size_bytes=row["file_size_bytes"],
        mtime=row["mtime"],
        type=row["type"],
        category=row["category"],
        subcategory=row["subcategory"],
        language=row["language"],
        metadata=json.loads(row["metadata"]),
        layout=json.loads(row.get("layout") or "{}"),
        stored_file=row.get("stored_file"),
        status=DocumentStatus(row["processing_status"]),
        processing_error=row["processing_error"],
        is_active=bool(row["is_active"]),
        chunk_count=row["chunk_count"],
        indexed_at=row["indexed_at"],
    )


@of_intact_rows
def source_from(row: Row) -> Source:
    return Source(
        id=row["id"],
        kind=SourceKind(row["kind"]),
        root=row["root"],
        options=json.loads(row["options"]),
        scanned_at=row["scanned_at"],
    )


@of_intact_rows
def state_from(row: Row, elsewhere: Container[str] = ()) -> DocumentState:
    return DocumentState(
        id=row["id"],
        file_hash=row["file_hash"],
        status=DocumentStatus(row["processing_status"]),
        # That of most documents is not read.
        refused=None if row["layout"] == "{}" else refused_in(json.loads(row["layout"])),
        is_elsewhere=row["id"] in elsewhere,
    )


def refused_in(layout: Metadata) -> Refused | None:
    """The bytes that could not be read, if the layout of a document names any."""
    match layout.get("refused"):
        case {"hash": str() as file_hash, "parsers": str() as parsers}:
            return Refused(file_hash, parsers)
        case _:
            return None


def with_refused(layout: Metadata, refused: Refused | None) -> dict[str, JsonValue]:
    """The layout, naming these bytes as those that could not be read, or none."""
    kept = {key: value for key, value in layout.items() if key != "refused"}
    if refused is not None:
        kept["refused"] = {"hash": refused.file_hash, "parsers": refused.parsers}
    return kept


@of_intact_rows
def chunk_from(row: Row) -> Chunk:
    return Chunk(
        id=row["id"],
        document_id=row["document_id"],
        content=row["content"],
        chunk_index=row["chunk_index"],
        start_index=row["start_index"],
        end_index=row["end_index"],
        level=ChunkLevel(row["level"]),
        parent_id=row["parent_id"],
        section=row["section"],
        page=row["page_number"],
        token_count=row["token_count"],
        metadata=json.loads(row["metadata"]),
        created_at=row["created_at"],
    )


@of_intact_rows
def embedded_chunk_from(row: Row, metric: DistanceMetric) -> EmbeddedChunk:
    blob = row["vector"]
    return EmbeddedChunk(chunk_from(row), None if blob is None else vector_encoding.decode(blob, metric))


def chunk_row(collection_id: str, chunk: Chunk, now: int) -> dict[str, object]:
    return {
        "collection_id": collection_id,
        "document_id": chunk.document_id,
        "chunk_id": chunk.id,
        "chunk_index": chunk.chunk_index,
        "content": chunk.content,
        "start_index": chunk.start_index,
        "end_index": chunk.end_index,
        "token_count": chunk.token_count,
        "level": chunk.level.value,
        "parent_id": chunk.parent_id,
        "section": chunk.section,
        "page_number": chunk.page,
        "metadata": metadata_text(chunk.metadata, f"chunk {chunk.id}"),
        "now": chunk.created_at or now,
    }


def document_row(collection_id: str, document: Document, now: int) -> dict[str, object]:
    return {
        "collection_id": collection_id,
        "document_id": document.id,
        "file_path": document.file_path or document.id,
        "filename": file_name(document.file_path or document.id),
        "title": document.title,
        "content": document.content,
        "file_size_bytes": document.file_size_bytes,
        "mtime": document.mtime,
        "type": document.type,
        "category": document.category,
        "category_key": normal_or_none(document.category),
        "subcategory": document.subcategory,
        "subcategory_key": normal_or_none(document.subcategory),
        "language": document.language,
        "metadata": metadata_text(document.metadata, f"document {document.id}"),
        "layout": metadata_text(document.layout, f"the layout of document {document.id}"),
        "stored_file": document.stored_file,
        "processing_status": document.status.value,
        "processing_error": document.processing_error,
        "is_active": document.is_active,
        "now": now,
    }


def file_name(path: str) -> str:
    return PurePosixPath(path).name or path


def normal_or_none(value: str | None) -> str | None:
    return None if value is None else normal_form(value)
