from __future__ import annotations

import pytest

from sourcebook.consult.question.asked_for.asked_thing import AskedThing, asked_thing


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
        ("how long is a day ticket valid", "day ticket"),
        ("Do you treat parrots?", "parrots"),
        ("sirven cenas", "cenas"),
        ("aceitam cheques?", "cheques"),
        ("Принимаете ли чеки?", "чеки"),
        ("What is the salary of a team leader?", "salary"),
        ("Сколько весит сушилка?", "сушилка"),
        ("Какая гарантия на сушилку?", "гарантия"),
        ("Quanto tempo dura a garantia do aspirador?", "garantia do aspirador"),
        ("Есть ли в библиотеке кафе?", "кафе"),
        ("Есть ли у вас термосы?", "термосы"),
        ("Сколько стоит блинная сковорода?", "блинная сковорода"),
        ("сколько стоит вызвать врача на дом", "врача"),
        ("Quanto custa alugar uma bicicleta?", "bicicleta"),
        ("¿Cuánto cuesta reparar la cámara?", "cámara"),
        ("Is there a computer room?", "computer room"),
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
    assert asked_thing(question) == AskedThing(thing)


@pytest.mark.parametrize(
    ("question", "thing"),
    [
        ("Can I bring my parrot?", "parrot"),
        ("May we pay with a cheque?", "cheque"),
        ("Can I swim in the lake?", "swim"),
        ("When does the workshop close on Friday?", "workshop"),
        ("What time does the evening choir start?", "evening choir"),
        ("Is lunch included?", "lunch"),
        ("Do I need a licence?", "licence"),
        ("Who repairs bicycles?", "bicycles"),
        ("Можно ли приехать с младенцем?", "младенцем"),
        ("Можно взять напрокат лыжи?", "лыжи"),
        ("Можно ли у вас купаться?", "купаться"),
        ("Когда начинается ярмарка в мае?", "ярмарка"),
        ("Кто ведёт кружок гончаров?", "кружок гончаров"),
        ("Парковка для гостей бесплатная?", "Парковка"),
        ("Posso entrar com o meu gato?", "gato"),
        ("A que horas abre a padaria?", "padaria"),
        ("Quem conserta relógios?", "relógios"),
        ("O jantar está incluído?", "jantar"),
        ("¿Se puede pagar con cheque?", "cheque"),
        ("¿A qué hora cierra la piscina?", "piscina"),
        ("¿El desayuno es gratis?", "desayuno"),
    ],
)
def test_what_may_be_brought_paid_with_or_visited_may_be_named_by_a_page(question: str, thing: str) -> None:
    assert asked_thing(question) == AskedThing(thing, is_of_a_page=True)


@pytest.mark.parametrize(
    ("words", "language", "head"),
    [
        ("reading club", "en", "club"),
        ("club de lectura", "es", "club"),
        ("новый читальный зал", "ru", "зал"),
        ("Lesekreis am Montag", "de", None),
    ],
)
def test_one_word_names_the_thing_alone(words: str, language: str, head: str | None) -> None:
    assert AskedThing(words).head(language) == head


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
        "Do I need to book?",
        "When do you open?",
        "Is it free?",
        "Isso é grátis?",
        "Можно ли с первого раза понять?",
        "¿Qué está incluido?",
        "можно " * 5_000,
    ],
)
def test_other_questions_name_none(question: str) -> None:
    assert asked_thing(question) is None
