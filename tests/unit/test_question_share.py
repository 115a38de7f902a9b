"""Which words of a question a text holds, in whatever form."""

from __future__ import annotations

import pytest

from sourcebook.consult.evidence.question_share import held_terms
from sourcebook.text.analysis import distinct_terms
from sourcebook.text.stems import stem_words


def holds(word: str, text: str, language: str) -> bool:
    (term,) = stem_words([word], language)
    return bool(held_terms({term: 1.0}, distinct_terms(text, language), language))


@pytest.mark.parametrize(
    ("word", "text", "language"),
    [
        ("доплата", "За ночь доплачивают четверть.", "ru"),
        ("работает", "Здесь трое работников.", "ru"),
        ("переезжать", "Когда склад переедет, скажем.", "ru"),
        ("construção", "A ponte foi construída.", "pt"),
        ("traducir", "La traducción es libre.", "es"),
        ("contributors", "They contributed a lot.", "en"),
        ("Kündigung", "Die Kündigungsfrist ist lang.", "de"),
    ],
)
def test_forms_of_a_long_word_count_as_the_word(word: str, text: str, language: str) -> None:
    assert holds(word.lower(), text, language)


@pytest.mark.parametrize(
    ("word", "text", "language"),
    [
        ("secretary", "The password is a secret.", "en"),
        ("secret", "The secretary is in.", "en"),
        ("секретарь", "Это секрет.", "ru"),
        ("secretario", "Es un secreto.", "es"),
        ("interview", "The interest is paid.", "en"),
        ("transport", "It was translated.", "en"),
        ("председатель", "Пришёл представитель.", "ru"),
    ],
)
def test_another_word_that_begins_alike_does_not(word: str, text: str, language: str) -> None:
    assert not holds(word, text, language)
