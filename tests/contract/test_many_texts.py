"""Many texts at once are what one after the other would be, on both databases."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest

from sourcebook import AsyncSourcebook, Collection, NewText, Settings, WriteOutcome
from sourcebook.errors import BadVector, EmbeddingSizeMismatch, NoEmbedder, UsageError
from sourcebook.ingest.texts import notes_in_bulk
from sourcebook.ingest.texts.text_checks import checked_texts
from sourcebook.testing.fakes import FakeEmbedder

if TYPE_CHECKING:
    from numpy.typing import NDArray

pytestmark = pytest.mark.anyio

TEXTS = [
    "The blackberry grows on the north wall.",
    NewText("The gate is painted in green every spring.", id="gate", title="Gate", metadata={"year": 2020}),
    "Whoever waters the roses closes the tap afterwards.",
    "The blackberry grows on the north wall.",
    NewText("The gate is painted in blue now.", id="gate", title="Gate"),
]


def opened(db: str, embedder: FakeEmbedder | None = None) -> AsyncSourcebook:
    return AsyncSourcebook(settings=Settings(db=db, embedder="none"), embedder=embedder)


async def stored(book: AsyncSourcebook, collection: str) -> dict[str, tuple[Any, ...]]:
    """All that the base holds of a collection, by the ids of its documents, which are no part of it."""
    found: dict[str, tuple[Any, ...]] = {}
    for document in await book.stores.library.list_documents(collection):
        whole = await book.stores.library.get_document(collection, document.id)
        assert whole is not None
        chunks = await book.stores.vectors.get_by_document(collection, document.id)
        key = document.id if document.id == "gate" else whole.content
        vectors = [np.asarray(c.embedding).tolist() for c in chunks]
        found[key] = (whole.content, whole.title, whole.metadata, [c.chunk.content for c in chunks], vectors)
    return found


@pytest.mark.parametrize("at_once", [1, 2, 1000])
async def test_many_at_once_are_what_one_by_one_would_be(
    db: str, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notes_in_bulk, "AT_ONCE", at_once)
    async with opened(db, FakeEmbedder()) as book:
        one_by_one = [
            await book.add_text(t.text, id=t.id, title=t.title, metadata=t.metadata, collection="slow")
            for t in checked_texts(TEXTS)
        ]
        together = await book.add_texts(TEXTS, collection="fast")
        assert [r.outcome for r in together] == [r.outcome for r in one_by_one]
        assert together[3].document_id == together[0].document_id
        assert await stored(book, "fast") == await stored(book, "slow")
        words = {
            c: [r.chunk.content for r in await book.search("blackberry gate", collection=c)]
            for c in ("fast", "slow")
        }
        assert words["fast"] == words["slow"] != []
        assert (await book.maintenance.doctor()).ok
        again = await book.add_texts(TEXTS[:3], collection="fast")
        assert [r.outcome for r in again] == [
            WriteOutcome.UNCHANGED,
            WriteOutcome.WRITTEN,
            WriteOutcome.UNCHANGED,
        ]


def unit(*numbers: float) -> NDArray[np.float32]:
    return np.array(numbers, dtype=np.float32)


async def test_a_text_with_its_vector_is_one_passage_and_needs_no_embedder(db: str) -> None:
    long = "A sentence about the wall. " * 200
    async with opened(db) as book:
        await book.create_collection(Collection("own", 3))
        await book.add_texts(
            [
                NewText(long, id="long", vector=unit(1, 0, 0)),
                NewText("Roses.", id="short", vector=unit(0, 1, 0)),
            ],
            collection="own",
        )
        found = await book.stores.vectors.search_semantic("own", unit(1, 0.1, 0), 5)
        assert [(r.chunk.document_id, r.chunk.content) for r in found] == [
            ("long", long),
            ("short", "Roses."),
        ]
        assert [h.score > 0 for h in await book.stores.fts.search("own", "roses", 5)] == [True]
        changed = await book.add_texts(
            [NewText("Roses.", id="short", vector=unit(0, 0, 1))], collection="own"
        )
        assert changed[0].outcome is WriteOutcome.WRITTEN
        assert (await book.stores.vectors.search_semantic("own", unit(0, 0, 1), 1))[
            0
        ].chunk.document_id == "short"


async def test_a_collection_is_made_for_the_vectors_when_there_is_no_embedder(db: str) -> None:
    async with opened(db) as book:
        await book.add_texts([NewText("Roses.", vector=unit(0, 1))], collection="own")
        made = await book.stores.vectors.get_collection("own")
        assert made is not None
        assert made.embedding_dimensions == 2
        with pytest.raises(NoEmbedder):
            await book.add_texts(["No vector."], collection="own")


async def test_a_vector_of_another_size_writes_nothing_of_its_thousand(db: str) -> None:
    async with opened(db) as book:
        await book.create_collection(Collection("own", 2))
        with pytest.raises(EmbeddingSizeMismatch):
            await book.add_texts(
                [NewText("One.", vector=unit(0, 1)), NewText("Two.", vector=unit(0, 1, 2))], collection="own"
            )
        assert await book.stores.library.list_documents("own") == []


async def test_nothing_is_nothing(db: str) -> None:
    async with opened(db, FakeEmbedder()) as book:
        assert await book.add_texts([]) == []


async def test_texts_may_come_one_after_the_other(db: str) -> None:
    async with opened(db, FakeEmbedder()) as book:
        reports = await book.add_texts(text for text in ("One.", NewText("Two.", id="two")))
        assert [r.outcome for r in reports] == [WriteOutcome.WRITTEN] * 2
        assert len(await book.documents()) == 2


def with_vector(vector: Any) -> NewText:
    return NewText("Text.", id="wrong", vector=vector)


@pytest.mark.parametrize(
    ("texts", "named"),
    [
        pytest.param("hello", "one text", id="a text by itself"),
        pytest.param(b"hello", "bytes", id="bytes"),
        pytest.param(NewText("hello"), "NewText", id="a new text by itself"),
        pytest.param({"a": "hello"}, "dict", id="a mapping"),
        pytest.param(5, "int", id="a number by itself"),
        pytest.param(["Text.", None], "Text 2 ", id="nothing"),
        pytest.param(["Text.", NewText(cast("str", 5))], "text 2 ", id="a number"),
        pytest.param(["Text.", NewText("a", id=cast("str", 5))], "text 2 ", id="a number as id"),
        pytest.param(["Text.", NewText("a", title=cast("str", 5))], "text 2 ", id="a number as title"),
        pytest.param(["Text.", NewText("a", metadata=cast("Any", [1]))], "text 2 ", id="a list as metadata"),
        pytest.param(["Text.", NewText("a", language=cast("str", 5))], "text 2 ", id="a number as language"),
        pytest.param(["Text.", "\ud800"], "text 2 ", id="no text"),
        pytest.param(["Text.", with_vector("1, 2")], "text 2 ('wrong')", id="a vector of letters"),
        pytest.param(["Text.", with_vector(["a", "b"])], "text 2 ('wrong')", id="a vector of texts"),
        pytest.param(["Text.", with_vector([])], "text 2 ('wrong')", id="an empty vector"),
        pytest.param(["Text.", with_vector([[1.0, 2.0]])], "text 2 ('wrong')", id="a table"),
        pytest.param(["Text.", with_vector([1.0, math.inf])], "text 2 ('wrong')", id="infinity"),
        pytest.param(["Text.", with_vector([1.0, 1e300])], "text 2 ('wrong')", id="too large"),
        pytest.param(["Text.", with_vector(5)], "text 2 ('wrong')", id="a number as vector"),
        pytest.param(["Text.", with_vector([1.0, 2.0])], "text 2 ('wrong')", id="another size"),
    ],
)
async def test_what_is_no_text_is_named_and_nothing_is_stored(
    db: str, texts: Any, named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notes_in_bulk, "AT_ONCE", 1)
    async with opened(db, FakeEmbedder()) as book:
        await book.add_text("Here before.")
        with pytest.raises((UsageError, EmbeddingSizeMismatch), match=re.escape(named)):
            await book.add_texts(texts)
        assert len(await book.documents()) == 1


async def test_a_bad_vector_behind_the_first_thousand_stores_nothing(db: str) -> None:
    texts = [NewText(f"Text {n}.", id=f"n{n}", vector=unit(1, 0)) for n in range(1, 1_202)]
    texts[-1] = NewText("Text.", id="wrong", vector=unit(math.nan, 0))
    async with opened(db) as book:
        await book.create_collection(Collection("own", 2))
        with pytest.raises(BadVector, match=re.escape("text 1201 ('wrong')")):
            await book.add_texts(texts, collection="own")
        assert await book.documents("own") == []
