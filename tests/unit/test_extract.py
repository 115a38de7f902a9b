"""What is quoted when there is no chat model: sentences, not headings or tables that stand beside them."""

from __future__ import annotations

import pytest

from sourcebook.consult.answer.extract import extract
from sourcebook.model.documents import Chunk
from sourcebook.model.search import SearchResult

ASKED = {"sulphur": 2.0, "soil": 1.0}


def quoted(text: str) -> list[str]:
    passage = SearchResult(Chunk("c", "d", text, end_index=len(text)), 1.0)
    return [text[one.start : one.end] for one in extract(ASKED, [passage], "en")]


@pytest.mark.parametrize("gap", ["\n", " \n  "])
def test_a_heading_on_the_line_before_is_not_part_of_the_sentence(gap: str) -> None:
    assert quoted(f"How much sulphur{gap}Elemental sulphur is turned into acid by the soil.") == [
        "Elemental sulphur is turned into acid by the soil."
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Elemental sulphur is turned into acid by the bacteria\nthat live in a warm and moist soil.",
        "The old name of sulphur,\nBrimstone of the Bible, is no name of a soil.",
    ],
)
def test_a_sentence_that_goes_on_after_a_line_break_is_quoted_whole(text: str) -> None:
    assert quoted(text) == [text]


def test_a_table_without_its_lines_is_not_quoted() -> None:
    table = "pH now Sandy soil sulphur, g\n5.5 20 60\n6.0 40 120\n6.5 60 180"
    assert quoted(table) == []
    assert quoted(f"{table}\n\nSandy soil takes 20 g of sulphur.") == ["Sandy soil takes 20 g of sulphur."]
