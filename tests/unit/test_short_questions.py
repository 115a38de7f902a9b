"""Short everyday questions to small folders, which say it in other words."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.consulting import desk

from sourcebook.consult.evidence.acceptance import judged, term_weights
from sourcebook.consult.evidence.missing_form import is_count_missing
from sourcebook.consult.evidence.question_judge import WeighedQuestion, numbers_of
from sourcebook.consult.evidence.question_share import held_share
from sourcebook.model.asked_collection import WordCounts
from sourcebook.model.chat import Tier
from sourcebook.model.documents import Chunk
from sourcebook.model.search import SearchResult


def passage(text: str) -> SearchResult:
    return SearchResult(Chunk("c", "d", text, end_index=len(text)), 2.0)


@pytest.mark.parametrize(
    ("question", "text", "is_missing"),
    [
        ("How many boats does the club own?", "Booking a boat takes 3 days.", True),
        ("How many boats does the club own?", "The club has twelve racing boats.", False),
        ("How many boats does the club own?", "Boats: 12", False),
        ("How many products are there?", "A shop with 1.18M real-world products.", False),
        ("Сколько врачей в клинике?", "Врач работает с 9 до 18.", True),
        ("Сколько врачей в клинике?", "В клинике 14 врачей.", False),
        ("How many days is it open?", "It opens at 9.", False),
    ],
)
def test_how_many_wants_a_number_that_counts_such_things(
    question: str, text: str, *, is_missing: bool
) -> None:
    assert is_count_missing(question, [passage(text)]) == is_missing


def test_a_small_base_needs_less_and_a_larger_one_does_not() -> None:
    def smallness(rows: int) -> float:
        question = WeighedQuestion("prune", {"prune": 1.0}, WordCounts({"prune": 1}, rows))
        found = passage("Prune in autumn.")
        return numbers_of(question, [(found, judged(question.weights, found, "en"))])["small_base"]

    assert smallness(5) > smallness(50) > smallness(100) == smallness(5000) == 0


def test_words_that_people_ask_with_tell_little_in_a_small_base() -> None:
    weights = term_weights("can i row here before nine", ["en"], {}, 10)
    assert max(weights["can"], weights["befor"]) < weights["row"] / 2


@pytest.mark.parametrize(
    ("question", "text", "is_held"),
    [
        ("rent", "Canoes can be hired.", True),
        ("kids", "Juniors pay half.", True),
        ("машина", "Своей парковки нет.", True),
        ("piscina", "A quadra abre às 8h.", False),
    ],
)
def test_a_text_may_say_it_in_another_everyday_word(question: str, text: str, *, is_held: bool) -> None:
    language = "ru" if question == "машина" else "pt" if question == "piscina" else "en"
    weights = term_weights(question, [language], {}, 10)
    assert (held_share(weights, text, language) > 0) == is_held


@pytest.mark.anyio
async def test_a_price_need_not_be_called_a_price(tmp_path: Path) -> None:
    async with desk(tmp_path, notes={"Fees": "| Who | Per year |\n|---|---|\n| Family | 420 GBP |\n"}) as at:
        answer = await at.book.ask("what does a family pay")
    assert answer.tier is Tier.DOCUMENTS
    assert "420 GBP" in answer.answer
