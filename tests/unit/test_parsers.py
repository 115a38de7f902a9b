"""What is read out of plain text and Markdown."""

from __future__ import annotations

import codecs
from pathlib import PurePath

import pytest

from sourcebook.errors import DamagedFile, UnsupportedFile
from sourcebook.ingest.parsers.parse import parse
from sourcebook.ingest.parsers.parsed_text import Section
from sourcebook.ingest.parsers.text.front_matter import split_front_matter
from sourcebook.ingest.parsers.text.markdown import parse_markdown
from sourcebook.ingest.parsers.text.plain import parse_plain


@pytest.mark.parametrize(
    "data",
    [
        "Ёлка".encode(),
        codecs.BOM_UTF8 + "Ёлка".encode(),
        codecs.BOM_UTF16_LE + "Ёлка".encode("utf-16-le"),
        codecs.BOM_UTF16_BE + "Ёлка".encode("utf-16-be"),
        codecs.BOM_UTF32_LE + "Ёлка".encode("utf-32-le"),
    ],
)
def test_unicode_is_read_with_and_without_a_mark(data: bytes) -> None:
    assert parse_plain(data).text == "Ёлка"


@pytest.mark.parametrize("data", [b"\x00\x01\x02", codecs.BOM_UTF16_LE + b"\x00", bytes(range(256)) * 9])
def test_what_is_no_text_is_refused(data: bytes) -> None:
    with pytest.raises(UnsupportedFile):
        parse_plain(data)


@pytest.mark.parametrize("name", ["report.pdf", "letter.DOCX", "book.epub"])
def test_what_is_named_like_a_document_and_is_none_is_damaged(name: str) -> None:
    with pytest.raises(DamagedFile, match=PurePath(name).suffix):
        parse(bytes(range(1, 256)) * 20, name)


def test_characters_that_nobody_sees_are_taken_out() -> None:
    hidden = "\x00\x07\u200b\u202e\u2066\ufeff\u00ad\U000e0041\U000e0100"
    words = "Raspberries want sun and water. " * 4
    assert parse_plain(f"{words}mali{hidden}na".encode()).text == f"{words}malina"
    assert parse_plain(b"a\xed\xa0\x80b").text == "ab"


def test_joiners_stay_where_the_script_needs_them() -> None:
    for text in ("می\u200cخواهم", "क्\u200dष", "👩\u200d🌾"):
        assert parse_plain(text.encode()).text == text
    assert parse_plain("s\u200decret".encode()).text == "secret"


def test_a_page_break_of_a_text_stays() -> None:
    assert parse_plain(b"one\ftwo\tthree").text == "one\ftwo\tthree"


def test_every_line_end_becomes_one_character() -> None:
    assert parse_plain(b"a\r\nb\rc\n").text == "a\nb\nc\n"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Клубника летом\n\nТекст.", "Клубника летом"),
        ("\n\n  A title  \n \nText", "A title"),
        ("A sentence.\n\nText", None),
        ("no blank line\nbelow", None),
        ("x" * 121 + "\n\ntext", None),
        ("", None),
    ],
)
def test_a_line_that_stands_alone_at_the_top_of_a_text_is_its_title(text: str, title: str | None) -> None:
    assert parse_plain(text.encode()).title == title


def test_headings_become_section_paths() -> None:
    source = "intro\n\n# Малина\n\na\n\n## *Уход* за [кустом](x)\n\nb\n\n### Полив\n\nc\n\nСбор\n----\n\nd\n"
    parsed = parse_markdown(source.encode())
    assert [section.path for section in parsed.sections] == [
        "Малина",
        "Малина > Уход за кустом",
        "Малина > Уход за кустом > Полив",
        "Малина > Сбор",
    ]
    assert [parsed.text[section.start :].split("\n")[0] for section in parsed.sections] == [
        "# Малина",
        "## *Уход* за [кустом](x)",
        "### Полив",
        "Сбор",
    ]


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("About { #about }", "About"),
        ("Sorts {#sorts .wide key=1}", "Sorts"),
        ("Sets {: #sets}", "Sets"),
        ("The set {1, 2}", "The set {1, 2}"),
        ("{#if}", "{#if}"),
    ],
)
def test_the_id_of_a_heading_is_no_part_of_its_name(heading: str, name: str) -> None:
    parsed = parse_markdown(f"# {heading}\n\ntext\n".encode())
    assert (parsed.title, parsed.sections[0].path) == (name, name)
    assert heading in parsed.text


def test_headings_in_code_quotes_and_lists_are_text() -> None:
    parsed = parse_markdown(b"# One\n\n```\n# two\n```\n\n> # three\n\n- # four\n\n    # five\n")
    assert parsed.sections == [Section(0, "One")]


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("# First\n\n# Second", "First"),
        ("## Only a section\n", None),
        ("---\ntitle: Said\n---\n# Heading", "Said"),
        ("---\ntitle: 2024\n---\n", "2024"),
        ("---\ntitle:\n---\n# Heading", "Heading"),
        ("text", None),
    ],
)
def test_the_title_of_markdown(source: str, title: str | None) -> None:
    assert parse_markdown(source.encode()).title == title


def test_front_matter_is_taken_off_and_read() -> None:
    source = """---
# a comment
title: "Малина: уход"
tags: [ягоды, 'a, b', 3, it's]
names:
  - Полка
  - "Геракл"
date: 2024-05-01
ph: 4.5   # measured
count: -7
checked: true
empty:
sku: 007
address: http://example.org/#part
note: |
  two
  lines
---
# Text
"""
    metadata, text = split_front_matter(source)
    assert text == "# Text\n"
    assert metadata == {
        "title": "Малина: уход",
        "tags": ["ягоды", "a, b", 3, "it's"],
        "names": ["Полка", "Геракл"],
        "date": "2024-05-01",
        "ph": 4.5,
        "count": -7,
        "checked": True,
        "empty": None,
        "sku": "007",
        "address": "http://example.org/#part",
        "note": "two\nlines",
    }


@pytest.mark.parametrize(
    "text",
    [
        "---\nnot an entry\n---\ntext",
        "---\nkey: never closed\n",
        "text\n---\na: b\n---\n",
        "--- \n- a\n---\n",
        "---",
    ],
)
def test_what_only_looks_like_front_matter_is_text(text: str) -> None:
    assert split_front_matter(text) == ({}, text)


def test_strange_values_of_front_matter_stay_text() -> None:
    metadata, _ = split_front_matter("---\na: {x: 1}\nb: [[1], 2]\nc: !!python/object x\nd: 1e999\n---\n")
    assert metadata == {"a": "{x: 1}", "b": "[[1], 2]", "c": "!!python/object x", "d": "1e999"}
