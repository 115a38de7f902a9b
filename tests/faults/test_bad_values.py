"""What makes no sense is refused with an error of ours, and nothing of it is stored."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.faults.bases import COLLECTION, Base, opened

from sourcebook.errors import (
    ActiveModelChanged,
    BadMetadata,
    BadText,
    BadVector,
    ChunkNotFound,
    CollectionConflict,
    CollectionNotFound,
    DocumentChangedMeanwhile,
    DocumentNotFound,
    DuplicateChunkId,
    EmbeddingSizeMismatch,
    SourcebookError,
    UsageError,
)
from sourcebook.model.documents import Chunk, Collection, DocumentPath, EmbeddedChunk, EmbeddingModel
from sourcebook.model.search import Equals
from sourcebook.testing.crash import prepared_document, vector_of

pytestmark = pytest.mark.anyio

Attempt = Callable[[Base], Awaitable[object]]
GOOD = vector_of("good")
HUGE = 2**70


def chunk(id: str = "c", **fields: Any) -> Chunk:
    return replace(Chunk(id=id, document_id="d", content="text", end_index=4), **fields)


def add(*chunks: Chunk, vector: Any = GOOD) -> Attempt:
    """Add a good chunk first, so that an error in the middle shows."""
    embedded = [EmbeddedChunk(chunk("first"), GOOD), *(EmbeddedChunk(c, vector) for c in chunks)]
    return lambda base: base.stores.vectors.add(COLLECTION, embedded)


def index(*chunks: Chunk) -> Attempt:
    return lambda base: base.stores.fts.index(COLLECTION, [chunk("first"), *chunks])


def write(**fields: Any) -> Attempt:
    return lambda base: base.stores.writer.replace_document(
        COLLECTION, replace(prepared_document(9), **fields)
    )


def write_document(**fields: Any) -> Attempt:
    return write(document=replace(prepared_document(9).document, **fields))


REFUSED: list[tuple[str, type[SourcebookError], Attempt]] = [
    ("vector too short", EmbeddingSizeMismatch, add(chunk(), vector=[1.0] * 15)),
    ("vector too long", EmbeddingSizeMismatch, add(chunk(), vector=[1.0] * 17)),
    ("empty vector", BadVector, add(chunk(), vector=[])),
    ("no vector", BadVector, add(chunk(), vector=None)),
    ("NaN", BadVector, add(chunk(), vector=[math.nan] * 16)),
    ("infinity", BadVector, add(chunk(), vector=[math.inf, *[0.0] * 15])),
    ("beyond single precision", BadVector, add(chunk(), vector=[1e300] * 16)),
    ("matrix", BadVector, add(chunk(), vector=np.ones((2, 8)))),
    ("text for a vector", BadVector, add(chunk(), vector=["one"] * 16)),
    ("huge integers", BadVector, add(chunk(), vector=[10**400] * 16)),
    ("same id twice", DuplicateChunkId, add(chunk("twice"), chunk("twice"))),
    ("same id twice, by words", DuplicateChunkId, index(chunk("twice"), chunk("twice"))),
    ("empty chunk id", UsageError, add(chunk(""))),
    ("empty document id", UsageError, add(chunk(document_id=""))),
    ("NUL in text", BadText, add(chunk(content="a\x00b"))),
    ("lone surrogate in text", BadText, index(chunk(content="\ud800"))),
    ("lone surrogate in id", BadText, add(chunk("\udfff"))),
    ("NUL in section", BadText, add(chunk(section="\x00"))),
    ("NaN in metadata", BadMetadata, add(chunk(metadata={"a": math.nan}))),
    ("object in metadata", BadMetadata, add(chunk(metadata={"a": object()}))),
    ("bytes in metadata", BadMetadata, index(chunk(metadata={"a": b"x"}))),
    ("number as a key of metadata", BadMetadata, add(chunk(metadata={"a": {1: 2}}))),
    ("NUL in metadata", BadMetadata, add(chunk(metadata={"a": ["\x00"]}))),
    ("huge page", UsageError, add(chunk(page=HUGE))),
    ("huge index", UsageError, add(chunk(chunk_index=HUGE))),
    ("huge span", UsageError, index(chunk(end_index=HUGE))),
    ("huge token count", UsageError, add(chunk(token_count=-HUGE))),
    ("unknown collection", CollectionNotFound, lambda base: base.stores.vectors.add("nowhere", [])),
    (
        "unknown collection, by words",
        CollectionNotFound,
        lambda base: base.stores.fts.index("nowhere", [chunk()]),
    ),
    (
        "unknown collection, whole document",
        CollectionNotFound,
        lambda base: base.stores.writer.replace_document("nowhere", prepared_document(9)),
    ),
    (
        "unknown collection, searched",
        CollectionNotFound,
        lambda base: base.stores.vectors.search_semantic("nowhere", GOOD, 5),
    ),
    (
        "update of an unknown chunk",
        ChunkNotFound,
        lambda base: base.stores.vectors.update(COLLECTION, [EmbeddedChunk(chunk("unknown"), GOOD)]),
    ),
    (
        "move of an unknown document",
        DocumentNotFound,
        lambda base: base.stores.writer.move_document(
            COLLECTION, "unknown", DocumentPath("s", "a"), DocumentPath("s", "b"), "b"
        ),
    ),
    (
        "hiding an unknown document",
        DocumentNotFound,
        lambda base: base.stores.writer.set_active(COLLECTION, "unknown", active=False),
    ),
    (
        "other size for a collection",
        CollectionConflict,
        lambda base: base.stores.vectors.create_collection(Collection(COLLECTION, 17)),
    ),
    (
        "size zero",
        UsageError,
        lambda base: base.stores.vectors.create_collection(Collection("new", 0)),
    ),
    ("top_k of zero", UsageError, lambda base: base.stores.vectors.search_semantic(COLLECTION, GOOD, 0)),
    ("negative top_k", UsageError, lambda base: base.stores.fts.search(COLLECTION, "text", -1)),
    (
        "question of another size",
        EmbeddingSizeMismatch,
        lambda base: base.stores.vectors.search_semantic(COLLECTION, [1.0] * 3, 5),
    ),
    (
        "question of NaN",
        BadVector,
        lambda base: base.stores.vectors.search_semantic(COLLECTION, [math.nan] * 16, 5),
    ),
    ("another model", ActiveModelChanged, write(model=EmbeddingModel("other", 16))),
    ("another state expected", DocumentChangedMeanwhile, write(expected_hash="0" * 64)),
    ("chunk of another document", UsageError, write(chunks=prepared_document(8).chunks)),
    ("chunk that stands elsewhere", UsageError, write_document(content="x" * 1000)),
    ("NUL in a title", BadText, write_document(title="\x00")),
    ("lone surrogate in a path", BadText, write(paths=[DocumentPath("s", "\udcff.md")])),
    ("lone surrogate in a language", BadText, write_document(language="\ud800")),
    ("lone surrogate in a hash", BadText, write_document(file_hash="\ud800")),
    ("NUL in an error", BadText, write_document(processing_error="\x00")),
    ("huge time", UsageError, write_document(mtime=HUGE)),
    ("huge size", UsageError, write_document(file_size_bytes=HUGE)),
    ("huge time of a path", UsageError, write(paths=[DocumentPath("s", "p", mtime=HUGE)])),
]


@pytest.mark.parametrize(
    ("error", "attempt"), [case[1:] for case in REFUSED], ids=[case[0].replace(" ", "_") for case in REFUSED]
)
async def test_what_makes_no_sense_is_refused_and_nothing_is_stored(
    tmp_path: Path, error: type[SourcebookError], attempt: Attempt
) -> None:
    async with opened(tmp_path / "base.db") as base:
        await base.write(prepared_document(0))
        before = await base.digest()
        with pytest.raises(error) as caught:
            await attempt(base)
        assert caught.value.hint
        assert await base.digest() == before
        assert await base.faults() == []
        await base.write(prepared_document(1))


async def test_keys_and_values_in_any_script_can_be_stored_and_searched_for(tmp_path: Path) -> None:
    async with opened(tmp_path / "base.db") as base:
        metadata = {"культура": "малина", "выход": {"кг_на-куст": 2.5}, "नाम": "रसभरी"}
        await base.stores.vectors.add(
            COLLECTION,
            [EmbeddedChunk(chunk("c1", metadata=metadata), GOOD), EmbeddedChunk(chunk("c2"), GOOD)],
        )
        for wanted in (Equals("культура", "малина"), Equals("выход.кг_на-куст", 2.5), Equals("नाम", "रसभरी")):
            found = await base.stores.vectors.search_semantic(COLLECTION, GOOD, 5, wanted)
            assert [r.chunk.id for r in found] == ["c1"]
            assert found[0].chunk.metadata == metadata
