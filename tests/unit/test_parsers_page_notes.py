"""Notes of a page, told where they are referred to."""

from __future__ import annotations

from sourcebook.ingest.parsers.web.html import opened_page
from sourcebook.ingest.parsers.web.page_text import KeptMarkup, PageReader


def text_of(markup: str) -> str:
    page = opened_page(markup.encode(), is_xhtml=False)
    assert page.body is not None
    return PageReader(KeptMarkup.ALL_VISIBLE).read(page.body).text()


def test_a_note_stands_below_its_paragraph_and_nowhere_else() -> None:
    markup = '<p>Dig.<sup><a href="#n1">1</a></sup></p><p>Rest.</p><aside id="n1" role="doc-footnote">Deep.</aside>'
    assert text_of(markup) == "Dig.[1]\n[1] Deep.\n\nRest."


def test_a_note_without_a_name_takes_nothing_with_it() -> None:
    markup = (
        '<p>Dig.<sup><a href="#">1</a></sup></p><aside id="" role="doc-footnote">Deep.</aside><p>Rest.</p>'
    )
    assert text_of(markup) == "Dig.[1]\n\nDeep.\n\nRest."
