"""What a reader and a judge add to an answer. The rules stay; a model that fails is left out."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import pytest
from tests.unit.consulting import NOTES, PRUNING, QUESTION

from sourcebook import Answer, AsyncSourcebook, Settings, SupportGrade, Tier
from sourcebook.assembly import Embedders, Rerankers, make_retriever
from sourcebook.consult.answer.model_checks import CONTRADICTION, ModelChecks
from sourcebook.consult.answer_policy import AnswerPolicy
from sourcebook.consult.ask import Consultation
from sourcebook.consult.question.inquiry import Inquiry
from sourcebook.errors import ProviderMissing
from sourcebook.model.chat import AnswerEvent, Done, ExcerptFound, PassagesFound, Searching, TokenWritten
from sourcebook.ports.providers import Entailment, ReadAnswer
from sourcebook.testing.fakes import FakeEmbedder

if TYPE_CHECKING:
    from sourcebook.ports.chat import ChatModel, PromptMessage


@dataclass
class SaidJudge:
    """Finds what it is told to, and remembers what it was asked."""

    found: Entailment | None
    asked: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    async def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        self.asked += pairs
        if self.found is None:
            raise ProviderMissing("There is no file model.onnx.")
        return [self.found for _ in pairs]


@dataclass
class SaidReader:
    found: ReadAnswer | None

    async def read(self, question: str, passages: Sequence[str]) -> list[ReadAnswer]:
        assert question == QUESTION
        if self.found is None:
            raise ProviderMissing("There is no file model.onnx.")
        return [self.found for _ in passages]


class SaidModel:
    name = "said"

    async def stream(self, messages: Sequence[PromptMessage]) -> AsyncGenerator[str, None]:
        assert messages
        yield "Prune everbearing raspberries in late autumn. [1]"


async def asked(
    folder: Path,
    checks: ModelChecks,
    chat_model: ChatModel | None = None,
    policy: AnswerPolicy | None = None,
    events: list[AnswerEvent] | None = None,
) -> Answer:
    settings, embedder = Settings(db=str(folder / "base.db")), FakeEmbedder()
    async with AsyncSourcebook(settings=settings, embedder=embedder) as book:
        for name, text in NOTES.items():
            await book.add_text(text, id=name, title=name.title())
        embedders = Embedders(settings, embedder)
        consultation = Consultation(
            stores=book.stores,
            retrieval=make_retriever(book.stores, embedders, Rerankers(settings), settings),
            embedder_for=embedders.choose,
            chat_model=chat_model,
            policy=policy,
            checks=checks,
        )
        seen = events if events is not None else []
        return await consultation.answer(Inquiry(QUESTION, ("default",)), seen.append)


@pytest.mark.anyio
async def test_a_contradiction_makes_a_sentence_doubtful_with_that_reason(tmp_path: Path) -> None:
    judge = SaidJudge(Entailment(0.05, 0.9))
    answer = await asked(tmp_path, ModelChecks(judge=judge), SaidModel())
    [sentence] = answer.sentences
    assert (sentence.verified, sentence.support) == (False, SupportGrade.DOUBTFUL)
    assert CONTRADICTION in sentence.doubts
    [(source, said)] = judge.asked
    assert source in PRUNING
    assert "late autumn" in said


@pytest.mark.anyio
@pytest.mark.parametrize("found", [Entailment(0.9, 0.05), Entailment(0.2, 0.7), None])
async def test_what_is_not_surely_contradicted_stays_as_the_rules_have_it(
    tmp_path: Path, found: Entailment | None
) -> None:
    answer = await asked(tmp_path, ModelChecks(judge=SaidJudge(found)), SaidModel())
    assert [sentence.verified for sentence in answer.sentences] == [True]


@pytest.mark.anyio
async def test_what_is_quoted_is_not_judged(tmp_path: Path) -> None:
    judge = SaidJudge(Entailment(0.0, 1.0))
    answer = await asked(tmp_path, ModelChecks(judge=judge))
    assert (answer.tier, judge.asked) == (Tier.DOCUMENTS, [])


@pytest.mark.anyio
async def test_a_reader_marks_the_words_that_answer(tmp_path: Path) -> None:
    answer = await asked(tmp_path, ModelChecks(reader=SaidReader(ReadAnswer(3, 9, 2.0))))
    assert [list(citation.highlight) for citation in answer.citations] == [[(3, 9)]]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("certainty", "tier"), [(-9.0, Tier.NONE), (-1.0, Tier.DOCUMENTS), (None, Tier.DOCUMENTS)]
)
async def test_a_reader_that_is_sure_of_nothing_declines(
    tmp_path: Path, certainty: float | None, tier: Tier
) -> None:
    found = None if certainty is None else ReadAnswer(0, 0, certainty)
    answer = await asked(tmp_path, ModelChecks(reader=SaidReader(found)))
    assert answer.tier is tier


@pytest.mark.anyio
@pytest.mark.parametrize("is_slow", [True, False])
async def test_the_reader_sees_an_excerpt_before_a_slow_model_writes(tmp_path: Path, is_slow: bool) -> None:
    events: list[AnswerEvent] = []
    policy = AnswerPolicy(shows_excerpt=is_slow)
    answer = await asked(tmp_path, ModelChecks(), SaidModel(), policy, events)
    kinds = [type(event) for event in events]
    assert (ExcerptFound in kinds) == is_slow
    if is_slow:
        [excerpt] = [event for event in events if isinstance(event, ExcerptFound)]
        assert "late autumn" in excerpt.text
        assert kinds.index(ExcerptFound) < kinds.index(TokenWritten)
        assert excerpt.text not in answer.answer
    assert kinds[-1] is Done


@pytest.mark.anyio
async def test_the_excerpt_goes_to_readers_of_a_page_too(tmp_path: Path) -> None:
    from sourcebook.faces.http.responses.events import answer_events

    async def ask(show: Callable[[AnswerEvent], None]) -> Answer:
        seen: list[AnswerEvent] = []
        policy = AnswerPolicy(shows_excerpt=True)
        answer = await asked(tmp_path, ModelChecks(), SaidModel(), policy, seen)
        for event in seen:
            show(event)
        return answer

    async with aclosing(answer_events(ask)) as events:
        told = {name: content async for name, content in events}
    assert "late autumn" in told["excerpt"]["text"]
    assert told["excerpt"]["citations"][0]["quote"] in PRUNING
    assert told["done"]["answer"].startswith("Prune everbearing")


@pytest.mark.anyio
async def test_who_stops_listening_while_an_answer_is_made_is_no_error() -> None:
    from sourcebook.faces.http.responses.events import answer_events

    told: list[str] = []

    async def ask(show: Callable[[AnswerEvent], None]) -> Answer:
        show(Searching("how"))
        try:
            await anyio.sleep_forever()
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.wait_all_tasks_blocked()
            told.append("too late")
            show(PassagesFound(()))
        raise AssertionError("it is cancelled before")

    async with anyio.create_task_group() as tasks:

        async def read() -> None:
            async with aclosing(answer_events(ask)) as events:
                async for _ in events:
                    tasks.cancel_scope.cancel()

        tasks.start_soon(read)
    assert told == ["too late"]
