"""A workbook as openpyxl writes it, and as LibreOffice writes the same: cells are read as a reader sees them."""

from __future__ import annotations

from pathlib import Path

import pytest

from sourcebook.ingest.parsers.parse import parse

PAGES = Path(__file__).parent / "pages"
BOTH = ["club.xlsx", "club.ods"]


def text_of(name: str) -> str:
    return parse((PAGES / name).read_bytes(), name).text


def lines_of(name: str) -> list[str]:
    return [line for line in text_of(name).splitlines() if line]


@pytest.mark.parametrize("name", BOTH)
def test_shares_amounts_and_dates_are_told_as_they_are_shown(name: str) -> None:
    assert (
        "Plant: Pepper; Price, EUR, spring: 1,310.10 €; Price, EUR, autumn: 1.80 €; Delivery, ordered: 10/04/2026; "
        "Delivery, due: 4 May 2026; Share: 8.5%"
    ) in lines_of(name)


def test_both_programs_show_every_cell_the_same() -> None:
    """LibreOffice writes into an ODS what it shows in each cell; here it is made of the formats of the XLSX."""
    computed = "Plant: Total; Price, EUR, spring: "
    drawn = "Harvest of three years"
    ours, theirs = (
        [line for line in lines_of(name) if not line.startswith((computed, drawn))] for name in BOTH
    )
    assert ours == theirs


@pytest.mark.parametrize("name", BOTH)
def test_times_phones_fractions_and_powers_are_told_as_they_are_shown(name: str) -> None:
    assert (
        "Who: Anna; Begins: 6:30 AM; Worked: 31:30; Phone: (555) 123-4567; Part: 1/2; Members: 1,234,567; "
        "Distance: 1.50E+11; Rate: -3.0"
    ) in lines_of(name)


@pytest.mark.parametrize("name", BOTH)
def test_a_merged_cell_is_told_with_each_of_its_rows(name: str) -> None:
    lines = lines_of(name)
    assert "Shelf: A; Code: 01044; Thing: Hose; Pieces: 31" in lines
    assert "Shelf: B; Code: 00008; Thing: Hat; Pieces: 5" in lines


@pytest.mark.parametrize("name", BOTH)
def test_hidden_columns_and_rows_and_comments_are_left_out(name: str) -> None:
    text = text_of(name)
    assert "Secret margin" not in text
    assert "Row of nobody" not in text
    assert "Ask Anna" not in text


@pytest.mark.parametrize("name", BOTH)
def test_pairs_above_a_table_are_not_its_header(name: str) -> None:
    assert "Warehouse | North gate\nCounted on | 3 мая 2026\n\nShelf: A; Code: 00042" in text_of(name)


@pytest.mark.parametrize("name", BOTH)
def test_tables_side_by_side_have_their_own_columns(name: str) -> None:
    lines = lines_of(name)
    assert "Bed: B2; Litres: 12" in lines
    assert "Bed: G2; Crop: Beans; Sown: Mar 8, 2026" in lines


@pytest.mark.parametrize("name", BOTH)
def test_years_may_name_columns(name: str) -> None:
    assert "Pears, kg; 2024: 120; 2025: 99; 2026: 131" in lines_of(name)


@pytest.mark.parametrize("name", BOTH)
def test_a_chart_is_told_by_its_title_in_its_sheet(name: str) -> None:
    parsed = parse((PAGES / name).read_bytes(), name)
    at = parsed.text.index("Harvest of three years")
    assert [section.path for section in parsed.sections if section.start <= at][-1] == "Harvest"


def test_a_formula_that_nobody_has_computed_is_told_as_it_is_written() -> None:
    assert "Plant: Total; Price, EUR, spring: =SUM(B5:B7)" in lines_of("club.xlsx")
    assert "Plant: Total; Price, EUR, spring: 1,312.60 €" in lines_of("club.ods")
