"""What is said to a greeting: it is answered in its own language, however short it is."""

from __future__ import annotations

import pytest

from sourcebook.faces.small_talk_reply import reply_to
from sourcebook.locale import texts


@pytest.mark.parametrize(
    ("message", "language"),
    [
        ("olá", "pt"),
        ("Oi!", "pt"),
        ("e aí", "pt"),
        ("Bom dia", "pt"),
        ("hi", "en"),
        ("Good evening", "en"),
        ("привет", "ru"),
        ("здрасте", "ru"),
    ],
)
def test_a_greeting_is_answered_in_its_language_whatever_is_read_there(message: str, language: str) -> None:
    said = texts(language)("said_greeting")
    assert {reply_to("greeting", message, shown) for shown in (None, "en", "ru", "pt")} == {said}


@pytest.mark.parametrize("message", ["ok", "👍", "?"])
def test_a_sign_that_is_of_no_language_is_answered_in_the_one_that_is_read_there(message: str) -> None:
    assert reply_to("thanks", message, "pt") == texts("pt")("said_thanks")
    assert reply_to("thanks", message) == texts("en")("said_thanks")
