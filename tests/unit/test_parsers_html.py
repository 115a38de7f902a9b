"""What is read out of a page."""

from __future__ import annotations

import pytest

from sourcebook.ingest.parsers.parsed_text import ParsedText, Section
from sourcebook.ingest.parsers.web.html import parse_html


def page(body: str, head: str = "") -> ParsedText:
    return parse_html(f"<!doctype html><html><head>{head}</head><body>{body}</body></html>".encode())


def test_paragraphs_are_parted_and_white_space_is_folded() -> None:
    assert (
        page("<p>One  <b>two</b>\n three.</p><p>Four<br>five</p>six").text
        == "One two three.\n\nFour\nfive\n\nsix"
    )


def test_words_of_one_line_stay_together() -> None:
    assert page("<p>co<b>mpo</b>und <i>a</i><i>b</i> &amp; c</p>").text == "compound ab & c"


def test_headings_become_sections() -> None:
    parsed = page("intro<h1>Care</h1>a<h2>Pruning <em>hard</em></h2>b<h3>When</h3>c<h2>Water</h2>d")
    assert [section.path for section in parsed.sections] == [
        "Care",
        "Care > Pruning hard",
        "Care > Pruning hard > When",
        "Care > Water",
    ]
    assert [parsed.text[start:].split("\n")[0] for start, _ in parsed.sections] == [
        "Care",
        "Pruning hard",
        "When",
        "Water",
    ]


def test_lists_are_marked_and_numbered() -> None:
    source = "<ul><li>a<li>b<ol><li>c</li><li><p>d</p></li></ol></li></ul><p>e"
    assert page(source).text == "- a\n- b\n  1. c\n  2. d\n\ne"


def test_rows_of_tables_are_lines() -> None:
    rows = "<tr><th>Name<th>pH</tr><tr><td>Blueberry<td><p>4.5</p>"
    source = f"<p>Before</p><table><caption>Berries</caption>{rows}</table>"
    assert page(source).text == "Before\n\nBerries\n| Name | pH |\n| Blueberry | 4.5 |"


def test_a_table_that_only_places_things_is_no_table() -> None:
    source = "<table><tr><td><h1>Title</h1><p>One.</p><p>Two.</p></td><td><ul><li>a</ul></td></tr></table>"
    assert page(source).text == "Title\n\nOne.\n\nTwo.\n- a"


def test_listings_keep_their_lines_between_fences() -> None:
    listing = page("<p>a</p><pre><code>if x:\n    y  = 1\n</code></pre><p>b")
    assert listing.text == "a\n\n```\nif x:\n    y  = 1\n```\n\nb"
    assert page("<pre>```\nx\n```</pre>").text == "````\n```\nx\n```\n````"


def test_a_listing_whose_lines_are_elements_is_one_listing() -> None:
    lines = '<div class="line">if x:</div><div class="line">    y = 1<br></div><div></div>\n<div>z = 2</div>'
    assert page(f"<pre><code>{lines}</code></pre><p>b").text == "```\nif x:\n    y = 1\n\nz = 2\n```\n\nb"


def test_a_letter_that_keeps_its_lines_is_no_listing() -> None:
    letter = "Dear all, the yard is closed on Monday\nbecause the gate is painted. Come on Tuesday instead."
    assert page(f"<pre>{letter}</pre>").text == letter


def test_navigation_is_left_out() -> None:
    source = """<header><a href=/>Home</a></header><nav>Menu</nav><div class="breadcrumbs">A / B</div>
        <main><header><h1>Title</h1></header><p>Text of the page.</p><aside>Read also</aside>
        <aside class="note">Mind the frost.</aside><div class="toc">Contents</div></main><footer>©</footer>"""
    assert page(source).text == "Title\n\nText of the page.\n\nMind the frost."


def test_a_page_that_is_all_links_keeps_them() -> None:
    links = "".join(f"<li><a href=x>Chapter {number} of the long book</a>" for number in range(30))
    parsed = page(f"<h1>Contents</h1><nav class=toc><ul>{links}</ul></nav>")
    assert "Chapter 29 of the long book" in parsed.text


@pytest.mark.parametrize(
    ("head", "body", "title"),
    [
        ("<title>Pruning | My site</title>", "<h1>Pruning</h1>", "Pruning"),
        ("<title>My site</title>", "<h1>Pruning</h1>", "My site"),
        ("<title> A \n B </title>", "text", "A B"),
        ("", "<h1>Pruning</h1>", "Pruning"),
        ("", "text", None),
    ],
)
def test_the_title_of_a_page(head: str, body: str, title: str | None) -> None:
    assert page(body, head).title == title


def test_what_a_page_says_about_itself() -> None:
    head = """<meta name=author content="A. Gardener"><meta name="Description" content="On  berries">
        <meta property="article:published_time" content="2024-05-01"><meta name=viewport content=x>"""
    assert page("x", head).metadata == {
        "author": "A. Gardener",
        "description": "On berries",
        "date": "2024-05-01",
    }


def test_a_page_without_any_tags_around_it_is_read() -> None:
    assert parse_html(b"just <b>text").text == "just text"
    assert parse_html(b"<p>a<p>b").sections == []


def test_the_text_of_a_section_begins_where_the_section_says() -> None:
    parsed = page("<h1>\u200bA\u00adb</h1><p>c</p><h2></h2><h2>d</h2>")
    assert parsed.sections == [Section(0, "Ab"), Section(parsed.text.index("d"), "Ab > d")]


def test_a_formula_without_tex_is_written_in_one_line() -> None:
    power = "<math><mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup></math>"
    mean = "<math><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac></math>"
    text = parse_html(f"<p>It is {power}, half is {mean}.</p>".encode()).text
    assert text.replace(" ", "") == "ItisE=mc^2,halfis(a+b)/2."


def test_a_note_of_a_table_stands_below_it() -> None:
    mark = '<a href="#n" role="doc-noteref">1</a>'
    table = f"<table><tr><th>Bed</th><th>Litres</th></tr><tr><td>B1 {mark}</td><td>10</td></tr></table>"
    note = '<aside id="n" role="doc-footnote">In summer.</aside>'
    assert page(f"{table}<p>After.</p>{note}").text == (
        "| Bed | Litres |\n| B1 [1] | 10 |\n[1] In summer.\n\nAfter."
    )


def test_a_note_without_a_name_takes_nothing_away() -> None:
    mark, note = '<a href="#" role="doc-noteref">1</a>', '<div id="" role="doc-footnote">Note.</div>'
    assert page(f"<p>One {mark}</p><p>Two.</p>{note}<p>Three.</p>").text == (
        "One [1]\n\nTwo.\n\nNote.\n\nThree."
    )


def test_menus_and_links_to_edit_a_wiki_are_no_content() -> None:
    menu = '<div id="mw-navigation"><h3>Navigation</h3><ul><li><a href="/a">Main page</a></li></ul></div>'
    edit = '<span class="mw-editsection">[<a href="/e">edit</a>]</span>'
    banner = '<div class="consent-banner">We use cookies.</div><div class="consent-form">Please sign.</div>'
    parsed = page(f"{menu}{banner}<h1>Samovar</h1><p>Boils water.</p><h2>History{edit}</h2><p>Old.</p>")
    assert parsed.text == "Please sign.\n\nSamovar\n\nBoils water.\n\nHistory\n\nOld."


def test_an_item_may_say_its_number() -> None:
    page = b"<ol><li>a<li>b</ol><p>Then</p><ol><li value=3>c<li>d</ol>"
    assert parse_html(page).text == "1. a\n2. b\n\nThen\n3. c\n4. d"


def test_a_document_of_google_docs_keeps_its_levels_and_leaves_out_remarks() -> None:
    page = """<body><p class="c3 title" id="h.a">Trip plan</p><h1>Azores</h1>
        <ul class="c2 lst-kix_ab-0 start"><li>Furnas</li></ul><ul class="c2 lst-kix_ab-1"><li>towels</li></ul>
        <p>We land at ten.<sup><a href="#cmnt1" id="cmnt_ref1">[a]</a></sup></p>
        <div class="c9"><p><a href="#cmnt_ref1" id="cmnt1">[a]</a><span>Is it true?</span></p></div></body>"""
    parsed = parse_html(page.encode())
    assert parsed.title == "Trip plan"
    assert parsed.text == "Trip plan\n\nAzores\n- Furnas\n  - towels\n\nWe land at ten."


def test_an_item_that_begins_with_a_listing_keeps_its_number() -> None:
    assert page("<ol><li><pre>make</pre></li><li>Wait.</li></ol>").text == "1.\n```\nmake\n```\n2. Wait."
