"""Curated answers as lines of a bundle, with the vectors of their questions, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sourcebook.errors import BadBundle
from sourcebook.model.curation import CuratedSource, SourceType
from sourcebook.model.documents import DistanceMetric
from sourcebook.model.moderation import Revision
from sourcebook.ports.moderation import Embedded
from sourcebook.storage.curation import wordings
from sourcebook.storage.curation.curated_rows import insert_entry, read_entries, require_sane
from sourcebook.storage.curation.stale_answers import check_entry
from sourcebook.storage.index import collections, vector_encoding
from sourcebook.storage.jsonl.bundle_manifest import CURATED
from sourcebook.storage.jsonl.bundle_records import Fields
from sourcebook.storage.jsonl.json_lines import JsonLinesFile, as_vector

if TYPE_CHECKING:
    from sourcebook.model.curation import CuratedAnswer
    from sourcebook.model.documents import Collection
    from sourcebook.storage.database import Executor

_IMPORTER = 1
"""Imported answers count as approved by the importer: a user's number means somebody else in another base."""
_SOURCE_KEYS = (
    *("document_id", "document_path", "document_title", "chunk_id", "page", "start", "end", "quote"),
    *("file_hash", "section"),
)


async def curated_lines(reader: Executor, collection_id: str) -> list[str]:
    """A line for each active answer of a collection."""
    scope = {"collection_id": collection_id, "category_key": None, "subcategory_keys": None}
    vectors = {row["id"]: _numbers(row["vector"]) for row in await reader.fetch("curated_vectors", **scope)}
    worded: dict[tuple[int, str], list[float]] = {
        (row["id"], row["wording"]): _numbers(row["vector"])
        for row in await reader.fetch("wording_vectors", **scope)
    }
    entries = await read_entries(reader, sorted(vectors))
    return [_line(entry, vectors[entry.id], worded) for entry in entries]


def _line(entry: CuratedAnswer, vector: list[float], worded: Mapping[tuple[int, str], list[float]]) -> str:
    fields = {
        "collection": entry.collection_id,
        "question": entry.question,
        "answer": entry.answer,
        "category": entry.category,
        "subcategory": entry.subcategory,
        "source_type": entry.source_type.value,
        "language": entry.language,
        "approved_by_name": entry.approved_by_name,
        "approved_at": entry.approved_at,
        "stale_reason": entry.stale_reason,
        "sources": [
            {"collection": s.collection_id, **{key: getattr(s, key) for key in _SOURCE_KEYS}}
            for s in entry.sources
        ],
        "wordings": [
            {"question": w.question, "status": w.status.value, "vector": worded[entry.id, w.question]}
            for w in entry.wordings
            if (entry.id, w.question) in worded
        ],
        "vector": vector,
    }
    return json.dumps(fields, ensure_ascii=False)


def _numbers(stored: bytes) -> list[float]:
    found = np.frombuffer(stored, dtype=vector_encoding.stored_type(DistanceMetric.COSINE))
    return [float(number) for number in found.astype(np.float32)]


def bundled_answers(folder: Path, targets: Mapping[str, Collection]) -> list[tuple[Collection, Fields]]:
    """The lines of the curated answers, each with the collection that it goes to."""
    path = folder / CURATED
    found: list[tuple[Collection, Fields]] = []
    for number, row in JsonLinesFile(path) if path.exists() else ():
        read = Fields(row, f"line {number} of {CURATED}")
        target = targets.get(read.text("collection"))
        if target is None:
            raise BadBundle(f"Line {number} of {CURATED}: its collection is not in the manifest")
        found.append((target, read))
    return found


async def restore_answer(
    transaction: Executor, collection: Collection, read: Fields, renamed: Mapping[str, str], now: int
) -> bool:
    """Put an answer back. False if the collection has the same answer to the same question already."""
    wanted = _revision(read, collection.id, renamed)
    require_sane(wanted)
    rows = await transaction.fetch("curated_ids", collection_id=collection.id)
    for known in await read_entries(transaction, [row["id"] for row in rows]):
        if (known.question, known.answer) == (wanted.question, wanted.answer):
            return False
    stored = await collections.require(transaction, collection.id)
    entry_id = await insert_entry(
        transaction,
        stored,
        wanted,
        _embedded(read, collection).vector,
        now,
        source_type=read.choice("source_type", SourceType),
        approved_by=_IMPORTER,
        approved_at=read.optional("approved_at", int),
    )
    await check_entry(transaction, entry_id, now)
    for worded in read.value("wordings", list[Any]):
        one = Fields(worded, CURATED)
        embedded = _embedded(one, collection)
        await wordings.add(transaction, entry_id, one.text("question"), _IMPORTER, embedded, now)
    return True


def _revision(read: Fields, collection_id: str, renamed: Mapping[str, str]) -> Revision:
    return Revision(
        collection_id=collection_id,
        category=read.text("category"),
        answer=read.text("answer"),
        question=read.optional("question", str),
        subcategory=read.optional("subcategory", str),
        language=read.optional("language", str),
        sources=[_source(Fields(row, CURATED), renamed) for row in read.value("sources", list[Any])],
    )


def _source(read: Fields, renamed: Mapping[str, str]) -> CuratedSource:
    collection_id = read.text("collection")
    return CuratedSource(
        collection_id=renamed.get(collection_id, collection_id),
        document_id=read.text("document_id"),
        document_path=read.text("document_path"),
        quote=read.text("quote"),
        document_title=read.optional("document_title", str),
        chunk_id=read.optional("chunk_id", str),
        page=read.optional("page", int),
        start=read.optional("start", int),
        end=read.optional("end", int),
        file_hash=read.optional("file_hash", str),
        section=read.optional("section", str),
    )


def _embedded(read: Fields, collection: Collection) -> Embedded:
    assert collection.model is not None, "the manifest names a model"  # noqa: S101
    vector = as_vector(read.value("vector", list[Any]))
    if vector is None or vector.size != collection.embedding_dimensions:
        raise BadBundle(f"{CURATED}: a vector does not fit the collection {collection.id!r}")
    return Embedded(vector.astype(np.float32), collection.model)
