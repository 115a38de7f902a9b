"""What the processes of the fault tests do. Each function is the whole life of one of them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, cast

import anyio
import apsw
from tests.faults.bases import Base, bring_to, opened, plain_connection, wrapped

from sourcebook.errors import StorageError
from sourcebook.model.documents import DocumentPath, EmbeddedChunk, PreparedDocument, WriteOutcome
from sourcebook.testing.crash import arm, prepared_document, vector_of
from sourcebook.testing.fakes import FixedClock

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from tests.faults.processes import Line

    from sourcebook.model.search import MetadataFilter
    from sourcebook.ports.storage import PassageSearch
    from sourcebook.storage.crash_points import CrashPoint
    from sourcebook.storage.database import Database, Executor, Row


def follow(line: Line, path: Path, folder: Mapping[int, int]) -> None:
    """Bring a base to a folder, and acknowledge each document after it was committed."""

    async def work() -> None:
        async with opened(path) as base:
            line.send("ready")
            async for number in bring_to(base, folder):
                line.send(number)
        line.send("done")

    anyio.run(work)


def stop_at(step: CrashPoint, path: Path, number: int, revision: int | None) -> None:
    """Write a document, or remove it if no revision is given, up to the step."""

    async def work() -> None:
        async with opened(path) as base:
            arm(step)
            await _change(base, number, revision)

    anyio.run(work)


def stop_at_without_transaction(step: CrashPoint, path: Path, number: int, revision: int | None) -> None:
    """The same on a database whose transactions are none."""

    async def work() -> None:
        async with opened(path) as base:
            arm(step)
            await _change(wrapped(base.file, writes_to=Unprotected(base.database)), number, revision)

    anyio.run(work)


async def _change(base: Base, number: int, revision: int | None) -> None:
    if revision is None:
        await base.remove(number)
    else:
        await base.write(prepared_document(number, revision))


class Unprotected:
    """A database that commits every statement by itself: the mistake that the crash tests must be able to see."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Executor]:
        yield self

    def snapshot(self) -> AbstractAsyncContextManager[Executor]:
        return self._database.snapshot()

    async def fetch(self, name: str, /, **parameters: object) -> list[Row]:
        async with self._database.transaction() as alone:
            return await alone.fetch(name, **parameters)

    async def fetch_one(self, name: str, /, **parameters: object) -> Row | None:
        rows = await self.fetch(name, **parameters)
        return rows[0] if rows else None

    async def execute(self, name: str, /, **parameters: object) -> int:
        return await self._database.execute(name, **parameters)

    async def execute_many(self, name: str, rows: Iterable[Mapping[str, object]], /) -> None:
        await self._database.execute_many(name, rows)

    async def close(self) -> None:
        await self._database.close()


def write_up_to_a_limit(path: Path, limit: int) -> None:
    """Write until the system refuses larger files, then go on with the limit raised. Exits well if all was so."""
    import resource  # not on every system

    async def work() -> None:
        async with opened(path) as base:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
            number = -1
            before = await base.digest()
            try:
                for number in range(1000):
                    before = await base.digest()
                    await base.write(prepared_document(number))
            except StorageError:
                pass
            assert 0 < number < 999
            assert await base.digest() == before
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            await base.write(prepared_document(number))
            assert await base.faults() == []

    anyio.run(work)


def hold_the_lock(line: Line, path: Path, begin: str) -> None:
    """Lock the base as another program might, say so, and give it back when told to."""
    connection = plain_connection(path, apsw.SQLITE_OPEN_READWRITE)
    connection.execute(begin)
    line.send("held")
    line.recv()
    connection.execute("rollback")
    connection.close()
    line.send("released")


def write_one(path: Path, number: int, busy_timeout: float) -> None:
    async def work() -> None:
        async with opened(path, busy_timeout=busy_timeout) as base:
            await base.write(prepared_document(number))

    anyio.run(work)


def take_a_job(
    line: Line,
    path: Path,
    kind: str,
    worker: str,
    lease: int,
    step: CrashPoint | None,
    now: int | None = None,
) -> None:
    """Claim a job, show it, and start on its document; without a step, wait with the job in hand to be killed."""

    async def work() -> None:
        async with opened(path, clock=FixedClock() if now is None else FixedClock(now)) as base:
            job = await base.stores.jobs.claim([kind], worker, lease)
            assert job is not None
            line.send(job)
            if step is None:
                line.recv()
            else:
                arm(step)
                await base.write(prepared_document(cast("int", job.payload["number"])))

    anyio.run(work)


def work_off_jobs(path: Path, kind: str, worker: str) -> None:
    """Do jobs until there are none."""

    async def work() -> None:
        async with opened(path) as base:
            while (job := await base.stores.jobs.claim([kind], worker)) is not None:
                await base.write(prepared_document(cast("int", job.payload["number"])))
                assert await base.stores.jobs.complete(job)

    anyio.run(work)


def write_all(path: Path, numbers: Sequence[int], revision: int, expected_revision: int | None) -> None:
    """Write documents of which others write the same at the same time."""

    async def work() -> None:
        async with opened(path) as base:
            for number in numbers:
                await write_among_others(base, number, revision, expected_revision)

    anyio.run(work)


async def write_among_others(
    base: Base, number: int, revision: int, expected_revision: int | None = None
) -> WriteOutcome:
    """Write a document as planned on what the base held before: whoever comes second finds it done."""
    expected = None
    if expected_revision is not None:
        expected = prepared_document(number, expected_revision).document.file_hash
    prepared = prepared_document(number, revision, expected_hash=expected)
    report = await base.stores.writer.replace_document("default", prepared)
    assert report.outcome in (WriteOutcome.WRITTEN, WriteOutcome.UNCHANGED)
    return report.outcome


def write_under_another_name(path: Path, name: str) -> None:
    """Write the bytes of document 0 as a document of another id, lying at a path of its own."""

    async def work() -> None:
        async with opened(path) as base:
            report = await base.stores.writer.replace_document("default", renamed(name))
            assert report.outcome in (WriteOutcome.WRITTEN, WriteOutcome.DUPLICATE)

    anyio.run(work)


def renamed(name: str) -> PreparedDocument:
    original = prepared_document(0)
    chunks = [
        EmbeddedChunk(
            replace(
                c.chunk,
                id=f"{name}-{c.chunk.id}",
                document_id=name,
                parent_id=c.chunk.parent_id and f"{name}-{c.chunk.parent_id}",
            ),
            c.embedding,
        )
        for c in original.chunks
    ]
    return replace(
        original,
        document=replace(original.document, id=name, file_path=f"{name}.md"),
        chunks=chunks,
        paths=[DocumentPath("names", f"{name}.md")],
    )


Ranking: TypeAlias = "dict[str, list[tuple[str, str]]]"
"""For each question, the ids that were found and their scores to the last bit."""


async def ranking(base: Base, questions: Sequence[str], filter: MetadataFilter | None = None) -> Ranking:
    found: Ranking = {}
    passages = cast("PassageSearch", base.stores.vectors)
    for question in questions:
        query = vector_of(question)
        by_words = await base.stores.fts.search("default", question, 10, filter)
        by_chunks = await base.stores.vectors.search_semantic("default", query, 10, filter)
        by_passages = await passages.search_passages("default", query, 10, filter)
        found[f"words: {question}"] = [(r.chunk_id, r.score.hex()) for r in by_words]
        found[f"vectors: {question}"] = [(r.chunk.id, r.score.hex()) for r in by_chunks]
        found[f"passages: {question}"] = [(r.chunk.id, r.score.hex()) for r in by_passages]
    return found


def answer_questions(line: Line, path: Path) -> None:
    """Keep a base open and rank whatever is asked, until the line is closed."""

    async def work() -> None:
        async with opened(path) as base:
            while questions := line.recv():
                line.send(await ranking(base, questions))

    anyio.run(work)
