"""Texts of documents and models as HTML: what is marked is marked, and what they write stays text."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook.curate.source_changes import nearest_stretch
from sourcebook.faces.web.dates_and_numbers import size
from sourcebook.faces.web.diff_view import word_diff
from sourcebook.faces.web.plots import PlotColumn, columns
from sourcebook.faces.web.safe_html import Span, marked, plain, with_codes, with_spans
from sourcebook.locale import page_texts

SENTENCE = 'span class="s"'


def reference(number: int, before: int) -> str:
    return f"<sup>{number}.{before}</sup>"


def test_each_sentence_is_an_element_and_each_mark_a_reference() -> None:
    html = marked("One. [1] Two. [1]", [Span(0, 8, SENTENCE), Span(9, 17, SENTENCE)], (), reference)
    assert html == (
        '<p><span class="s">One.</span><sup>1.0</sup> <span class="s">Two.</span><sup>1.1</sup></p>\n'
    )


def test_a_sentence_over_several_blocks_and_through_bold_words_stays_well_nested() -> None:
    text = "- a **b\n  c** d\n- e"
    html = marked(text, [Span(0, len(text), SENTENCE)])
    assert html.count("<span") == html.count("</span>") == 4
    assert "<strong><span" in html


def test_key_words_stand_inside_their_sentence() -> None:
    html = marked("Give 20 g now.", [Span(0, 14, SENTENCE)], [(5, 9)])
    assert '<span class="s"><b class="key">20 g</b></span>' in html


def test_html_of_a_text_is_shown_and_not_obeyed() -> None:
    assert "<script" not in plain("<script>alert(1)</script>")
    assert "&lt;script&gt;" in plain("<script>alert(1)</script>")


def test_links_of_a_document_lead_out_with_care_and_those_of_an_answer_nowhere() -> None:
    text = "[a](https://example.org/x) [b](javascript:x) [c](/ask) ![d](https://example.org/y.png)"
    of_document = marked(text, [], links=True)
    assert of_document.count("href") == 2, "the picture is a link as well, and no picture"
    assert 'rel="noopener noreferrer nofollow"' in of_document
    assert "<img" not in of_document
    assert "href" not in plain(text)
    assert "https://example.org/x" in plain(text)


@given(st.text(), st.integers(0, 40), st.integers(0, 40))
def test_no_text_writes_an_element_of_its_own(text: str, start: int, length: int) -> None:
    span = Span(min(start, len(text)), min(start + length, len(text)), SENTENCE)
    html = str(marked(text, [span], [(span.start, span.end)], reference))
    assert html.count("<span") == html.count("</span>")
    assert "<script" not in html.lower()


@pytest.mark.parametrize("indent", ["", "  "])
def test_a_list_whose_words_are_marked_stays_a_list(indent: str) -> None:
    text = f"To begin:\n\n{indent}3. Open the valve.\n{indent}4. Choose a mode. [1]"
    key = (text.index("3."), text.index(" [1]"))
    html = marked(text, [Span(*key, SENTENCE)], [key], reference)
    assert html.startswith(
        '<p>To begin:</p>\n<ol start="3">\n<li><span class="s"><b class="key">Open the valve.</b>'
    )
    assert html.count("<li>") == 2


LISTING = "To load, send:\n\n```bash\nkc40 load\n```\n\nIt starts."
TABLE = "Above.\n\n| Sign | Cable |\n|---|:-:|\n| T1 | thin |\n\nBelow."


@pytest.mark.parametrize("text", [LISTING, TABLE])
@pytest.mark.parametrize("is_key", [False, True])
def test_a_listing_and_a_table_stay_what_they_are_wherever_a_mark_begins_or_ends(
    text: str, *, is_key: bool
) -> None:
    def without_marks(html: str) -> str:
        return re.sub(r"</?(mark|b)\b[^>]*>|\s", "", html)

    whole = without_marks(marked(text, []))
    for start in range(len(text)):
        for end in range(start + 1, len(text) + 1):
            keys = [(start, end)] if is_key else []
            html = marked(text, [] if is_key else [Span(start, end, "mark")], keys)
            assert without_marks(html) == whole, text[start:end]


def test_a_mark_that_begins_at_a_fence_begins_in_its_listing() -> None:
    start = LISTING.index("```bash")
    html = marked(LISTING, [Span(start, LISTING.index("\n\nIt"), "mark")])
    assert "<pre><code><mark>kc40 load" in html


def test_spans_of_plain_text_are_marked_as_they_stand() -> None:
    assert with_spans("a<b>c", [(1, 2), (0, 1)]) == "<mark>a</mark><mark>&lt;</mark>b&gt;c"


def test_words_between_backticks_are_code() -> None:
    assert with_codes("set `<db>`") == "set <code>&lt;db&gt;</code>"


def test_a_difference_shows_the_words_that_went_and_came() -> None:
    assert word_diff("about 20 g of it", "about 35 g of it") == "about <del>20</del> <ins>35</ins> g of it"
    assert "<script" not in word_diff("<script>", "<script>x")


@pytest.mark.parametrize(
    ("text", "now"),
    [
        ("First. Sand needs about 35 g of sulphur. Last.", "Sand needs about 35 g of sulphur."),
        ("Nothing of the kind is said here at all.", None),
    ],
)
def test_what_became_of_a_quote_is_the_sentence_most_like_it(text: str, now: str | None) -> None:
    assert nearest_stretch("Sand needs about 20 g of sulphur.", text) == now


def test_of_rows_that_begin_alike_the_most_similar_one_is_what_became_of_a_quoted_one() -> None:
    head = "| Day | Time | Class |\n|---|---|---|\n"
    now = f"{head}| Monday | 9:00 | Yoga |\n| Monday | 19:00 | Pilates |\n"
    assert nearest_stretch("| Monday | 18:00 | Pilates |", now) == "| Monday | 19:00 | Pilates |"
    assert nearest_stretch("| Monday | 18:00 | Boxing |", now) is None


def test_a_line_of_spaces_is_marked_at_once() -> None:
    text = f"a\n{' ' * 20_000}x\nb"
    started = time.process_time()
    assert "<mark>" in marked(text, [Span(0, len(text), "mark")], [(0, len(text))])
    assert time.process_time() - started < 2


def test_a_plot_escapes_its_labels() -> None:
    drawn = columns([PlotColumn("<b>", [("col-none", 3)])], '"><script>')
    assert "<b>" not in drawn
    assert "<script" not in drawn


def test_bytes_are_counted_in_the_language_of_the_page() -> None:
    assert [size(page_texts(language), 2_500_000) for language in ("en", "ru", "pt")] == [
        "2.5\u00a0MB",
        "2,5\u00a0МБ",
        "2,5\u00a0MB",
    ]
