"""What a question is about is told by words of lists."""

from __future__ import annotations

import re

import pytest

from sourcebook.consult.question.asked_for.asks_about import Subject, asks_about
from sourcebook.text.vocabulary.word_lists import alternatives


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("What does a locker cost?", "price"),
        ("Какой пароль от вай-фая?", "secret"),
        ("From whom did the invoice come?", "letter"),
        ("Quais são as novidades da versão 3?", "news"),
        ("Since when is XML allowed?", "news"),
    ],
)
def test_a_word_or_phrase_of_a_subject_tells_it(question: str, subject: Subject) -> None:
    assert asks_about(question, subject)


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("What does `__version__` return?", "news"),
        ("Who wears costumes?", "price"),
        ("When is it open?", "letter"),
    ],
)
def test_a_part_of_a_name_or_of_another_word_tells_nothing(question: str, subject: Subject) -> None:
    assert not asks_about(question, subject)


def test_alternatives_are_words_phrases_and_beginnings() -> None:
    pattern = re.compile(alternatives("asks_about.txt", "letter"))
    assert pattern.fullmatch("recipient")
    assert pattern.fullmatch("from whom")
    assert pattern.fullmatch("sender")
    assert not pattern.fullmatch("recipients list")
