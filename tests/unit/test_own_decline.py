"""A model's own "I don't know" is a decline, and a short answer is not taken for one."""

from __future__ import annotations

import pytest

from sourcebook.consult.answer.composer import PassageSources, StreamedAnswer
from sourcebook.consult.answer.model_decline import is_own_decline

DECLINES = [
    "I don't know.",
    "I’m sorry, but I don’t know the answer to that question.",
    "I do not have enough information to answer this question.",
    "I'm not sure.",
    "I am unable to answer this from the passages.",
    "Unfortunately, the passages do not mention tractors.",
    "The provided passages do not contain information about gearbox oil.",
    "There is no information about this in the passages.",
    "None of the passages says which oil suits a tractor.",
    "Sorry, I cannot find that.",
    "Я не знаю.",
    "К сожалению, я не могу ответить на этот вопрос.",
    "В предоставленных отрывках нет информации об этом.",
    "В текстах ничего не сказано о тракторах.",
    "Не знаю, в отрывках этого нет.",
    "Информации о масле для трактора не найдено.",
    "Извините, у меня нет данных по этому вопросу.",
    "Отрывки не содержат ответа на вопрос.",
    "Não sei.",
    "Infelizmente, não encontrei essa informação.",
    "Não há informações sobre isso nos trechos.",
    "Os trechos fornecidos não mencionam óleo.",
    "Desculpe, não tenho informação suficiente.",
    "No lo sé.",
    "Lo siento, no tengo información sobre eso.",
    "Los pasajes no mencionan el aceite.",
    "No hay información sobre eso en los fragmentos.",
]
ANSWERS = [
    "In late autumn.",
    "No. Cut them in autumn.",
    "There is no need to water them in winter.",
    "The passages of the gallery do not close before eight.",
    "I would prune them in autumn.",
    "It is not necessary to cut them.",
    "Не обрезайте весной.",
    "Нет, малину обрезают осенью.",
    "В теплице не нужно поливать чаще раза в неделю.",
    "Não regue à tarde.",
    "No riegue por la tarde.",
    "Não há geada em abril.",
    "Знаю: осенью.",
    "I don't know of a better way to say it: " + "cut every cane to the ground in autumn. " * 12,
]


@pytest.mark.parametrize("said", DECLINES)
def test_not_knowing_is_a_decline(said: str) -> None:
    assert is_own_decline(said)
    assert is_own_decline(said.upper())


@pytest.mark.parametrize("said", ANSWERS)
def test_an_answer_is_an_answer(said: str) -> None:
    assert not is_own_decline(said)


def followed(*pieces: str) -> tuple[str, StreamedAnswer]:
    answer = StreamedAnswer(PassageSources([], {}, "en"))
    shown = "".join([*(answer.feed(piece) for piece in pieces), answer.close()])
    return shown, answer


@pytest.mark.parametrize("said", ["I don't know.", "К сожалению, я не знаю.", "No lo sé."])
def test_a_decline_is_not_shown_before_it_is_known(said: str) -> None:
    shown, answer = followed(said)
    assert (shown, answer.has_nothing) == ("", True)


def test_with_a_citation_it_is_no_decline() -> None:
    shown, answer = followed("I don't know a date, but they are cut in autumn [1].")
    assert (shown[:12], answer.has_nothing) == ("I don't know", False)


@pytest.mark.parametrize("pieces", [["a\ud83d", "\ude00b\x00c\udcff"], list("a\ud83d\ude00b\x00c\udcff")])
def test_letters_that_no_database_keeps_are_cleaned_and_halves_are_joined(pieces: list[str]) -> None:
    shown, _ = followed(*pieces)
    assert shown == "a😀b�c�"


def test_half_a_letter_at_the_end_is_replaced() -> None:
    assert followed("a\ud83d")[0] == "a�"
