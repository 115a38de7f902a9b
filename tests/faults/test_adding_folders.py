"""F01, F02, F08, F09, L06 on `add` itself: real folders, killed, stopped at every step, added by many at once."""

from __future__ import annotations

import random
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.faults import folders
from tests.faults.folders import copied, digest_of_folder, kept_files, lay_out, name_of, opened_library
from tests.faults.processes import all_at_once, exit_code_of, heard, talking

from sourcebook.ingest.crash_points import IngestCrashPoint
from sourcebook.testing.crash import CRASHED, WRITE_STEPS, word_of

if TYPE_CHECKING:
    from sourcebook.storage.crash_points import CrashPoint

pytestmark = pytest.mark.anyio

NUMBERS = range(12)
ADD_STEPS = (
    IngestCrashPoint.PARSED,
    IngestCrashPoint.CHUNKED,
    IngestCrashPoint.EMBEDDED,
    IngestCrashPoint.ACKNOWLEDGED,
)
UPLOAD_STEPS = (IngestCrashPoint.FILE_WRITTEN, IngestCrashPoint.FILE_MOVED, IngestCrashPoint.UPLOAD_QUEUED)
ADDERS = 8


def test_every_step_outside_of_the_base_is_a_crash_point_of_some_test() -> None:
    assert {*ADD_STEPS, *UPLOAD_STEPS} == set(IngestCrashPoint)


# F01


def next_notes(notes: dict[int, int], version: int, chance: random.Random) -> dict[int, int]:
    """The notes after somebody worked on them: some go, some come, most change."""
    fates = {number: chance.choices(["gone", "changed", "same"], [2, 6, 2])[0] for number in NUMBERS}
    changed = {number: version for number, fate in fates.items() if fate == "changed"}
    same = {number: notes[number] for number, fate in fates.items() if fate == "same" and number in notes}
    return changed | same


def killed_while_adding(path: Path | str, root: Path, chance: random.Random) -> tuple[set[str], bool]:
    """What the process acknowledged before it was killed, and whether it was still at work."""
    with talking(folders.follow_folder, path, root) as (process, line):
        assert line.recv() == "ready"
        acknowledged: list[str] = []
        for _ in range(chance.randrange(len(NUMBERS))):
            acknowledged.append(line.recv())
            if acknowledged[-1] == "done":
                break
        time.sleep(chance.uniform(0, 0.02))
        process.kill()
        acknowledged += heard(line)
    return {said for said in acknowledged if said != "done"}, "done" not in acknowledged


@pytest.mark.parametrize("kills", [8, pytest.param(200, marks=pytest.mark.soak)])
async def test_an_add_that_is_killed_leaves_no_half_document_and_loses_nothing_acknowledged(
    db: str, tmp_path: Path, kills: int
) -> None:
    chance = random.Random(kills)
    root = tmp_path / "notes"
    before: dict[int, int] = {}
    at_work = version = 0
    while at_work < kills:
        version += 1
        wanted = next_notes(before, version, chance)
        lay_out(root, wanted)
        acknowledged, was_at_work = killed_while_adding(db, root, chance)
        at_work += was_at_work
        async with opened_library(db) as library:
            assert await library.faults() == []
            held = await library.notes()
        for number in NUMBERS:
            is_done = any(said.endswith(name_of(number)) for said in acknowledged)
            allowed = {wanted.get(number)} if is_done else {before.get(number), wanted.get(number)}
            assert held.get(number) in allowed
        before = held
    wanted = next_notes(before, version + 1, chance)
    lay_out(root, wanted)
    async with opened_library(db) as library:
        await library.add(root)
        assert await library.faults() == []
        assert await library.notes() == wanted
        finished = await library.digest()
    if "://" not in db:
        assert finished == await digest_of_folder(tmp_path / "undisturbed.db", root)


# F02, F08


def old_and_new(tmp_path: Path) -> Path:
    """A folder that was added, and then changed: one file is new, one changed, one gone, one renamed."""
    return lay_out(tmp_path / "notes", {0: 0, 1: 0, 2: 0, 3: 0})


def copy_of(path: Path) -> Path:
    return Path(shutil.copy(path, path.with_name("undisturbed.db")))


@pytest.mark.parametrize("nth", [1, 2])
@pytest.mark.parametrize("step", [*ADD_STEPS, *WRITE_STEPS])
async def test_an_add_that_dies_at_a_step_is_finished_by_the_next(
    tmp_path: Path, step: CrashPoint | IngestCrashPoint, nth: int
) -> None:
    path, root = tmp_path / "base.db", old_and_new(tmp_path)
    await digest_of_folder(path, root)
    lay_out(root, {0: 0, 1: 1, 3: 0, 4: 0, 5: 0})
    (root / name_of(3)).rename(root / "part0" / "note-003.md")
    expected = await digest_of_folder(copy_of(path), root)

    assert exit_code_of(folders.stop_adding_at, step, nth, path, root) == CRASHED

    async with opened_library(path) as library:
        assert await library.faults() == []
        held = await library.notes()
        assert held[0] == 0
        assert held[1] in (0, 1)
        found = await library.found(word_of(1))
        assert len(found) == 1
        assert len(await library.found(word_of(1, held[1]))) == 1
        assert await library.found(word_of(1, 1 - held[1])) == set()
    assert await digest_of_folder(path, root) == expected


@pytest.mark.parametrize("step", UPLOAD_STEPS)
async def test_an_upload_that_dies_is_whole_or_was_never_made(tmp_path: Path, step: IngestCrashPoint) -> None:
    path, data = tmp_path / "base.db", b"# Upload\n\nA text about quinces.\n"
    async with opened_library(path):
        pass
    assert exit_code_of(folders.upload_up_to, step, path, "quinces.md", data) == CRASHED
    assert kept_files(path) == ([] if step is IngestCrashPoint.FILE_WRITTEN else [data])
    async with opened_library(path) as library:
        done = await library.uploads.process("lives")
        assert done == (step is IngestCrashPoint.UPLOAD_QUEUED)
        if done:
            assert len(await library.found("quinces")) == 1
        assert await library.faults() == []


@pytest.mark.parametrize("step", [*ADD_STEPS, *WRITE_STEPS])
async def test_an_upload_whose_worker_dies_is_done_by_the_next_and_exactly_once(
    tmp_path: Path, step: CrashPoint | IngestCrashPoint
) -> None:
    path, data = tmp_path / "base.db", b"# Upload\n\nA text about quinces.\n"
    assert (
        exit_code_of(folders.upload_up_to, IngestCrashPoint.UPLOAD_QUEUED, path, "quinces.md", data)
        == CRASHED
    )
    assert exit_code_of(folders.process_up_to, step, path) == CRASHED
    async with opened_library(path) as library:
        await library.base.database.execute("extend_job", job_id=1, attempt=1, lease_until=0, now=0)
        await library.uploads.process("lives")
        (document,) = await library.base.stores.library.list_documents("default")
        assert (document.status.value, document.category) == ("completed", "uploads")
        assert len(await library.found("quinces")) == 1
        assert await library.faults() == []
    assert kept_files(path) == [data]


# F09


async def test_a_file_that_is_gone_is_found_by_nobody_after_the_next_add(tmp_path: Path) -> None:
    path, root = tmp_path / "base.db", lay_out(tmp_path / "notes", dict.fromkeys(range(5), 0))
    await digest_of_folder(path, root)
    with talking(folders.answer_for_ever, path) as (_, line):

        def hits(number: int) -> int:
            line.send(word_of(number))
            return line.recv()

        assert [hits(number) for number in range(5)] == [1] * 5
        (root / name_of(2)).unlink()
        async with opened_library(path) as library:
            assert (await library.add(root)).removed == 1
            assert await library.found(word_of(2)) == set()
            assert await library.faults() == []
        assert [hits(number) for number in range(5)] == [1, 1, 0, 1, 1]
        line.send("")


# L06


@pytest.mark.parametrize("rounds", [2, pytest.param(20, marks=pytest.mark.soak)])
async def test_processes_that_add_the_same_folder_make_the_base_that_one_would(
    db: str, tmp_path: Path, rounds: int
) -> None:
    alone, root = tmp_path / "alone.db", tmp_path / "notes"
    chance = random.Random(rounds)
    notes = dict.fromkeys(NUMBERS, 0)
    for version in range(1, rounds + 1):
        lay_out(root, notes)
        copied(root / "part0", root / "copies")
        assert all_at_once(folders.add_folder, [(db, root)] * ADDERS) == [0] * ADDERS
        async with opened_library(db) as library:
            assert await library.faults() == []
            assert await library.notes() == notes
            if "://" not in db:
                assert await library.digest() == await digest_of_folder(alone, root)
            assert len(await library.base.stores.sources.list_sources("default")) == 1
        notes = next_notes(notes, version, chance)
