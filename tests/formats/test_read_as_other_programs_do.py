"""Every format, as other programs write it: the text is complete and in order, and the places are right."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from pathlib import Path

import pytest

from sourcebook.errors import UnsupportedFile
from sourcebook.ingest.parsers.parse import parse

HERE = Path(__file__).parent
FILES = HERE / "files"
SHARE = 0.99
NOTE = "In cold regions wait until the middle of April."
SHEETS = (".xlsx", ".ods")
SLIDES = (".pptx", ".odp")


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def compared() -> list[str]:
    return sorted(said.name.removesuffix(".txt") for said in (HERE / "said").iterdir())


@pytest.mark.parametrize("name", compared())
def test_the_words_of_another_program_are_there_in_its_order(name: str) -> None:
    said = (HERE / "said" / f"{name}.txt").read_text("utf-8-sig")
    ours = parse((FILES / name).read_bytes(), name).text
    if name.endswith(SHEETS):
        # The header is told with every row, and not once above them.
        said = said.partition("\n")[2]
    # Programs put a note where they please; here it stays with its paragraph.
    theirs, own = words(said.replace(NOTE, "")), words(ours.replace(NOTE, ""))
    if name.endswith(".pdf"):
        # Numbers of pages are no text here, and the number of a note goes with it.
        theirs, own = ([word for word in some if not word.isdigit()] for some in (theirs, own))
    matcher = SequenceMatcher(None, theirs, own, autojunk=False)
    found = sum(block.size for block in matcher.get_matching_blocks())
    if name.endswith(SLIDES):
        # What stands side by side on a slide has no order of its own: all words, each as often.
        found = max(found, sum(min(theirs.count(word), own.count(word)) for word in set(theirs)))
    assert found >= SHARE * len(theirs), [
        theirs[a:b] for kind, a, b, *_ in matcher.get_opcodes() if kind in ("delete", "replace")
    ]


@pytest.mark.parametrize(
    "ending", ["odt", "docx", "rtf", "epub", "ipynb", "xlsx", "ods", "pptx", "odp", "pdf"]
)
def test_three_files_of_each_format_are_compared(ending: str) -> None:
    assert len([name for name in compared() if name.endswith(f".{ending}")]) == 3


@pytest.mark.parametrize("name", ["garden.odt", "garden.docx", "garden.rtf", "garden.epub", "garden.ipynb"])
def test_headings_are_sections(name: str) -> None:
    parsed = parse((FILES / name).read_bytes(), name)
    at = parsed.text.index("Slugs come at night")
    path = [section.path for section in parsed.sections if section.start <= at][-1]
    assert path == "The year in a small garden > Summer > Pests"


@pytest.mark.parametrize("name", ["garden.odt", "garden.docx", "garden.rtf"])
def test_a_note_stays_with_its_sentence(name: str) -> None:
    text = parse((FILES / name).read_bytes(), name).text
    assert text.index("before the buds swell") < text.index(NOTE) < text.index("Clean the tools")


@pytest.mark.parametrize("ending", ["odt", "docx", "rtf", "epub", "pptx", "odp", "pdf"])
def test_a_row_of_a_table_is_one_line(ending: str) -> None:
    text = parse((FILES / f"garden.{ending}").read_bytes(), f"garden.{ending}").text
    assert "Beetroot May September 10 cm" in " ".join(text.replace("|", " ").split())


@pytest.mark.parametrize("name", ["prices.xlsx", "prices.ods"])
def test_a_row_of_a_sheet_says_what_its_cells_mean_and_where_it_stands(name: str) -> None:
    parsed = parse((FILES / name).read_bytes(), name)
    row = "Name: Apple Antonovka; Kind: tree; Price: 19.9; Share: 0.3; Since: 2019-10-15; In stock: FALSE"
    assert row in parsed.text
    assert parsed.sections[-1].path == "prices > A2:F5"


@pytest.mark.parametrize("name", ["garden.pptx", "garden.odp"])
def test_slides_are_pages(name: str) -> None:
    parsed = parse((FILES / name).read_bytes(), name)
    assert [page.number for page in parsed.pages] == [1, 2, 3, 4]
    page = parsed.pages[2]
    assert "Water in the morning" in parsed.text[page.start : page.end]
    assert parsed.text[page.start : page.end].find("Clean the tools") == -1


def test_a_letter_has_its_header_its_text_and_the_names_of_its_files() -> None:
    parsed = parse((FILES / "delivery.eml").read_bytes(), "delivery.eml")
    assert parsed.title == "Delivery of raspberry canes"
    assert "40 raspberry canes comes on 12 April" in parsed.text
    assert "Attachments: prices.xlsx" in parsed.text
    assert "UEsDB" not in parsed.text


def test_the_name_of_an_attached_file_may_be_written_as_it_is() -> None:
    parsed = parse((FILES / "малина.eml").read_bytes(), "малина.eml")
    assert "сад.odt" in parsed.text


def test_letters_of_a_box_stand_by_their_threads() -> None:
    parsed = parse((FILES / "watering.mbox").read_bytes(), "watering.mbox")
    assert [section.path for section in parsed.sections][:3] == [
        "Watering",
        "Watering > Anna <anna@example.org>, 2024-04-01",
        "Watering > Anna <anna@example.org>, 2024-04-02",
    ]
    assert "\nFrom the tap, not from the barrel." in parsed.text


def test_letters_in_old_encodings_are_read() -> None:
    parsed = parse((FILES / "list.mbox").read_bytes(), "list.mbox")
    assert parsed.text.count("Сегодня сажаем картофель") == 5
    assert "Subject: Сад 3" in parsed.text


@pytest.mark.parametrize("name", ["talk.srt", "talk.vtt"])
def test_subtitles_have_times_as_places(name: str) -> None:
    parsed = parse((FILES / name).read_bytes(), name)
    assert parsed.text.startswith(
        "Welcome to the garden talk.\nToday we prune raspberries, and nothing else."
    )
    assert [section.path for section in parsed.sections] == ["00:00:01", "00:01:10", "00:02:00"]
    assert parsed.text[parsed.sections[1].start :].startswith("Now to the question of water")


@pytest.mark.parametrize(("name", "hint"), [("garden.doc", "DOCX"), ("prices.xls", "XLSX")])
def test_an_old_office_file_is_told_apart_with_what_to_do(name: str, hint: str) -> None:
    with pytest.raises(UnsupportedFile) as caught:
        parse((FILES / name).read_bytes(), name)
    assert f"Save it as {hint}" in caught.value.hint
