"""A few words are in the language of the base where they might be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sourcebook.consult.question.question_language import question_language
from sourcebook.model.asked_collection import AskedCollection
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
