"""Ask: answers a question from start to finish.

A curated answer to the same question comes first. Otherwise the documents are searched. If nothing is close enough to
an answer, the question is declined. What is close enough is quoted, or a chat model writes from it and is checked as it
writes. The turn is stored when it is complete, and not before.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from sourcebook.consult.answer.composer import ComposedAnswer, PassageSources, extracted
from sourcebook.consult.answer.model_checks import ModelChecks
from sourcebook.consult.answer.model_writing import ModelWriting
from sourcebook.consult.answer.quoted_passages import QuotedPassage, closest_passages, decline_text_key
from sourcebook.consult.answer.terminology import TermIndex, corrected, moved
from sourcebook.consult.answer_policy import AnswerPolicy
from sourcebook.consult.citations.marks_and_quotes import without_repeated_marks
from sourcebook.consult.curated.confirmed_questions import ConfirmedQuestions
from sourcebook.consult.curated.curated_lookup import CuratedLookup, curated_citations
from sourcebook.consult.curated.outdated_answers import outdated_details, takes_its_place
from sourcebook.consult.curated.rejected_answers import RejectedAnswers
from sourcebook.consult.evidence.passage_details import (
    passage_details,
    passages_language,
    quoted_language,
    with_quoted,
)
from sourcebook.consult.evidence.passages import JudgedPassages, PassageJudge, PassageQuery
from sourcebook.consult.open_question import OpenQuestion
from sourcebook.consult.question.asking_part import asking_part
from sourcebook.consult.question.conversation.completion import follow_up_details, wordings
from sourcebook.consult.question.conversation.conversation_topic import turns_of
from sourcebook.consult.question.conversation.question_language import spoken_language
from sourcebook.consult.question.conversation.small_talk import small_talk
from sourcebook.consult.question.inquiry import OnReadOnly
from sourcebook.curate.source_changes import told_changes
from sourcebook.errors import (
    BaseReadOnly,
    CuratedAnswerNotFound,
    NothingAsked,
    NothingToSearchFor,
    SessionNotFound,
)
from sourcebook.locale import texts
from sourcebook.model.chat import (
    Answer,
    AnswerEvent,
    ChatMessage,
    CitationChecked,
    Declined,
    Done,
    Failed,
    PassagesFound,
    Searching,
    SourceState,
    Tier,
    TokenWritten,
)
from sourcebook.model.search import RetrievalConfig
from sourcebook.retrieve.filters.unknown_fields import mistakes_in
from sourcebook.retrieve.question_context import QuestionContext

if TYPE_CHECKING:
    from sourcebook.consult.question.inquiry import Inquiry
    from sourcebook.consult.review_protocols import Drafting
    from sourcebook.model.chat import ChatSession
    from sourcebook.model.curation import CuratedAnswer, Term
    from sourcebook.model.documents import JsonValue
    from sourcebook.ports.chat import ChatModel
    from sourcebook.ports.stores import Stores
    from sourcebook.retrieve.question_context import EmbedderChoice
    from sourcebook.retrieve.search import Retrieval


class Consultation:
    """Answers questions from a base. Without a chat model it answers in the words of the documents."""

    def __init__(
        self,
        *,
        stores: Stores,
        retrieval: Retrieval,
        embedder_for: EmbedderChoice,
        chat_model: ChatModel | None = None,
        drafting: Drafting | None = None,
        policy: AnswerPolicy | None = None,
        checks: ModelChecks | None = None,
    ) -> None:
        self._checks = checks or ModelChecks()
        self._stores = stores
        self._embedder_for = embedder_for
        self._judge = PassageJudge(stores, retrieval)
        self._chat_model = chat_model
        self._drafting = drafting
        self._policy = policy or AnswerPolicy()
        self._writing = ModelWriting(chat_model, self._policy, self._checks) if chat_model else None
        self._curated = CuratedLookup(stores.curated)
        self._confirmed = ConfirmedQuestions(stores)

    async def ask(self, inquiry: Inquiry) -> AsyncGenerator[AnswerEvent, None]:
        """The events while the question is answered; the last is Done, Declined or Failed.

        To stop listening stops the model, and nothing is stored.
        """
        if not inquiry.question.strip():
            raise NothingToSearchFor("The question is empty", hint="Ask something.")
        if (said := small_talk(inquiry.question)) is not None:
            raise NothingAsked(kind=said.value)
        question = await self._begun(inquiry)
        yield Searching(question.wordings[0])
        entry = await self._curated_entry(question)
        if entry is not None and (entry.stale_since is None or inquiry.similar is not None):
            yield Done(await self._stored(question, await self._curated_answer(question, entry)))
            return
        # A source of the approved answer has changed, so what the documents say now comes first.
        question.outdated = entry
        found, sources = await self._search(question)
        yield PassagesFound(sources.passages)
        await self._read_rejected(question, found)
        is_read_again = self._chat_model is not None and question.is_rejected(
            question.rejected.from_first(sources.passages)
        )
        if not sources.passages or is_read_again:
            yield await self._undocumented(question, found)
            return
        composed, held = None, list[AnswerEvent]()
        async with aclosing(self._composed(question, found, sources)) as events:
            async for event in events:
                if isinstance(event, ComposedAnswer):
                    composed = event
                elif entry is not None and not isinstance(event, Failed):
                    held.append(event)  # it may be about something else than the approved answer
                else:
                    yield event
                if isinstance(event, Failed):
                    return
        if composed is None or not self._is_new_answer(question, composed):
            yield await self._undocumented(question, found)
            return
        for event in held:
            yield event
        yield Done(await self._stored(question, self._answer(question, composed)))

    async def _composed(
        self, question: OpenQuestion, found: JudgedPassages, sources: PassageSources
    ) -> AsyncGenerator[AnswerEvent | ComposedAnswer, None]:
        """The events of an answer from these passages, and at the end the answer, if there is one."""
        if self._writing is not None:
            async with aclosing(self._writing.write(question, found, sources)) as events:
                async for event in events:
                    yield event
            return
        composed = await self._extracted(question, found, sources)
        question.details["passages"] = with_quoted(question.details["passages"], composed)
        if composed is None:
            return
        held = question.context.all_languages()
        question.details["other_language"] = quoted_language(
            composed, sources.passages, question.language, held
        )
        yield TokenWritten(composed.text)
        for citation in composed.citations:
            yield CitationChecked(citation)
        yield composed

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

    async def _begun(self, asked: Inquiry) -> OpenQuestion:
        inquiry, history, context, known_terms = await self._stores.read_together(
            lambda stores: self._known(stores, asked)
        )
        language = inquiry.language or spoken_language(inquiry.question, context, history)
        terms = TermIndex.of(known_terms, language)
        asks = asking_part(inquiry.question.strip())
        turns = turns_of(history)
        tried = wordings(asks, turns, language)
        details: dict[str, JsonValue] = {
            "searched": tried[0],
            **follow_up_details(asks, tried, turns, language),
            "filtered": inquiry.filter is not None,
            "expansions": [],
            "language": language,
            "model": self._chat_model.name if self._chat_model else None,
        }
        return OpenQuestion(inquiry, context, language, history, terms, tried, details)

    async def _known(
        self, stores: Stores, asked: Inquiry
    ) -> tuple[Inquiry, Sequence[ChatMessage], QuestionContext, Sequence[Term]]:
        """What the base knows of a question before the search."""
        session, history = await self._recalled(stores, asked)
        inquiry = asked.within(session)
        context = await QuestionContext.read(stores.library, self._embedder_for, inquiry.collections)
        return inquiry, history, context, await stores.terms.get_all_terms()

    async def _recalled(
        self, stores: Stores, inquiry: Inquiry
    ) -> tuple[ChatSession | None, Sequence[ChatMessage]]:
        last = 2 * self._policy.history_turns
        if inquiry.session_id is None or inquiry.is_new_session:
            return None, inquiry.earlier_messages(last)
        found = await stores.sessions.recall(inquiry.session_id, inquiry.user_id, last)
        if found is None:
            raise SessionNotFound(f"There is no session {inquiry.session_id!r}")
        return found.session, found.messages or inquiry.earlier_messages(last)

    async def _search(self, question: OpenQuestion) -> tuple[JudgedPassages, PassageSources]:
        """What the first wording finds for which something is close enough; else what the last one finds."""
        inquiry = question.inquiry
        config = RetrievalConfig(
            top_k=self._policy.passages, filter=inquiry.filter, subcategory=inquiry.subcategory
        )
        found, sources = JudgedPassages((), {}), PassageSources((), {}, question.language)
        unsure: list[tuple[str, JudgedPassages]] = []
        for text in question.wordings:
            query = question.search_with(text)
            follow_up = None if text == question.asked else question.asked
            wanted = PassageQuery(text, query, inquiry.collections, question.language, config, follow_up)
            found = await self._judge.judge(wanted, question.context)
            sources = await self._accepted(question, found)
            if sources.passages:
                break
            if found.verdict.is_nearly_accepted:
                unsure.append((text, found))
        if not sources.passages and unsure and self._is_left_to_model(inquiry):
            text, found = unsure[0]
            question.search_with(text)
            sources = await self._accepted(question, found, is_left_to_model=True)
        question.details["warnings"] = [warning.code.value for warning in found.warnings]
        question.details["left_to_model"] = bool(sources.passages) and not found.verdict.is_accepted
        return found, sources

    def _is_left_to_model(self, inquiry: Inquiry) -> bool:
        """Whether a chat model decides about passages that are nearly close enough."""
        return self._chat_model is not None and self._policy.reads_unsure and inquiry.reads_unsure

    async def _accepted(
        self, question: OpenQuestion, found: JudgedPassages, *, is_left_to_model: bool = False
    ) -> PassageSources:
        """The undamaged passages that are close enough; or nearly close enough, if a model decides."""
        close = found.accepted(self._policy.context_size, is_nearly_enough=is_left_to_model)
        # Whether there is an answer is decided. Without a model, it may be quoted from any passage found.
        read = [p for p, _ in found.passages] if close and self._chat_model is None else close
        taken = await self._judge.undamaged(read, question.context)
        undamaged = {passage.chunk.id for passage in taken}
        damaged = {passage.chunk.id for passage in read} - undamaged
        chosen = undamaged.intersection(passage.chunk.id for passage in close)
        question.details["passages"] = [passage_details(p, j, chosen, damaged) for p, j in found.passages]
        question.details["judgement"] = found.verdict.as_details() if found.passages else None
        question.details["other_language"] = passages_language(
            taken, question.language, question.context.all_languages()
        )
        return PassageSources(taken, question.context.documents, question.language)

    async def _curated_entry(self, question: OpenQuestion) -> CuratedAnswer | None:
        """The approved answer to this question; none with a filter, which chooses among documents."""
        if question.inquiry.filter is not None:
            return None
        inquiry, chosen = question.inquiry, question.inquiry.similar
        # A follow-up such as "And for companies?" means something else in each conversation.
        is_whole = question.asked == question.wordings[0]
        tried = [inquiry.question.strip(), *question.wordings] if is_whole else question.wordings[:1]
        if isinstance(whole := question.details["in_conversation"], str):
            tried = [*tried, whole]
        for text in dict.fromkeys(tried):
            found = await self._curated.find(
                text, inquiry, question.context, question.terms, question.details
            )
            if chosen is not None:
                entry = await self._confirmed.taken(chosen, found, text, inquiry, question.context)
                if entry is not None:
                    return entry
            elif found.entry is not None:
                return found.entry
            question.similar = question.similar or found.similar
        if chosen is not None:
            raise CuratedAnswerNotFound(f"The curated answer {chosen} was not offered for this question")
        question.details["similar"] = [asdict(each) for each in question.similar]
        return None

    async def _read_rejected(self, question: OpenQuestion, found: JudgedPassages) -> None:
        if found.passages:
            searched = str(question.details["searched"])
            question.rejected = await RejectedAnswers.read(
                self._stores, question.inquiry, searched, question.context, question.outdated
            )

    async def _extracted(
        self, question: OpenQuestion, found: JudgedPassages, sources: PassageSources
    ) -> ComposedAnswer | None:
        """An answer in the words of the documents; None if a reader finds none, or an expert rejected it."""
        asked = question.inquiry.question
        composed = extracted(asked, found.weights, sources, found.language)
        if composed is None or question.is_rejected(question.rejected.quoting(composed.citations)):
            return None
        beside = [each for each in composed.see_also if question.rejected.others([each.passage])]
        return await self._checks.read(asked, replace(composed, see_also=beside), sources.passages)

    def _answer(self, question: OpenQuestion, composed: ComposedAnswer) -> Answer:
        uses = question.terms.uses(composed.text)
        text, left = corrected(composed.text, uses) if self._chat_model else (composed.text, uses)
        question.details["terms"] = [
            {"term": use.term.term, "preferred": use.term.preferred_phrase, "corrected": use not in left}
            for use in uses
        ]
        changed = [use for use in uses if use not in left]
        sentences = tuple(
            replace(s, start=moved(s.start, composed.text, changed), end=moved(s.end, composed.text, changed))
            for s in composed.sentences
        )
        if question.outdated is not None:
            question.details["outdated"] = outdated_details(question.outdated)
        if composed.see_also:
            question.details["see_also"] = [each.as_details() for each in composed.see_also]
        return Answer(
            question=question.inquiry.question,
            answer=text,
            tier=Tier.DOCUMENTS,
            citations=composed.citations,
            sentences=sentences,
            language=question.language,
            details=question.details,
            similar=question.similar,
            see_also=tuple(each.passage for each in composed.see_also),
        )

    async def _curated_answer(self, question: OpenQuestion, entry: CuratedAnswer) -> Answer:
        citations = curated_citations(entry, question.language)
        states = await self._stores.sessions.source_states(citations)
        return Answer(
            question=question.inquiry.question,
            answer=without_repeated_marks(entry.answer),
            tier=Tier.CURATED,
            # A flagged source stays flagged until somebody reviews it, even if its words are back.
            citations=tuple(
                replace(c, state=s) if c.state is SourceState.CURRENT else c
                for c, s in zip(citations, states, strict=True)
            ),
            language=question.language,
            curated_id=entry.id,
            details=question.details
            | {
                "approved_by": entry.approved_by,
                "approved_by_name": entry.approved_by_name,
                "approved_at": entry.approved_at,
                "stale": entry.stale_reason,
                "context_changed": entry.has_changed_context,
                "changes": await told_changes(entry, self._stores, question.inquiry.collections),
            },
        )

    def _is_new_answer(self, question: OpenQuestion, composed: ComposedAnswer) -> bool:
        """Whether it can be given as what the documents say in place of the approved answer, if there is one."""
        entry = question.outdated
        return entry is None or takes_its_place(
            entry, question.wordings[0], composed.citations, question.language
        )

    async def _undocumented(self, question: OpenQuestion, found: JudgedPassages) -> Declined | Done:
        """A decline; or the outdated approved answer if there is one, because the documents have no newer answer.

        What comes closest in them is shown with it, for the reader to judge.
        """
        if question.outdated is None:
            return await self._declined(question, found)
        closest = await self._closest(question, found)
        given = await self._curated_answer(question, question.outdated)
        # Places without words would say nothing beside an answer.
        nearest = tuple(each.passage for each in closest) if closest and closest[0].excerpt else ()
        return Done(await self._stored(question, replace(given, nearest=nearest)))

    async def _declined(self, question: OpenQuestion, found: JudgedPassages) -> Declined:
        closest = await self._closest(question, found)
        if not found.passages:
            question.details["filter_warnings"] = await self._mistaken(question.inquiry)
        answer = Answer(
            question=question.inquiry.question,
            answer=texts(question.language)(decline_text_key(question.details)),
            tier=Tier.NONE,
            language=question.language,
            nearest=tuple(each.passage for each in closest),
            details=question.details,
            similar=question.similar,
        )
        return Declined(await self._stored(question, answer))

    async def _mistaken(self, inquiry: Inquiry) -> list[JsonValue]:
        """What is mistaken about the filter, which may be why nothing was found."""
        if inquiry.filter is None:
            return []
        found = await mistakes_in(inquiry.filter, self._stores.library, inquiry.collections)
        return [{"code": warning.code.value, "message": warning.message} for warning in found]

    async def _closest(self, question: OpenQuestion, found: JudgedPassages) -> list[QuotedPassage]:
        """The passages that come closest to the question, noted in its details."""
        undamaged = await self._judge.undamaged(found.nearest(), question.context)
        # Rejected passages are shown only if there are no others.
        left = question.rejected.others(undamaged) or undamaged
        sources = PassageSources(left, question.context.documents, question.language)
        closest = closest_passages(question.inquiry.question, found, sources)
        near = found.accepted(self._policy.context_size, is_nearly_enough=True)
        if question.rejected.drafts and not question.rejected.others(near):
            closest = [each.only_named() for each in closest]
        shown = closest[: self._policy.nearest]
        question.details["nearest"] = [each.as_details() for each in shown]
        question.details["nearest_excerpt"] = shown[0].excerpt if shown else None
        return shown

    async def _stored(self, question: OpenQuestion, answer: Answer) -> Answer:
        """The answer after storing it, with its session, and in the details the draft that it became."""
        inquiry = question.inquiry
        if inquiry.keep is not None:
            return await inquiry.keep(answer, question.context)
        sessions = self._stores.sessions
        turn = (answer.question, answer.answer, answer.tier, answer.citations, answer.details)
        try:
            if inquiry.session_id is None:
                _, message = await sessions.begin(inquiry.user_id, inquiry.face, inquiry.scope, *turn)
            else:
                _, message = await sessions.add_turn(inquiry.session_id, *turn)
        except BaseReadOnly:
            if inquiry.on_read_only is OnReadOnly.REFUSE:
                raise
            return replace(answer, details={**answer.details, "unkept": True})
        return await self._drafted(
            question, replace(answer, session_id=message.session_id, message_id=message.id)
        )

    async def _drafted(self, question: OpenQuestion, answer: Answer) -> Answer:
        if self._drafting is None:
            return answer
        draft = await self._drafting.consider(
            answer,
            user_id=question.inquiry.user_id,
            category=question.inquiry.category,
            subcategory=question.inquiry.subcategory,
            collections=question.inquiry.collections,
            context=question.context,
        )
        return answer if draft is None else replace(answer, details={**answer.details, "draft_id": draft.id})
