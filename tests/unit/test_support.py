"""What a reader would be misled by is caught, and what says the same is not."""

from __future__ import annotations

import time

import pytest

from sourcebook.consult.citations.source_binding import without_marks
from sourcebook.consult.support.support_check import Doubt, check_support
from sourcebook.text.numbers import quantities

EN = "Blueberries need acid soil: a pH of 4.5 to 5.0. They are not fed with fresh manure. Space them 1.2 m apart."
RU = "Ремонтантную малину обрезают в октябре до земли. На один метр оставляют 8–10 побегов. Навоз весной не вносят."
PT = "Os mirtilos pedem solo ácido, com pH de 4,5 a 5,0. Não se usa esterco fresco. Regue com 10 litros por semana."


@pytest.mark.parametrize(
    ("sentence", "quote", "language"),
    [
        ("The soil for blueberries must be acid, with a pH from 4.5 to 5.", EN, "en"),
        ("Do not feed them with fresh manure.", EN, "en"),
        ("Plant blueberries 1.2 metres apart.", EN, "en"),
        ("Обрезайте ремонтантную малину до земли в октябре.", RU, "ru"),
        ("На метр оставляют от 8 до 10 побегов.", RU, "ru"),
        ("O solo dos mirtilos deve ser ácido, pH 4,5 a 5.", PT, "pt"),
        ("Regue os mirtilos com dez litros por semana.", PT, "pt"),
    ],
)
def test_a_true_sentence_is_supported(sentence: str, quote: str, language: str) -> None:
    assert check_support(sentence, quote, language).doubts == ()


@pytest.mark.parametrize(
    ("sentence", "quote", "language", "doubt"),
    [
        ("Blueberries need a pH of 5.5 to 6.0.", EN, "en", Doubt.NUMBER),
        ("Space blueberries 1.2 km apart.", EN, "en", Doubt.UNIT),
        ("Blueberries are fed with fresh manure.", EN, "en", Doubt.NEGATION),
        ("Blueberries do not need acid soil.", EN, "en", Doubt.NEGATION),
        ("The variety Duke needs acid soil.", EN, "en", Doubt.NAME),
        ("Water the lawn every evening in hot weather.", EN, "en", Doubt.WORDS),
        (
            "Ремонтантную малину обрезают весной до земли.",
            "Ремонтантную малину обрезают осенью до земли.",
            "ru",
            Doubt.TURNED_AROUND,
        ),
        ("Ремонтантную малину не обрезают до земли.", RU, "ru", Doubt.NEGATION),
        ("Навоз весной вносят.", RU, "ru", Doubt.NEGATION),
        ("На метр оставляют 8–10 кг.", "На метр оставляют 8–10 см.", "ru", Doubt.UNIT),
        ("Usa-se esterco fresco.", PT, "pt", Doubt.NEGATION),
        ("Regue com 15 litros por semana.", PT, "pt", Doubt.NUMBER),
    ],
)
def test_a_false_sentence_is_doubted_for_the_right_reason(
    sentence: str, quote: str, language: str, doubt: Doubt
) -> None:
    assert doubt in check_support(sentence, quote, language).doubts


def test_the_title_may_supply_the_name() -> None:
    assert check_support("The bush Duke wants sour soil.", "The bush wants sour soil.", "en").doubts == (
        Doubt.NAME,
    )
    assert (
        check_support(
            "The bush Duke wants sour soil.", "The bush wants sour soil.", "en", context="Duke"
        ).doubts
        == ()
    )


@pytest.mark.parametrize(
    ("sentence", "quote", "language"),
    [
        ("Never.", "Never cut a summer raspberry to the ground.", "en"),
        ("No, it is not.", "No fence is needed, it is not cold.", "en"),
        ("Нет.", "Нет, обрезать не нужно.", "ru"),
        ("Não.", "Não se poda no verão.", "pt"),
    ],
)
def test_a_bare_denial_is_not_verified_by_a_denial_of_something(
    sentence: str, quote: str, language: str
) -> None:
    assert Doubt.WORDS in check_support(sentence, quote, language).doubts
    assert check_support("In October.", "Cut them in October.", "en").is_enough


def test_an_answer_of_one_endless_sentence_is_read_in_a_moment() -> None:
    """What anybody may send holds up nobody else."""
    started = time.process_time()
    assert not check_support("Blueberries " * 2600, "Raspberries fruit on canes.", "en").is_enough
    assert without_marks("`" * 32_000) == "`" * 32_000
    assert time.process_time() - started < 1


def test_an_empty_quote_supports_nothing() -> None:
    assert check_support("Anything.", "  ", "en").doubts == (Doubt.NO_QUOTE,)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1 500 г", [("1500", "g")]),
        ("1,500 g and 1.500 g", [("1500", "g"), ("1500", "g")]),
        ("2,5 l or 2.50 L", [("2.5", "l"), ("2.5", "l")]),
        ("3–4 m²", [("3", "m2"), ("4", "m2")]),
        ("25% or 25 percent or 25 por cento", [("25", "%")] * 3),
        ("R$ 3,20 and €5", [("3.2", "real"), ("5", "euro")]),
        ("two weeks, три дня", [("2", "week"), ("3", "day")]),
        ("no numbers here", []),
    ],
)
def test_a_number_has_one_form_and_its_unit(text: str, found: list[tuple[str, str | None]]) -> None:
    assert [(q.value, q.unit) for q in quantities(text)] == found
