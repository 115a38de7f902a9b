"""A hostile PDF whose page is to be drawn fails its picture, in its own process and within limits, and nothing else."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from contextlib import suppress

import pytest
from tests.faults import hostile_files
from tests.faults.hostile_files import pdf, pdf_page, stream_of

from sourcebook.errors import BadFile, EncryptedFile, FileOverLimit, ParserDied
from sourcebook.ingest.parsers.process.pool import ParserLimits, ParserPool
from sourcebook.ingest.parsers.process.pool_protocol import LARGEST_PICTURE, PNG

pytestmark = pytest.mark.anyio

GOOD = pdf("Raspberries are pruned in late autumn.")
MEGABYTE = 1024 * 1024
NESTED = 8


def pdf_painted_over_and_over(times: int = 100_000) -> bytes:
    """A page that is filled from edge to edge, again and again: little to read, and long to draw."""
    return pdf_page(b"0 0 600 800 re f\n" * times)


def pdf_of_nested_drawings() -> bytes:
    """A page that draws a form which draws another ten times, and so on: ten to the eighth rectangles."""
    again = b"/N Do " * 10
    forms = {
        5 + level: stream_of(
            again if level < NESTED else b"0 0 600 800 re f",
            b"/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</XObject<</N %d 0 R>>>>" % (6 + level),
        )
        for level in range(1, NESTED + 1)
    }
    page = hostile_files.PAGE.replace(b"/Font<</F 5 0 R>>", b"/XObject<</N 6 0 R>>")
    return pdf_page(again, more={3: page, **forms})


@pytest.fixture
async def pool() -> AsyncGenerator[ParserPool]:
    opened = ParserPool(ParserLimits(seconds=5.0), workers=1)
    yield opened
    await opened.close()


HOSTILE = {
    "bomb": lambda: hostile_files.pdf_bomb(50),
    "picture": hostile_files.pdf_with_broken_picture,
    "font": hostile_files.pdf_with_broken_font,
    "pages that loop": hostile_files.pdf_whose_pages_loop,
    "table that loops": hostile_files.pdf_whose_table_loops,
    "claimed pages": lambda: hostile_files.pdf_of_claimed_pages(2_000_000_000),
    "huge page": lambda: pdf_page(b"").replace(b"[0 0 600 800]", b"[0 0 99999999999999 99999999999999]"),
    "flat page": lambda: pdf_page(b"").replace(b"[0 0 600 800]", b"[0 0 0 0]"),
    "nested drawings": pdf_of_nested_drawings,
    "cut off": lambda: GOOD[: len(GOOD) // 2],
    "no PDF": lambda: b"<html>hello",
    "nothing": lambda: b"",
}


@pytest.mark.parametrize("kind", HOSTILE)
async def test_a_hostile_file_becomes_a_picture_or_an_error(pool: ParserPool, kind: str) -> None:
    drawn = PNG
    with suppress(BadFile):
        drawn = await pool.draw(HOSTILE[kind](), 1)
    assert drawn.startswith(PNG)
    assert len(drawn) <= LARGEST_PICTURE
    assert (await pool.draw(GOOD, 1)).startswith(PNG)


async def test_a_page_that_takes_too_long_is_given_up(pool: ParserPool) -> None:
    started = time.monotonic()
    with pytest.raises(FileOverLimit, match="5 seconds"):
        await pool.draw(pdf_painted_over_and_over(), 1)
    assert time.monotonic() - started < 200
    assert (await pool.draw(GOOD, 1)).startswith(PNG)


async def test_a_page_that_takes_too_much_memory_is_given_up() -> None:
    pool = ParserPool(ParserLimits(memory=100 * MEGABYTE, seconds=5.0), workers=1)
    try:
        with pytest.raises(BadFile) as caught:
            await pool.draw(hostile_files.pdf_bomb(300), 1)
        assert isinstance(caught.value, (FileOverLimit, ParserDied))
    finally:
        await pool.close()


async def test_a_page_behind_a_password_is_not_drawn(pool: ParserPool) -> None:
    with pytest.raises(EncryptedFile):
        await pool.draw(pdf("Secret.", password="key"), 1)


async def test_text_and_pictures_come_from_the_same_child_and_are_not_mixed_up(pool: ParserPool) -> None:
    for _ in range(3):
        assert (await pool.parse(GOOD, "a.pdf")).text == "Raspberries are pruned in late autumn."
        assert (await pool.draw(GOOD, 1)).startswith(PNG)
