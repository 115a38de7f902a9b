"""What a long `add` tells while it works: pages while a file is read, and a time that is left that does not swing."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from fpdf import FPDF

from sourcebook import AsyncSourcebook
from sourcebook.faces.cli.terminal.progress import TimeLeft
from sourcebook.ingest.parsers.page_progress import listening
from sourcebook.ingest.parsers.parsed_text import ParsedText
from sourcebook.ingest.parsers.pdf.document import parse_pdf
from sourcebook.ingest.parsers.process.pool_protocol import ParserReply, read_reply, write_page, write_reply
from sourcebook.testing.fakes import FakeEmbedder

if TYPE_CHECKING:
    from sourcebook.model.add_reports import Progress


def pdf(pages: int) -> bytes:
    document = FPDF()
    document.set_font("helvetica", size=10)
    for number in range(pages):
        document.add_page()
        for line in range(30):
            document.cell(
                0, 8, f"Line {line} of page {number} tells of raspberries.", new_x="LMARGIN", new_y="NEXT"
            )
    return bytes(document.output())


def test_a_pdf_tells_of_every_page_that_was_read() -> None:
    told: list[tuple[int, int]] = []
    with listening(lambda number, count: told.append((number, count))):
        parse_pdf(pdf(3))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_pages_come_before_the_reply_over_the_same_pipe() -> None:
    pipe, told = io.BytesIO(), list[tuple[int, int]]()
    write_page(pipe, 1, 9)
    write_page(pipe, 5, 9)
    write_reply(pipe, ParserReply(ParsedText("text")))
    pipe.seek(0)
    reply = read_reply(pipe, lambda number, count: told.append((number, count)))
    assert told == [(1, 9), (5, 9)]
    assert reply is not None
    assert isinstance(reply.outcome, ParsedText)
    pipe.seek(0)
    assert read_reply(pipe) == reply


@pytest.mark.anyio
async def test_an_add_tells_of_pages_while_a_long_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "long.pdf").write_bytes(pdf(400))
    told: list[Progress] = []
    async with AsyncSourcebook(tmp_path / "base.db", embedder=FakeEmbedder()) as book:
        report = await book.add(tmp_path / "long.pdf", on_progress=told.append)
    assert report.added == 1
    stages = [progress.stage for progress in told if progress.stage in ("reading", "adding")]
    assert (stages[0], stages[-1], stages.count("adding")) == ("reading", "adding", 1)
    pages = [progress.page for progress in told if progress.pages == 400]
    assert pages == sorted(pages)
    assert 0 < pages[0] < 400


def test_the_time_that_is_left_does_not_swing() -> None:
    left, estimates = TimeLeft(), list[float]()
    share = 0.0
    for second in range(1, 100):
        # In fits and starts, as large and small files come: 1 % a second on average.
        share += 0.03 if second % 3 == 0 else 0.0
        estimate = left.estimate(share, float(second))
        if estimate is not None:
            estimates.append(estimate + second)
    assert max(estimates[10:]) / min(estimates[10:]) < 1.3


def test_nothing_is_estimated_from_almost_nothing() -> None:
    assert TimeLeft().estimate(0.001, 60) is None
    assert TimeLeft().estimate(0.5, 0.1) is None
