"""Documents of LibreOffice and pandoc whose parts must keep their kind: formulas, notes, merged cells, listings."""

from __future__ import annotations

import io
import re
import zipfile
from collections import Counter
from pathlib import Path

import pytest

from sourcebook.ingest.parsers.parse import parse

PAGES = Path(__file__).parent / "pages"
WORDS = Path(__file__).parent / "words"


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


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


@pytest.mark.parametrize("said", sorted(WORDS.iterdir()), ids=lambda path: path.name)
def test_every_word_of_another_program_is_read(said: Path) -> None:
    """What stands side by side in a table has no order of its own: all words, each as often."""
    theirs = Counter(words(said.read_text("utf-8-sig")))
    missing = theirs - Counter(words(text_of(said.name.removesuffix(".txt"))))
    assert missing.total() <= 0.01 * theirs.total(), missing


@pytest.mark.parametrize("name", ["storeroom.docx", "storeroom.odt", "storeroom.rtf"])
def test_lines_of_cells_that_stand_side_by_side_are_rows(name: str) -> None:
    assert (
        "|  | 2025 | 2026 |\n| Watering | 310 | 325 |\n| Mowing | 280 | 290 |\n"
        "| Pruning | 415 | 440 |\n| Compost | 95 | 99 |"
    ) in text_of(name)


@pytest.mark.parametrize("name", ["storeroom.docx", "storeroom.odt", "storeroom.rtf", "shed.epub"])
def test_cells_beside_and_below_a_merged_one_stay_in_their_columns(name: str) -> None:
    text = text_of(name)
    if name.endswith(".epub"):
        assert "| Tool | Price, EUR |  |\n|  | new | used |\n| Spade | 31 | 12 |" in text
        assert "| Rake | 22 | 9 |\n|  | 25 (steel) | 11 |" in text
    else:
        assert "| Machine | Fee, EUR |  |\n|  | members | guests |\n| Mower | 8 | 15 |" in text


def test_lines_in_large_or_bold_letters_are_the_headings_of_an_rtf_without_styles() -> None:
    parsed = parse((PAGES / "storeroom.rtf").read_bytes(), "storeroom.rtf")
    assert [section.path for section in parsed.sections] == [
        "Rules of the store room",
        "Rules of the store room > Keys",
        "Rules of the store room > Wages of the helpers",
        "Rules of the store room > What is lent",
    ]
    assert parsed.text[parsed.sections[1].start :].startswith("Keys\n\nKeys hang behind the door.")


def test_letters_that_nobody_can_read_and_deleted_ones_are_no_text_of_an_rtf() -> None:
    source = (PAGES / "storeroom.rtf").read_bytes()
    hidden = source.replace(b"Keys hang", rb"{\fs2 .0}{\deleted Hooks }Keys hang", 1)
    assert hidden != source
    assert parse(hidden, "a.rtf").text == text_of("storeroom.rtf")


def test_a_table_with_names_may_have_paragraphs_and_lists_in_its_cells() -> None:
    assert (
        "| Month | Work |\n| March | Sharpen the hoe. Oil the shears. |\n| April | wash pots mend the hose |"
    ) in text_of("shed.epub")


def test_notes_of_a_book_stand_below_their_sentence() -> None:
    assert (
        "Text with a footnote.[1] And a second one.[2]\n[1] The first footnote says: never water at noon.\n[2] Second"
    ) in text_of("notes.epub")


def test_what_is_hidden_in_a_text_is_left_out_and_shapes_stand_behind_their_paragraph() -> None:
    assert text_of("water.odt").endswith(
        "In June the tap is closed.\n\nAsk Anna for the key.\n\nThe barrels are emptied in October."
    )
    assert "nobody should read" not in text_of("water.odt")
    assert "is hidden" not in text_of("water.odt")


@pytest.mark.parametrize("name", ["water.odt", "water.odp"])
def test_a_chart_is_the_table_that_it_was_drawn_from(name: str) -> None:
    text = text_of(name)
    assert "Rain and tap water\n|  | Rain, mm | Tap, litres |\n" in text
    assert " | 18 | 45 |" in text


def test_slides_that_are_hidden_and_comments_are_left_out() -> None:
    parsed = parse((PAGES / "water.odp").read_bytes(), "water.odp")
    assert [page.number for page in parsed.pages] == [1, 3, 4]
    assert "A slide that is hidden" not in parsed.text
    assert "Is this right?" not in parsed.text


def test_shapes_are_read_from_the_top_of_a_slide_to_its_bottom() -> None:
    parsed = parse((PAGES / "water.odp").read_bytes(), "water.odp")
    page = parsed.pages[1]
    assert parsed.text[page.start : page.end] == (
        "Steps with the barrels\n\nThen: close the tap in June.\n\nLast: empty them in October."
    )
    assert [section.path for section in parsed.sections if section.start == page.start] == [
        "Steps with the barrels"
    ]


def test_damaged_notes_of_a_presentation_do_not_cost_its_slides() -> None:
    whole = (PAGES / "pumps.pptx").read_bytes()
    broken = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(whole)) as source, zipfile.ZipFile(broken, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            is_notes = name.startswith("ppt/notesSlides/notesSlide")
            target.writestr(name, data[: len(data) // 2] if is_notes else data)
    parsed = parse(broken.getvalue(), "pumps.pptx")
    assert "Left column text.\n\nRight column text." in parsed.text
    assert "Tell the story of the dry pump." not in parsed.text
    assert str(parsed.metadata["not_read"]).startswith("damaged notes of slides: ")
