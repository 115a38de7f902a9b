"""Parts that grow in place: each holds what was put into it, whatever comes behind it later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sourcebook.model.documents import Collection
from sourcebook.storage.sqlite.engine.memory_images import Image, fully_alive
from sourcebook.storage.sqlite.engine.vector_codes import Quantiser
from sourcebook.storage.sqlite.engine.vector_engine import VectorParts
from sourcebook.storage.sqlite.engine.vector_part import VectorPart
from sourcebook.storage.sqlite.engine.vector_part import read_part as read_vectors
from sourcebook.storage.sqlite.engine.word_engine import WordParts
from sourcebook.storage.sqlite.engine.word_part import WordPart, join_parts
from sourcebook.storage.sqlite.engine.word_part import read_part as read_words
from sourcebook.storage.sqlite.engine.word_ranking import Weights, best_rows

SIZE = 256
TERMS = 70
COLLECTION = Collection("c", SIZE)


def vectors_of(chance: np.random.Generator, documents: Sequence[str]) -> VectorPart:
    """Documents of a few passages, whose children come before or behind them."""
    rows: list[tuple[Any, ...]] = []
    for document in sorted(documents):
        for number in range(int(chance.integers(1, 9))):
            parent = f"{document}-{chance.integers(9)}" if chance.random() < 0.6 else None
            level = "child" if parent else "passage"
            vector = chance.standard_normal(SIZE).astype("<f2").tobytes() if chance.random() < 0.9 else None
            rows.append((document, f"{document}-{number}", level, parent, number, number + 5, 7, vector))
    return read_vectors(iter(rows), COLLECTION)


def words_of(chance: np.random.Generator, documents: Sequence[str]) -> WordPart:
    chunks: list[tuple[Any, ...]] = []
    whole: list[tuple[Any, ...]] = []
    for document in sorted(documents):
        count = int(chance.integers(1, 9))
        chunks.extend((document, f"{document}-{number}", *_counted(chance, 12)) for number in range(count))
        whole.append((document, *_counted(chance, 40)))
    return read_words(iter(chunks), iter(whole))


def _counted(chance: np.random.Generator, most: int) -> tuple[int, bytes, bytes]:
    ids, often = np.unique(chance.integers(0, TERMS, int(chance.integers(0, most))), return_counts=True)
    return int(often.sum()), ids.astype("<u4").tobytes(), often.astype("<u2").tobytes()


def some_documents(chance: np.random.Generator) -> list[str]:
    """A few of a few, so that most of them come again."""
    return [f"d{i}" for i in chance.choice(12, int(chance.integers(1, 4)), replace=False)]


def as_read(part: VectorPart) -> dict[str, tuple[Any, ...]]:
    """What the part says of the chunks of each document, as it is numbered now."""
    found: dict[str, tuple[Any, ...]] = {}
    for document in set(part.segment.documents):
        own = part.segment.rows_of(document)
        rows = slice(own.start, own.stop)
        found[document] = (
            part.segment.chunk_ids[rows],
            part.matrix[rows].tobytes(),
            part.has_vector[rows].tolist(),
            (part.passage[rows] - own.start).tolist(),
            part.spans[rows].tolist(),
            part.rowids[rows].tolist(),
        )
    return found


@pytest.mark.parametrize("seed", range(20))
def test_vectors_that_grow_hold_what_was_put_into_them_last(seed: int) -> None:
    chance, kind = np.random.default_rng(seed), VectorParts()
    quantiser = Quantiser.of(chance.standard_normal((50, SIZE)).astype(np.float16), 50)
    first = replace(vectors_of(chance, []), quantiser=quantiser)
    expected: dict[str, tuple[Any, ...]] = {}
    part: VectorPart | None = None
    grown: list[tuple[VectorPart, dict[str, tuple[Any, ...]]]] = []
    for _ in range(40):
        added = vectors_of(chance, some_documents(chance))
        part = kind.growing(added, first) if part is None else kind.appended(part, added)
        assert part is not None
        expected = expected | as_read(added)
        grown.append((part, expected))
    for one, said in grown:
        assert as_read(one) == said
        codes, anew = one.known_codes, quantiser.codes(one.matrix)
        assert codes is not None
        assert (codes.signs == anew.signs).all()
        assert (codes.numbers == anew.numbers).all()
        assert codes.leading is not None
        assert anew.leading is not None
        assert (codes.leading == anew.leading).all()
        order = np.argsort(one.passage, kind="stable")
        assert (one.by_passage[0] == order).all()
        assert (one.by_passage[1] == np.searchsorted(one.passage[order], np.arange(len(one) + 1))).all()
        numbers = np.repeat(np.arange(len(one.segment.documents)), np.diff(one.segment.starts))
        assert (one.segment.document_of == numbers).all()


@pytest.mark.parametrize("seed", range(20))
def test_words_that_grow_find_what_the_same_words_in_order_find(seed: int) -> None:
    chance, kind = np.random.default_rng(seed), WordParts()
    part = kind.growing(words_of(chance, some_documents(chance)), words_of(chance, []))
    grown = [part]
    for _ in range(40):
        part = kind.appended(part, words_of(chance, some_documents(chance)))
        assert part is not None
        grown.append(part)
    for one in grown:
        asked = chance.choice(TERMS, 6, replace=False).tolist()
        weights = Weights({term: float(chance.random()) for term in asked}, 9.0)
        alive = living(one)
        joined = join_parts([(one, alive)])
        assert found(one, alive, weights) == found(joined, np.ones(len(joined.segment), np.bool_), weights)
        assert (one.holding(asked) & alive).sum() == joined.holding(asked).sum()


def living(part: WordPart) -> Any:
    """The rows of each document where it came last."""
    alive = np.zeros(len(part.segment), dtype=np.bool_)
    for document in set(part.segment.documents):
        own = part.segment.rows_of(document)
        alive[own.start : own.stop] = True
    return alive


def found(part: WordPart, allowed: Any, weights: Weights) -> dict[str, float]:
    rows, totals = best_rows(part, allowed, weights, weights, 10)
    return dict(zip(part.segment.chunk_ids.several(rows), totals.tolist(), strict=True))


def test_rows_are_appended_only_where_no_others_came() -> None:
    chance, vectors, words = np.random.default_rng(1), VectorParts(), WordParts()
    part = vectors.growing(vectors_of(chance, ["a"]), vectors_of(chance, []))
    assert vectors.appended(part, vectors_of(chance, ["b"])) is not None
    assert vectors.appended(part, vectors_of(chance, ["c"])) is None
    worded = words.growing(words_of(chance, ["a"]), words_of(chance, []))
    assert words.appended(worded, words_of(chance, ["b"])) is not None
    assert words.appended(worded, words_of(chance, ["c"])) is None


def test_whoever_looks_at_an_earlier_state_gets_a_part_of_their_own() -> None:
    chance, kind = np.random.default_rng(1), VectorParts()
    empty = Image("c", 0, (fully_alive(vectors_of(chance, []), "c"),))
    one, two, other = (vectors_of(chance, [name]) for name in ("a", "b", "a"))
    before = empty.without(["a"]).with_added(one, 1, kind)
    after = before.without(["b"]).with_added(two, 2, kind)
    aside = before.without(["a"]).with_added(other, 2, kind)
    assert [len(part.alive) for part in after.parts] == [0, len(one) + len(two)]
    assert after.living == len(one) + len(two)
    # Its first version is dead, and with it the part that held nothing else.
    assert [len(part.alive) for part in aside.parts] == [0, len(other)]
    assert before.living == len(one)
    assert as_read(before.parts[-1].part) == as_read(one)


def test_a_document_that_is_written_again_and_again_takes_no_more_room() -> None:
    chance, kind = np.random.default_rng(1), VectorParts()
    image = Image("c", 0, (fully_alive(vectors_of(chance, []), "c"),))
    kept = vectors_of(chance, [f"k{i}" for i in range(300)])
    image = image.without([]).with_added(kept, 1, kind)
    for seq in range(2, 400):
        added = vectors_of(chance, ["d1", "d2", "d3"])
        image = image.without(["d1", "d2", "d3"]).with_added(added, seq, kind)
        assert image.living == len(kept) + len(added)
        assert image.rows <= 2 * image.living + len(added)
