"""Searching an index is what a few lines of plain Python would do, and stored vectors stay what they are."""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook import Collection, DistanceMetric, EmbeddingStore
from sourcebook.storage.index import vector_encoding
from sourcebook.storage.jsonl.bundle_records import half_precision_texts

numbers = st.one_of(
    st.integers(-3, 3), st.floats(-1e6, 1e6), st.floats(allow_nan=True, allow_infinity=True), st.booleans()
)
collections = st.sampled_from(["a", "b", None])
rows = st.lists(
    st.fixed_dictionaries(
        {"embedding": st.one_of(st.lists(numbers, max_size=4), st.none()), "collection": collections}
    ),
    max_size=30,
)


def store_of(given_rows: Sequence[dict[str, Any]]) -> EmbeddingStore:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "embeddings.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in given_rows), encoding="utf-8")
        return EmbeddingStore(path)


def is_vector(value: object) -> bool:
    if not isinstance(value, list) or not value:
        return False
    if any(isinstance(x, bool) or not math.isfinite(x) for x in value):  # type: ignore[arg-type]
        return False
    return any(value)  # type: ignore[arg-type]


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """Scaled first, because squares of tiny numbers vanish."""
    a = [x / max(map(abs, one)) for x in one]
    b = [x / max(map(abs, other)) for x in other]
    dot = math.fsum(x * y for x, y in zip(a, b, strict=True))
    return dot / math.sqrt(math.fsum(x * x for x in a) * math.fsum(x * x for x in b))


@given(
    rows,
    st.lists(numbers, max_size=4),
    st.integers(-1, 40),
    st.one_of(st.none(), st.floats(-1, 1)),
    collections,
)
def test_a_search_is_what_plain_python_finds(
    given_rows: list[dict[str, Any]], query: list[float], k: int, least: float | None, collection: str | None
) -> None:
    store = store_of(given_rows)
    expected = [
        (cosine(query, row["embedding"]), place)
        for place, row in enumerate(given_rows)
        if is_vector(query)
        and is_vector(row["embedding"])
        and len(query) == len(row["embedding"])
        and collection in (None, row["collection"])
    ]
    found = store.search_by_vector(query, k=k, min_score=least, collection=collection)
    # Where plain Python is in doubt by a rounding error, either answer is right.
    surely = [pair for pair in expected if least is None or pair[0] > least + 1e-12]
    perhaps = [pair for pair in expected if least is None or pair[0] >= least - 1e-12]
    assert min(len(surely), max(k, 0)) <= len(found) <= min(len(perhaps), max(k, 0))
    best = sorted((score for score, _ in expected), reverse=True)[: len(found)]
    assert [r["score"] for r in found] == pytest.approx(best, abs=1e-12)
    assert all(least is None or r["score"] >= least for r in found)


@given(rows, st.lists(st.integers(-3, 3), min_size=1, max_size=4))
def test_a_score_depends_on_no_other_row_and_ties_on_the_order_of_the_file(
    given_rows: list[dict[str, Any]], query: list[int]
) -> None:
    named: list[dict[str, Any]] = [{**row, "place": place} for place, row in enumerate(given_rows)]
    found = store_of(named).search_by_vector(query, k=len(named))
    assert found == sorted(found, key=lambda r: (-r["score"], r["place"]))
    for result in found:
        own_row = [row for row in named if row["place"] == result["place"]]
        (alone,) = store_of(own_row).search_by_vector(query)
        assert alone == result


@given(rows)
def test_rows_with_vectors_are_those_rows_of_the_file(given_rows: list[dict[str, Any]]) -> None:
    expected = [row for row in given_rows if is_vector(row["embedding"])]
    assert store_of(given_rows).rows_with_vectors() == expected


@given(
    st.lists(st.floats(-(2.0**100), 2.0**100, width=32), min_size=1, max_size=12),
    st.sampled_from(DistanceMetric),
)
def test_a_stored_vector_that_is_stored_again_keeps_its_bits(
    numbers: list[float], metric: DistanceMetric
) -> None:
    collection = Collection("c", len(numbers), distance_metric=metric)
    stored = vector_encoding.encoded(numbers, collection, "a vector")
    assert vector_encoding.encoded(vector_encoding.decode(stored, metric), collection, "a vector") == stored


def test_every_number_of_half_precision_is_written_so_that_it_can_be_read() -> None:
    every = np.arange(2**16, dtype="<u2").view("<f2")
    finite = np.isfinite(every)
    texts = [text for text, kept in zip(half_precision_texts(), finite, strict=True) if kept]
    read = np.array(json.loads(f"[{','.join(texts)}]")).astype(np.float32).astype("<f2")
    assert (read.view("<u2") == every[finite].view("<u2")).all()
    assert max(map(len, texts)) <= 11
