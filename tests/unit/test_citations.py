from __future__ import annotations

import pytest

from sourcebook.consult.citations.marks_and_quotes import (
    CitationMark,
    CitationMarkReader,
    CitedSentence,
    best_quote,
    cited_sentences,
    sentences_without_source,
    without_repeated_marks,
)
from sourcebook.consult.citations.sheet_places import rows_at
from sourcebook.model.documents import Document

PASSAGE = (
    "Everbearing raspberries fruit on the canes of the same year. In late autumn all canes are cut to the ground. "
    "Summer raspberries keep the young canes: 8 to 10 are left on each metre."
)


@pytest.mark.parametrize(
    ("written", "numbers"),
    [
        ("[1]", (1,)),
        ("[1, 2]", (1, 2)),
        ("[2-4]", (2, 3, 4)),
        ("【3】", (3,)),
        ("[^7]", (7,)),
        ("[1;1]", (1,)),
        ("[9-2]", (9, 2)),
    ],
)
def test_a_mark_is_read_in_every_way_that_models_write_it(written: str, numbers: tuple[int, ...]) -> None:
    assert CitationMarkReader().feed(written) == [CitationMark(numbers)]


def test_brackets_that_are_no_citation_stay_text() -> None:
    reader = CitationMarkReader()
    assert [*reader.feed("see [note] and [1"), *reader.close()] == ["see [note] and ", "[1"]


def test_a_sentence_knows_what_it_cites() -> None:
    answer = "Cut all canes to the ground [2]. Do it in late autumn.[1][3] Nothing else matters."
    assert cited_sentences(answer) == [
        CitedSentence("Cut all canes to the ground .", (2,)),
        CitedSentence("Do it in late autumn.", (1, 3)),
        CitedSentence("Nothing else matters.", ()),
    ]


def test_a_mark_on_a_line_of_its_own_belongs_to_the_sentence_before() -> None:
    assert cited_sentences("Cut them in autumn.\n\n[4]") == [CitedSentence("Cut them in autumn.", (4,))]


def test_the_quote_is_the_sentence_that_says_it() -> None:
    quote = best_quote("In late autumn, cut all canes to the ground.", PASSAGE, "en")
    assert quote.is_enough
    assert quote.text == "In late autumn all canes are cut to the ground."
    assert PASSAGE[quote.start : quote.end] == quote.text


def test_a_quote_may_need_two_sentences() -> None:
    quote = best_quote(
        "Everbearing raspberries fruit on canes of the same year, which are cut in late autumn.",
        PASSAGE,
        "en",
    )
    assert quote.is_enough
    assert quote.text.startswith("Everbearing")
    assert quote.text.endswith("ground.")


def test_what_the_passage_does_not_say_is_doubted() -> None:
    assert best_quote("Leave 12 young canes on each metre.", PASSAGE, "en").doubts == ("number",)
    assert not best_quote("Blueberries want sour soil.", PASSAGE, "en").is_enough


@pytest.mark.parametrize(("index", "page"), [(0, 3), (99, 3), (100, 4), (250, 7), (10_000, 7)])
def test_a_character_stands_on_the_last_page_that_begins_before_it(index: int, page: int) -> None:
    document = Document("d", "", layout={"pages": [[3, 0, 100], [4, 100, 240], [7, 240, 300]]})
    assert document.page_at(index) == page
    assert Document("d", "").page_at(index) is None


def test_sentences_that_no_mark_stands_behind_are_told() -> None:
    assert sentences_without_source("Prune in autumn [1]. Use a saw. Burn the wood [2].") == ["Use a saw."]
    assert sentences_without_source("Prune in autumn [1].") == []


def test_a_document_knows_the_headings_above_a_character() -> None:
    document = Document("d", "", layout={"sections": [[3, "Care"], [9, "Care > Pruning"]]})
    assert [document.section_at(index) for index in (0, 3, 8, 9, 99)] == [
        None,
        "Care",
        "Care",
        "Care > Pruning",
        "Care > Pruning",
    ]
    assert Document("d", "").section_at(5) is None
    assert Document("d", "", layout={"sections": "none"}).section_at(5) is None


@pytest.mark.parametrize(("place", "cells"), [(0, "A2:C4"), (8, "A2:C2"), (15, "A3:C3"), (22, "A4:C4")])
def test_of_a_sheet_the_row_that_is_quoted_is_named(place: int, cells: str) -> None:
    content = "Rates\n\na: 1\n\na: 22\n\na: 333"
    assert rows_at("A2:C4", content, place, place, "Rates") == cells
    assert rows_at("A2:C9", content, place, place, "Rates") == "A2:C9"
    assert rows_at("Chapter 2", content, place, place, "Rates") == "Chapter 2"


def test_of_a_sheet_all_rows_that_are_quoted_are_named() -> None:
    content = "Rates\n\na: 1\n\na: 22\n\na: 333"
    assert rows_at("A2:C4", content, content.index("a: 1"), len(content) - 1, "Rates") == "A2:C4"
    assert rows_at("A2:C4", content, content.index("a: 22"), len(content) - 1, "Rates") == "A3:C4"


@pytest.mark.parametrize(
    ("quote", "cells"),
    [
        ("Club", "A1:C1"),
        ("Hut", "A2:C2"),
        ("a: 1", "A5:C5"),
        ("a: 22\n\na: 333", "A6:C8"),
        ("Prices", "A10:C10"),
    ],
)
@pytest.mark.parametrize("name", ["Rates\n\n", ""])
def test_a_row_is_named_where_titles_stand_among_rows(quote: str, cells: str, name: str) -> None:
    content = f"{name}Club of 1911\nHut | 40 beds\n\na: 1\n\na: 22\n\na: 333\n\nPrices in euros"
    start = content.index(quote)
    runs = "A1:C2, A5:C6, A8:C8, A10:C10"
    assert rows_at(runs, content, start, start + len(quote) - 1, "Rates") == cells


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        ("One. [1] Two. [1] Three. [1]", "One. Two. Three. [1]"),
        ("One. [1] Two. [2] Three. [2]", "One. [1] Two. Three. [2]"),
        ("One [1]. Two [1].", "One. Two [1]."),
        ("One. [1] Mine alone. Two. [1]", "One. [1] Mine alone. Two. [1]"),
        ("One. [1]\n\nTwo. [1]", "One. [1]\n\nTwo. [1]"),
        ("One. [1, 2] Two. [1]", "One. [1, 2] Two. [1]"),
        ("[1] One. [1] Two.", "[1] One. [1] Two."),
        (
            "The index `row[1]` is first. [1] Then the second. [1]",
            "The index `row[1]` is first. Then the second. [1]",
        ),
        ("One [1] and more. Two. [1]", "One [1] and more. Two. [1]"),
        ("Then read pins[1]. Set pins[1].", "Then read pins[1]. Set pins[1]."),
        ("Nothing cited. At all.", "Nothing cited. At all."),
    ],
)
def test_sentences_that_cite_the_same_show_their_mark_once(answer: str, shown: str) -> None:
    assert without_repeated_marks(answer) == shown
