"""L06: many write the same at the same time."""

from __future__ import annotations

import random
import threading
from pathlib import Path

import anyio
import anyio.to_thread
import pytest
from tests.faults import workers
from tests.faults.bases import COLLECTION, Base, digest_of, id_of, opened, rows_of
from tests.faults.processes import all_at_once

from sourcebook import Sourcebook
from sourcebook.errors import DocumentChangedMeanwhile
from sourcebook.model.documents import WriteOutcome
from sourcebook.settings import Settings
from sourcebook.testing.crash import embedding_model, prepared_document
from sourcebook.testing.fakes import FakeEmbedder

pytestmark = pytest.mark.anyio

WRITERS = 8
DOCUMENTS = range(24)


def shuffled(seed: int) -> list[int]:
    numbers = list(DOCUMENTS)
    random.Random(seed).shuffle(numbers)
    return numbers


@pytest.mark.parametrize("rounds", [1, pytest.param(25, marks=pytest.mark.soak)])
async def test_processes_that_write_the_same_documents_make_the_base_that_one_would(
    tmp_path: Path, rounds: int
) -> None:
    path = tmp_path / "base.db"
    for revision in range(rounds + 1):
        expected = revision - 1 if revision else None
        given = [(path, shuffled(seed), revision, expected) for seed in range(WRITERS)]
        assert all_at_once(workers.write_all, given) == [0] * WRITERS
    async with opened(path) as base:
        assert await base.faults() == []
        together = await base.digest()
    assert together == await digest_of(tmp_path / "alone.db", dict.fromkeys(DOCUMENTS, rounds))


async def test_processes_that_write_the_same_bytes_under_many_names_make_one_document(tmp_path: Path) -> None:
    path = tmp_path / "base.db"
    names = [f"name-{n}" for n in range(WRITERS)]
    assert all_at_once(workers.write_under_another_name, [(path, name) for name in names]) == [0] * WRITERS
    async with opened(path) as base:
        assert await base.faults() == []
        (only,) = await base.stores.library.list_documents(COLLECTION)
    assert only.id in names
    paths = {(row[2], row[3]) for row in rows_of(path)["document_paths"]}
    assert paths == {(f"{name}.md", only.id) for name in names}


def write_from_a_thread(path: Path, seed: int, errors: list[BaseException]) -> None:
    try:
        settings = Settings(db=str(path), embedder="none")
        with Sourcebook(settings=settings, embedder=FakeEmbedder()) as book:
            book.stores.library.open_collection(COLLECTION, embedding_model())
            for number in shuffled(seed):
                book.stores.writer.replace_document(COLLECTION, prepared_document(number))
    except BaseException as error:
        errors.append(error)


async def test_threads_with_a_client_each_make_the_base_that_one_would(tmp_path: Path) -> None:
    path = tmp_path / "base.db"
    errors: list[BaseException] = []
    threads = [threading.Thread(target=write_from_a_thread, args=(path, n, errors)) for n in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        await anyio.to_thread.run_sync(thread.join)
    assert errors == []
    async with opened(path) as base:
        assert await base.faults() == []
        together = await base.digest()
    assert together == await digest_of(tmp_path / "alone.db", dict.fromkeys(DOCUMENTS, 0))


async def test_tasks_on_one_database_make_the_base_that_one_would(tmp_path: Path) -> None:
    async with opened(tmp_path / "base.db") as base:
        outcomes: list[WriteOutcome] = []

        async def write(number: int) -> None:
            outcomes.append(await workers.write_among_others(base, number, 0))

        async with anyio.create_task_group() as tasks:
            for number in range(64):
                tasks.start_soon(write, number % len(DOCUMENTS))
                tasks.start_soon(base.findable, number % len(DOCUMENTS))
        assert outcomes.count(WriteOutcome.WRITTEN) == len(DOCUMENTS)
        assert await base.faults() == []
        together = await base.digest()
    assert together == await digest_of(tmp_path / "alone.db", dict.fromkeys(DOCUMENTS, 0))


async def test_of_two_different_updates_planned_on_the_same_state_one_is_refused(tmp_path: Path) -> None:
    async with opened(tmp_path / "base.db") as base:
        await base.write(prepared_document(0))
        refused: list[int] = []

        async def update(revision: int) -> None:
            try:
                await workers.write_among_others(base, 0, revision, expected_revision=0)
            except DocumentChangedMeanwhile:
                refused.append(revision)

        async with anyio.create_task_group() as tasks:
            for revision in range(1, 9):
                tasks.start_soon(update, revision)
        folder = await base.folder()
        assert sorted([*refused, folder[0]]) == list(range(1, 9))
        assert await base.faults() == []


async def test_what_is_searched_during_updates_is_always_one_whole_revision(tmp_path: Path) -> None:
    path = tmp_path / "base.db"
    revisions, document = 40, id_of(0)
    await digest_of(path, {0: 0, 1: 0})
    whole = [frozenset(c.chunk.id for c in prepared_document(0, n).chunks) for n in range(revisions + 1)]
    seen: list[frozenset[str]] = []
    done = anyio.Event()

    async def keep_searching(reader: Base) -> None:
        while not done.is_set():
            found = await reader.stores.vectors.search_semantic(COLLECTION, [1.0] * 16, 1000)
            seen.append(frozenset(r.chunk.id for r in found if r.chunk.document_id == document))

    async with opened(path) as reader, opened(path) as writer, anyio.create_task_group() as tasks:
        tasks.start_soon(keep_searching, reader)
        for revision in range(1, revisions + 1):
            await writer.write(prepared_document(0, revision))
        done.set()
    assert len(set(seen)) > 1
    positions = [whole.index(chunks) for chunks in seen]
    assert positions == sorted(positions)
