"""However many attributes a tag has, a page takes time in proportion to its length."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook.ingest.parsers.web.attribute_limit import MOST, with_few_attributes
from sourcebook.ingest.parsers.web.html import parse_html

MANY = 60_000
WAYS = {
    "bare": "a{}",
    "with a value": "a{}=1",
    "quoted": 'a{}=">"',
    "single quotes": "a{} = '<b>'",
    "with slashes": "/a{}=x",
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
def test_a_tag_with_very_many_attributes_is_read_in_little_time(way: str) -> None:
    attributes = " ".join(way.format(number) for number in range(MANY))
    began = time.process_time()
    parsed = parse_html(
        f"<html><body><h1>Soil</h1><p {attributes}>Water the tomatoes.</p></body></html>".encode()
    )
    # The square of so many takes seven seconds and more.
    assert time.process_time() - began < 3
    assert "Water the tomatoes." in parsed.text


def test_the_first_attributes_stay() -> None:
    many = " ".join(f"a{number}" for number in range(MOST + 5))
    cut = with_few_attributes(f'<p class="x" {many}>text</p><i b=1>more</i>')
    assert cut.startswith('<p class="x" a0 a1 ')
    assert cut.endswith(f"a{MOST - 2}>text</p><i b=1>more</i>")


@pytest.mark.parametrize("open_quote", ['"', "'", '="', "=", "/", "<a "])
def test_marks_that_never_end_take_little_time_too(open_quote: str) -> None:
    began = time.process_time()
    with_few_attributes(f"<p {open_quote}" * 100_000)
    assert time.process_time() - began < 3


@given(st.text(alphabet="<>ab =\"'/!-\n", max_size=200))
def test_an_ordinary_page_is_left_as_it_is(page: str) -> None:
    assert with_few_attributes(page) == page
