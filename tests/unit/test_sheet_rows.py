"""Sheets for reading: their rows in a table, with what was quoted marked in its cells."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sourcebook.faces.web.document_text import document_text
from sourcebook.faces.web.sheet_rows import is_row_of_sheet
from sourcebook.faces.web.source_view import parts_around
from sourcebook.model.documents import Document

if TYPE_CHECKING:
    from markupsafe import Markup

CSV = "text/csv"
TEXT = (
    "Instruments\n\n"
    "SKU: V1; Name: Violin <3/4>; Price: 16\n\n"
    "SKU: C4; Price: 38; Shelf: B1\n\n"
    "Prices include tax.\n\n"
    "SKU: B2; Name: Bow"
)


def shown(text: str, *spans: tuple[int, int], kind: str = CSV) -> Markup:
    document = Document(id="d", content=text, file_path="prices.csv", layout={"kind": kind})
    return document_text(document, 0, len(text), spans)


def test_rows_become_a_table_with_every_column_and_prose_stays_prose() -> None:
    html = shown(TEXT)
    assert html.count("<table>") == 1
    assert re.findall(r"<th[^>]*>([^<]*)</th>", html) == ["SKU", "Name", "Price", "Shelf"]
    assert (
        '<h4>Instruments</h4><div class="sheet-rows" tabindex="0" role="group" aria-label="Instruments">'
        in html
    )
    assert '<tr><td>C4</td><td></td><td class="num">38</td><td>B1</td></tr>' in html
    assert "<td>Violin &lt;3/4&gt;</td>" in html
    # A single row is no table.
    assert "</div><p>Prices include tax.</p><p>SKU: B2; Name: Bow</p>" in html


def test_a_quoted_row_is_marked_in_its_cells() -> None:
    start = TEXT.index("SKU: C4")
    html = shown(TEXT, (start, TEXT.index("\n", start)))
    assert re.findall(r"<mark>([^<]*)</mark>", html) == ["C4", "38", "B1"]
    html = shown(TEXT, (start, start + 3))
    assert re.findall(r"<mark>([^<]*)</mark>", html) == ["C4"]


def test_a_value_with_a_semicolon_stays_whole() -> None:
    html = shown("Item: Bag; Note: red; large\n\nItem: Box; Note: blue")
    assert "<td>red; large</td>" in html
    assert html.count("<th ") == 2


def test_what_is_no_sheet_stays_paragraphs() -> None:
    assert "<table>" not in shown(TEXT, kind="text/plain")
    prose = "Bring: a bag; and: a hat\n\nAsk: for Ann; then: sit down"
    assert "<table>" not in shown(prose)
    assert shown("a: 1; a: 2\n\na: 3; a: 4").count("<p>") == 2


def test_a_row_of_a_sheet_is_known_from_prose_and_from_other_files() -> None:
    row = "Item: Locker; Size: large; Price (EUR): 52"
    assert is_row_of_sheet("office/Prices.XLSX", row)
    assert not is_row_of_sheet("office/Prices.XLSX", "Prices include tax.")
    assert not is_row_of_sheet("notes.md", row)


def test_a_source_beside_an_answer_has_the_whole_table_around_the_row_that_is_quoted() -> None:
    text = "Prices\n\nItem: Bag; Price: 3\n\nItem: Box; Price: 5\n\nItem: Hat; Price: 8"
    start = text.index("Item: Box")
    document = Document(id="d", content=text, file_path="prices.csv", layout={"kind": CSV})
    shown = parts_around(document, [(start, text.index("\n", start))])
    html = "".join(str(part.html) for part in shown)
    assert html.count("<table>") == 1
    assert html.count("<tr>") == 4
    assert re.findall(r"<mark>([^<]*)</mark>", html) == ["Box", "5"]
