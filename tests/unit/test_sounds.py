from __future__ import annotations

import pytest

from sourcebook.consult.question.words.foreign_names import ForeignNames
from sourcebook.text.sounds import sound, sound_alike


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Лондоне", "London"),
        ("Londres", "London"),
        ("Шекспира", "Shakespeare"),
        ("Варшава", "Warsaw"),
        ("Varsóvia", "Warsaw"),
        ("Хаксли", "Huxley"),
    ],
)
def test_a_name_sounds_alike_in_other_languages_and_scripts(one: str, other: str) -> None:
    assert sound_alike(sound(one), sound(other))


@pytest.mark.parametrize(
    ("one", "other"), [("Берлин", "Brazil"), ("Paris", "London"), ("Рим", "Rhine"), ("", "")]
)
def test_other_names_do_not(one: str, other: str) -> None:
    assert not sound_alike(sound(one), sound(other))


def test_names_and_numbers_of_a_question_are_found_in_a_text_of_another_language() -> None:
    asked = ForeignNames("Сколько стоил отель в Лондоне в 2019 году?")
    assert asked.met_by("Hotels in London cost 180 pounds in 2019.") == 1.0
    assert asked.met_by("Hotels in Berlin cost 140 euros in 2019.") == 0.5
    assert asked.met_by("Hotels are dear.") == 0.0


def test_among_cyrillic_letters_a_latin_word_is_a_name() -> None:
    assert ForeignNames("как включить uvicorn?").met_by("Start Uvicorn with a flag.") == 1.0


def test_a_question_without_names_tells_nothing() -> None:
    assert ForeignNames("Что делать, если украли ноутбук?").met_by("Laptops in London.") is None
