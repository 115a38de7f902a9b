"""The source beside an answer: where it is shown from."""

from __future__ import annotations

import re

from sourcebook.faces.web.document_text import document_text
from sourcebook.faces.web.source_view import Leaf, leaf_of
from sourcebook.model.chat import Citation
from sourcebook.model.documents import Document

FIRST, SECOND = "Canes are pruned in autumn.", "They are cut at ground level."
TEXT = f"{FIRST}\n\n{SECOND}"


def test_the_picture_is_of_the_page_that_the_marked_words_stand_on() -> None:
    start = len(FIRST) + 2
    layout = {"pages": [[1, 0, len(FIRST)], [2, start, len(TEXT)]]}
    document = Document(id="d", content=TEXT, file_path="canes.pdf", layout=layout)
    citation = Citation(
        number=1,
        text="",
        collection_id="default",
        document_id="d",
        document_path="canes.pdf",
        document_title=None,
        chunk_id="c",
        page=1,
        start=0,
        end=len(TEXT),
        quote=TEXT,
        verified=True,
        highlight=((start, len(TEXT)),),
    )
    leaf = leaf_of(citation, document)
    assert leaf.page == 2
    assert leaf.picture == f"/documents/default/d/pages/2?start={start}&end={len(TEXT)}"


def test_every_row_that_an_answer_quotes_is_marked_in_its_source() -> None:
    text = "| Boat | Hour |\n|---|---|\n| Scull | 8 |\n| Punt | 9 |\n| Canoe | 6 |"
    document = Document(id="d", content=text, file_path="fees.md", layout={"kind": "text/markdown"})
    rows = ("| Scull | 8 |", "| Canoe | 6 |")
    spans = tuple((text.index(row), text.index(row) + len(row)) for row in rows)
    leaf = leaf_of(cited(text, highlight=spans), document)
    assert marked_words(leaf) == ["Scull", "8", "Canoe", "6"]
    # The same, where each row is a citation of its own under one number.
    first, second = (cited(row, start=text.index(row)) for row in rows)
    assert marked_words(leaf_of(second, document, [first, second])) == ["Scull", "8", "Canoe", "6"]
    assert leaf_of(second, document, [first, second]).document == (
        f"/documents/default/d?start={text.index(rows[1])}&end={len(text)}#quote"
    )


def cited(quote: str, start: int = 0, highlight: tuple[tuple[int, int], ...] = ()) -> Citation:
    return Citation(
        number=1,
        text="",
        collection_id="default",
        document_id="d",
        document_path="fees.md",
        document_title=None,
        chunk_id="c",
        page=None,
        start=start,
        end=start + len(quote),
        quote=quote,
        verified=True,
        highlight=highlight,
    )


def marked_words(leaf: Leaf) -> list[str]:
    return re.findall(r"<mark>([^<]*)</mark>", "".join(str(part.html) for part in leaf.parts))


def test_a_row_of_a_sheet_is_no_heading_however_short_it_is() -> None:
    text = "Prices\n\nItem: Locker; Unit: year; Price: 36"
    document = Document(id="d", content=text, file_path="prices.xlsx")
    shown = document_text(document, 0, len(text))
    assert shown == "<h4>Prices</h4><p>Item: Locker; Unit: year; Price: 36</p>"


def test_a_mark_ends_before_the_bar_that_closes_a_row_and_a_bar_alone_has_none() -> None:
    text = "Either | or |"
    document = Document(id="d", content=text, file_path="bars.md", layout={"kind": "text/markdown"})
    assert "<mark>or</mark> |" in document_text(document, 0, len(text), [(9, 13)])
    assert "<mark>" not in document_text(document, 0, len(text), [(7, 8)])
