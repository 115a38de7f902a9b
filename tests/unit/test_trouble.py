"""Whoever is in trouble reads the remedy, too."""

from __future__ import annotations

import pytest
from tests.unit.quoting import shown

from sourcebook.consult.question.asked_for.trouble import tells_trouble


@pytest.mark.parametrize(
    "question",
    [
        "TW-104 secret file too open",
        "wheel wont turn on, it doesn't start",
        "I lost my badge",
        "it won’t start",
        "не работает лифт",
        "не удаётся войти",
        "потеряла ключ от шкафа",
        "perdi a tag do portão",
        "la puerta no abre, no puedo entrar",
    ],
)
def test_what_went_wrong_is_trouble(question: str) -> None:
    assert tells_trouble(question)


@pytest.mark.parametrize(
    "question",
    [
        "What is ISO-9001?",
        "When does the office open?",
        "how do I add CORS",
        "сколько стоит стрижка",
        "qual o preço da entrada",
    ],
)
def test_what_is_only_asked_is_none(question: str) -> None:
    assert not tells_trouble(question)


TEXT = (
    "**`AB-12: file too open`** The file of the password can be read by others of the group. "
    "Take the right to read from them and begin again with the first step."
)


def test_the_cause_is_quoted_with_its_remedy() -> None:
    assert "begin again" in shown("AB-12 file too open", TEXT)
