"""Bytes that came without a file: kept beside the base, indexed at once or by a worker."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.unit.desk import COLLECTION, Desk

from sourcebook.errors import (
    BadFile,
    Conflict,
    DamagedFile,
    EmptyFile,
    NeedsOcr,
    SourcebookError,
    UnsupportedFile,
    UsageError,
)
from sourcebook.ingest.add_request import Labels
from sourcebook.ingest.uploads.incoming_file import IncomingFile
from sourcebook.ingest.uploads.stored_files import SWEPT_AFTER_SECONDS, StoredFiles, remove_document
from sourcebook.ingest.uploads.uploads import UPLOADS, Uploads
from sourcebook.model.documents import DocumentStatus, WriteOutcome, WriteReport
from sourcebook.model.jobs import JobStatus
from sourcebook.testing.fakes import InlineParser

if TYPE_CHECKING:
    from pathlib import Path

    from sourcebook.assembly import OpenBase
    from sourcebook.ingest.parsers.parsed_text import ParsedText
    from sourcebook.model.documents import JsonValue
    from sourcebook.model.jobs import Job
    from sourcebook.testing.fakes import FixedClock

pytestmark = pytest.mark.anyio

NOTE = b"# Quinces\n\nQuinces ripen late.\n"
OTHER = b"# Quinces\n\nQuinces are hard.\n"
BROKEN = b"%PDF-1.7\nnot really"


class Counter:
    """A desk where bytes are brought."""

    def __init__(self, desk: Desk, folder: Path) -> None:
        self.desk = desk
        self.files = StoredFiles(folder)
        self.uploads = Uploads(desk.tools, self.files, desk.base.stores.jobs)

    async def add(self, name: str, data: bytes, **given: Any) -> WriteReport:
        return await self.uploads.add_bytes(COLLECTION, brought(name, data, **given))

    async def queue(self, name: str, data: bytes) -> Job:
        """Bring bytes that take the place of what was brought under this name."""
        return await self.uploads.upload(COLLECTION, brought(name, data, id=name))

    async def job(self, job: Job) -> Job:
        found = await self.desk.base.stores.jobs.get(job.id)
        assert found is not None
        return found

    async def outcomes(self, *jobs: Job) -> list[JsonValue]:
        """What became of jobs that are done."""
        found = [await self.job(job) for job in jobs]
        assert {job.status for job in found} == {JobStatus.DONE}
        return [(job.result or {}).get("outcome") for job in found]

    def kept(self) -> list[bytes]:
        return sorted(file.read_bytes() for file in self.files.folder.glob("??/*"))


def brought(name: str, data: bytes, **given: Any) -> IncomingFile:
    labels = Labels(given.pop("category", None), given.pop("subcategory", None))
    return IncomingFile(name, data, labels=labels, **given)


@pytest.fixture
def counter(base: OpenBase, clock: FixedClock, tmp_path: Path) -> Counter:
    return Counter(Desk(base, clock), tmp_path / "files")


async def test_bytes_are_indexed_and_kept(counter: Counter) -> None:
    report = await counter.add("quinces.md", NOTE, metadata={"from": "anna"}, category="fruit")
    assert report.outcome is WriteOutcome.WRITTEN
    document = await counter.desk.only()
    assert (document.id, document.file_path, document.title) == (report.document_id, "quinces.md", "Quinces")
    assert (document.category, document.metadata) == ("fruit", {"from": "anna"})
    assert document.stored_file is not None
    assert counter.files.location(document.stored_file).read_bytes() == NOTE
    await counter.desk.require_sound()


async def test_the_same_name_replaces_and_the_old_bytes_go(counter: Counter) -> None:
    first = await counter.add("quinces.md", NOTE, category="fruit")
    assert await counter.add("quinces.md", NOTE) == WriteReport(WriteOutcome.UNCHANGED, first.document_id)
    counter.desk.embedded()
    assert await counter.add("quinces.md", OTHER) == replace(first, replaced=True)
    assert counter.kept() == [OTHER]
    document = await counter.desk.only()
    assert (document.content, document.category) == (OTHER.decode(), "fruit")


async def test_a_worker_that_is_faster_than_the_announcement_still_makes_the_document(
    counter: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The job is there before the document is announced: it may be read, or done, by then."""
    announce = vars(Uploads)["_announce"]
    late = list[Any]()

    async def later(uploads: Uploads, kept: Any) -> None:
        late.append(kept)

    class WhileReading(InlineParser):
        async def parse(self, data: bytes, name: str) -> ParsedText:
            if late:
                await announce(counter.uploads, late.pop())
            return await super().parse(data, name)

    monkeypatch.setattr(Uploads, "_announce", later)
    counter.desk.parser = WhileReading()
    job = await counter.uploads.upload(COLLECTION, brought("quinces.md", NOTE, id="q"))
    assert await counter.uploads.process("worker") == 1
    assert not late
    done = await counter.desk.base.stores.jobs.get(job.id)
    assert done is not None
    assert (done.status, (done.result or {})["outcome"]) == (JobStatus.DONE, "written")
    document = await counter.desk.only()
    assert (document.content, document.status) == (NOTE.decode(), DocumentStatus.COMPLETED)


async def test_a_label_alone_changes_without_embedding(counter: Counter) -> None:
    await counter.add("quinces.md", NOTE, category="fruit")
    counter.desk.embedded()
    await counter.add("quinces.md", NOTE, category="trees")
    assert ((await counter.desk.only()).category, counter.desk.embedded()) == ("trees", 0)


async def test_an_id_stays_when_the_name_changes(counter: Counter) -> None:
    first = await counter.add("a.md", NOTE, id="q")
    second = await counter.add("b.md", OTHER, id="q")
    assert second.document_id == first.document_id


async def test_bytes_that_another_document_holds_are_not_kept_twice(counter: Counter) -> None:
    first = await counter.add("a.md", NOTE)
    assert await counter.add("b.md", NOTE) == WriteReport(WriteOutcome.DUPLICATE, first.document_id)
    assert counter.kept() == [NOTE]
    assert set(await counter.desk.paths()) == {"a.md", "b.md"}


async def test_bytes_that_lie_at_another_path_too_are_kept_for_that(counter: Counter) -> None:
    await counter.add("a.md", NOTE)
    await counter.add("b.md", NOTE)
    await counter.add("a.md", OTHER)
    assert counter.kept() == sorted([NOTE, OTHER])
    documents = await counter.desk.documents()
    assert {
        d.stored_file and counter.files.location(d.stored_file).read_bytes() for d in documents.values()
    } == {
        NOTE,
        OTHER,
    }


async def test_bytes_that_cannot_be_read_are_an_error_and_a_document_that_says_why(counter: Counter) -> None:
    with pytest.raises(BadFile):
        await counter.add("a.pdf", BROKEN)
    document = await counter.desk.only()
    assert (document.status, document.content) == (DocumentStatus.FAILED, "")
    with pytest.raises(NeedsOcr):
        await counter.add("a.png", b"\x89PNG\r\n\x1a\n" + bytes(50))
    with pytest.raises(UnsupportedFile):
        await counter.add("a.bin", b"\x7fELF" + bytes(50))
    await counter.desk.require_sound()


async def test_when_new_bytes_cannot_be_read_the_old_text_stays(counter: Counter) -> None:
    await counter.add("a.pdf", NOTE)
    with pytest.raises(DamagedFile):
        await counter.add("a.pdf", BROKEN)
    document = await counter.desk.only()
    assert (document.content, document.status) == (NOTE.decode(), DocumentStatus.FAILED)
    assert document.stored_file is not None
    assert counter.files.location(document.stored_file).read_bytes() == NOTE


async def test_what_is_removed_leaves_no_bytes(counter: Counter) -> None:
    report = await counter.add("a.md", NOTE)
    stores = counter.desk.base.stores
    assert await remove_document(stores, counter.files, COLLECTION, report.document_id)
    assert counter.kept() == []
    assert not await remove_document(stores, counter.files, COLLECTION, report.document_id)


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd",
        "/etc/passwd",
        "C:\\x.md",
        "a\x00b.md",
        "\u202egpj.md",
        "-rf",
        "<img onerror=1>",
        "ё" * 300,
    ],
)
async def test_a_hostile_name_is_only_shown(counter: Counter, name: str) -> None:
    await counter.add(name, NOTE)
    document = await counter.desk.only()
    assert document.file_path == name.replace("\x00", "\\x00")
    assert counter.kept() == [NOTE]


@pytest.mark.parametrize("name", ["", "  ", "x" * 1001])
async def test_a_name_that_is_none_is_refused(counter: Counter, name: str) -> None:
    with pytest.raises(UsageError):
        await counter.add(name, NOTE)
    assert counter.kept() == []


async def test_bytes_over_the_limit_are_refused_before_they_are_kept(counter: Counter) -> None:
    config = replace(
        counter.desk.tools.config, limits=replace(counter.desk.tools.config.limits, largest_file=10)
    )
    small = Uploads(replace(counter.desk.tools, config=config), counter.files, counter.desk.base.stores.jobs)
    with pytest.raises(BadFile):
        await small.add_bytes(COLLECTION, brought("a.md", NOTE))
    assert counter.kept() == []


@pytest.mark.parametrize(
    "name", ["../x", "ab/../../x", "ab", "/etc/passwd", "AB/" + "a" * 32, "ab/" + "a" * 31]
)
def test_only_names_of_our_own_lead_to_a_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError):
        StoredFiles(tmp_path).location(name)


async def test_a_second_version_replaces_the_first_and_its_progress_is_told(counter: Counter) -> None:
    await counter.uploads.upload(COLLECTION, brought("q.md", NOTE, id="q"))
    assert await counter.uploads.process("w") == 1
    job = await counter.uploads.upload(COLLECTION, brought("q.md", NOTE + b"\n\nAnd more of it.\n", id="q"))
    told: list[tuple[int, float]] = []
    await counter.uploads.process("w", lambda job, progress: told.append((job.id, progress.share)))
    assert {number for number, _ in told} == {job.id}
    assert told[-1][1] == 1.0
    done = await counter.desk.base.stores.jobs.get(job.id)
    assert done is not None
    assert done.result is not None
    assert done.result["replaced"] is True


async def test_an_upload_waits_for_a_worker_and_is_shown_as_waiting(counter: Counter) -> None:
    job = await counter.uploads.upload(COLLECTION, brought("q.md", NOTE, title="T", category="fruit"))
    waiting = await counter.desk.only()
    assert (waiting.status, waiting.title, waiting.category) == (DocumentStatus.PENDING, "T", "fruit")
    assert await counter.uploads.process("w") == 1
    document = await counter.desk.only()
    assert (document.id, document.status, document.title) == (waiting.id, DocumentStatus.COMPLETED, "T")
    assert document.file_path.endswith("/q.md")
    done = await counter.desk.base.stores.jobs.get(job.id)
    assert done is not None
    assert (done.status, done.result) == (
        JobStatus.DONE,
        {"outcome": "written", "document_id": document.id, "replaced": False},
    )
    await counter.desk.require_sound()


async def test_uploads_of_the_same_name_are_documents_of_their_own(counter: Counter) -> None:
    for data in (NOTE, OTHER, NOTE):
        await counter.uploads.upload(COLLECTION, brought("q.md", data))
    assert await counter.uploads.process("w") == 2
    assert {d.content for d in (await counter.desk.documents()).values()} == {NOTE.decode(), OTHER.decode()}


async def test_an_upload_with_an_id_replaces_and_the_old_text_is_found_until_then(counter: Counter) -> None:
    await counter.add("q.md", NOTE, id="q")
    await counter.uploads.upload(COLLECTION, brought("q.md", OTHER, id="q"))
    assert (await counter.desk.only()).content == NOTE.decode()
    await counter.uploads.process("w")
    assert (await counter.desk.only()).content == OTHER.decode()
    assert counter.kept() == [OTHER]


async def test_an_upload_that_cannot_be_read_says_so_and_is_done(counter: Counter) -> None:
    job = await counter.uploads.upload(COLLECTION, brought("q.pdf", BROKEN))
    assert await counter.uploads.process("w") == 1
    assert (await counter.desk.only()).status is DocumentStatus.FAILED
    done = await counter.desk.base.stores.jobs.get(job.id)
    assert done is not None
    assert done.result is not None
    assert "error" in done.result


async def test_going_back_to_an_earlier_version_leaves_that_version(counter: Counter) -> None:
    await counter.queue("q.md", NOTE)
    await counter.uploads.process("w")
    jobs = [await counter.queue("q.md", OTHER), await counter.queue("q.md", NOTE)]
    jobs.append(await counter.queue("later.md", b"Plums ripen early.\n"))
    assert await counter.uploads.process("w") == 3
    assert await counter.outcomes(*jobs) == ["written"] * 3
    documents = await counter.desk.documents()
    assert documents["q.md"].content == NOTE.decode()
    assert counter.kept() == sorted([NOTE, b"Plums ripen early.\n"])
    await counter.desk.require_sound()


async def test_the_version_that_was_brought_last_stays_even_if_it_waits_already(counter: Counter) -> None:
    first, second, third = [await counter.queue("q.md", data) for data in (NOTE, OTHER, NOTE)]
    assert len({first.id, second.id, third.id}) == 3
    assert (await counter.queue("q.md", NOTE)).id == third.id
    assert await counter.uploads.process("w") == 3
    assert (await counter.desk.only()).content == NOTE.decode()
    assert counter.kept() == [NOTE]


async def test_the_same_bytes_sent_twice_in_a_row_are_one_job_whatever_else_is_sent(counter: Counter) -> None:
    first = await counter.queue("q.md", NOTE)
    await counter.queue("other.md", OTHER)
    assert (await counter.queue("q.md", NOTE)).id == first.id


async def test_a_file_that_is_no_longer_there_ends_its_job_alone(counter: Counter) -> None:
    await counter.queue("q.md", NOTE)
    await counter.uploads.process("w")
    lost = [await counter.queue("q.md", OTHER), await counter.queue("new.md", b"Medlars are bletted.\n")]
    for job in lost:
        counter.files.remove(str(job.payload["file"]))
    later = await counter.queue("later.md", b"Plums ripen early.\n")
    assert await counter.uploads.process("w") == 3
    assert await counter.outcomes(*lost, later) == [None, None, "written"]
    errors = [(await counter.job(job)).result or {} for job in lost]
    assert all("no longer there" in str(result["error"]) for result in errors)
    documents = await counter.desk.documents()
    assert (documents["q.md"].content, documents["q.md"].status) == (NOTE.decode(), DocumentStatus.COMPLETED)
    assert documents["new.md"].status is DocumentStatus.FAILED
    assert "no longer there" in (documents["new.md"].processing_error or "")
    await counter.desk.require_sound()


async def test_work_that_was_done_before_its_worker_died_is_no_error(counter: Counter) -> None:
    await counter.add("a.md", NOTE)
    job = await counter.queue("b.md", NOTE)
    await counter.uploads.process("w")
    assert (await counter.outcomes(job), counter.kept()) == (["duplicate"], [NOTE])
    again = await counter.desk.base.stores.jobs.enqueue(UPLOADS, job.payload)
    await counter.uploads.process("w")
    assert await counter.outcomes(again) == ["unchanged"]
    assert set(await counter.desk.paths()) == {"a.md", "b.md"}


@pytest.mark.parametrize(
    ("error", "status"), [(Conflict, JobStatus.PENDING), (SourcebookError, JobStatus.DONE)]
)
async def test_no_error_of_one_job_keeps_the_others_waiting(
    counter: Counter, monkeypatch: pytest.MonkeyPatch, error: type[SourcebookError], status: JobStatus
) -> None:
    """What may pass is tried again later; all else ends the job."""
    index = vars(Uploads)["_index"]

    async def refused(uploads: Uploads, kept: Any, *others: Any) -> WriteReport:
        if kept.path == "bad.md":
            raise error("It went wrong.")
        return await index(uploads, kept, *others)

    monkeypatch.setattr(Uploads, "_index", refused)
    bad, later = await counter.queue("bad.md", NOTE), await counter.queue("later.md", OTHER)
    await counter.uploads.process("w")
    assert ((await counter.job(bad)).status, await counter.outcomes(later)) == (status, ["written"])


@pytest.mark.parametrize("data", [b"", b" \n\t"])
async def test_bytes_without_content_are_refused_before_they_are_kept(counter: Counter, data: bytes) -> None:
    with pytest.raises(EmptyFile):
        await counter.queue("a.md", data)
    with pytest.raises(EmptyFile):
        await counter.add("a.md", data)
    assert (counter.kept(), await counter.uploads.process("w")) == ([], 0)


async def test_what_nothing_speaks_of_is_swept_away_after_a_while(counter: Counter) -> None:
    await counter.add("a.md", NOTE)
    await counter.uploads.upload(COLLECTION, brought("b.md", OTHER, id="a.md"))
    files = counter.files
    orphan = files.put(COLLECTION, "nobody's", "hash", b"orphan")
    fresh = files.put(COLLECTION, "nobody's either", "hash", b"fresh")
    stranger = files.folder / "readme.txt"
    stranger.write_text("not ours")
    old = files.location(orphan).stat().st_mtime - SWEPT_AFTER_SECONDS - 10
    for file in files.folder.rglob("*"):
        if file.is_file() and file != files.location(fresh):
            os.utime(file, (old, old))
    kept = await counter.desk.base.stores.sources.stored_files(UPLOADS)
    assert files.sweep(kept) == 1
    assert counter.kept() == sorted([NOTE, OTHER, b"fresh"])
    assert stranger.exists()


def test_two_who_sweep_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    """What one of them has listed, the other may have removed by the time it is looked at."""
    files = StoredFiles(tmp_path)
    for number in range(3):
        name = files.put(COLLECTION, str(number), "hash", b"orphan")
        os.utime(files.location(name), (0, 0))

    class SweptMeanwhile(set[str]):
        """Asked whether the first name is kept, it lets the other one sweep."""

        has_swept = False

        def __contains__(self, name: object) -> bool:
            if not self.has_swept:
                self.has_swept = True
                assert files.sweep(set()) == 3
            return False

    assert files.sweep(SweptMeanwhile()) == 0
