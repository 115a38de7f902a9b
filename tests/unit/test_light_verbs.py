"""Verbs that hardly say what a question seeks."""

from __future__ import annotations

import pytest

from sourcebook.consult.evidence.acceptance import term_weights
from sourcebook.consult.question.words.light_verbs import asks_offer, light_verbs, verb_of_way


@pytest.mark.parametrize(
    ("question", "verbs"),
    [
        ("how do I add CORS", {"add"}),
        ("How to set a cookie?", {"set"}),
        ("как добавить CORS", {"добавить"}),
        ("Как мне можно настроить почту?", {"настроить"}),
        ("como faço para criar um token", {"criar"}),
        ("¿Cómo se puede crear una cuenta?", {"crear"}),
        ("does it support SMS", {"support"}),
        ("o sistema suporta SMS?", {"suporta"}),
    ],
)
def test_a_verb_that_only_asks_for_a_way_or_an_offer_is_light(question: str, verbs: set[str]) -> None:
    assert light_verbs(question) == verbs


@pytest.mark.parametrize(
    "question",
    ["how do I delete a user", "what does the set contain", "who supports the club", "как удалить заказ"],
)
def test_other_verbs_say_what_is_sought(question: str) -> None:
    assert not light_verbs(question)


def test_whether_something_is_offered_is_asked_without_a_way() -> None:
    assert asks_offer("does it support SMS")
    assert not asks_offer("how do I add SMS")
    assert not asks_offer("who supports SMS")


def test_a_light_verb_weighs_little_unless_it_is_all_that_is_asked() -> None:
    weights = term_weights("how do I add CORS", ["en"], {}, 1000)
    assert weights["add"] < 0.2 * weights["cor"]
    assert term_weights("how do I add", ["en"], {}, 1000)["add"] > 1


@pytest.mark.parametrize(
    ("question", "verb"),
    [
        ("return a 404 error", "return"),
        ("enable CORS", "enable"),
        ("store the token in a cookie", "store"),
        ("вернуть ошибку 404", "вернуть"),
        ("записаться на приём", "записаться"),
        ("mudar a senha", "mudar"),
        ("cambiar la contraseña", "cambiar"),
    ],
)
def test_a_question_that_only_says_what_is_to_be_done_asks_for_a_way(question: str, verb: str) -> None:
    assert verb_of_way(question) == verb


@pytest.mark.parametrize(
    "question",
    [
        "store hours",
        "test results",
        "user roles",
        "after a crash",
        "printer paper",
        "стоимость доставки",
        "очередь сообщений",
        "запись на приём",
        "lugar de la reunión",
        "enable",
    ],
)
def test_a_question_that_begins_with_a_thing_asks_for_no_way(question: str) -> None:
    assert verb_of_way(question) is None
