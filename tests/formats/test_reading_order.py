"""Pages that are hard to read in order, made by LibreOffice. Their sentences are numbered, so that the order shows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sourcebook.ingest.parsers.parse import parse
from sourcebook.ingest.parsers.pdf.right_to_left import logical

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.parsed_text import ParsedText

PAGES = Path(__file__).parent / "pages"


def read(name: str) -> ParsedText:
    return parse((PAGES / name).read_bytes(), name)


def numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\(S(\d+)\)", text)]


@pytest.mark.parametrize("name", ["paper.pdf", "notes.pdf", "landscape.pdf"])
def test_columns_and_turned_pages_are_read_in_order(name: str) -> None:
    """Two and three columns; pages that are turned by a quarter, a half and three quarters."""
    found = numbers(read(name).text)
    assert found == sorted(found)
    assert len(found) > 50


@pytest.mark.parametrize("name", ["paper.pdf", "notes.pdf", "rus.pdf"])
def test_running_heads_and_page_numbers_are_no_text(name: str) -> None:
    text = read(name).text
    for head in ("Annals of Garden Science", "A Treatise on Gardens", "Записки садовода"):
        assert head not in text
    assert not re.search(r"^(?:Page|стр\.|—) \d+$", text, re.MULTILINE)


def test_a_footnote_stands_behind_its_paragraph_and_does_not_tear_the_text() -> None:
    text = read("notes.pdf").text
    paragraphs = text.split("\n\n")
    notes = [i for i, paragraph in enumerate(paragraphs) if re.match(r"\d+ .*folio \d\.", paragraph)]
    assert len(notes) >= 12
    for note in notes:
        mark = paragraphs[note].split()[0]
        assert re.search(rf"\)\. ?{mark}\b", paragraphs[note - 1])


def test_a_hyphen_that_belongs_to_a_word_is_kept_at_the_end_of_a_line() -> None:
    text = read("rus.pdf").text
    for word in (
        "что-либо",
        "Кто-нибудь",
        "По-прежнему",
        "во-вторых",
        "Северо-западный",
        "научно-технический",
    ):
        assert word in text
        assert word.replace("-", "") not in text
    text = read("paper.pdf").text
    for word in ("long-term", "state-of-the-art", "well-known", "twentieth-century", "nitrogen-rich"):
        assert word in text
        assert word.replace("-", "") not in text


def test_rows_of_a_table_in_a_column_stay_rows() -> None:
    lines = read("paper.pdf").text.splitlines()
    assert "Variety Yield Year" in lines
    assert "Variety 32 2.5 kg 2002" in lines


def test_hebrew_and_arabic_are_read_from_right_to_left() -> None:
    text = read("rtl.pdf").text
    for words in (
        "שנת (1954) היתה טובה.",
        "המחיר: 25, 30 ו-10 שקלים.",
        "שעות: 8:30-17:00, טלפון 02-6794012.",
        "הנחה של 15% (לילדים: 20%).",
        "عام (1954) كان جيدا.",
        "السعر: 25، 30 و-10 جنيه.",
        "الإصدار 3.11 من",
    ):
        assert words in text


@pytest.mark.parametrize("name", ["hebrew.docx", "arabic.docx"])
def test_the_order_of_a_document_from_right_to_left_is_that_of_its_file(name: str) -> None:
    text = read(name).text
    assert any(words in text for words in ("בשנת 2022.", "عام 1891"))
    assert "| 1.5 | 2001 |" in text


def test_a_line_from_left_to_right_is_left_alone() -> None:
    for line in ("Version 3.11, page (5).", "Цена: 25, 30 и -10.", "The word שלום, 5 letters."):
        assert logical(line) == line
