"""Of several versions of an uploaded file the newest stays, whichever of them had to be tried again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from anyio.from_thread import run
from tests.unit.desk import COLLECTION, Desk

from sourcebook.errors import BadFile, ProviderError
from sourcebook.ingest.uploads.incoming_file import IncomingFile
from sourcebook.ingest.uploads.stored_files import StoredFiles
from sourcebook.ingest.uploads.uploads import RETRY_SECONDS, UPLOADS, Uploads
from sourcebook.model.documents import DocumentStatus
from sourcebook.model.jobs import JobStatus
from sourcebook.testing.fakes import FakeEmbedder, InlineParser

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from sourcebook.assembly import OpenBase
    from sourcebook.ingest.parsers.parsed_text import ParsedText
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
    """While a version is read for the first time, something happens."""

    def __init__(self, happens: Callable[[], Awaitable[Any]], version: bytes = FIRST) -> None:
        super().__init__()
        self.version = version
        self.happens: Callable[[], Awaitable[Any]] | None = happens

    async def parse(self, data: bytes, name: str) -> ParsedText:
        if data == self.version and (happens := self.happens) is not None:
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


@pytest.mark.parametrize("db", ["sqlite", "postgres"], indirect=True)
async def test_a_newer_version_that_equals_what_lies_there_stays_though_it_is_not_written_again(
    counter: Counter, tmp_path: Path
) -> None:
    counter.embedder.is_down = False
    await counter.add(FIRST)
    counter.desk.parser = Meanwhile(lambda: counter.add(FIRST), SECOND)
    between = await counter.queue(SECOND)
    await counter.process_until_all_is_done()
    assert (await counter.desk.only()).content == FIRST.decode()
    assert await counter.outcome(between) == "superseded"
    stored = [path.read_bytes() for path in (tmp_path / "files").rglob("*") if path.is_file()]
    assert stored == [FIRST]
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


async def test_a_worker_that_claims_an_older_version_while_a_newer_one_is_written_leaves_it_alone(
    counter: Counter, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    counter.embedder.is_down = False
    jobs = counter.desk.base.stores.jobs
    claim, added = jobs.claim, list[object]()

    async def claim_and_be_overtaken(
        kinds: Sequence[str], worker: str, lease_seconds: int = 60
    ) -> Job | None:
        job = await claim(kinds, worker, lease_seconds)
        if not added:
            added.append(await counter.add(SECOND))
        return job

    monkeypatch.setattr(jobs, "claim", claim_and_be_overtaken)
    first = await counter.queue(FIRST)
    await counter.process_until_all_is_done()
    assert (await counter.desk.only()).content == SECOND.decode()
    assert await counter.outcome(first) == "superseded"
    stored = [path.read_bytes() for path in (tmp_path / "files").rglob("*") if path.is_file()]
    assert stored == [SECOND]
    await counter.desk.require_sound()


async def test_an_older_version_is_ended_before_the_newer_one_is_written(counter: Counter) -> None:
    first = await counter.queue(FIRST)
    seen = list[object]()

    async def look() -> None:
        seen.append(await counter.outcome(first))

    counter.embedder.is_down = False
    counter.desk.parser = Meanwhile(look, SECOND)
    await counter.add(SECOND)
    assert seen == ["superseded"]


async def test_no_older_version_takes_the_place_of_a_newer_one_that_cannot_be_read(counter: Counter) -> None:
    first = await counter.queue(FIRST)
    await counter.queue(BROKEN)
    await counter.process_until_all_is_done()
    document = await counter.desk.only()
    assert (document.status, document.content) == (DocumentStatus.FAILED, "")
    assert await counter.outcome(first) == "superseded"


async def test_nor_of_one_that_was_added_without_waiting_and_cannot_be_read(counter: Counter) -> None:
    first = await counter.queue(FIRST)
    await counter.uploads.process("w")
    with pytest.raises(BadFile):
        await counter.add(BROKEN)
    await counter.process_until_all_is_done()
    assert (await counter.desk.only()).status is DocumentStatus.FAILED
    assert await counter.outcome(first) == "superseded"


async def test_a_newer_one_that_cannot_be_added_now_is_left_to_a_worker_in_place_of_the_older(
    counter: Counter,
) -> None:
    first = await counter.queue(FIRST)
    with pytest.raises(ProviderError):
        await counter.add(SECOND)
    await counter.process_until_all_is_done()
    assert (await counter.desk.only()).content == SECOND.decode()
    assert await counter.outcome(first) == "superseded"
    await counter.desk.require_sound()


class Killed(BaseException):
    """The process is gone: nothing else of it runs."""


async def test_a_process_that_is_killed_while_it_adds_a_newer_one_leaves_it_to_a_worker(
    counter: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await counter.queue(FIRST)

    async def kill(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(counter.uploads, "_index", kill)
        with pytest.raises(Killed):
            await counter.add(SECOND)
    await counter.process_until_all_is_done()
    assert (await counter.desk.only()).content == SECOND.decode()
    assert await counter.outcome(first) == "superseded"
