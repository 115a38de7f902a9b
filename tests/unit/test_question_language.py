"""A few words are in the language of the base where they might be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sourcebook.consult.question.conversation.question_language import question_language, spoken_language
from sourcebook.model.asked_collection import AskedCollection
from sourcebook.model.chat import ChatMessage, Role
from sourcebook.model.documents import Collection
from sourcebook.retrieve.question_context import QuestionContext

if TYPE_CHECKING:
    from sourcebook.model.documents import EmbeddingModel
    from sourcebook.ports.providers import Embedder


async def no_embedder(model: EmbeddingModel) -> Embedder:
    raise AssertionError(model)


def spoken(question: str, *held: str) -> str | None:
    asked = AskedCollection(Collection("default", 3), languages=held)
    return question_language(question, QuestionContext(no_embedder, [asked]))


@pytest.mark.parametrize(
    "question", ["horario da secretaria", "cartao perdido", "ha estacionamento para bicicletas"]
)
def test_a_few_words_without_their_accents_are_in_the_language_of_the_base(question: str) -> None:
    assert spoken(question, "pt", "") == "pt"
    assert spoken(question, "en") != "pt"


def test_a_short_question_is_not_in_a_language_that_a_base_of_several_lacks() -> None:
    question = "Quando podar a framboesa remontante?"
    assert spoken(question, "en", "ru", "pt") == "pt"
    assert spoken(question, "en", "ru") == "it"


@pytest.mark.parametrize(
    ("question", "held", "language"),
    [
        ("quién es el director", ("pt",), "es"),
        ("quem é o diretor", ("es",), "pt"),
        ("where is the key", ("pt",), "en"),
        ("где ключ от подвала", ("en",), "ru"),
        ("donde puedo dejar el coche por la noche", ("pt",), "es"),
        ("cartao perdido", ("pt", "es"), "es"),
    ],
)
def test_words_of_another_language_are_in_that_language(
    question: str, held: tuple[str, ...], language: str
) -> None:
    assert spoken(question, *held) == language


@pytest.mark.parametrize(
    ("before", "question", "language"),
    [
        ("pt", "e a Reserva?", "pt"),
        ("pt", "vendem azeite?", "pt"),
        ("pt", "quanto tempo dura?", "pt"),
        ("pt", "Is there parking?", "en"),
        ("pt", "And a dog?", "en"),
        ("pt", "¿y el domingo?", "es"),
        ("pt", "waar is het toilet?", "nl"),
        ("pt", "où est la gare?", "fr"),
        ("pt", "где ключ от подвала?", "ru"),
        ("ru", "Is there parking?", "en"),
        ("ru", "parking?", "en"),
        ("en", "e a Reserva?", "en"),
        ("en", "Quem é o diretor?", "pt"),
        (None, "e a Reserva?", "en"),
        (None, "wifi?", "pt"),
    ],
)
def test_a_short_follow_up_is_in_the_language_of_the_conversation_if_it_may_be(
    before: str | None, question: str, language: str
) -> None:
    context = QuestionContext(no_embedder, [AskedCollection(Collection("default", 3), languages=("pt",))])
    history = [ChatMessage("", "", 0, Role.ASSISTANT, "…", details={"language": before})]
    assert spoken_language(question, context, history) == language
