"""Whether a curated question is offered when it is not sure that it is the one that was asked."""

from __future__ import annotations

import pytest

from sourcebook.consult.curated.similar_questions import similar_questions
from sourcebook.model.curation import CuratedAnswer, CuratedMatch, SimilarQuestion

NEAR = 0.27


def near(*questions: str | None, distance: float = 0.1) -> list[CuratedMatch]:
    return [
        CuratedMatch(CuratedAnswer(number, "default", "general", "yes", question), distance + number / 100)
        for number, question in enumerate(questions)
    ]


def test_what_may_be_meant_is_offered_nearest_first() -> None:
    found = similar_questions(
        "How much holiday may I take?",
        near("How many vacation days do I have?", "How is holiday booked?"),
        ["en"],
        NEAR,
    )
    assert found == [
        SimilarQuestion(0, "How many vacation days do I have?", 0.9),
        SimilarQuestion(1, "How is holiday booked?", 0.89),
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
    ],
)
def test_a_contradiction_is_never_offered(asked: str, known: str, language: str) -> None:
    assert similar_questions(asked, near(known, distance=0.01), [language], NEAR) == []
    assert similar_questions(known, near(asked, distance=0.01), [language], NEAR) == []


def test_a_question_for_something_else_is_not_offered() -> None:
    assert similar_questions("When is the rent due?", near("Where is the rent paid?"), ["en"], NEAR) == []


def test_a_name_in_another_spelling_is_no_contradiction() -> None:
    known = near("На ком был женат Том Хэнкс?", "Как установить приложение на Android?")
    assert [one.id for one in similar_questions("На ком был женат Том Хенкс?", known[:1], ["ru"], NEAR)] == [
        0
    ]
    asked = "Как поставить приложение на Андроид?"
    assert [one.id for one in similar_questions(asked, known[1:], ["ru"], NEAR)] == [1]


def test_what_is_far_or_has_no_question_is_left_out_and_three_are_enough() -> None:
    assert similar_questions("What is new?", near("What is old?", distance=0.28), ["en"], NEAR) == []
    assert similar_questions("What is the plan?", near(None), ["en"], NEAR) == []
    many = near("Is there a plan?", "Is a plan there?", "Any plan?", "A plan?", "Plan?")
    assert len(similar_questions("What is the plan?", many, ["en"], NEAR)) == 3
