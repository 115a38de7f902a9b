"""Sentences that tell how to do something, and those that only lead there."""

from __future__ import annotations

import pytest

from sourcebook.consult.question.asked_for.told_way import names_way, tells_another_way, tells_case, tells_way


@pytest.mark.parametrize(
    "sentence",
    [
        "You can configure it with the middleware.",
        "And then you can set cookies in that response.",
        "Создайте токен в настройках.",
        "Você pode usar o `TestClient`.",
    ],
)
def test_a_sentence_tells_what_to_do(sentence: str) -> None:
    assert tells_way(sentence)
    assert not tells_case(sentence)
    assert not tells_another_way(sentence)


@pytest.mark.parametrize(
    "sentence",
    ["You can also use the other import.", "Вы также можете вернуть текст.", "Você também pode usar outro."],
)
def test_a_sentence_tells_what_else_can_be_done(sentence: str) -> None:
    assert tells_another_way(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "There are some scenarios where you might want to do this.",
        "Let's imagine you want the address of the client.",
        "Но в некоторых случаях нужен другой код.",
        "Imagine que você queira outro nome.",
    ],
)
def test_a_sentence_only_tells_when_one_may_want_to(sentence: str) -> None:
    assert tells_case(sentence)


@pytest.mark.parametrize(
    "heading", ["## Use the middleware", "3.1 Creating a token", "Создание токена", "Importe o cliente"]
)
def test_a_heading_announces_how_something_is_done(heading: str) -> None:
    assert names_way(heading)


@pytest.mark.parametrize(
    "heading", ["More info", "Simple requests", "Подробнее", "Mais informações", "Users"]
)
def test_another_heading_does_not(heading: str) -> None:
    assert not names_way(heading)
