from __future__ import annotations

import pytest

from sourcebook.consult.question.asked_thing import asked_thing


@pytest.mark.parametrize(
    ("question", "thing"),
    [
        ("Is there a café in the museum?", "café"),
        ("Do you have an audio guide in French?", "audio guide"),
        ("Does the museum have a shop?", "shop"),
        ("Is smoking allowed?", "smoking"),
        ("Are dogs permitted in the garden?", "dogs"),
        ("Разрешено ли курение?", "курение"),
        ("É permitido fumar no pátio?", "fumar"),
        ("How much is a day ticket?", "day ticket"),
        ("What does membership cost?", "membership"),
        ("How long is the warranty on the kettle?", "warranty"),
        ("What is the salary of a team leader?", "salary"),
        ("Сколько весит сушилка?", "сушилка"),
        ("Какая гарантия на сушилку?", "гарантия"),
        ("Quanto tempo dura a garantia do aspirador?", "garantia do aspirador"),
        ("Есть ли в библиотеке кафе?", "кафе"),
        ("Есть ли у вас термосы?", "термосы"),
        ("Сколько стоит блинная сковорода?", "блинная сковорода"),
        ("Tem ar-condicionado nos quartos?", "ar-condicionado"),
        ("Na pousada tem piscina?", "piscina"),
        ("Quanto custa o aluguel de bicicleta?", "aluguel de bicicleta"),
        ("¿Hay una piscina en el hotel?", "piscina"),
        ("¿Cuánto cuesta la entrada?", "entrada"),
    ],
)
def test_a_question_whether_there_is_a_thing_or_what_it_costs_names_the_thing(
    question: str, thing: str
) -> None:
    assert asked_thing(question) == thing


@pytest.mark.parametrize(
    "question",
    [
        "Who founded the museum?",
        "Does a JSON request have to carry a header?",
        "How many days a week can I work from home?",
        "Где есть мёд?",
        "Como cancelo a reserva?",
        "",
        "?" * 10_000,
        "is there " * 5_000,
    ],
)
def test_other_questions_name_none(question: str) -> None:
    assert asked_thing(question) is None
