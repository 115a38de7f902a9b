"""A sentence is laid beside the quote that it cites: what stands in the wrong place, or says the opposite, is seen."""

from __future__ import annotations

import pytest

from sourcebook.consult.citations.marks_and_quotes import best_quote
from sourcebook.consult.support.support_check import Doubt, check_support
from sourcebook.model.chat import SupportGrade
from sourcebook.text.numbers import quantities


@pytest.mark.parametrize(
    ("sentence", "quote", "language"),
    [
        (
            "The bridge has 12 lamps on 40 pillars and stands in the old town.",
            "The bridge has 40 lamps on 12 pillars and stands in the old town.",
            "en",
        ),
        (
            "The bridge was closed in 1990 and built in 2005.",
            "The bridge was built in 1990 and closed in 2005.",
            "en",
        ),
        (
            "In that year Anna sold the house on the hill to Peter.",
            "In that year Peter sold the house on the hill to Anna.",
            "en",
        ),
        (
            "Завод выпускает 30 машин за 8 часов, если хватает деталей.",
            "Завод выпускает 8 машин за 30 часов, если хватает деталей.",
            "ru",
        ),
        (
            "Тогда Иванов передал письмо из столицы Петрову.",
            "Тогда Петров передал письмо из столицы Иванову.",
            "ru",
        ),
        (
            "A ponte foi fechada em 1990 e construída em 2005.",
            "A ponte foi construída em 1990 e fechada em 2005.",
            "pt",
        ),
        (
            "El puente se cerró en 1990 y se construyó en 2005.",
            "El puente se construyó en 1990 y se cerró en 2005.",
            "es",
        ),
    ],
)
def test_facts_that_change_places_are_doubted(sentence: str, quote: str, language: str) -> None:
    assert check_support(sentence, quote, language).doubts == (Doubt.EXCHANGED,)


@pytest.mark.parametrize(
    ("sentence", "passage", "language"),
    [
        ("The mill was built in 1979.", "The mill was built in 1954. It burnt down in 1979.", "en"),
        ("Мельницу построили в 1979 году.", "Мельницу построили в 1954 году. Она сгорела в 1979 году.", "ru"),
        ("O moinho foi construído em 1979.", "O moinho foi construído em 1954. Ardeu em 1979.", "pt"),
        ("El molino se construyó en 1979.", "El molino se construyó en 1954. Ardió en 1979.", "es"),
    ],
)
def test_a_fact_of_the_next_sentence_is_doubted_whatever_is_quoted(
    sentence: str, passage: str, language: str
) -> None:
    assert not best_quote(sentence, passage, language).is_enough
    assert Doubt.EXCHANGED in check_support(sentence, passage, language).doubts


@pytest.mark.parametrize(
    ("sentence", "quote", "language"),
    [
        ("Peter and Anna came in May.", "Anna and Peter came in May.", "en"),
        ("Cats and dogs are welcome in the hall.", "Dogs and cats are welcome in the hall.", "en"),
        ("Пётр и Анна приехали в мае.", "Анна и Пётр приехали в мае.", "ru"),
        ("Em maio vieram o Pedro e a Ana.", "O Pedro e a Ana vieram em maio.", "pt"),
    ],
)
def test_what_may_change_places_is_not_doubted(sentence: str, quote: str, language: str) -> None:
    assert check_support(sentence, quote, language).is_enough


@pytest.mark.parametrize(
    ("sentence", "quote", "language"),
    [
        ("Sales of the new model fell last year.", "Sales of the new model rose last year.", "en"),
        ("It is possible to return the goods.", "It is impossible to return the goods.", "en"),
        ("The gene is downregulated in the liver.", "The gene is upregulated in the liver.", "en"),
        ("Продажи новой модели упали за год.", "Продажи новой модели выросли за год.", "ru"),
        ("Известный художник жил в этом доме.", "Неизвестный художник жил в этом доме.", "ru"),
        ("As vendas do modelo diminuíram este ano.", "As vendas do modelo aumentaram este ano.", "pt"),
        ("O erro é visível na tela inicial.", "O erro é invisível na tela inicial.", "pt"),
        ("Las ventas del modelo bajaron este año.", "Las ventas del modelo aumentaron este año.", "es"),
        ("El plazo es suficiente para todos.", "El plazo es insuficiente para todos.", "es"),
    ],
)
def test_the_opposite_is_doubted(sentence: str, quote: str, language: str) -> None:
    doubts = check_support(sentence, quote, language).doubts
    assert Doubt.OPPOSITE in doubts or Doubt.DEGREE in doubts


@pytest.mark.parametrize(
    ("sentence", "quote", "language"),
    [
        ("The tenant must paint the walls himself.", "The tenant may paint the walls himself.", "en"),
        ("All rooms have a view of the lake.", "Some rooms have a view of the lake.", "en"),
        ("The trip takes at most four hours by bus.", "The trip takes at least four hours by bus.", "en"),
        ("Жилец должен покрасить стены сам.", "Жилец может покрасить стены сам.", "ru"),
        ("Некоторые комнаты выходят на озеро.", "Все комнаты выходят на озеро.", "ru"),
        ("Поездка длится не более четырёх часов.", "Поездка длится не менее четырёх часов.", "ru"),
        ("O inquilino deve pintar as paredes.", "O inquilino pode pintar as paredes.", "pt"),
        ("Alguns quartos têm vista para o lago.", "Todos os quartos têm vista para o lago.", "pt"),
        ("El inquilino debe pintar las paredes.", "El inquilino puede pintar las paredes.", "es"),
        ("Pocos cuartos tienen vista al lago.", "Muchos cuartos tienen vista al lago.", "es"),
    ],
)
def test_another_degree_is_doubted(sentence: str, quote: str, language: str) -> None:
    assert Doubt.DEGREE in check_support(sentence, quote, language).doubts


@pytest.mark.parametrize(
    ("sentence", "quote", "language"),
    [
        ("The drug cures the disease in adults.", "The drug may cure the disease in adults.", "en"),
        (
            "Лекарство излечивает болезнь у взрослых.",
            "Лекарство, возможно, излечивает болезнь у взрослых.",
            "ru",
        ),
        ("O remédio cura a doença em adultos.", "O remédio talvez cure a doença em adultos.", "pt"),
        (
            "El remedio cura la enfermedad en adultos.",
            "El remedio quizás cura la enfermedad en adultos.",
            "es",
        ),
    ],
)
def test_a_lost_hedge_is_doubted(sentence: str, quote: str, language: str) -> None:
    assert Doubt.HEDGE in check_support(sentence, quote, language).doubts


@pytest.mark.parametrize(
    ("sentence", "quote", "language"),
    [
        ("You get a reply within 10 calendar days.", "You get a reply within ten business days.", "en"),
        ("You get a reply within 10 days.", "You get a reply within ten business days.", "en"),
        ("Ответ дают в течение 10 календарных дней.", "Ответ дают в течение 10 рабочих дней.", "ru"),
        ("A resposta chega em 10 dias corridos.", "A resposta chega em 10 dias úteis.", "pt"),
        ("La respuesta llega en 10 días naturales.", "La respuesta llega en 10 días hábiles.", "es"),
        ("El viaje dura 3 semanas.", "El viaje dura 3 días.", "es"),
    ],
)
def test_other_days_are_another_unit(sentence: str, quote: str, language: str) -> None:
    assert Doubt.UNIT in check_support(sentence, quote, language).doubts


@pytest.mark.parametrize(
    ("sentence", "quote", "language"),
    [
        ("More than 5,000 people live in the valley.", "Over 5,000 people live in the valley.", "en"),
        ("A 3-dimensional model was built.", "A three-dimensional model was built.", "en"),
        ("The 22 members met in Rome.", "The twenty-two members met in Rome.", "en"),
        (
            "It is not possible to cancel the order after a day.",
            "It is impossible to cancel the order after a day.",
            "en",
        ),
        ("В долине живёт более 5000 человек.", "В долине живёт свыше 5000 человек.", "ru"),
        ("Mais de 5000 pessoas vivem no vale.", "Mais de 5.000 pessoas vivem no vale.", "pt"),
        ("El contrato dura 2 años.", "El contrato dura dos años.", "es"),
    ],
)
def test_the_same_said_otherwise_is_not_doubted(sentence: str, quote: str, language: str) -> None:
    assert check_support(sentence, quote, language).doubts == ()


@pytest.mark.parametrize(
    ("sentence", "grade", "is_verified"),
    [
        ("Water the young trees in the evening.", SupportGrade.EXACT, True),
        ("In dry weeks, water the young trees with a can in the evening.", SupportGrade.CLOSE, True),
        ("Irrigate the young trees in the evening in dry weeks.", SupportGrade.CLOSE, False),
        ("Water the old trees in the evening in dry weeks.", SupportGrade.DOUBTFUL, False),
    ],
)
def test_a_sentence_has_one_of_three_grades(sentence: str, grade: SupportGrade, is_verified: bool) -> None:
    quote = "Water the young trees in the evening with a can in dry weeks."
    support = check_support(sentence, quote, "en")
    assert (support.grade, support.is_verified) == (grade, is_verified)
    assert bool(support.reservations) is not is_verified


def test_what_is_only_reworded_says_so() -> None:
    support = check_support(
        "Irrigate the young trees in the evening.", "Water the young trees in the evening.", "en"
    )
    assert (support.doubts, support.reservations) == ((), ("reworded",))


def test_a_sentence_that_contradicts_is_not_outvoted_by_one_that_shares_its_words() -> None:
    passage = (
        "The vaccine did not protect the older patients in the trial. "
        "Older patients in the trial asked why the vaccine did protect the younger ones, and whether it may help."
    )
    quote = best_quote("The vaccine did protect the older patients in the trial.", passage, "en")
    assert (quote.is_enough, quote.text) == (False, passage[: quote.end])


def test_words_of_numbers_are_read_in_their_language() -> None:
    assert [q.value for q in quantities("dos años, once meses", "es")] == ["2", "11"]
    assert quantities("once upon a time", "en") == []
    assert [q.value for q in quantities("o tamanho dos arquivos", "pt")] == []
