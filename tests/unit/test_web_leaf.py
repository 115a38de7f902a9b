"""The source beside an answer: where it is shown from."""

from __future__ import annotations

from sourcebook.faces.web.document_text import document_text
from sourcebook.faces.web.source_view import leaf_of
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


def test_a_row_of_a_sheet_is_no_heading_however_short_it_is() -> None:
    text = "Prices\n\nItem: Locker; Unit: year; Price: 36"
    document = Document(id="d", content=text, file_path="prices.xlsx")
    shown = document_text(document, 0, len(text))
    assert shown == "<h4>Prices</h4><p>Item: Locker; Unit: year; Price: 36</p>"
