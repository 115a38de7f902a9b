"""Whether two questions ask the same: an approved answer must never go to another question."""

from __future__ import annotations

import csv
from itertools import pairwise
from pathlib import Path

import pytest

from sourcebook.consult.question.asked_for.kinds import QuestionKind, kinds_of
from sourcebook.consult.question.same_question import QuestionDifference, ask_the_same, difference

PAIRS = Path(__file__).parents[2] / "sample" / "question_pairs.csv"
LANGUAGES = ("en", "ru", "pt")


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        ("What is the way to reset the password?", "How do I reset my password?"),
        ("What do I do if I'm late?", "What do I do if I am late?"),
        ("What do they say if they’re late?", "What do they say if they are late?"),
        ("Подскажите, как можно восстановить пароль", "Как восстановить пароль?"),
        ("В какие сроки выплачивается зарплата?", "Когда выплачивают зарплату?"),
        ("С какой частотой поливают клубнику?", "Как часто поливать клубнику?"),
        ("Можно ли давать золу голубике?", "Можно ли давать голубике золу?"),
        ("Em que época se poda a framboesa remontante?", "Quando podar a framboesa remontante?"),
        ("Как избавиться от земляничного клеща?", "Как бороться с земляничным клещом?"),
        ("Сколько времени варится гречка?", "Как долго варить гречку?"),
        ("And you?", "and you"),
    ],
)
def test_the_same_in_other_words_that_questions_are_made_with(asked: str, known: str) -> None:
    assert difference(asked, known, LANGUAGES) is None


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        ("¿Cómo puedo restablecer la contraseña?", "¿Cómo restablezco mi contraseña?"),
        ("¿En qué año terminó la guerra?", "¿Cuándo terminó la guerra?"),
        ("¡Hola! ¿Cuál es el precio del plan anual?", "¡Hola! ¿Cuánto cuesta el plan anual?"),
        ("What is the price of the annual plan?", "How much does the annual plan cost?"),
        ("Is water damage covered by the warranty?", "Does the warranty cover water damage?"),
        ("Am I permitted to smoke on the balcony?", "Is smoking allowed on the balcony?"),
        ("В каком году умер Тесла?", "Когда умер Тесла?"),
        ("Через какие страны протекает река Енисей?", "Через какие страны протекает Енисей?"),
        ("Кто отвечает за утверждение расходов?", "Кто утверждает расходы?"),
        ("Сколько есть фильмов про Джеймса Бонда?", "Сколько фильмов про Джеймса Бонда?"),
        ("Em quantos dias chega a encomenda?", "Em quantos dias chega uma encomenda?"),
        ("Onde está a saída mais perto?", "Onde fica a saída mais próxima?"),
    ],
)
def test_near_questions_may_differ_in_forms_and_in_words_that_are_as_good(asked: str, known: str) -> None:
    assert difference(asked, known, ("en", "ru", "pt", "es"), 0.1) is None


@pytest.mark.parametrize(
    ("asked", "known", "why"),
    [
        ("Какая столица у Австралии?", "Какая столица у Австрии?", QuestionDifference.NAME),
        ("How do I uninstall the app?", "How do I install the app?", QuestionDifference.OPPOSITE),
        ("¿Cómo desactivo el modo oscuro?", "¿Cómo activo el modo oscuro?", QuestionDifference.OPPOSITE),
        ("Can I not go?", "Can I go?", QuestionDifference.DENIAL),
        ("Is it not so that nobody knows?", "Is it so that nobody knows?", QuestionDifference.DENIAL),
        ("¿Por qué se retrasa mi pedido?", "¿Cuánto se retrasa mi pedido?", QuestionDifference.KIND),
        ("How do I install the app in Rome?", "How do I install the app?", QuestionDifference.NAME),
        ("How do I reset my router?", "How do I reset my password?", QuestionDifference.ONE_WORD),
        (
            "Quais são os requisitos da matrícula optativa?",
            "Quais são os requisitos da matrícula?",
            QuestionDifference.ONE_WORD,
        ),
    ],
)
def test_no_distance_makes_look_alikes_the_same(asked: str, known: str, why: QuestionDifference) -> None:
    assert difference(asked, known, ("en", "ru", "pt", "es"), 0.0) is why
    assert difference(known, asked, ("en", "ru", "pt", "es"), 0.0) is not None


@pytest.mark.parametrize(
    ("asked", "known", "why"),
    [
        ("Which pH do raspberries need?", "Which pH do blueberries need?", QuestionDifference.ONE_WORD),
        ("When do I prune raspberries?", "How do I prune raspberries?", QuestionDifference.KIND),
        (
            "How much fertiliser do blueberries need?",
            "What fertiliser do blueberries like?",
            QuestionDifference.KIND,
        ),
        ("На какой глубине сажать малину?", "На каком расстоянии сажать малину?", QuestionDifference.KIND),
        ("How often is the filter changed?", "How is the filter changed?", QuestionDifference.KIND),
        ("Почему приходит письмо с кодом?", "Почему не приходит письмо с кодом?", QuestionDifference.DENIAL),
        ("Can I pay 500 euros in cash?", "Can I pay 5000 euros in cash?", QuestionDifference.NUMBER),
        ("Can I feed them in autumn?", "Can I feed them in spring?", QuestionDifference.DECISIVE_WORD),
        (
            "How many accounts can one user have?",
            "How many users can one account have?",
            QuestionDifference.ORDER,
        ),
        ("What is the interest rate?", "What is the internet rate?", QuestionDifference.ONE_WORD),
        ("Is a formal letter needed?", "Is a format letter needed?", QuestionDifference.ONE_WORD),
        ("How do I fight cane blight?", "Where do grey slugs hide?", QuestionDifference.KIND),
        ("Who approves long business trips?", "Who approves holidays?", QuestionDifference.OTHER_WORDS),
        ("Why?", "What is that?", QuestionDifference.KIND),
        ("What is it?", "What are they?", QuestionDifference.OTHER_WORDS),
        ("Do I have a password?", "Do I need a password?", QuestionDifference.KIND),
        ("Can I prune in winter?", "Should I prune in winter?", QuestionDifference.KIND),
        ("Who is the owner?", "What is the owner?", QuestionDifference.KIND),
        ("What data is stored?", "When is it stored?", QuestionDifference.KIND),
        ("What does the unit do?", "What is the unit?", QuestionDifference.KIND),
        ("O que a unidade lógica faz?", "O que é a unidade lógica?", QuestionDifference.KIND),
        ("How long ago did cells appear?", "How do cells appear?", QuestionDifference.KIND),
        ("What is the time limit?", "What is the limit?", QuestionDifference.ONE_WORD),
    ],
)
def test_questions_that_only_look_alike_are_kept_apart(
    asked: str, known: str, why: QuestionDifference
) -> None:
    assert difference(asked, known, ["ru" if "ч" in asked or "м" in asked else "en"]) is why
    assert difference(asked, known, LANGUAGES) is not None
    assert difference(known, asked, LANGUAGES) is not None


def test_no_look_alike_of_the_sample_is_taken_for_the_same() -> None:
    with PAIRS.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    hits = [row for row in rows if difference(row["other"], row["question"], LANGUAGES) is None]
    assert [row for row in hits if row["same"] == "no"] == []
    assert len(hits) >= 5


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("What is the right time to prune?", QuestionKind.TIME),
        ("Em que meses se planta o morango?", QuestionKind.TIME),
        ("У голубики пожелтели листья, в чём причина?", QuestionKind.REASON),
        ("Por que as folhas estão amarelas?", QuestionKind.REASON),
        ("Сколько раз в неделю поливать?", QuestionKind.FREQUENCY),
        ("Quanto tempo dura o mirtilo na geladeira?", QuestionKind.DURATION),
        ("How many days do they keep?", QuestionKind.DURATION),
        ("What distance do I leave between them?", QuestionKind.DISTANCE),
        ("At what depth do I set them?", QuestionKind.DEPTH),
        ("How many litres when it is hot?", QuestionKind.AMOUNT),
    ],
)
def test_what_a_question_asks_for_shows_in_its_words(question: str, kind: QuestionKind) -> None:
    assert kinds_of(question) == {kind}


def test_the_quick_comparison_with_many_questions_agrees_with_the_whole_one() -> None:
    with PAIRS.open(encoding="utf-8", newline="") as file:
        pairs = [(row["question"], row["other"]) for row in csv.DictReader(file)]
    others = [other for _, other in pairs]
    compared = [*pairs, *pairwise(others), *NUMBERED]
    found = [ask_the_same(asked, known, LANGUAGES) for asked, known in compared]
    assert found == [difference(asked, known, LANGUAGES) is None for asked, known in compared]
    assert set(found) == {True, False}


NUMBERED = (
    ("How much water do 2 plants need?", "How much water do two plants need?"),
    ("¿Cuánta agua necesitan dos plantas?", "¿Cuánta agua necesitan 2 plantas?"),
    ("¿Cuánta agua necesitan once plantas?", "¿Cuánta agua necesitan dos plantas?"),
    ("What do I do before the frost?", "What do I do after the frost?"),
)
