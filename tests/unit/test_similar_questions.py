"""Whether a curated question is offered when it is not sure that it is the one that was asked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sourcebook.consult.curated.similar_questions import similar_questions
from sourcebook.model.curation import CuratedAnswer, CuratedMatch, SimilarQuestion

NEAR = 0.3


def near(*questions: str | None, distance: float = 0.1) -> list[CuratedMatch]:
    return [
        CuratedMatch(CuratedAnswer(number, "default", "general", "yes", question), distance + number / 100)
        for number, question in enumerate(questions)
    ]


def test_what_may_be_meant_is_offered_nearest_first() -> None:
    found = similar_questions(
        "How much holiday may I take?",
        near("How many vacation days do I have?", "What is the limit of holiday?"),
        ["en"],
        NEAR,
    )
    assert found == [
        SimilarQuestion(0, "How many vacation days do I have?", 0.9, "default"),
        SimilarQuestion(1, "What is the limit of holiday?", 0.89, "default"),
    ]


@pytest.mark.parametrize(
    ("asked", "known", "language"),
    [
        ("Can I return it with a receipt?", "Can I return it without a receipt?", "en"),
        ("How do I turn off dark mode?", "How do I turn on dark mode?", "en"),
        ("How do I uninstall the app?", "How do I install the app?", "en"),
        ("Is the shop open on Sunday?", "Is the shop open on Monday?", "en"),
        ("May I work from home three days?", "May I work from home two days?", "en"),
        ("Do I need a visa for China?", "Do I need a visa for Japan?", "en"),
        ("Какая столица у Австралии?", "Какая столица у Австрии?", "ru"),
        ("Почему приходит письмо?", "Почему не приходит письмо?", "ru"),
        ("Когда открывается банк?", "Когда закрывается банк?", "ru"),
        ("Кто написал «Войну и мир»?", "Кто написал «Тихий Дон»?", "ru"),
        ("Como desativo o modo escuro?", "Como ativo o modo escuro?", "pt"),
        ("Abre ao domingo?", "Abre ao sábado?", "pt"),
        ("¿Cómo elimino un miembro?", "¿Cómo añado un miembro?", "es"),
        ("¿Cuál es el tamaño mínimo?", "¿Cuál es el tamaño máximo?", "es"),
        ("¿Abren más de dos días?", "¿Abren más de tres días?", "es"),
        ("Há um voo para Roma?", "Há um voo para Paris?", "pt"),
        ("What are the side effects of tea?", "What are the benefits of tea?", "en"),
        ("До скольки работает почта?", "Со скольки работает почта?", "ru"),
        ("What is the crank bolt torque?", "What torque should the rear axle nuts have?", "en"),
        ("Who wrote The Sea, the Sea?", "Who wrote The Old Man and the Sea?", "en"),
    ],
)
def test_a_contradiction_is_never_offered(asked: str, known: str, language: str) -> None:
    assert similar_questions(asked, near(known, distance=0.01), [language], NEAR) == []
    assert similar_questions(known, near(asked, distance=0.01), [language], NEAR) == []


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        ("When is the rent due?", "Where is the rent paid?"),
        ("Who grants the leave?", "How is the leave granted?"),
        ("Quando se pede a revisão?", "Como se pede a revisão?"),
    ],
)
def test_a_question_for_something_else_is_not_offered(asked: str, known: str) -> None:
    assert similar_questions(asked, near(known), ["en"], NEAR) == []
    assert similar_questions(known, near(asked), ["en"], NEAR) == []


def test_where_may_ask_for_the_way() -> None:
    known = near("How do I change my password?")
    assert similar_questions("Where can I change the password?", known, ["en"], NEAR) != []


def test_farther_away_only_what_stands_out_is_offered() -> None:
    asked, first, second = "What is in the plan?", "Which things does the plan hold?", "What about the plan?"
    crowd = [*near(first, distance=0.2), *near(second, distance=0.25)]
    alone = [*near(first, distance=0.2), *near(second, distance=0.4)]
    assert similar_questions(asked, crowd, ["en"], NEAR) == []
    assert [one.question for one in similar_questions(asked, alone, ["en"], NEAR)] == [first]
    assert [one.question for one in similar_questions(asked, near(first, distance=0.2), ["en"], NEAR)] == [
        first
    ]


def test_an_answer_whose_source_has_changed_is_not_offered() -> None:
    (match,) = near("What is the plan?")
    stale = replace(match, entry=replace(match.entry, stale_since=5))
    assert similar_questions("What plan is there?", [stale], ["en"], NEAR) == []


def test_the_wording_that_came_nearest_is_shown() -> None:
    (match,) = near("What is the plan?")
    worded = replace(match, wording="Is there a plan?")
    assert similar_questions("Any plan?", [worded], ["en"], NEAR)[0].question == "Is there a plan?"


def test_a_name_in_another_spelling_is_no_contradiction() -> None:
    known = near("На ком был женат Том Хэнкс?", "Как установить приложение на Android?")
    assert [one.id for one in similar_questions("На ком был женат Том Хенкс?", known[:1], ["ru"], NEAR)] == [
        0
    ]
    asked = "Как поставить приложение на Андроид?"
    assert [one.id for one in similar_questions(asked, known[1:], ["ru"], NEAR)] == [1]


def test_what_is_far_or_has_no_question_is_left_out_and_three_are_enough() -> None:
    assert similar_questions("What is new?", near("What is old?", distance=0.31), ["en"], NEAR) == []
    assert similar_questions("What is the plan?", near(None), ["en"], NEAR) == []
    many = near("Is there a plan?", "Is a plan there?", "Any plan?", "A plan?", "Plan?")
    assert len(similar_questions("What is the plan?", many, ["en"], NEAR)) == 3
