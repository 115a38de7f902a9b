"""Answers that are plainly there: definitions, defaults in the unit asked for, lists announced a sentence before."""

from __future__ import annotations

import pytest
from tests.unit.quoting import excerpts, found, shown

from sourcebook.consult.evidence.acceptance import term_weights
from sourcebook.consult.evidence.missing.missing_form import SoughtForm
from sourcebook.consult.question.asked_for.asked_thing import asked_thing
from sourcebook.consult.question.asked_for.definitions import asked_definition
from sourcebook.consult.question.asked_for.given_value import tells_age
from sourcebook.consult.question.asked_for.wanted_form import wanted_form


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("What is an origin?", "An origin is the combination of protocol, domain and port."),
        ("Что такое Hurd?", "Hurd — это набор серверов поверх микроядра."),
        ("O que é o Traefik?", "O Traefik é um proxy que termina o TLS."),
        ("¿Qué es el compost?", "El compost es un abono de restos de la cocina."),
    ],
)
def test_a_sentence_that_begins_with_the_definition_plainly_tells_it(question: str, sentence: str) -> None:
    assert SoughtForm(question, {}, [found(f"We met in May.\n\n{sentence}")], None).is_plainly_told


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Что такое Debian?", "Debian — это не школа, где вас будут учить."),
        ("What is a swan?", "A swan is not a goose."),
        ("Что такое Debian?", "DebianEdu — это проект для школ."),
    ],
)
def test_what_a_thing_is_not_does_not_define_it(question: str, sentence: str) -> None:
    definition = asked_definition(question)
    assert definition is not None
    assert not definition.opens(sentence)


def test_a_definition_may_say_in_what_field_the_term_is_used() -> None:
    definition = asked_definition("o que é injeção de dependência")
    assert definition is not None
    assert definition.opens(
        '**"Injeção de Dependência"** no mundo da programação significa que o código declara.'
    )


@pytest.mark.parametrize(
    "sentence", ["The Wi-Fi password is changed every month.", "Ask Ana for the Wi-Fi password."]
)
def test_a_sentence_that_says_something_else_of_the_term_defines_nothing(sentence: str) -> None:
    definition = asked_definition("What is the Wi-Fi password?")
    assert definition is not None
    assert not definition.opens(sentence)


@pytest.mark.parametrize(
    ("question", "text", "language"),
    [
        (
            "For how many seconds do browsers cache responses?",
            "`max_age` - Sets a time in seconds for browsers to cache responses. Defaults to `600`.",
            "en",
        ),
        (
            "Через сколько минут гаснет экран?",
            "Время в минутах, через которое гаснет экран. По умолчанию: 5.",
            "ru",
        ),
    ],
)
def test_a_number_apart_from_the_unit_that_is_asked_for_is_no_missing_value(
    question: str, text: str, language: str
) -> None:
    weights = term_weights(question, [language], {}, 100)
    assert not SoughtForm(question, weights, [found(text)], language).is_missing


def test_a_list_comes_along_that_is_announced_before_another_sentence() -> None:
    page = (
        "Here are some of the libraries that have ASGI support. You could use them with any server:\n\n"
        "* Strawberry\n* Ariadne\n* Graphene\n"
    )
    assert "- Ariadne" in shown("Which libraries have ASGI support?", page)


def test_who_asks_for_a_price_is_not_told_a_percentage() -> None:
    gives = wanted_form("How much does a crown cost?", "en")
    assert gives is not None
    assert not gives("There is a surcharge of 40 % for crowns, or 2 to 4 % for regular customers.")
    assert gives("A crown costs 10 % of the list price.")
    assert gives("A crown is 120 euros.")


def test_a_time_of_day_is_no_age() -> None:
    assert not tells_age("The laboratory works from 8:00 to 19:00.")
    assert tells_age("The laboratory has worked for 12 years.")


def test_a_day_that_was_asked_about_does_not_tell_when() -> None:
    gives = wanted_form("When does the shop open on Saturday?", "en")
    assert gives is not None
    assert not gives("The shop is open on Saturday.")
    assert gives("The shop is open on Saturday from 9:30.")


@pytest.mark.parametrize(
    "question",
    ["What is the wifi password?", "what's the admin password of the router", "какой пароль у роутера"],
)
def test_a_password_has_no_other_name(question: str) -> None:
    thing = asked_thing(question)
    assert thing is not None
    assert thing.is_secret


def test_words_that_only_ask_weigh_nothing() -> None:
    assert set(term_weights("Какова протяжённость трассы?", ["ru"], {}, 100)) == {"протяжен", "трасс"}
    assert set(term_weights("Что такое Hurd?", ["ru"], {}, 100)) == {"hurd"}


def test_an_id_of_a_heading_is_shown_to_nobody() -> None:
    (one,) = excerpts(
        "Which libraries?", found("## Libraries { #libs }\n\nStrawberry is one of the libraries.\n")
    )
    assert "#libs" not in one.text


def test_a_value_some_sentences_after_its_subject_is_told_farther_on() -> None:
    question = "How long do certificates from Let's Encrypt last?"
    weights = term_weights(question, ["en"], {}, 100)
    page = (
        "Then Let's Encrypt was created to give certificates to everybody. It is a project of a foundation. "
        "All of it is automatic. Such certificates live for about 3 months."
    )
    form = SoughtForm(question, weights, [found(page)], "en")
    assert form.is_missing
    assert form.is_told_farther_on
    elsewhere = page.replace("Such certificates live", "The summer in Lisbon ends")
    assert not SoughtForm(question, weights, [found(elsewhere)], "en").is_told_farther_on


def test_an_amount_is_plainly_told_without_the_word_much() -> None:
    weights = {"much": 1.0, "beginn": 2.0, "cours": 2.0}
    row = found("| Class | Price |\n|---|---|\n| Beginners' course | £210 |")
    assert SoughtForm("how much is the beginners course", weights, [row], "en").is_plainly_told
