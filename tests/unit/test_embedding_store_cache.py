"""When an index is read again, and that threads do not disturb each other at it."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.unit.index_files import NORTH, ids, row, written

from sourcebook import EmbeddingStore, cached_embedding_store, get_manifest_hash
from sourcebook.storage.jsonl.embedding_store_cache import MOST_STORES, EmbeddingStoreCache


def test_a_store_is_kept_while_nothing_changes(tmp_path: Path) -> None:
    path = written(tmp_path, row("a", NORTH))
    assert cached_embedding_store(path) is cached_embedding_store(str(path))
    assert cached_embedding_store(path) is cached_embedding_store(tmp_path / "x" / ".." / "embeddings.jsonl")
    assert cached_embedding_store(path) is cached_embedding_store(tmp_path)


def test_a_changed_index_is_read_again(tmp_path: Path) -> None:
    path = written(tmp_path, row("a", NORTH))
    old = cached_embedding_store(path)
    written(tmp_path, row("b", NORTH))
    assert ids(cached_embedding_store(path).rows_with_vectors()) == ["b"]
    assert ids(old.rows_with_vectors()) == ["a"]


def test_a_change_that_leaves_time_and_size_alone_is_seen_soon_after_the_first(tmp_path: Path) -> None:
    for name in "abcdefgh":
        path = written(tmp_path, row(name, NORTH))
        assert ids(cached_embedding_store(path).rows_with_vectors()) == [name]


def test_another_time_of_the_same_content_is_a_change(tmp_path: Path) -> None:
    path = written(tmp_path, row("a", NORTH))
    old = cached_embedding_store(path)
    os.utime(path, (1, 1))
    assert cached_embedding_store(path) is not old


def test_a_changed_manifest_makes_the_index_be_read_again(tmp_path: Path) -> None:
    path = written(tmp_path, row("a", NORTH))
    without = cached_embedding_store(path)
    (tmp_path / "manifest.json").write_text("{}", encoding="utf-8")
    one = cached_embedding_store(path)
    (tmp_path / "manifest.json").write_text("[]", encoding="utf-8")
    other = cached_embedding_store(path)
    assert len({id(without), id(one), id(other)}) == 3
    assert cached_embedding_store(path) is other


def test_an_index_that_went_away_is_missing_and_comes_back(tmp_path: Path) -> None:
    path = written(tmp_path, row("a", NORTH))
    cached_embedding_store(path)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        cached_embedding_store(path)
    written(tmp_path, row("b", NORTH))
    assert ids(cached_embedding_store(path).rows_with_vectors()) == ["b"]


def test_several_indexes_stay_in_memory_and_the_oldest_goes(tmp_path: Path) -> None:
    paths = [written(tmp_path, row("a", NORTH), name=f"{n}.jsonl") for n in range(MOST_STORES + 1)]
    cache = EmbeddingStoreCache()
    held = [cache.get(path) for path in paths[:-1]]
    assert cache.get(paths[0]) is held[0]
    cache.get(paths[-1])
    assert cache.get(paths[0]) is held[0]
    assert cache.get(paths[1]) is not held[1]


def test_the_hash_of_a_manifest_is_that_of_its_bytes(tmp_path: Path) -> None:
    assert get_manifest_hash(tmp_path / "manifest.json") == ""
    (tmp_path / "manifest.json").write_bytes(b"{}")
    expected = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    assert get_manifest_hash(str(tmp_path / "manifest.json")) == expected == get_manifest_hash(tmp_path)


def test_many_threads_read_an_index_once(tmp_path: Path) -> None:
    path = written(tmp_path, *[row(str(n), [1.0] * 64) for n in range(500)])
    gate = threading.Barrier(16)

    def ask(_: int) -> EmbeddingStore:
        gate.wait()
        return cached_embedding_store(path)

    with ThreadPoolExecutor(16) as pool:
        assert len({id(store) for store in pool.map(ask, range(16))}) == 1


def test_threads_never_see_less_than_was_there_when_they_asked(tmp_path: Path) -> None:
    """Files are replaced while threads search: an answer is never older than the question."""
    path, other = tmp_path / "embeddings.jsonl", tmp_path / "new.jsonl"
    latest, over = 0, threading.Event()

    def replaced(number: int) -> None:
        nonlocal latest
        # Every version has the same size, and many have the same time.
        written(
            tmp_path, *[row(f"{number:06}", NORTH, collection=f"{n}") for n in range(20)], name="new.jsonl"
        )
        other.replace(path)
        latest = number

    def ask(_: int) -> list[str]:
        wrong: list[str] = []
        while not over.is_set():
            before = latest
            found = {r["id"] for r in cached_embedding_store(path).search_by_vector(NORTH, k=20)}
            if len(found) != 1 or int(min(found)) < before:
                wrong.append(f"{found} after {before}")
        return wrong

    replaced(0)
    with ThreadPoolExecutor(6) as pool:
        asking = [pool.submit(ask, n) for n in range(6)]
        end = time.monotonic() + 1.0
        number = 0
        while number <= 10 or time.monotonic() < end:
            number += 1
            replaced(number)
        over.set()
        assert [wrong for answer in asking for wrong in answer.result()] == []
    assert ids(cached_embedding_store(path).search_by_vector(NORTH, k=1)) == [f"{number:06}"]
