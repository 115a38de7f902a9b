"""F06, F07: the disk is full, or fails."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from tests.faults import workers
from tests.faults.bases import Base, digest_of, expected_findable, names_in, opened
from tests.faults.disks import Cached, Operation, Volume, Wear, mounted
from tests.faults.processes import exit_code_of

from sourcebook.errors import BaseFull, StorageError
from sourcebook.testing.crash import prepared_document

pytestmark = pytest.mark.anyio

FOLDER = {0: 0, 1: 0, 2: 0}
PLENTY = 1 << 40
SAMPLED = 60


# A full disk


@pytest.mark.parametrize("room", [0, 5_000, 20_000, 50_000, 120_000, 300_000])
async def test_on_a_full_disk_a_write_fails_as_a_whole_and_succeeds_once_there_is_room(
    tmp_path: Path, room: int
) -> None:
    volume = Volume(PLENTY)
    with mounted(volume) as vfs:
        async with opened(tmp_path / "base.db", vfs=vfs) as base:
            await base.write(prepared_document(0))
            volume.free(room)
            with pytest.raises(BaseFull) as caught:
                await write_on(base)
            assert "space" in caught.value.hint

            folder = await base.folder()
            assert folder == dict.fromkeys(range(len(folder)), 0)
            assert await base.findable(0) == expected_findable(0, 0)
            assert await base.faults() == []

            volume.free(PLENTY)
            await base.write(prepared_document(len(folder)))
            await base.write(prepared_document(0, revision=1))
            assert await base.faults() == []
            finished = await base.digest()
    assert finished == await digest_of(tmp_path / "undisturbed.db", folder | {len(folder): 0, 0: 1})


async def write_on(base: Base) -> None:
    for number in range(1, 100):
        await base.write(prepared_document(number))


async def test_on_a_full_disk_an_update_leaves_the_old_document(tmp_path: Path) -> None:
    volume = Volume(PLENTY)
    with mounted(volume) as vfs:
        async with opened(tmp_path / "base.db", vfs=vfs) as base:
            await base.write(prepared_document(0))
            before = await base.digest()
            volume.free(10_000)
            with pytest.raises(BaseFull):
                await base.write(prepared_document(0, revision=1))
            with pytest.raises(BaseFull):
                await base.remove(0)
            assert await base.digest() == before
            assert await base.findable(0) == expected_findable(0, 0)
            volume.free(PLENTY)


async def test_a_base_that_does_not_fit_on_the_disk_is_refused_and_made_once_it_does(tmp_path: Path) -> None:
    volume = Volume(10_000)
    with mounted(volume) as vfs:
        with pytest.raises(BaseFull):
            async with opened(tmp_path / "base.db", vfs=vfs):
                pass
        volume.free(PLENTY)
        async with opened(tmp_path / "base.db", vfs=vfs) as base:
            await base.write(prepared_document(0))
            assert await base.faults() == []


@pytest.mark.skipif(os.name != "posix", reason="only POSIX systems limit the size of a file")
async def test_a_process_at_its_limit_of_file_size_writes_nothing_partial_and_goes_on_when_it_is_raised(
    tmp_path: Path,
) -> None:
    path = tmp_path / "base.db"
    assert exit_code_of(workers.write_up_to_a_limit, path, 1_000_000) == 0
    async with opened(path) as base:
        assert await base.faults() == []
        folder = await base.folder()
        assert await base.digest() == await digest_of(tmp_path / "undisturbed.db", folder)


# A failing disk


def write(number: int, revision: int = 0) -> Callable[[Base], Awaitable[object]]:
    return lambda base: base.write(prepared_document(number, revision))


def remove(number: int) -> Callable[[Base], Awaitable[object]]:
    return lambda base: base.remove(number)


SCRIPT = [write(3), write(0, revision=1), remove(1), write(4), write(3, revision=1)]


async def follow_script(path: Path, disk: Wear) -> int:
    """Do one thing after the other until one fails; how many were acknowledged."""
    done = 0
    with mounted(disk) as vfs:
        try:
            async with opened(path, vfs=vfs) as base:
                for action in SCRIPT:
                    await action(base)
                    done += 1
        except StorageError:
            pass
    return done


async def digests_of_prefixes(path: Path) -> list[str]:
    """The digest before the script and after each of its actions."""
    digests = [await digest_of(path, FOLDER)]
    async with opened(path) as base:
        for action in SCRIPT:
            await action(base)
            digests.append(await base.digest())
    return digests


async def moments(template: Path, path: Path, operation: Operation) -> int:
    """How often an undisturbed run of the script does the operation."""
    disk = Wear()
    shutil.copyfile(template, path)
    assert await follow_script(path, disk) == len(SCRIPT)
    return disk.done[operation]


@pytest.mark.parametrize("for_good", [False, True], ids=["once", "for_good"])
@pytest.mark.parametrize("operation", list(Operation))
@pytest.mark.parametrize(
    "most", [SAMPLED, pytest.param(10**6, marks=pytest.mark.soak)], ids=["sample", "all"]
)
async def test_whichever_operation_of_the_disk_fails_the_base_holds_a_prefix_of_what_was_written(
    tmp_path: Path, operation: Operation, most: int, for_good: bool
) -> None:
    template, path = tmp_path / "template.db", tmp_path / "base.db"
    await digest_of(template, FOLDER)
    prefixes = await digests_of_prefixes(tmp_path / "undisturbed.db")
    there = await moments(template, tmp_path / "counted.db", operation)
    assert there > 0
    chosen = sorted(random.Random(operation).sample(range(1, there + 1), min(most, there)))
    for nth in chosen:
        for left_over in names_in(tmp_path, "base.db*"):
            (tmp_path / left_over).unlink()
        shutil.copyfile(template, path)
        acknowledged = await follow_script(path, Wear(operation, nth, for_good=for_good))
        async with opened(path) as base:
            assert await base.faults() == [], f"{operation} {nth}"
            # A write whose last sync failed may have reached the disk all the same, whole.
            assert await base.digest() in prefixes[acknowledged : acknowledged + 2], f"{operation} {nth}"


@pytest.mark.parametrize("operation", [Operation.WRITE, Operation.SYNC])
async def test_after_a_passing_disk_error_the_same_open_base_goes_on(
    tmp_path: Path, operation: Operation
) -> None:
    template = tmp_path / "template.db"
    await digest_of(template, FOLDER)
    there = await moments(template, tmp_path / "counted.db", operation)
    for nth in random.Random(1).sample(range(1, there + 1), min(8, there)):
        path = tmp_path / f"{nth}.db"
        shutil.copyfile(template, path)
        disk = Wear(operation, nth)
        with mounted(disk) as vfs:
            async with opened(path, vfs=vfs) as base:
                for action in SCRIPT:
                    await again_if_it_fails(action, base)
                assert await base.faults() == []
                finished = await base.digest()
                # Through this kind of disk, unlike a real one, errors while closing would surface.
                disk.mend()
        assert finished == await digest_of(tmp_path / f"{nth}-undisturbed.db", {0: 1, 2: 0, 3: 1, 4: 0})


async def again_if_it_fails(action: Callable[[Base], Awaitable[object]], base: Base) -> None:
    try:
        await action(base)
    except StorageError:
        await action(base)


# A power cut


async def cuts_that_lose_something(folder: Path, most: int, *, honest: bool) -> list[int]:
    """Follow the script on a disk with a cache; the moments at which a power cut would break a promise."""
    path = folder / "base.db"
    prefixes = await digests_of_prefixes(folder / "undisturbed.db")
    await digest_of(path, FOLDER)
    chance = random.Random(7)
    disk = Cached(path, chance, honest=honest)
    with mounted(disk) as vfs:
        async with opened(path, vfs=vfs) as base:
            for action in SCRIPT:
                await action(base)
                disk.acknowledged += 1
    assert len(disk.moments) > SAMPLED
    chosen = sorted(chance.sample(range(len(disk.moments)), min(most, len(disk.moments))))
    lost: list[int] = []
    for moment in chosen:
        acknowledged, left = disk.moments[moment]
        if not await is_found_whole(folder / str(moment), left, prefixes[acknowledged : acknowledged + 2]):
            lost.append(moment)
    return lost


def lay_out(folder: Path, files: dict[str, bytes]) -> None:
    folder.mkdir()
    for name, content in files.items():
        (folder / Path(name).name).write_bytes(content)


async def is_found_whole(folder: Path, left: dict[str, bytes], allowed: list[str]) -> bool:
    lay_out(folder, left)
    try:
        async with opened(folder / "base.db") as base:
            return await base.faults() == [] and await base.digest() in allowed
    except StorageError:
        return False


@pytest.mark.parametrize(
    "most", [SAMPLED, pytest.param(10**6, marks=pytest.mark.soak)], ids=["sample", "all"]
)
async def test_whenever_the_power_is_cut_what_was_acknowledged_is_on_the_disk(
    tmp_path: Path, most: int
) -> None:
    assert await cuts_that_lose_something(tmp_path, most, honest=True) == []


async def test_on_a_disk_that_lies_about_syncing_the_same_cuts_are_found_to_lose_something(
    tmp_path: Path,
) -> None:
    """The negative control: what is not synced is lost, and seen to be."""
    assert len(await cuts_that_lose_something(tmp_path, SAMPLED, honest=False)) > SAMPLED // 2
