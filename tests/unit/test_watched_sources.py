"""What an approved answer is watched against is told apart from what supports it."""

from __future__ import annotations

import pytest

from sourcebook.consult.citations.watched_sources import missing_in_sources, watched_sources
from sourcebook.model.curation import CuratedAnswer, CuratedSource


def entry(answer: str, *quotes: str, language: str = "en") -> CuratedAnswer:
    sources = tuple(CuratedSource("default", f"d{n}", f"d{n}.md", each) for n, each in enumerate(quotes))
    return CuratedAnswer(1, "default", "general", answer, language=language, sources=sources)


@pytest.mark.parametrize(
    ("language", "answer", "quote"),
    [
        (
            "en",
            "Parents get 99 working days of paid leave. [1]",
            "Parents get 24 working days of paid leave.",
        ),
        (
            "ru",
            "Родители получают 99 рабочих дней отпуска. [1]",
            "Родители получают 24 рабочих дня отпуска.",
        ),
        (
            "pt",
            "Os pais têm 99 dias úteis de licença paga. [1]",
            "Os pais têm 24 dias úteis de licença paga.",
        ),
    ],
)
def test_a_source_with_another_number_does_not_support(language: str, answer: str, quote: str) -> None:
    (found,) = watched_sources(entry(answer, quote, language=language))
    assert (found.is_supporting, found.missing) == (False, ("99",))


def test_a_name_that_is_in_none_of_the_sources_is_missing() -> None:
    made = entry("Ask Maria at the desk. [1]", "Ask Anna at the desk.")
    assert missing_in_sources(made) == ["Maria"]


def test_other_words_without_other_facts_are_watched_and_lack_nothing() -> None:
    made = entry(
        "Nobody goes out when it blows more than 25 knots. [1]", "Rowing is forbidden above 25 knots."
    )
    (found,) = watched_sources(made)
    assert (found.is_supporting, found.missing) == (False, ())


def test_what_a_source_says_itself_is_supported() -> None:
    said = "Parents get 24 working days of paid leave."
    (found,) = watched_sources(entry(f"{said} [1]", f"{said} It is paid in June."))
    assert (found.is_supporting, found.missing) == (True, ())


def test_a_fact_that_another_source_has_is_not_missing() -> None:
    made = entry("Of 24 days, 5 are in June. [1] [2]", "There are 24 days.", "In June there are 5.")
    assert missing_in_sources(made) == []
