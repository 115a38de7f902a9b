"""Lists count with numbers, letters or Roman numbers."""

from __future__ import annotations

import pytest

from sourcebook.ingest.parsers.item_numbers import item_label, item_number


@pytest.mark.parametrize(
    ("number", "form", "counted"),
    [
        (3, "1", "3"),
        (1, "a", "a"),
        (26, "a", "z"),
        (27, "a", "aa"),
        (703, "A", "AAA"),
        (4, "i", "iv"),
        (1994, "I", "MCMXCIV"),
        (4000, "i", "4000"),
        (0, "a", "0"),
        (2, "①", "2"),
    ],
)
def test_an_item_has_its_number_in_the_form_of_its_list(number: int, form: str, counted: str) -> None:
    assert item_number(number, form) == counted


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        (" Article\n1. ", "Article 1."),
        ("\n\n# 1.", "1."),
        ("#1", "#1"),
        ("##", ""),
        ("# ``` | 2)", "2)"),
        ("p" * 40, "p" * 40),
        ("p" * 41, ""),
    ],
)
def test_a_label_is_short_and_makes_no_line_a_heading(label: str, shown: str) -> None:
    assert item_label(label) == shown
