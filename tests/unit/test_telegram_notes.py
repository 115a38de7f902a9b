"""What the bot says below an answer about how well its sources bear it out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sourcebook.consult.support.support_check import Doubt
from sourcebook.faces.telegram.bot_services import BotTerms
from sourcebook.faces.telegram.messages.answer_and_draft_texts import answer, place
from sourcebook.locale import LANGUAGES, texts
from sourcebook.model.chat import Answer, Sentence, SupportGrade, Tier
from sourcebook.model.consultations import Reply, Topic
from sourcebook.model.token_prices import Prices
from sourcebook.testing.contract.chat import citation


def shown(language: str, *sentences: Sentence) -> str:
    given = Answer("q", "a", Tier.DOCUMENTS, sentences=sentences)
    reply = Reply(given, Topic(1, 1, "s", "chat"), 0, 0, 0)
    return answer(texts(language), reply, BotTerms(frozenset(), Prices())).text


@pytest.mark.parametrize("language", LANGUAGES)
def test_other_words_are_told_from_doubts(language: str) -> None:
    said = texts(language)
    reworded = Sentence(0, 1, (1,), False, ("reworded",), SupportGrade.CLOSE)
    doubtful = Sentence(0, 1, (1,), False, ("exchanged", "hedge"), SupportGrade.DOUBTFUL)
    assert said("reworded") in shown(language, reworded)
    assert said("unverified") not in shown(language, reworded)
    both = shown(language, reworded, doubtful)
    assert said("unverified") in both
    assert said("doubt_exchanged") in both
    assert said("doubt_hedge") in both
    assert said("reworded") not in both


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_doubt_about_a_quote_has_words_for_people(language: str) -> None:
    told = {doubt for doubt in Doubt if f"doubt_{doubt}" in texts(language).entries}
    # That a source holds too little of it is what the note itself says.
    assert set(Doubt) - told == {Doubt.WORDS, Doubt.NO_QUOTE}


def test_a_source_is_named_with_its_section() -> None:
    said = texts("en")
    cited = citation(document_path="docs/notes.md", document_title="Notes", page=None)
    assert place(said, replace(cited, section="Notes > Canes")) == "Notes (notes.md) › Canes"
    assert place(said, replace(cited, section="Notes")) == "Notes (notes.md)"
