"""Documents of LibreOffice and pandoc whose parts must keep their kind: formulas, notes, merged cells, listings."""

from __future__ import annotations

from pathlib import Path

import pytest

from sourcebook.ingest.parsers.parse import parse

PAGES = Path(__file__).parent / "pages"


def text_of(name: str) -> str:
    return parse((PAGES / name).read_bytes(), name).text


@pytest.mark.parametrize("name", ["notes.docx", "notes.odt", "notes.epub"])
def test_a_formula_is_a_part_of_its_sentence(name: str) -> None:
    line = next(line for line in text_of(name).splitlines() if line.startswith("Formula"))
    assert line.replace(" ", "").startswith("Formula:E=mc^2,H2O")


@pytest.mark.parametrize("name", ["notes.docx", "notes.odt", "notes.epub"])
def test_the_mark_of_a_note_is_no_part_of_the_word_before_it(name: str) -> None:
    text = text_of(name)
    assert "Text with a footnote.[1] And a second one.[2]" in text
    assert "never water at noon." in text
    assert "↩" not in text


@pytest.mark.parametrize("name", ["notes.docx", "notes.odt", "notes.epub"])
def test_the_lines_of_a_listing_stay_together_with_their_indents(name: str) -> None:
    assert "def f(x):\n    return x + 1" in text_of(name)


@pytest.mark.parametrize("name", ["greenhouse.docx", "greenhouse.odt"])
def test_cells_below_and_beside_a_merged_one_stay_in_their_columns(name: str) -> None:
    rows = [line for line in text_of(name).splitlines() if line.startswith("|")][:5]
    assert rows == [
        "| Plant | Price, EUR |  |",
        "|  | spring | autumn |",
        "| Tomato | 2.50 | 1.20 |",
        "| Pepper | 3.10 | 1.80 |",
        "|  | 3.40 (large) | 2.00 |",
    ]


@pytest.mark.parametrize("name", ["greenhouse.docx", "greenhouse.odt"])
def test_each_line_of_a_listing_may_be_a_paragraph_of_its_own(name: str) -> None:
    assert "valve --open 3\nvalve --close 3\n\n" in text_of(name)


@pytest.mark.parametrize("name", ["greenhouse.docx", "greenhouse.odt"])
def test_lists_in_lists_and_latin_words_between_hebrew_ones_are_read_in_order(name: str) -> None:
    text = text_of(name)
    assert "- Morning\n  - Tomatoes: two litres each\n    1. check the soil\n    2. open the valve\n" in text
    assert "השקיה בחממה עם Gardena 3000 פעמיים ביום." in text


@pytest.mark.parametrize("name", ["greenhouse.docx", "greenhouse.odt"])
def test_a_list_may_begin_with_another_number_than_one(name: str) -> None:
    assert "3. Third step first.\n4. Fourth step." in text_of(name)


@pytest.mark.parametrize("name", ["notes.docx", "notes.odt", "notes.epub"])
def test_a_list_counts_with_letters_where_its_page_does(name: str) -> None:
    assert "1. One\n  a. sub a\n  b. sub b\n    - deeper\n2. Two" in text_of(name)


def test_a_slide_that_holds_only_a_formula_is_read() -> None:
    parsed = parse((PAGES / "pumps.pptx").read_bytes(), "pumps.pptx")
    assert [page.number for page in parsed.pages] == [1, 2, 3, 4, 5]
    assert parsed.text.endswith("a_1=b/c")
    assert "Left column text.\n\nRight column text." in parsed.text
    assert "Tell the story of the dry pump." in parsed.text


@pytest.mark.parametrize("name", ["rules.docx", "rules.odt", "rules.rtf"])
def test_clauses_have_the_numbers_that_their_page_shows(name: str) -> None:
    assert (
        "1. The pump runs from May to September.\n1.1. It starts at six in the morning.\n"
        "1.2. It stops at eight in the evening, but:\n    a) on Sundays at noon;\n    b) in June at nine.\n"
        "2. Hoses are rolled up after use.\n\nWhoever leaves one on the path pays a fine.\n\n"
    ) in text_of(name)


@pytest.mark.parametrize("name", ["rules.docx", "rules.odt", "rules.rtf"])
def test_a_list_counts_on_behind_the_paragraph_that_interrupts_it(name: str) -> None:
    assert "Then the count goes on:\n3. A closed tap stays closed for a week." in text_of(name)


@pytest.mark.parametrize("name", ["rules.docx", "rules.odt"])
def test_headings_have_the_numbers_that_their_page_shows(name: str) -> None:
    parsed = parse((PAGES / name).read_bytes(), name)
    assert [section.path for section in parsed.sections] == [
        "1 Members",
        "1 Members > 1.1 Fees",
        "1 Members > 1.2 Keys",
        "2 Water",
    ]


@pytest.mark.parametrize("name", ["rules.docx", "rules.odt"])
def test_the_paragraphs_in_a_frame_of_one_cell_stay_paragraphs(name: str) -> None:
    assert "The shed is shared.\n\nTools go back to their hooks.\n\nEnd." in text_of(name)


@pytest.mark.parametrize("name", ["rules.docx", "rules.odt", "rules.rtf"])
def test_a_document_without_a_title_has_its_first_line_as_one(name: str) -> None:
    assert parse((PAGES / name).read_bytes(), name).title == "Rules of the garden club"


def test_what_was_filled_into_a_form_stands_behind_its_label() -> None:
    assert text_of("form.pdf").splitlines()[:2] == [
        "Name of the member: Anna Berg",
        "Number of the bed: Bed 27",
    ]


def test_a_line_in_large_letters_is_the_title_of_a_slide_that_has_none() -> None:
    parsed = parse((PAGES / "stages.pptx").read_bytes(), "stages.pptx")
    assert parsed.title == "Stages of a year"
    assert parsed.text == "Stages of a year\n\n1. Dig the bed\n  - in autumn\n2. Sow the peas"
