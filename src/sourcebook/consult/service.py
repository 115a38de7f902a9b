"""Ask: the whole way of a question.

A curated answer to the same question goes first. Else the documents are searched; if nothing that was found comes close
enough to an answer, the question is declined. What is close enough is quoted, or given to a chat model, whose words are
checked against it while they are written. The turn is stored when it is complete, and not before.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from sourcebook.consult import wording
from sourcebook.consult.accepting import Judgement, judged, term_weights
from sourcebook.consult.answering import Composed, Desk, Dictation, extracted
from sourcebook.consult.curated import CuratedLookup, curated_citations
from sourcebook.consult.followups import completed
from sourcebook.consult.prompt import build_prompt, within_budget
from sourcebook.consult.terms import TermIndex, corrected, moved
from sourcebook.errors import NothingToSearchFor, SessionNotFound, SourcebookError
from sourcebook.model.chat import (
    Answer,
    AnswerEvent,
    CitationChecked,
    Declined,
    Done,
    Failed,
    PassagesFound,
    Role,
    Searching,
    Tier,
    TokenWritten,
)
from sourcebook.model.facts import facts_of
from sourcebook.model.search import In, RetrievalConfig, SearchReport, SearchResult
from sourcebook.ports.storage import WordPlanning
from sourcebook.text.languages import detect_language

if TYPE_CHECKING:
    from sourcebook.model.chat import ChatMessage
    from sourcebook.model.documents import JsonValue, Vector
    from sourcebook.model.search import MetadataFilter
    from sourcebook.ports.chat import ChatModel
    from sourcebook.ports.stores import Stores

LOCAL_USER = 1
HELP_FILTER = In("type", ("documentation", "readme"))
"""The documents that `help` answers from."""


class Retrieval(Protocol):
    """What finds passages."""

    async def report(
        self, collections: str | Sequence[str], query: str, config: RetrievalConfig | None = None
    ) -> SearchReport: ...


@dataclass(frozen=True, slots=True)
class AnswerPolicy:
    """How much is read, remembered and dared. Sizes are in characters."""

    passages: int = 6
    context_size: int = 8_000
    history_size: int = 3_000
    history_turns: int = 6
    model_alone: bool = False
    """Whether a chat model may answer from what it knows when the base has nothing."""


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question and what it is limited to."""

    question: str
    collections: Sequence[str]
    session_id: str | None = None
    user_id: int = LOCAL_USER
    face: str = "python"
    category: str | None = None
    subcategory: str | None = None
    filter: MetadataFilter | None = None
    language: str | None = None


@dataclass(slots=True)
class _Course:
    """What is known about a question while it is being answered."""

    inquiry: Inquiry
    language: str | None
    history: Sequence[ChatMessage]
    terms: TermIndex
    searched: str
    expansions: Sequence[str]
    details: dict[str, JsonValue] = field(default_factory=dict[str, "JsonValue"])

    @property
    def query(self) -> str:
        """What is searched for: the question with what it also means."""
        return " ".join([self.searched, *self.expansions])


class Consultation:
    """Answers questions from a base. Without a chat model it answers in the words of the documents."""

    def __init__(
        self,
        *,
        stores: Stores,
        retrieval: Retrieval,
        embed_question: Callable[[str, str], Awaitable[Vector | None]],
        model_names: Callable[[str], Awaitable[str]],
        chat_model: ChatModel | None = None,
        policy: AnswerPolicy | None = None,
    ) -> None:
        """`embed_question(collection, text)` gives None where no embedder is at hand."""
        self._stores = stores
        self._retrieval = retrieval
        self._model_names = model_names
        self._chat_model = chat_model
        self._policy = policy or AnswerPolicy()
        self._curated = CuratedLookup(stores.curated, embed_question, model_names)

    async def ask(self, inquiry: Inquiry) -> AsyncGenerator[AnswerEvent, None]:
        """What happens while the question is answered; the last event is Done, Declined or Failed.

        Whoever stops listening stops the model's request; nothing is stored then.
        """
        if not inquiry.question.strip():
            raise NothingToSearchFor("the question is empty", hint="Ask something.")
        course = await self._begun(inquiry)
        yield Searching(course.searched)
        entry = await self._curated_entry(course)
        if entry is not None:
            yield await self._finished(course, await self._curated_answer(course, entry))
            return
        found = await self._search(course)
        weights = await self._weights(course)
        taken = await self._judged(course, found, weights)
        yield PassagesFound(taken)
        if not taken:
            yield await self._declined(course)
            return
        desk = Desk(taken, await self._hashes(taken), course.language)
        if self._chat_model is None:
            composed = extracted(course.searched, weights, desk)
            for event in _quoted(composed):
                yield event
        else:
            composed = None
            async with aclosing(self._dictated(course, desk, self._chat_model)) as events:
                async for event in events:
                    if isinstance(event, Composed):
                        composed = event
                    else:
                        yield event
                        if isinstance(event, Failed):
                            return
        if composed is None:
            yield await self._declined(course)
            return
        yield await self._finished(course, self._answer(course, composed))

    async def answer(self, inquiry: Inquiry, on_event: Callable[[AnswerEvent], None] | None = None) -> Answer:
        """The answer alone; events go to who wants them. A failure of the model is raised."""
        async with aclosing(self.ask(inquiry)) as events:
            async for event in events:
                if on_event is not None:
                    on_event(event)
                match event:
                    case Done(answer) | Declined(answer):
                        return answer
                    case Failed(error=error):
                        raise error
                    case _:
                        pass
        raise AssertionError("an answer ends with an event that says so")

    async def _begun(self, inquiry: Inquiry) -> _Course:
        history = await self._history(inquiry)
        earlier = [message.content for message in history if message.role is Role.USER]
        language = inquiry.language or detect_language(inquiry.question) or _language_of(history)
        terms = TermIndex.of(await self._stores.terms.get_all_terms(), language)
        searched = completed(inquiry.question.strip(), earlier, language)
        expansions = terms.expansions(searched)
        details: dict[str, JsonValue] = {
            "searched": searched,
            "expansions": list(expansions),
            "language": language,
            "model": self._chat_model.name if self._chat_model else None,
        }
        return _Course(inquiry, language, history, terms, searched, expansions, details)

    async def _history(self, inquiry: Inquiry) -> list[ChatMessage]:
        if inquiry.session_id is None:
            return []
        if await self._stores.sessions.get_session(inquiry.session_id, inquiry.user_id) is None:
            raise SessionNotFound(f"there is no session {inquiry.session_id!r}")
        last = 2 * self._policy.history_turns
        return await self._stores.sessions.messages(inquiry.session_id, inquiry.user_id, last=last)

    async def _search(self, course: _Course) -> list[SearchResult]:
        config = RetrievalConfig(
            top_k=self._policy.passages, filter=course.inquiry.filter, subcategory=course.inquiry.subcategory
        )
        report = await self._retrieval.report(list(course.inquiry.collections), course.query, config)
        course.details["warnings"] = [warning.code.value for warning in report.warnings]
        return list(report.results)

    async def _curated_entry(self, course: _Course) -> int | None:
        """The approved answer to this question. A filter chooses among documents, and leaves out what is none."""
        if course.inquiry.filter is not None:
            return None
        return await self._curated.find(course.searched, course.inquiry, course.language, course.details)

    async def _weights(self, course: _Course) -> dict[str, float]:
        """What each word of the question tells, over all collections that are searched."""
        counts: dict[str, int] = {}
        rows = 0
        languages: list[str | None] = []
        for collection_id in course.inquiry.collections:
            languages += await self._stores.library.languages(collection_id)
            if isinstance(self._stores.fts, WordPlanning):
                plan = await self._stores.fts.plan_words(collection_id, course.query)
                if plan is not None:
                    rows += plan.rows
                    for term in plan.terms:
                        counts[term.term] = counts.get(term.term, 0) + term.passages
        spoken = [course.language] if course.language in languages else list(dict.fromkeys(languages))
        return term_weights(course.searched, spoken or [course.language], counts, rows)

    async def _judged(
        self, course: _Course, found: Sequence[SearchResult], weights: dict[str, float]
    ) -> list[SearchResult]:
        """The passages that come close enough, as many as fit."""
        judgements: list[tuple[SearchResult, Judgement]] = []
        for passage in found:
            name = await self._model_names(passage.collection_id)
            language = course.language
            judgements.append((passage, judged(weights, passage, language, facts_of(name).acceptance)))
        taken: list[SearchResult] = []
        size = 0
        for passage, judgement in judgements:
            size += len(passage.chunk.content)
            if judgement.is_accepted and (not taken or size <= self._policy.context_size):
                taken.append(passage)
        chosen = {passage.chunk.id for passage in taken}
        course.details["passages"] = [_told(p, j, is_taken=p.chunk.id in chosen) for p, j in judgements]
        return taken

    async def _hashes(self, passages: Sequence[SearchResult]) -> dict[tuple[str, str], str | None]:
        places = {(passage.collection_id, passage.chunk.document_id) for passage in passages}
        hashes: dict[tuple[str, str], str | None] = {}
        for collection_id, document_id in sorted(places):
            document = await self._stores.library.get_document(collection_id, document_id)
            hashes[collection_id, document_id] = document.file_hash if document else None
        return hashes

    async def _dictated(
        self, course: _Course, desk: Desk, chat_model: ChatModel
    ) -> AsyncGenerator[AnswerEvent | Composed, None]:
        """The events of an answer that a model writes, and at the end the answer, unless it found nothing."""
        prompt = build_prompt(
            course.inquiry.question,
            desk.passages,
            language=course.language,
            terms=course.terms.relevant([course.searched, *(p.chunk.content for p in desk.passages)]),
            history=within_budget(course.history, self._policy.history_size),
        )
        dictation = Dictation(desk)
        try:
            async with aclosing(chat_model.stream(prompt)) as pieces:
                async for piece in pieces:
                    if shown := dictation.feed(piece):
                        yield TokenWritten(shown)
                    for citation in dictation.new_citations():
                        yield CitationChecked(citation)
        except SourcebookError as error:
            yield Failed(error.code, error.message, error.hint, error)
            return
        if shown := dictation.close():
            yield TokenWritten(shown)
        if dictation.has_nothing:
            return
        for citation in dictation.new_citations(is_last=True):
            yield CitationChecked(citation)
        yield dictation.composed()

    def _answer(self, course: _Course, composed: Composed) -> Answer:
        uses = course.terms.uses(composed.text)
        text, left = corrected(composed.text, uses) if self._chat_model else (composed.text, uses)
        course.details["terms"] = [
            {"term": use.term.term, "preferred": use.term.preferred_phrase, "corrected": use not in left}
            for use in uses
        ]
        changed = [use for use in uses if use not in left]
        sentences = tuple(
            replace(s, start=moved(s.start, composed.text, changed), end=moved(s.end, composed.text, changed))
            for s in composed.sentences
        )
        return Answer(
            question=course.inquiry.question,
            answer=text,
            tier=Tier.DOCUMENTS,
            citations=composed.citations,
            sentences=sentences,
            language=course.language,
            details=course.details,
        )

    async def _curated_answer(self, course: _Course, entry_id: int) -> Answer:
        entry = await self._stores.curated.kb_get(entry_id)
        assert entry is not None, "it was found a moment ago"  # noqa: S101
        citations = curated_citations(entry, course.language)
        states = await self._stores.sessions.source_states(citations)
        return Answer(
            question=course.inquiry.question,
            answer=entry.answer,
            tier=Tier.CURATED,
            citations=tuple(replace(c, state=s) for c, s in zip(citations, states, strict=True)),
            language=course.language,
            curated_id=entry.id,
            details=course.details
            | {
                "approved_by": entry.approved_by,
                "approved_at": entry.approved_at,
                "stale": entry.stale_reason,
            },
        )

    async def _declined(self, course: _Course) -> Declined:
        answer = Answer(
            question=course.inquiry.question,
            answer=wording.declined(course.language),
            tier=Tier.NONE,
            language=course.language,
            details=course.details,
        )
        return Declined(await self._stored(course, answer))

    async def _finished(self, course: _Course, answer: Answer) -> Done:
        return Done(await self._stored(course, answer))

    async def _stored(self, course: _Course, answer: Answer) -> Answer:
        """The answer with the session that now holds it; one is made if none was named."""
        inquiry = course.inquiry
        session_id = inquiry.session_id
        if session_id is None:
            session = await self._stores.sessions.create_session(inquiry.user_id, inquiry.face)
            session_id = session.id
        _, message = await self._stores.sessions.add_turn(
            session_id, inquiry.question, answer.answer, answer.tier, answer.citations, answer.details
        )
        return replace(answer, session_id=session_id, message_id=message.id)


def _quoted(composed: Composed | None) -> list[AnswerEvent]:
    if composed is None:
        return []
    return [TokenWritten(composed.text), *map(CitationChecked, composed.citations)]


def _language_of(history: Sequence[ChatMessage]) -> str | None:
    for message in reversed(history):
        language = message.details.get("language")
        if isinstance(language, str):
            return language
    return None


def _told(passage: SearchResult, judgement: Judgement, *, is_taken: bool) -> dict[str, JsonValue]:
    return {
        "chunk_id": passage.chunk.id,
        "document_path": passage.document_path,
        "title": passage.document_title,
        "score": passage.score,
        "similarity": judgement.similarity,
        "share": judgement.share,
        "sentence_share": judgement.sentence_share,
        "closeness": judgement.score,
        "taken": is_taken,
    }
