"""Answer or decline, for a question in another language than the nearest passage."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.judging import FACTS, asked, passage

from sourcebook.consult.evidence.judge_weights import judge_weights
from sourcebook.consult.evidence.question_judge import (
    JUDGED_BY_MEANING,
    meaning_of,
    needed_across,
    verdict_on,
)
from sourcebook.model.search import ScoreBreakdown


def test_a_question_in_a_language_that_the_base_does_not_hold_is_judged_by_meaning() -> None:
    near = asked(
        "Какой дресс-код в офисе?", passage("Jeans are fine.", similarity=0.6), passage("Tea.", document="e")
    )
    assert not verdict_on(*near, FACTS).is_accepted
    verdict = verdict_on(*near, FACTS, is_foreign=True)
    assert (verdict.by, verdict.is_accepted) == (JUDGED_BY_MEANING, True)
    far = asked("Какой дресс-код в офисе?", passage("Jeans are fine.", similarity=0.2))
    assert not verdict_on(*far, FACTS, is_foreign=True).is_accepted


@pytest.mark.parametrize(
    ("text", "is_held", "is_accepted"),
    [
        ("Газон стригут раз в неделю за 40 рублей.", True, True),
        ("Газон стригут летом.", True, False),
        ("Газон стригут летом.", False, True),
    ],
)
def test_a_base_with_both_languages_wants_the_form_of_an_answer_in_the_other(
    text: str, *, is_held: bool, is_accepted: bool
) -> None:
    found = passage(text, similarity=0.7)
    verdict = verdict_on(*asked("How much does mowing cost?", found), FACTS, is_foreign=True, is_held=is_held)
    assert (verdict.by, verdict.is_accepted) == (JUDGED_BY_MEANING, is_accepted)


def test_a_base_with_both_languages_wants_the_names_of_the_question_in_the_other() -> None:
    question = "How do I call Ivan in Moscow?"
    verdicts = [
        verdict_on(*asked(question, passage(text, similarity=0.45)), FACTS, is_foreign=True, is_held=True)
        for text in ("Ивану звонят в Москву после девяти.", "В офис звонят после девяти.")
    ]
    assert [verdict.numbers["names_missing"] for verdict in verdicts] == [0.0, 1.0]
    assert [verdict.is_accepted for verdict in verdicts] == [True, False]


def test_a_passage_without_a_vector_makes_no_gap_to_the_nearest() -> None:
    near = [passage("Jeans are fine.", similarity=0.3)]
    by_words = passage("Чай.", document="e", similarity=None)
    gaps = [
        meaning_of("Какой дресс-код в офисе?", asked("", *found)[1])["gap"]
        for found in (
            near,
            [*near, by_words],
            [*near, replace(by_words, score_breakdown=ScoreBreakdown(0.2))],
        )
    ]
    assert gaps == [judge_weights().across["usual_gap"]] * 2 + [pytest.approx(0.1)]


def test_across_languages_a_base_of_a_few_passages_needs_less() -> None:
    found = [passage("Jeans are fine.", similarity=0.27), passage("Tea.", document="e", similarity=0.13)]
    question = "Какой дресс-код в офисе?"
    accepted = [
        verdict_on(*asked(question, *found, rows=rows), FACTS, is_foreign=True).is_accepted
        for rows in (2, 1000)
    ]
    assert accepted == [True, False]
    needed = [needed_across(rows) for rows in (0, 1, 10, 100, 1000, 1_000_000)]
    assert needed == sorted(needed)
    assert needed[-1] == judge_weights().across["needed"]
