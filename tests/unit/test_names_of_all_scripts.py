"""Whoever is named counts as somebody, in whatever script, and a script without capitals is given the benefit."""

from __future__ import annotations

import pytest

from sourcebook.consult.question.asked_for.asked_value import ValueKind
from sourcebook.consult.question.asked_for.given_value import gives_value
from sourcebook.consult.question.asked_for.wanted_form import wanted_form


def may_answer(question: str, text: str) -> bool:
    gives = wanted_form(question, "en")
    assert gives is not None
    return gives(text)


@pytest.mark.parametrize(
    "name",
    [
        "Čapek",
        "Łukasz",
        "Şahin",
        "Παπαδόπουλος",
        "Їжакевич",
        "Արամ",
        "כהן",
        "الحسن",
        "王伟",
        "გიორგი",
        "山田",
    ],
)
def test_a_name_of_any_script_is_somebody(name: str) -> None:
    assert may_answer("Who signs the lease?", f"the lease is signed with {name} every year.")
    assert may_answer("Who is the landlord?", f"the flat belongs with {name} now.")
    assert may_answer("Where is the form kept?", f"the form lies behind {name}.")


@pytest.mark.parametrize(
    "text", ["the lease lasts čas after čas.", "the 1º and the 2ª are blue.", "παρακαλώ wait."]
)
def test_small_letters_of_other_scripts_are_no_name(text: str) -> None:
    assert not may_answer("Who signs the lease?", text)


@pytest.mark.parametrize(
    "text", ["Doors open 0900.", "Open 9-17 on weekdays.", "Mo–Fr 9 – 17", "Hours: 10–18."]
)
def test_hours_without_a_colon_are_hours(text: str) -> None:
    assert gives_value(text, frozenset({ValueKind.CLOCK}), "What time does it open?")


@pytest.mark.parametrize(
    "text", ["It lasts 5-10 days.", "Since 2019-12-05.", "Weighs 5-10 kg.", "Room 1900.", "Call 12-17-44."]
)
def test_other_spans_are_no_hours(text: str) -> None:
    assert not gives_value(text, frozenset({ValueKind.CLOCK}), "What time does it open?")


def test_stones_and_gallons_are_units() -> None:
    assert gives_value("It comes to 12 stone.", frozenset({ValueKind.WEIGHT}), "How heavy is it?")
    assert gives_value("It holds 5 gal of water.", frozenset({ValueKind.VOLUME}), "What is its volume?")
