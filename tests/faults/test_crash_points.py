"""F02, F03, F08: a process stops at each named step of a write."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.faults import workers
from tests.faults.bases import digest_of, expected_findable, opened
from tests.faults.processes import exit_code_of

from sourcebook.storage.crash_points import CrashPoint, observe
from sourcebook.testing.crash import (
    CRASHED,
    KEEPING_STEPS,
    MIGRATION_STEPS,
    REINDEX_STEPS,
    WRITE_STEPS,
    prepared_document,
)

pytestmark = pytest.mark.anyio

FOLDER = {0: 0, 1: 0, 2: 0}


@dataclass(frozen=True)
class Change:
    """What the process was doing: bringing document `number` to `revision`, or removing it."""

    name: str
    number: int
    revision: int | None

    @property
    def after(self) -> dict[int, int]:
        rest = {number: revision for number, revision in FOLDER.items() if number != self.number}
        return rest if self.revision is None else rest | {self.number: self.revision}


NEW = Change("new", 3, 0)
UPDATE = Change("update", 1, 1)
REMOVAL = Change("removal", 1, None)
STEPS_OF_A_REMOVAL = tuple(
    step
    for step in WRITE_STEPS
    if step
    not in (
        CrashPoint.DOCUMENT_WRITTEN,
        CrashPoint.CHUNKS_WRITTEN,
        CrashPoint.VECTORS_WRITTEN,
        CrashPoint.WORDS_WRITTEN,
    )
)
CASES = [
    *((step, change) for change in (NEW, UPDATE) for step in WRITE_STEPS),
    *((step, REMOVAL) for step in STEPS_OF_A_REMOVAL),
]


def name_of(part: object) -> str:
    return part.name if isinstance(part, Change) else str(part)


def test_every_step_is_a_crash_point_of_some_test() -> None:
    assert len(WRITE_STEPS) >= 9
    assert {*WRITE_STEPS, *MIGRATION_STEPS, *KEEPING_STEPS, *REINDEX_STEPS} == set(CrashPoint)
    assert {step for step, _ in CASES} == set(WRITE_STEPS)


@pytest.mark.parametrize("change", [NEW, UPDATE, REMOVAL], ids=name_of)
async def test_a_write_passes_the_steps_that_are_tested(tmp_path: Path, change: Change) -> None:
    await digest_of(tmp_path / "base.db", FOLDER)
    async with opened(tmp_path / "base.db") as base:
        seen: list[CrashPoint] = []
        observe(seen.append)
        try:
            if change.revision is None:
                await base.remove(change.number)
            else:
                await base.write(prepared_document(change.number, change.revision))
        finally:
            observe(None)
    assert set(seen) == {step for step, tested in CASES if tested is change}
    assert seen[-2:] == [CrashPoint.BEFORE_COMMIT, CrashPoint.COMMITTED]


_UNDISTURBED: dict[str, str] = {}


async def undisturbed(path: Path, change: Change) -> str:
    """The digest after the change, of a base that nothing stopped. It is made once for each change."""
    if change.name not in _UNDISTURBED:
        _UNDISTURBED[change.name] = await digest_of(path, change.after)
    return _UNDISTURBED[change.name]


@pytest.mark.parametrize(("step", "change"), CASES, ids=name_of)
async def test_a_process_that_stops_at_a_step_leaves_the_old_state_or_the_new(
    tmp_path: Path, step: CrashPoint, change: Change
) -> None:
    path = tmp_path / "base.db"
    before = await digest_of(path, FOLDER)
    after = await undisturbed(tmp_path / "undisturbed.db", change)

    assert exit_code_of(workers.stop_at, step, path, change.number, change.revision) == CRASHED

    async with opened(path) as base:
        assert await base.faults() == []
        assert await base.digest() == (after if step is CrashPoint.COMMITTED else before)
    assert await digest_of(path, change.after) == after


@pytest.mark.parametrize("step", WRITE_STEPS)
async def test_a_search_after_a_stopped_update_finds_only_old_chunks_or_only_new_ones(
    tmp_path: Path, step: CrashPoint
) -> None:
    path = tmp_path / "base.db"
    await digest_of(path, FOLDER)

    assert exit_code_of(workers.stop_at, step, path, UPDATE.number, UPDATE.revision) == CRASHED

    revision = 1 if step is CrashPoint.COMMITTED else 0
    async with opened(path) as base:
        assert await base.findable(UPDATE.number) == expected_findable(UPDATE.number, revision)


@pytest.mark.parametrize("change", [NEW, UPDATE, REMOVAL], ids=name_of)
async def test_without_transactions_the_same_crashes_are_found_to_break_the_base(
    tmp_path: Path, change: Change
) -> None:
    """The negative control: were this to pass unnoticed, the tests above could see nothing."""
    broken: set[CrashPoint] = set()
    for step in (step for step, tested in CASES if tested is change):
        path = tmp_path / f"{step}.db"
        await digest_of(path, FOLDER)
        code = exit_code_of(workers.stop_at_without_transaction, step, path, change.number, change.revision)
        assert code == CRASHED
        async with opened(path) as base:
            if await base.faults():
                broken.add(step)
    assert broken
