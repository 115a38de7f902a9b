from __future__ import annotations

import pytest

from sourcebook.text.case_and_accents import normal_form, storable


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Малина  Ремонтантная", "малина_ремонтантная"),
        (" зелёный\tлук_", "Зеленый лук"),
        ("и\u0306од", "йод"),
        ("Maçã Verde", "mac\u0327a\u0303__verde"),
        ("STRASSE", "straße"),
    ],
)
def test_one_category_written_two_ways_is_one(left: str, right: str) -> None:
    assert normal_form(left) == normal_form(right)


def test_different_categories_stay_different() -> None:
    assert len({normal_form(name) for name in ("малина", "малина_общая", "maçã", "maca", "чай", "чаи")}) == 6


def test_nothing_is_left_of_gaps() -> None:
    assert normal_form(" _ \u00a0") == ""


@pytest.mark.parametrize("text", ["", "Малина\n", "\U0001f347", "\uffff"])
def test_ordinary_text_is_storable(text: str) -> None:
    assert storable(text)


@pytest.mark.parametrize("text", ["a\x00b", "\ud83d", "x\udfff"])
def test_nul_and_lone_surrogates_are_not_storable(text: str) -> None:
    assert not storable(text)
