"""Vectors are stored with the same bits whether they come one by one or many at once."""

from __future__ import annotations

import numpy as np
import pytest

from sourcebook.errors import BadVector, EmbeddingSizeMismatch
from sourcebook.model.documents import Collection, DistanceMetric
from sourcebook.storage.index.vector_encoding import EncodedInTurn, encoded, encoded_all

SIZE = 48
CHANCE = np.random.default_rng(7)


def _collection(metric: DistanceMetric) -> Collection:
    return Collection(id="default", name="default", embedding_dimensions=SIZE, distance_metric=metric)


def _rows() -> list[np.ndarray]:
    """Of every kind: long, tiny, of length one, as a base gives them back, and nothing but zeros."""
    rows = CHANCE.standard_normal((600, SIZE)).astype(np.float32)
    rows[100:200] *= np.float32(1e30)
    rows[200:300] *= np.float32(1e-30)
    rows[300:400] /= np.linalg.norm(rows[300:400], axis=1, keepdims=True)
    rows[400:500] = (rows[400:500] / np.linalg.norm(rows[400:500], axis=1, keepdims=True)).astype(np.float16)
    rows[500] = 0
    return list(rows)


@pytest.mark.parametrize("metric", list(DistanceMetric))
def test_many_at_once_are_stored_as_each_by_itself(metric: DistanceMetric) -> None:
    rows, collection = _rows(), _collection(metric)
    alone = [encoded(row, collection, "one") for row in rows]
    together = encoded_all(rows, collection, ["one"] * len(rows))
    assert together == alone
    assert {type(one) for one in together} == {type(one) for one in alone}


def test_lists_of_numbers_among_arrays_are_stored_alike() -> None:
    collection = _collection(DistanceMetric.COSINE)
    rows = [row if place % 2 else row.tolist() for place, row in enumerate(_rows()[:10])]
    assert encoded_all(rows, collection, ["one"] * 10) == [encoded(row, collection, "one") for row in rows]


@pytest.mark.parametrize("places", [range(600), range(599, -1, -1)])
def test_encoded_in_turn_they_are_stored_as_all_at_once(places: range) -> None:
    rows, collection = _rows(), _collection(DistanceMetric.COSINE)
    in_turn = EncodedInTurn(rows, collection, ["one"] * len(rows))
    together = encoded_all(rows, collection, ["one"] * len(rows))
    assert [in_turn[place] for place in places] == [together[place] for place in places]


def test_the_vector_that_cannot_be_stored_is_named() -> None:
    collection = _collection(DistanceMetric.COSINE)
    rows = _rows()[:3]
    names = ["first", "second", "third"]
    with pytest.raises(BadVector, match="second"):
        encoded_all([rows[0], rows[1] * np.float32(np.nan), rows[2]], collection, names)
    with pytest.raises(EmbeddingSizeMismatch, match="third"):
        encoded_all([rows[0], rows[1], rows[2][:-1]], collection, names)
    in_turn = EncodedInTurn([rows[0], rows[1], rows[2][:-1]], collection, names)
    with pytest.raises(EmbeddingSizeMismatch, match="third"):
        in_turn[0]
