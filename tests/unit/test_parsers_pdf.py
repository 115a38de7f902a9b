"""What is read out of a PDF."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fpdf import FPDF
from tests.faults import hostile_files

from sourcebook.errors import NeedsOcr
from sourcebook.ingest.parsers.pdf import document as pdf_document
from sourcebook.ingest.parsers.pdf.document import parse_pdf, read_pdf
from sourcebook.ingest.parsers.pdf.layout import keeps_hyphen

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.parsed_text import ParsedText

PROSE = (
    "Raspberries want sun and water. Prune them late in autumn when the leaves have fallen, and leave the young "
    "canes alone, because they will bear next year. Straw keeps the soil moist and the berries clean. "
)


def document(size: float = 11) -> FPDF:
    made = FPDF()
    made.set_font("Helvetica", size=size)
    made.add_page()
    return made


def write(made: FPDF, height: float, words: str) -> None:
    made.multi_cell(0, height, words, new_x="LMARGIN", new_y="NEXT")


def parsed(made: FPDF) -> ParsedText:
    return parse_pdf(bytes(made.output()))


def test_lines_of_a_paragraph_are_joined_and_paragraphs_parted() -> None:
    made = document()
    write(made, 5, PROSE * 2)
    made.ln(6)
    write(made, 5, PROSE)
    assert parsed(made).text == f"{(PROSE * 2).strip()}\n\n{PROSE.strip()}"


def test_each_page_knows_its_span() -> None:
    made = document()
    write(made, 5, "The first page. It says this.")
    made.add_page()
    made.add_page()
    write(made, 5, "The third page.")
    result = parsed(made)
    assert [(page.number, result.text[page.start : page.end]) for page in result.pages] == [
        (1, "The first page. It says this."),
        (3, "The third page."),
    ]


def test_a_sentence_that_goes_on_on_the_next_page_is_not_torn_apart() -> None:
    made = document()
    write(made, 5, "The raspberries are pruned")
    made.add_page()
    write(made, 5, "late in autumn. Then they rest.")
    assert parsed(made).text == "The raspberries are pruned\nlate in autumn. Then they rest."


def two_columns(*, is_interleaved: bool) -> FPDF:
    made = document(10)
    left = [f"left line {number} tells of raspberries and more" for number in range(12)]
    right = [f"right line {number} tells of strawberries, too" for number in range(12)]
    cells = [(10, 40 + 5 * n, line) for n, line in enumerate(left)]
    others = [(110, 40 + 5 * n, line) for n, line in enumerate(right)]
    pairs = zip(cells, others, strict=True)
    placed = [cell for pair in pairs for cell in pair] if is_interleaved else [*cells, *others]
    made.text(10, 25, "A heading over both columns that is as wide as the page is, or nearly so at least")
    for x, y, line in placed:
        made.text(x, y, line)
    return made


@pytest.mark.parametrize("is_interleaved", [False, True])
def test_columns_are_read_one_after_the_other(*, is_interleaved: bool) -> None:
    text = parsed(two_columns(is_interleaved=is_interleaved)).text
    assert (
        text.index("A heading")
        < text.index("left line 0")
        < text.index("left line 11")
        < text.index("right line 0")
    )
    assert "raspberries and more right" not in text.replace("\n", " ")[: text.index("left line 11")]


def test_rows_of_a_table_stay_together() -> None:
    made = document(10)
    for row in range(10):
        for column, words in enumerate((f"sort {row}", f"{row} kg", "sun", "yes")):
            made.text(10 + 45 * column, 30 + 6 * row, words)
    assert "sort 3 3 kg sun yes\nsort 4 4 kg sun yes" in parsed(made).text


def test_a_row_whose_cell_has_several_lines_is_one_row() -> None:
    made = document()
    write(made, 5, PROSE)
    height = made.get_y() + 20
    for number, lines, amount in (
        ("1", ("Oat milk,", "one litre"), "64.80"),
        ("2", ("Paper cups",), "62.00"),
    ):
        made.text(20, height, number)
        for place, words in enumerate(lines):
            made.text(35, height + 6 * place, words)
        made.text(90, height, "48")
        made.text(120, height, amount)
        height += 6 * len(lines)
    assert parsed(made).text.endswith("1 Oat milk, one litre 48 64.80\n2 Paper cups 48 62.00")


def test_texts_side_by_side_are_no_row() -> None:
    made = document()
    for place, words in enumerate(("Wash the pots", "and the pans", "every evening")):
        made.text(20, 40 + 6 * place, words)
    for place, words in enumerate(("Lock the door", "at ten o'clock", "and go home")):
        made.text(90, 40 + 6 * place, words)
    text = parsed(made).text
    assert text == "Wash the pots and the pans every evening\n\nLock the door at ten o'clock and go home"


@pytest.mark.parametrize("amount", ["4.95", "EUR 4.95", "£4.95", "4 800 rub.", "12"])
def test_entries_with_an_amount_at_the_other_end_are_lines(amount: str) -> None:
    made = document()
    write(made, 6, PROSE)
    made.ln(6)
    for name in ("Lime, a bag", "Peat, a bag", "Bark mulch"):
        made.cell(80, 6, name)
        made.cell(0, 6, amount, align="R", new_x="LMARGIN", new_y="NEXT")
    write(made, 6, PROSE)
    rows = f"Lime, a bag {amount}\nPeat, a bag {amount}\nBark mulch {amount}\n"
    assert rows in parsed(made).text


def test_words_that_a_line_parted_are_whole_again() -> None:
    made = document()
    lines = [
        "We saw the state of the rasp-",
        "berries and of every well-",
        "known plant. A well-known one, E-",
        "CO by name.",
    ]
    for number, line in enumerate(lines):
        made.text(10, 30 + 5 * number, line)
    text = " ".join(parsed(made).text.split())
    assert "raspberries" in text
    assert "every well-known plant" in text
    assert "E-CO" in text


@pytest.mark.parametrize(
    ("before", "after", "is_kept"),
    [
        ("если что-", "либо сломалось", True),
        ("он где-", "то здесь", True),
        ("говорят по-", "русски", True),
        ("вышел из-", "за угла", True),
        ("a self-", "hosted base", True),
        ("хорошее мес-", "то", False),
        ("это соба-", "ка", False),
        ("по-", "садка в апреле", False),
        ("a self-", "ish man", False),
    ],
)
def test_a_hyphen_that_belongs_to_a_word_is_kept(before: str, after: str, *, is_kept: bool) -> None:
    assert keeps_hyphen(before.removesuffix("-"), after) is is_kept


def test_page_numbers_and_running_heads_are_left_out() -> None:
    made = document()
    for number in range(1, 7):
        if number > 1:
            made.add_page()
        made.text(20, 12, f"Handbook of berries, chapter {number}")
        made.set_xy(20, 30)
        made.multi_cell(160, 5, f"This is page {number}. {PROSE * 4}")
        made.text(100, 285, f"- {number} -")
    text = parsed(made).text
    assert "Handbook" not in text
    assert text.startswith("This is page 1.")
    assert "- 3 -" not in text
    assert all(f"This is page {number}." in text for number in range(1, 7))


def test_a_line_that_stands_at_the_top_of_few_pages_is_text() -> None:
    made = document()
    for number in range(8):
        if number:
            made.add_page()
        write(made, 5, "Water them." if number < 2 else f"Number {number} is another. {PROSE}")
    assert parsed(made).text.count("Water them.") == 2


@pytest.mark.parametrize("pages", [2, 3, 5])
def test_the_letterhead_of_a_letter_is_told_once(pages: int) -> None:
    made = document()
    for number in range(pages):
        if number:
            made.add_page()
        made.set_font_size(16)
        made.text(20, 12, "Harbour Estates Ltd, Quay 7")
        made.set_font_size(11)
        made.text(20, 17, "Open from 9 to 5")
        made.text(20, 22, "Ask for Ms Reed")
        made.set_xy(20, 35)
        made.multi_cell(160, 5, f"This is part {number}. {PROSE * (2 + number)}")
        made.text(20, 288, "Registered in England")
    text = parsed(made).text
    told = ["Harbour Estates Ltd, Quay 7", "Open from 9 to 5", "Ask for Ms Reed", "Registered in England"]
    assert [text.count(words) for words in told] == [1, 1, 1, 1]
    assert text.index("Harbour") < text.index("Open") < text.index("Ask") < text.index("This is part 0.")
    assert text.endswith("Registered in England")


@pytest.mark.parametrize("stamp", ["1", "Page 1 of 1", "- 1 -", "1/1", "p. 1"])
def test_the_number_of_a_single_page_is_no_text(stamp: str) -> None:
    made = document()
    write(made, 5, PROSE)
    made.text(100, 285, stamp)
    assert parsed(made).text == PROSE.strip()


@pytest.mark.parametrize("words", ["2", "1 egg", "Page 7 is missing", "Call at 1"])
def test_a_line_at_the_end_of_a_page_that_is_not_its_number_is_text(words: str) -> None:
    made = document()
    write(made, 5, PROSE)
    made.text(100, 285, words)
    assert parsed(made).text == f"{PROSE.strip()}\n\n{words}"


@pytest.mark.parametrize(
    "words", ["12.05.2026 18:30 Meeting in hall 2", "12.05.2026 18:30", "https://example.org"]
)
def test_an_address_or_a_time_that_stands_alone_is_text(words: str) -> None:
    made = document()
    made.text(20, 12, words)
    made.set_xy(20, 30)
    made.multi_cell(160, 5, PROSE)
    assert parsed(made).text == f"{words}\n\n{PROSE.strip()}"


def test_what_a_browser_prints_around_a_page_is_no_text() -> None:
    made = document()
    made.set_xy(20, 30)
    made.multi_cell(160, 5, PROSE)
    made.set_font_size(8)
    made.text(10, 8, "11/16/26, 10:44 AM")
    made.text(90, 8, "Rules of the kitchen")
    made.text(10, 292, "https://example.org/rules.html")
    made.text(190, 292, "1/1")
    assert parsed(made).text == PROSE.strip()


def test_the_outline_becomes_sections() -> None:
    made = document()
    for level, name in ((0, "Raspberries"), (1, "Pruning"), (1, "Water"), (0, "Blueberries")):
        made.start_section(name, level=level)
        write(made, 8, name)
        write(made, 5, PROSE)
        made.ln(5)
    result = parsed(made)
    assert [section.path for section in result.sections] == [
        "Raspberries",
        "Raspberries > Pruning",
        "Raspberries > Water",
        "Blueberries",
    ]
    for start, path in result.sections:
        assert result.text[start:].startswith(path.rpartition(" > ")[2])


def test_without_an_outline_larger_letters_make_headings() -> None:
    made = document()
    for size, words in ((20, "Raspberries"), (11, PROSE), (15, "Pruning"), (11, PROSE)):
        made.set_font_size(size)
        write(made, size * 0.5, words)
        made.ln(5)
    result = parsed(made)
    assert [section.path for section in result.sections] == ["Raspberries", "Raspberries > Pruning"]
    assert result.title == "Raspberries"


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("A book on berries", "A book on berries"),
        ("Microsoft Word - book.doc", "Berries"),
        ("untitled", "Berries"),
        ("", "Berries"),
    ],
)
def test_a_title_that_a_program_made_up_is_none(said: str, title: str) -> None:
    made = document()
    made.set_title(said)
    made.set_font_size(22)
    write(made, 10, "Berries")
    made.set_font_size(11)
    write(made, 5, PROSE * 2)
    assert parsed(made).title == title


def test_what_a_pdf_says_about_itself() -> None:
    made = document()
    made.set_author("A. Gardener")
    made.set_subject("Berries")
    write(made, 5, "Text.")
    metadata = parsed(made).metadata
    assert metadata["author"] == "A. Gardener"
    assert metadata["subject"] == "Berries"
    assert len(str(metadata["date"])) == 10


def test_a_page_that_lies_on_its_side_is_read_as_it_stands() -> None:
    made = document()
    with made.rotation(90, 100, 150):
        for number in range(5):
            made.text(20, 100 + 6 * number, f"Line {number} of a page that was turned.")
    said = [f"Line {number} of a page that was turned." for number in range(5)]
    assert parsed(made).text == " ".join(said)


def test_letters_of_a_font_without_a_table_are_found_by_their_place_in_it() -> None:
    """Glyphs of a TrueType font have the order of ASCII, 29 places lower."""
    font = (
        b"<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/DescendantFonts[<</Type/Font/Subtype/CIDFontType2"
        b"/BaseFont/X/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/DW 600"
        b"/FontDescriptor<</Type/FontDescriptor/FontName/X/Flags 4>>>>]>>"
    )
    glyphs = "".join(f"{ord(letter) - 29:04x}" for letter in "Prune in late autumn.")
    data = hostile_files.pdf_page(f"BT /F 12 Tf 50 700 Td <{glyphs}> Tj ET".encode(), font=font)
    assert parse_pdf(data).text == "Prune in late autumn."


def test_a_file_half_of_whose_pages_are_pictures_needs_ocr() -> None:
    with pytest.raises(NeedsOcr):
        parse_pdf(hostile_files.scanned_pdf(3))


def test_pages_that_are_pictures_are_read_by_whoever_can() -> None:
    result = read_pdf(hostile_files.scanned_pdf(2), lambda page: ["First.", "Second."])
    assert result.text == "First.\n\nSecond.\n\nFirst.\n\nSecond."
    assert [page.number for page in result.pages] == [1, 2]
    assert result.sections == []


def test_one_picture_among_pages_of_text_hides_nothing() -> None:
    made = document()
    write(made, 5, "Text.")
    made.add_page()
    write(made, 5, "More text.")
    made.add_page()
    made.rect(10, 10, 50, 50, style="F")
    assert parsed(made).text == "Text.\n\nMore text."


def test_of_an_outline_without_end_only_the_beginning_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_document, "MOST_BOOKMARKS", 3)
    made = document()
    for number in range(8):
        made.start_section(f"Part {number}")
        write(made, 5, f"Part {number}")
        made.ln(10)
    names = [section.path for section in parsed(made).sections]
    assert names == ["Part 0", "Part 1", "Part 2"]


def test_lines_that_are_drawn_late_stand_where_they_are_on_the_page() -> None:
    made = document()
    for place, words in ((30, "Bring a coat."), (36, "Bring a lamp."), (70, "Ask at the desk for the key.")):
        made.text(30, place, words)
    for place, words in ((30, "1."), (36, "2."), (48, "lamp --on"), (53, "lamp --off")):
        made.text(25, place, words)
    made.text(20, 15, "Rules of the tower")
    lines = [line for line in parsed(made).text.split("\n") if line]
    assert lines == [
        "Rules of the tower",
        "1. Bring a coat.",
        "2. Bring a lamp.",
        "lamp --on",
        "lamp --off",
        "Ask at the desk for the key.",
    ]


def test_a_remark_in_the_margin_that_is_drawn_late_stays_behind_the_text() -> None:
    made = document()
    for number in range(8):
        made.text(60, 30 + 5 * number, f"Line {number} of the text goes on")
    made.text(20, 40, "A remark")
    made.text(20, 45, "in the margin")
    text = parsed(made).text
    assert text.index("Line 7") < text.index("A remark")


def test_who_made_a_pdf_is_not_anonymous() -> None:
    made = document()
    made.set_author("(anonymous)")
    made.set_subject("Towers")
    write(made, 5, PROSE)
    metadata = parsed(made).metadata
    assert ("author" in metadata, metadata["subject"]) == (False, "Towers")
