"""Valid files of every format with random accidents: the parent never crashes, and no file hangs."""

from __future__ import annotations

import io
import random
import zipfile
from pathlib import Path

import pytest
from anyio import create_task_group

from sourcebook.errors import BadFile
from sourcebook.ingest.parsers.process.pool import ParserPool
from sourcebook.text.case_and_accents import storable

FILES = sorted(
    path for path in (Path(__file__).parent / "files").iterdir() if path.suffix not in (".doc", ".xls")
)
pytestmark = pytest.mark.anyio
UNPACKED = (".eml", ".mbox")
ARCHIVES = (".docx", ".epub", ".odp", ".ods", ".odt", ".pptx", ".xlsx")
LARGE = 60_000


def mutated(data: bytes, chance: random.Random) -> bytes:
    """The bytes after one to six accidents."""
    harmed = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(harmed) or 1)
        match chance.randrange(5):
            case 0:
                harmed[at : at + 1] = bytes([chance.randrange(256)])
            case 1:
                del harmed[at : at + chance.randint(1, 200)]
            case 2:
                harmed[at:at] = chance.randbytes(chance.randint(1, 50))
            case 3:
                piece = harmed[at : at + chance.randint(1, 100)]
                harmed[at:at] = piece * chance.randint(1, 20)
            case _:
                harmed[at : at + 4] = b"\xff\xff\xff\xff"
    return bytes(harmed)


def mutated_within(data: bytes, chance: random.Random) -> bytes:
    """An archive that is whole and one of whose parts had the accidents: so they reach what reads that part."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        harmed = chance.choice(
            [name for name in old.namelist() if name.endswith((".xml", ".xhtml", ".rels"))]
        )
        for name in old.namelist():
            part = old.read(name)
            new.writestr(name, mutated(part, chance) if name == harmed else part)
    return made.getvalue()


async def _try(pool: ParserPool, number: int) -> None:
    chance = random.Random(number)
    path = FILES[number % len(FILES)]
    whole = path.read_bytes()
    if path.suffix in ARCHIVES and number // len(FILES) % 2:
        data = mutated_within(whole, chance)
    else:
        data = mutated(whole[:LARGE], chance)
    try:
        text = (await pool.parse(data, path.name)).text
        assert storable(text)
        if path.suffix in UNPACKED:
            await pool.members(data, path.name)
    except BadFile as error:
        # The base class is what a process says when its parser raised something that it does not declare.
        is_declared = type(error) is not BadFile and error.code != "parser_died"
        assert is_declared, (path.name, number, error.message)  # noqa: PT017


async def _run(numbers: range) -> None:
    pool = ParserPool(workers=2)

    async def some(own: range) -> None:
        for number in own:
            await _try(pool, number)

    try:
        async with create_task_group() as tasks:
            tasks.start_soon(some, numbers[::2])
            tasks.start_soon(some, numbers[1::2])
    finally:
        await pool.close()


async def test_some_hundred_mutations_are_survived() -> None:
    await _run(range(5 * len(FILES)))


@pytest.mark.soak
@pytest.mark.timeout(3600)
async def test_ten_thousand_mutations_are_survived() -> None:
    await _run(range(10_000))
