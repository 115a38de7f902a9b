"""An index in a file: what is read and what is found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.index_files import EAST, NORTH, SOUTH, ids, row, written

from sourcebook import EmbeddingStore


@pytest.fixture
def compass(tmp_path: Path) -> EmbeddingStore:
    return EmbeddingStore(
        written(
            tmp_path,
            row("south", SOUTH, text="down", collection="axis"),
            row("north-east", [2.0, 2.0], text="between", collection="corner"),
            row("north", NORTH, text="up", collection="axis", score=7),
            row("elsewhere", [1.0, 0.0, 0.0], text="another space", collection="axis"),
            row("nowhere", [], text="no vector"),
        )
    )


class Client:
    """An embedding client that answers with what it was given."""

    def __init__(self, answer: Callable[[list[str]], Any]) -> None:
        self._answer = answer
        self.asked: list[list[str]] = []

    def embed(self, texts: list[str], /) -> Any:
        self.asked.append(texts)
        return self._answer(texts)


def failing(_: list[str]) -> Any:
    raise ConnectionError("nobody answers")


# Reading


def test_a_missing_file_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        EmbeddingStore(tmp_path / "embeddings.jsonl")


def test_a_folder_stands_for_its_file(tmp_path: Path) -> None:
    written(tmp_path, row("a", NORTH))
    assert ids(EmbeddingStore(tmp_path).rows_with_vectors()) == ["a"]


def test_an_empty_file_is_an_empty_index(tmp_path: Path) -> None:
    store = EmbeddingStore(written(tmp_path))
    assert store.rows_with_vectors() == []
    assert store.search_by_vector(NORTH) == []
    assert store.metrics()["rows"] == 0


def test_broken_lines_are_skipped_and_counted(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "{",
        row("a", NORTH),
        "",
        "[1, 2]",
        '"text"',
        "null",
        "[" * 100_000,
        row("b", EAST),
        '{"id": ',
    )
    with path.open("ab") as file:
        file.write(b'{"id": "\xff", "embedding": [1, 0]}\n')
    store = EmbeddingStore(path)
    assert ids(store.rows_with_vectors()) == ["a", "b"]
    assert (store.skipped, store.skipped_lines) == (7, (1, 4, 5, 6, 7, 9, 10))


def test_only_the_first_broken_lines_are_remembered(tmp_path: Path) -> None:
    store = EmbeddingStore(written(tmp_path, *["{"] * 1000))
    assert (store.skipped, len(store.skipped_lines)) == (1000, 10)


def test_a_last_line_without_an_end_and_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    path = tmp_path / "embeddings.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"id": "a", "embedding": [1]}\r\n{"id": "b", "embedding": [1]}')
    assert ids(EmbeddingStore(path).rows_with_vectors()) == ["a", "b"]


@pytest.mark.parametrize(
    "embedding",
    [
        "[]",
        "null",
        '"text"',
        "3",
        "{}",
        "[true, 1]",
        '["1", 2]',
        "[[1, 2]]",
        "[null]",
        "[NaN, 1]",
        "[1, Infinity]",
        "[-Infinity]",
        "[0, 0.0, -0.0]",
        "[1e999]",
        f"[1{'0' * 400}]",
    ],
)
def test_what_is_no_vector_never_ranks(tmp_path: Path, embedding: str) -> None:
    store = EmbeddingStore(written(tmp_path, f'{{"id": "bad", "embedding": {embedding}}}', row("a", NORTH)))
    assert ids(store.rows_with_vectors()) == ["a"]
    assert ids(store.search_by_vector(NORTH, k=9)) == ["a"]
    assert (store.skipped, store.metrics()["rows"]) == (0, 2)


def test_a_row_without_an_embedding_never_ranks(tmp_path: Path) -> None:
    assert EmbeddingStore(written(tmp_path, {"id": "a"})).rows_with_vectors() == []


def test_rows_come_back_as_they_stand_in_the_file(tmp_path: Path) -> None:
    rows = [
        row("ё", [0.1, 1e-300, 3], text="две\nстроки", tags=["a", None], nested={"x": [True]}, score=0.5),
        {"embedding": [1e300, -1], "big": 2**80},
    ]
    store = EmbeddingStore(written(tmp_path, *rows))
    assert store.rows_with_vectors() == rows
    assert list(store.rows_with_vectors()[0]) == list(rows[0])


def test_a_result_can_be_changed_without_harm(compass: EmbeddingStore) -> None:
    compass.search_by_vector(NORTH)[0]["embedding"].clear()
    compass.rows_with_vectors()[0].clear()
    assert compass.search_by_vector(NORTH, k=1)[0]["embedding"] == NORTH


# Searching by a vector


def test_the_nearest_come_first_with_all_their_fields(compass: EmbeddingStore) -> None:
    first, second, third = compass.search_by_vector(NORTH)
    assert first == {**row("north", NORTH, text="up", collection="axis"), "score": 1.0, "row_score": 7}
    assert (second["id"], third["id"], third["score"]) == ("north-east", "south", -1.0)
    assert second["score"] == pytest.approx(0.5**0.5, abs=1e-15)


def test_rows_of_another_size_never_rank(compass: EmbeddingStore) -> None:
    assert ids(compass.search_by_vector([1, 0, 0])) == ["elsewhere"]
    assert compass.search_by_vector([1, 0, 0, 0]) == []


def test_no_more_than_k_are_found(compass: EmbeddingStore) -> None:
    assert ids(compass.search_by_vector(NORTH, k=1)) == ["north"]
    assert len(compass.search_by_vector(NORTH, k=10**9)) == 3
    assert compass.search_by_vector(NORTH, k=0) == compass.search_by_vector(NORTH, k=-1) == []


def test_five_are_found_unless_said_otherwise(tmp_path: Path) -> None:
    assert len(EmbeddingStore(written(tmp_path, *[row("x", NORTH)] * 9)).search_by_vector(NORTH)) == 5


def test_the_least_score_is_included_and_applies_before_k(compass: EmbeddingStore) -> None:
    assert ids(compass.search_by_vector(NORTH, min_score=1.0)) == ["north"]
    assert ids(compass.search_by_vector(NORTH, min_score=-1.0)) == ["north", "north-east", "south"]
    assert ids(compass.search_by_vector(NORTH, k=1, min_score=-1.0)) == ["north"]
    assert compass.search_by_vector(NORTH, min_score=1.1) == []
    assert compass.search_by_vector(NORTH, min_score=float("nan")) == []


def test_equal_scores_stay_in_the_order_of_the_file(tmp_path: Path) -> None:
    store = EmbeddingStore(written(tmp_path, *[row(f"{n:03}", [2.0**n, 0]) for n in range(50)]))
    assert ids(store.search_by_vector(NORTH, k=20)) == [f"{n:03}" for n in range(20)]


def test_a_collection_limits_the_search(compass: EmbeddingStore) -> None:
    assert ids(compass.search_by_vector(NORTH, collection="axis")) == ["north", "south"]
    assert ids(compass.search_by_vector(NORTH, k=1, collection=["corner", "other"])) == ["north-east"]
    assert ids(compass.search_by_vector(NORTH, collection=("axis", "corner"), k=2)) == ["north", "north-east"]
    assert compass.search_by_vector(NORTH, collection=[]) == []
    assert compass.search_by_vector(NORTH, collection="other") == []


def test_a_row_whose_collection_is_no_name_belongs_to_none(tmp_path: Path) -> None:
    store = EmbeddingStore(
        written(tmp_path, row("a", NORTH, collection=["axis"]), row("b", NORTH, collection=1))
    )
    assert store.search_by_vector(NORTH, collection=["axis", "1"]) == []
    assert len(store.search_by_vector(NORTH)) == 2


@pytest.mark.parametrize(
    "query",
    [
        NORTH,
        (1, 0),
        np.array(NORTH),
        np.array(NORTH, dtype=np.float16),
        np.array([3, 0], dtype=np.int8),
        [np.float32(1), np.float64(0)],
    ],
    ids=repr,
)
def test_any_sequence_of_numbers_is_a_vector(compass: EmbeddingStore, query: Any) -> None:
    assert ids(compass.search_by_vector(query, k=1)) == ["north"]


@pytest.mark.parametrize(
    "query",
    [
        None,
        [],
        "ab",
        b"ab",
        7,
        {"a": 1},
        [True, False],
        ["1", "0"],
        [0.0, 0.0],
        [float("nan"), 1],
        [float("inf"), 1],
        [10**400, 1],
        [None, 1],
        [[1, 0]],
        np.zeros(2),
        np.array([True, False]),
        np.array([[1.0, 0.0]]),
        np.array(["a", "b"]),
        np.array([1j, 0]),
        np.array(1.0),
    ],
    ids=repr,
)
def test_what_is_no_vector_finds_nothing(compass: EmbeddingStore, query: Any) -> None:
    assert compass.search_by_vector(query) == []
    assert compass.score_distribution(query) == {"rows": 0}


def test_huge_and_tiny_numbers_have_a_direction_too(tmp_path: Path) -> None:
    store = EmbeddingStore(written(tmp_path, row("huge", [1e308, 1e308]), row("tiny", [5e-324, 0])))
    assert [r["score"] for r in store.search_by_vector([1e-320, 1e-320])] == [1.0, pytest.approx(0.5**0.5)]


def test_the_best_of_many_nearly_equal_rows_are_exact(tmp_path: Path) -> None:
    """Their cosines differ by less than single precision can tell."""
    rows = [row(str(n), [1.0, (n * 7919 % 4001) * 1e-6]) for n in range(4001)]
    expected = sorted(rows, key=lambda r: r["embedding"][1])[:25]  # type: ignore[index]
    store = EmbeddingStore(written(tmp_path, *rows))
    assert ids(store.search_by_vector(NORTH, k=25)) == [r["id"] for r in expected]


# Searching by a text


def test_a_text_is_embedded_alone(compass: EmbeddingStore) -> None:
    client = Client(lambda texts: [NORTH])
    assert ids(compass.search_by_text("up", client, k=2)) == ["north", "north-east"]
    assert client.asked == [["up"]]


def test_an_embedder_may_answer_with_an_array(compass: EmbeddingStore) -> None:
    assert ids(compass.search_by_text("up", Client(lambda texts: np.array([NORTH])), k=1)) == ["north"]


@pytest.mark.parametrize("answer", [[], None, [[]], [None], np.empty((0, 2)), 3], ids=repr)
def test_an_embedder_that_answers_without_a_vector_finds_nothing(
    compass: EmbeddingStore, answer: Any
) -> None:
    assert compass.search_by_text("up", Client(lambda texts: answer)) == []


def test_an_embedder_that_fails_finds_nothing(compass: EmbeddingStore) -> None:
    assert compass.search_by_text("up", Client(failing)) == []


# Measuring


def test_metrics_say_what_the_index_holds(compass: EmbeddingStore) -> None:
    assert compass.metrics() == {
        "rows": 5,
        "rows_with_vectors": 4,
        "skipped": 0,
        "skipped_lines": [],
        "sizes": {2: 3, 3: 1},
        "collections": {"axis": 3, "corner": 1},
    }


def test_the_distribution_of_scores_is_that_of_all_rows(compass: EmbeddingStore) -> None:
    found = compass.score_distribution(NORTH)
    assert (found["rows"], found["min"], found["max"]) == (3, -1.0, 1.0)
    assert found["p50"] == pytest.approx(0.5**0.5)
    assert compass.score_distribution(NORTH, collection="corner")["rows"] == 1
    assert compass.score_distribution(NORTH, collection="other") == {"rows": 0}
