"""Ask: answers a question from start to finish.

A curated answer to the same question goes first. Else the documents are searched; if nothing that was found comes close
enough to an answer, the question is declined. What is close enough is quoted, or given to a chat model, whose words are
checked against it while they are written. The turn is stored when it is complete, and not before.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sourcebook.consult.answer.composer import ComposedAnswer, PassageSources, StreamedAnswer, extracted
from sourcebook.consult.answer.prompt import build_prompt, within_budget
from sourcebook.consult.answer.terminology import TermIndex, corrected, moved
from sourcebook.consult.curated.lookup import CuratedLookup, curated_citations
from sourcebook.consult.evidence.passages import PassageJudge, PassageQuery
from sourcebook.consult.question.completion import completed
from sourcebook.errors import NothingToSearchFor, SessionNotFound, SourcebookError
from sourcebook.locale import texts
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
    SourceState,
    Tier,
    TokenWritten,
)
from sourcebook.model.search import In, RetrievalConfig, SearchResult
from sourcebook.text.languages import detect_language

if TYPE_CHECKING:
    from sourcebook.consult.evidence.acceptance import Judgement
    from sourcebook.consult.evidence.passages import JudgedPassages, Retrieval
    from sourcebook.consult.grounds import Grounds
    from sourcebook.consult.question.inquiry import Inquiry
    from sourcebook.model.chat import ChatMessage, ChatSession
    from sourcebook.model.documents import Document, JsonValue
    from sourcebook.ports.chat import ChatModel
    from sourcebook.ports.stores import Stores

HELP_FILTER = In("type", ("documentation", "readme"))
"""The documents that `help` answers from."""


@dataclass(frozen=True, slots=True)
class AnswerPolicy:
    """How much is read, remembered and dared. Sizes are in characters."""

    passages: int = 6
    context_size: int = 8_000
    history_size: int = 3_000
    history_turns: int = 6
    model_alone: bool = False
    """Whether a chat model may answer from what it knows when the base has nothing."""


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
        grounds: Grounds,
        chat_model: ChatModel | None = None,
        policy: AnswerPolicy | None = None,
    ) -> None:
        self._stores = stores
        self._grounds = grounds
        self._judging = PassageJudge(stores, retrieval, grounds)
        self._chat_model = chat_model
        self._policy = policy or AnswerPolicy()
        self._curated = CuratedLookup(stores.curated, grounds)

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
        taken = await self._taken(course, found)
        yield PassagesFound(taken)
        if not taken:
            yield await self._declined(course)
            return
        desk = PassageSources(taken, await self._documents(taken), course.language)
        if self._chat_model is None:
            composed = extracted(course.inquiry.question, found.weights, desk, found.language)
            for event in _quoted(composed):
                yield event
        else:
            composed = None
            async with aclosing(self._dictated(course, desk, self._chat_model)) as events:
                async for event in events:
                    if isinstance(event, ComposedAnswer):
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
        """The answer. Events go to `on_event`; a failure of the model is raised."""
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
        raise AssertionError("an answer always ends with a final event")

    async def _begun(self, asked: Inquiry) -> _Course:
        session = await self._session(asked)
        inquiry, history = asked.within(session), await self._history(session)
        earlier = [message.content for message in history if message.role is Role.USER]
        language = inquiry.language or detect_language(inquiry.question) or _language_of(history)
        language = language or await self._only_language(inquiry)
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

    async def _only_language(self, inquiry: Inquiry) -> str | None:
        """The language of all that is asked, if it is one: a short question may be too short to tell its own."""
        held = {name for c in inquiry.collections for name in await self._grounds.languages(c) if name}
        return held.pop() if len(held) == 1 else None

    async def _session(self, inquiry: Inquiry) -> ChatSession | None:
        if inquiry.session_id is None:
            return None
        session = await self._stores.sessions.get_session(inquiry.session_id, inquiry.user_id)
        if session is None:
            raise SessionNotFound(f"there is no session {inquiry.session_id!r}")
        return session

    async def _history(self, session: ChatSession | None) -> list[ChatMessage]:
        if session is None:
            return []
        last = 2 * self._policy.history_turns
        return await self._stores.sessions.messages(session.id, session.user_id, last=last)

    async def _search(self, course: _Course) -> JudgedPassages:
        inquiry = course.inquiry
        config = RetrievalConfig(
            top_k=self._policy.passages, filter=inquiry.filter, subcategory=inquiry.subcategory
        )
        found = await self._judging.judge(
            PassageQuery(course.searched, course.query, inquiry.collections, course.language, config)
        )
        course.details["warnings"] = [warning.code.value for warning in found.warnings]
        return found

    async def _curated_entry(self, course: _Course) -> int | None:
        """The approved answer to this question. A filter chooses among documents, and leaves out what is none."""
        if course.inquiry.filter is not None:
            return None
        return await self._curated.find(course.searched, course.inquiry, course.terms, course.details)

    async def _taken(self, course: _Course, found: JudgedPassages) -> list[SearchResult]:
        """The passages that come close enough and are whole."""
        close = found.accepted(self._policy.context_size)
        taken = await self._judging.sound(close)
        chosen = {passage.chunk.id for passage in taken}
        damaged = {passage.chunk.id for passage in close} - chosen
        course.details["passages"] = [_told(p, j, chosen, damaged) for p, j in found.passages]
        return taken

    async def _documents(self, passages: Sequence[SearchResult]) -> dict[tuple[str, str], Document]:
        places = {(passage.collection_id, passage.chunk.document_id) for passage in passages}
        read = {place: await self._stores.library.get_document(*place) for place in sorted(places)}
        return {place: document for place, document in read.items() if document is not None}

    async def _dictated(
        self, course: _Course, desk: PassageSources, chat_model: ChatModel
    ) -> AsyncGenerator[AnswerEvent | ComposedAnswer, None]:
        """The events of an answer that a model writes, and at the end the answer, unless it found nothing."""
        prompt = build_prompt(
            course.inquiry.question,
            desk.passages,
            language=course.language,
            terms=course.terms.relevant([course.searched, *(p.chunk.content for p in desk.passages)]),
            history=within_budget(course.history, self._policy.history_size),
        )
        dictation = StreamedAnswer(desk)
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

    def _answer(self, course: _Course, composed: ComposedAnswer) -> Answer:
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
        assert entry is not None, "it was found just before"  # noqa: S101
        citations = curated_citations(entry, course.language)
        states = await self._stores.sessions.source_states(citations)
        return Answer(
            question=course.inquiry.question,
            answer=entry.answer,
            tier=Tier.CURATED,
            # What was flagged stays so until somebody looks at it, even if its words stand again.
            citations=tuple(
                replace(c, state=s) if c.state is SourceState.CURRENT else c
                for c, s in zip(citations, states, strict=True)
            ),
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
            answer=texts(course.language)("declined"),
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
        if inquiry.keep is not None:
            return await inquiry.keep(answer)
        session_id = inquiry.session_id
        if session_id is None:
            session = await self._stores.sessions.create_session(
                inquiry.user_id, inquiry.face, scope=inquiry.scope
            )
            session_id = session.id
        _, message = await self._stores.sessions.add_turn(
            session_id, inquiry.question, answer.answer, answer.tier, answer.citations, answer.details
        )
        return replace(answer, session_id=session_id, message_id=message.id)


def _quoted(composed: ComposedAnswer | None) -> list[AnswerEvent]:
    if composed is None:
        return []
    return [TokenWritten(composed.text), *map(CitationChecked, composed.citations)]


def _language_of(history: Sequence[ChatMessage]) -> str | None:
    for message in reversed(history):
        language = message.details.get("language")
        if isinstance(language, str):
            return language
    return None


def _told(
    passage: SearchResult, judgement: Judgement, chosen: set[str], damaged: set[str]
) -> dict[str, JsonValue]:
    told: dict[str, JsonValue] = {
        "chunk_id": passage.chunk.id,
        "document_path": passage.document_path,
        "title": passage.document_title,
        "score": passage.score,
        "similarity": judgement.similarity,
        "share": judgement.share,
        "sentence_share": judgement.sentence_share,
        "closeness": judgement.score,
        "taken": passage.chunk.id in chosen,
    }
    return told | {"damaged": True} if passage.chunk.id in damaged else told
