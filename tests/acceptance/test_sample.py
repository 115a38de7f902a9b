"""The sample library is what its README and its sources say, and it can be asked what its questions ask."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import docx
import pypdfium2
import pytest
from docx.table import Table
from scripts import sample

from sourcebook.ingest.parsers.process.pool import ParserPool
from sourcebook.text.languages import detect_language

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.parsed_text import ParsedText

SAMPLE = sample.ROOT / "sample"
DOCUMENTS = sorted(path for path in sample.DOCUMENTS.rglob("*") if path.is_file())
MADE = sample.sources()
PDFS = {path: source for path, source in MADE.items() if path.suffix == ".pdf"}
LANGUAGES = {"en", "pt", "ru"}


def name_of(path: Path) -> str:
    return path.relative_to(sample.DOCUMENTS).as_posix()


def words(text: str) -> list[str]:
    return text.split()


def one_line(text: str) -> str:
    return " ".join(words(text))


def words_of_source(source: sample.Source) -> list[str]:
    """What a made file has to say, title and subtitle first."""
    told = [source.head["title"], source.head["subtitle"]]
    for block in source.blocks:
        match block:
            case sample.Heading(_, text) | sample.Paragraph(text):
                told.append(text)
            case sample.Items(_, texts):
                told += [f"{mark} {text}" for mark, text in zip(block.marks, texts, strict=True)]
            case sample.Table(rows):
                told += [cell for row in rows for cell in row]
    return words(" ".join(told))


def texts_of_pages(pdf: Any) -> list[str]:
    return [page.get_textpage().get_text_bounded() for page in pdf]


def words_of_pdf(path: Path, source: sample.Source) -> list[str]:
    """The words of all pages, without the running titles and the numbers of the pages."""
    pages = texts_of_pages(pypdfium2.PdfDocument(path))
    above = source.head["title"]
    for number, text in enumerate(pages, start=1):
        below = sample.PAGE_OF[source.head["language"]].format(number, len(pages))
        assert text.count(below) == 1
        pages[number - 1] = text.replace(below, "").replace(above, "", 1 if number > 1 else 0)
    return words(" ".join(pages))


def words_of_docx(path: Path) -> list[str]:
    told: list[str] = []
    for block in docx.Document(str(path)).iter_inner_content():
        if isinstance(block, Table):
            told += [cell.text for row in block.rows for cell in row.cells]
        else:
            told.append(block.text)
    return words(" ".join(told))


def records(name: str) -> list[dict[str, str]]:
    with (SAMPLE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


# What it is made of


def test_every_document_lies_in_the_folder_of_its_subcategory() -> None:
    assert len(DOCUMENTS) == 28
    assert {path.parent.parent for path in DOCUMENTS} == {sample.DOCUMENTS}


def test_there_are_documents_of_every_format_and_language() -> None:
    formats = Counter(path.suffix for path in DOCUMENTS)
    assert formats.keys() == {".csv", ".docx", ".html", ".json", ".jsonl", ".md", ".pdf", ".txt"}
    told = Counter(language for _, language in listed())
    assert told.keys() == LANGUAGES
    assert min(told.values()) >= 8


def test_the_whole_sample_is_small() -> None:
    assert sum(path.stat().st_size for path in SAMPLE.rglob("*") if path.is_file()) < 3_000_000


def listed() -> list[tuple[str, str]]:
    """The files that the README lists, with their languages."""
    page = (SAMPLE / "README.md").read_text("utf-8")
    return re.findall(r"^\| `([^`]+)` \| (\w\w) \|", page, re.MULTILINE)


def test_the_readme_lists_every_document() -> None:
    assert sorted(name for name, _ in listed()) == sorted(map(name_of, DOCUMENTS))


@pytest.mark.parametrize(("name", "language"), listed())
def test_a_document_is_in_the_language_that_the_readme_says(name: str, language: str) -> None:
    path = sample.DOCUMENTS / name
    if path in MADE:
        assert sample.read(MADE[path]).head["language"] == language
    else:
        assert detect_language(path.read_text("utf-8")) == language


@pytest.mark.parametrize(
    "path", [p for p in DOCUMENTS if p.suffix in {".csv", ".json", ".jsonl"}], ids=name_of
)
def test_tables_and_lists_are_well_formed(path: Path) -> None:
    text = path.read_text("utf-8")
    if path.suffix == ".csv":
        rows = list(csv.reader(text.splitlines()))
        assert len(rows) > 20
        assert {len(row) for row in rows} == {len(rows[0])}
        assert all(cell == cell.strip() != "" for row in rows for cell in row)
    else:
        found = (
            json.loads(text)["varieties"] if path.suffix == ".json" else [*map(json.loads, text.splitlines())]
        )
        assert len(found) > 8
        assert len({tuple(record) for record in found}) == 1


# What is made from text


@pytest.mark.parametrize("path", MADE, ids=name_of)
def test_a_made_file_says_what_its_source_says(path: Path) -> None:
    source = sample.read(MADE[path])
    found = words_of_pdf(path, source) if path.suffix == ".pdf" else words_of_docx(path)
    wanted = [word for word in words_of_source(source) if path.suffix == ".pdf" or not is_mark(word)]
    assert found == wanted, f"{name_of(path)} is out of date: run `python -m scripts.sample`"


def is_mark(word: str) -> bool:
    """Word draws the marks of lists itself; the parser of a DOCX writes its own before an item."""
    return word in ("•", "-") or re.fullmatch(r"[1-9]\.", word) is not None


@pytest.mark.parametrize("path", PDFS, ids=name_of)
def test_a_pdf_has_several_pages_and_an_outline_of_its_headings(path: Path) -> None:
    source = sample.read(PDFS[path])
    headings = [(b.level - 1, b.text) for b in source.blocks if isinstance(b, sample.Heading)]
    pdf: Any = pypdfium2.PdfDocument(path)
    marks: list[Any] = list(pdf.get_toc())
    pages = texts_of_pages(pdf)
    assert [(mark.level, mark.get_title()) for mark in marks] == headings
    assert all(mark.get_title() in one_line(pages[int(mark.get_dest().get_index())]) for mark in marks)
    assert len(pages) >= 2
    assert pdf.get_metadata_value("Title") == source.head["title"]


def test_the_same_sources_give_the_same_bytes() -> None:
    if not (sample.FONTS / "DejaVuSerif.ttf").is_file():
        pytest.skip(f"{sample.FONTS} holds no DejaVu fonts (Debian: fonts-dejavu-core)")
    assert dict(sample.build()) == dict(sample.build())


# What Sourcebook reads in it


async def parse_all() -> dict[str, ParsedText]:
    pool = ParserPool()
    try:
        return {name_of(path): await pool.parse(path.read_bytes(), path.name) for path in DOCUMENTS}
    finally:
        await pool.close()


@pytest.fixture(scope="module")
def parsed() -> dict[str, ParsedText]:
    return anyio.run(parse_all)


def test_every_document_is_read_with_its_title_and_language(parsed: dict[str, ParsedText]) -> None:
    untitled = {name for name, found in parsed.items() if not found.title}
    assert untitled <= {name for name in parsed if name.endswith((".csv", ".jsonl"))}
    assert {name: detect_language(found.text) for name, found in parsed.items()} == dict(listed())
    for path, source in MADE.items():
        assert parsed[name_of(path)].title == sample.read(source).head["title"]


@pytest.mark.parametrize("path", MADE, ids=name_of)
def test_the_parser_reads_every_word_in_its_order_also_in_two_columns(
    path: Path, parsed: dict[str, ParsedText]
) -> None:
    source = sample.read(MADE[path])
    found = [
        word
        for word in words(without_running_lines(parsed[name_of(path)].text, source))
        if word != "|" and not is_mark(word)
    ]
    wanted = [word for word in words_of_source(source) if not is_mark(word)]
    assert found == wanted[len(words(source.head["title"])) :]


def without_running_lines(text: str, source: sample.Source) -> str:
    """The text without its title and the numbers of its pages, which a parser may keep or drop."""
    numbers = re.escape(sample.PAGE_OF[source.head["language"]]).replace(r"\{\}", r"\d")
    return re.sub(numbers, "", text.replace(source.head["title"], ""))


@pytest.mark.parametrize("path", MADE, ids=name_of)
def test_the_parser_finds_the_sections_where_they_begin(path: Path, parsed: dict[str, ParsedText]) -> None:
    found = parsed[name_of(path)]
    assert [section.path for section in found.sections] == section_paths(sample.read(MADE[path]))
    for section in found.sections:
        assert one_line(found.text[section.start :]).startswith(section.path.rpartition(" > ")[2])


def section_paths(source: sample.Source) -> list[str]:
    path: list[str] = []
    found: list[str] = []
    for heading in (block for block in source.blocks if isinstance(block, sample.Heading)):
        path = [*path[: heading.level - 1], heading.text]
        found.append(" > ".join(path))
    return found


@pytest.mark.parametrize("path", PDFS, ids=name_of)
def test_the_parser_knows_on_which_page_a_text_stands(path: Path, parsed: dict[str, ParsedText]) -> None:
    found = parsed[name_of(path)]
    drawn = texts_of_pages(pypdfium2.PdfDocument(path))
    assert [page.number for page in found.pages] == list(range(1, len(drawn) + 1))
    for page, text in zip(found.pages, drawn, strict=True):
        assert Counter(words(found.text[page.start : page.end])) <= Counter(words(text))


def test_what_surrounds_a_page_of_html_is_left_out(parsed: dict[str, ParsedText]) -> None:
    pages = [found.text for name, found in parsed.items() if name.endswith(".html")]
    assert len(pages) == 4
    unwanted = ("addEventListener", "wheelbarrow", "boletim", "секатор.", "display", "Início", "рассылк")
    assert [word for word in unwanted for page in pages if word in page] == []


def test_a_row_of_a_table_in_html_stays_on_one_line(parsed: dict[str, ParsedText]) -> None:
    (row,) = re.findall(
        r"^.*three to four days.*$", parsed["berries/harvest-and-storage.html"].text, re.MULTILINE
    )[1:]
    assert "Blueberry" in row
    assert "two weeks" in row


# What it is asked


def test_every_question_names_a_document_that_is_there_or_none() -> None:
    asked = records("questions.csv")
    assert list(asked[0]) == ["question", "expected_document", "language"]
    expected = {record["expected_document"] for record in asked} - {""}
    assert [name for name in expected if not (SAMPLE / name).is_file()] == []
    assert expected == {f"documents/{name_of(path)}" for path in DOCUMENTS}


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_each_language_has_questions_with_and_without_an_answer(language: str) -> None:
    asked = [record for record in records("questions.csv") if record["language"] == language]
    unanswerable = [record for record in asked if not record["expected_document"]]
    assert len(asked) - len(unanswerable) >= 15
    assert len(unanswerable) >= 5
    assert len({record["question"] for record in asked}) == len(asked)
    by_readme = dict(listed())
    answered_by = {record["expected_document"].removeprefix("documents/") for record in asked} - {""}
    assert {by_readme[name] for name in answered_by} == {language}


def test_half_of_the_pairs_ask_the_same_and_half_only_look_alike() -> None:
    pairs = records("question_pairs.csv")
    assert list(pairs[0]) == ["question", "other", "same"]
    told = Counter(pair["same"] for pair in pairs)
    assert told.keys() == {"yes", "no"}
    assert min(told.values()) >= 75
    assert all(pair["question"] != pair["other"] for pair in pairs)
    assert len({frozenset((pair["question"], pair["other"])) for pair in pairs}) == len(pairs)


# What it says


SOIL = {("5.5", "6.5"): "strawberry", ("5.6", "6.5"): "raspberry", ("4.5", "5.5"): "blueberry"}


def soils(name: str) -> set[tuple[str, str]]:
    """Every range of pH that a document gives: two numbers between 4 and 7.9."""
    path = sample.DOCUMENTS / name
    text = (MADE.get(path) or path).read_text("utf-8").replace(",", ".")
    return set(re.findall(r"\b([4-7]\.\d)(?:\s*–\s*|\s(?:to|and|до|a|e)\s)([4-7]\.\d)", text))


def test_the_documents_agree_on_the_soil_of_each_crop_in_each_language() -> None:
    told = {(soil, language) for name, language in listed() for soil in soils(name)}
    assert told == {(soil, language) for soil in SOIL for language in LANGUAGES}
