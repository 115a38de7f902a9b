"""Of several versions of an uploaded file the newest stays, whichever of them had to be tried again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from anyio.from_thread import run
from tests.unit.desk import COLLECTION, Desk

from sourcebook.errors import ProviderError
from sourcebook.ingest.uploads.incoming_file import IncomingFile
from sourcebook.ingest.uploads.service import RETRY_SECONDS, UPLOADS, Uploads
from sourcebook.ingest.uploads.stored_files import StoredFiles
from sourcebook.model.jobs import JobStatus
from sourcebook.testing.fakes import FakeEmbedder, InlineParser

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from sourcebook.assembly import OpenBase
    from sourcebook.ingest.parsers.parsed import ParsedText
    from sourcebook.model.documents import WriteReport
    from sourcebook.model.jobs import Job
    from sourcebook.ports.providers import TextRole
    from sourcebook.testing.fakes import FixedClock

pytestmark = pytest.mark.anyio

FIRST = b"# Quinces\n\nQuinces ripen late.\n"
SECOND = b"# Quinces\n\nQuinces are hard.\n"
BROKEN = b"%PDF-1.7\nnot really"


class FailsOnce(FakeEmbedder):
    """Does not answer when it is first asked."""

    def __init__(self) -> None:
        super().__init__(dimensions=8)
        self.is_down = True

    async def embed(self, texts: Sequence[str], role: TextRole) -> NDArray[np.float32]:
        if self.is_down:
            self.is_down = False
            raise ProviderError("The provider does not answer.")
        return await super().embed(texts, role)


class Meanwhile(InlineParser):
    """While the first version is read for the first time, something happens."""

    def __init__(self, happens: Callable[[], Awaitable[Any]]) -> None:
        super().__init__()
        self.happens: Callable[[], Awaitable[Any]] | None = happens

    async def parse(self, data: bytes, name: str) -> ParsedText:
        if data == FIRST and (happens := self.happens) is not None:
            self.happens = None
            await happens()
        return await super().parse(data, name)


class StoresAndThen(StoredFiles):
    """Once the bytes are stored, and before anybody knows, something happens."""

    def __init__(self, folder: Path, happens: Callable[[], object]) -> None:
        super().__init__(folder)
        self.happens = happens

    def put(self, collection_id: str, path: str, file_hash: str, data: bytes) -> str:
        name = super().put(collection_id, path, file_hash, data)
        self.happens()
        return name


class Counter:
    def __init__(self, base: OpenBase, clock: FixedClock, folder: Path) -> None:
        self.clock = clock
        self.embedder = FailsOnce()
        self.desk = Desk(base, clock, embedder=self.embedder)
        self.uploads = Uploads(self.desk.tools, StoredFiles(folder), base.stores.jobs)

    async def queue(self, data: bytes) -> Job:
        return await self.uploads.upload(COLLECTION, IncomingFile("q.md", data, id="q"))

    async def add(self, data: bytes) -> WriteReport:
        return await self.uploads.add_bytes(COLLECTION, IncomingFile("q.md", data, id="q"))

    async def process_until_all_is_done(self) -> None:
        for _ in range(5):
            await self.uploads.process("w")
            self.clock.wait(RETRY_SECONDS * 32)
        assert {job.status for job in await self.desk.base.stores.jobs.newest(UPLOADS)} == {JobStatus.DONE}

    async def outcome(self, job: Job) -> object:
        found = await self.desk.base.stores.jobs.get(job.id)
        assert found is not None
        return (found.result or {}).get("outcome")


@pytest.fixture
def counter(base: OpenBase, clock: FixedClock, tmp_path: Path) -> Counter:
    return Counter(base, clock, tmp_path / "files")


async def test_a_version_that_waits_to_be_tried_again_does_not_replace_a_newer_one(counter: Counter) -> None:
    first, second = await counter.queue(FIRST), await counter.queue(SECOND)
    await counter.process_until_all_is_done()
    assert (await counter.desk.only()).content == SECOND.decode()
    assert (await counter.outcome(first), await counter.outcome(second)) == ("superseded", "written")
    await counter.desk.require_sound()


async def test_nor_one_that_was_added_without_waiting(counter: Counter) -> None:
    first = await counter.queue(FIRST)
    await counter.uploads.process("w")
    await counter.add(SECOND)
    await counter.process_until_all_is_done()
    assert (await counter.desk.only()).content == SECOND.decode()
    assert await counter.outcome(first) == "superseded"


async def test_nor_one_that_was_added_while_it_was_read(counter: Counter) -> None:
    counter.embedder.is_down = False
    counter.desk.parser = Meanwhile(lambda: counter.add(SECOND))
    first = await counter.queue(FIRST)
    await counter.process_until_all_is_done()
    assert (await counter.desk.only()).content == SECOND.decode()
    assert await counter.outcome(first) == "superseded"
    await counter.desk.require_sound()


async def test_a_version_that_was_queued_while_another_was_stored_is_the_newer_one(
    counter: Counter, tmp_path: Path
) -> None:
    counter.embedder.is_down = False
    files = StoresAndThen(tmp_path / "files", lambda: run(counter.queue, SECOND))
    await Uploads(counter.desk.tools, files, counter.desk.base.stores.jobs).add_bytes(
        COLLECTION, IncomingFile("q.md", FIRST, id="q")
    )
    [second] = await counter.desk.base.stores.jobs.newest(UPLOADS)
    assert second.status is JobStatus.PENDING
    await counter.process_until_all_is_done()
    assert (await counter.desk.only()).content == SECOND.decode()
    assert await counter.outcome(second) == "written"
    await counter.desk.require_sound()


async def test_another_worker_leaves_the_newer_version_alone_until_the_older_is_done(
    counter: Counter,
) -> None:
    counter.embedder.is_down = False
    done = list[int]()

    async def other_worker() -> None:
        await counter.queue(SECOND)
        done.append(await counter.uploads.process("another"))

    counter.desk.parser = Meanwhile(other_worker)
    await counter.queue(FIRST)
    await counter.process_until_all_is_done()
    assert done == [0]
    assert (await counter.desk.only()).content == SECOND.decode()


async def test_if_the_newer_one_cannot_be_read_the_older_one_is_still_tried_again(counter: Counter) -> None:
    first = await counter.queue(FIRST)
    await counter.queue(BROKEN)
    await counter.process_until_all_is_done()
    assert (await counter.desk.only()).content == FIRST.decode()
    assert await counter.outcome(first) == "written"
