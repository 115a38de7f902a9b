"""Who asks when wants a time of the verb, and not of its opposite."""

from __future__ import annotations

import pytest

from sourcebook.consult.question.asked_for.told_time import (
    asked_verb,
    asks_when,
    points_back,
    tells_time,
    warns_only,
)
from sourcebook.consult.question.words.typed_words import in_plain_spelling
from sourcebook.text.vocabulary.question_opposites import says_the_opposite


@pytest.mark.parametrize(
    ("question", "verb"),
    [
        ("When do I prune everbearing raspberries?", "prune"),
        ("Когда обрезать ремонтантную малину?", "обрезать"),
        ("Когда лучше сажать лук?", "сажать"),
        ("Quando podar a framboesa remontante?", "podar"),
        ("When do we have to pay the rent?", "pay"),
        ("When is it best to sow peas?", "sow"),
        ("Когда открывается музей?", "открывается"),
        ("Quando é que se deve podar a vinha?", "podar"),
        ("When does the raku weekend start", None),
        ("When are barrel and lid painted?", None),
        ("Когда ярмарка?", None),
        ("Quando a loja abre?", None),
        ("How do I prune raspberries?", None),
    ],
)
def test_the_deed_follows_upon_when(question: str, verb: str | None) -> None:
    assert asked_verb(question) == verb
    assert asks_when(question) != question.startswith("How")


@pytest.mark.parametrize(
    "sentence",
    [
        "Cut all canes in late autumn.",
        "Это делают с конца октября.",
        "Corta-se tudo no inverno.",
        "Pay within 14 days.",
    ],
)
def test_a_month_a_season_and_a_term_are_times(sentence: str) -> None:
    assert tells_time(sentence)


@pytest.mark.parametrize(
    "sentence", ["Autumn-fruiting raspberries bear on new canes.", "Canes grew in the same year."]
)
def test_a_sort_and_a_mere_year_are_no_times(sentence: str) -> None:
    assert not tells_time(sentence)


def test_what_is_forbidden_then_is_not_when_it_is_done() -> None:
    assert warns_only("Never cut it in autumn.", "When do I cut it?")
    assert not warns_only("Never cut it in autumn.", "When should I never cut it?")


@pytest.mark.parametrize(
    "sentence", ["A festa realiza-se no domingo, 17 de maio.", "Сажайте не раньше середины мая."]
)
def test_a_preposition_and_an_earliest_day_forbid_nothing(sentence: str) -> None:
    assert not warns_only(sentence, "?")


def test_a_sentence_may_go_on_about_the_one_before() -> None:
    assert points_back("In most gardens this is November.")
    assert not points_back("Feed the canes in spring.")


@pytest.mark.parametrize(
    ("question", "text", "language"),
    [
        ("when does it open", "It closes at 18:00.", "en"),
        ("когда открывается", "Закрывается в 20:00.", "ru"),
        ("quando abre", "A loja fecha às 18h.", "pt"),
        ("cuándo abre", "Cierra a las seis.", "es"),
    ],
)
def test_the_opposite_is_seen_unless_the_word_is_there_too(question: str, text: str, language: str) -> None:
    assert says_the_opposite(question, text, language)
    assert not says_the_opposite(question, f"{question} {text}", language)


def test_a_denial_with_an_apostrophe_is_no_word_of_its_own() -> None:
    assert "do not pay" in in_plain_spelling("what if i don't pay")
