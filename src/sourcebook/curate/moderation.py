"""Review: answers and unanswered questions become drafts; a person decides once; approved answers come first.

An approved answer is bound to the words in the documents that support it. When these change, it comes back for review.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sourcebook.curate.category_guess import CategoryGuesser
from sourcebook.curate.draft_rules import (
    DraftPolicy,
    asked_again,
    drafted_as,
    is_weak,
    require_answerable,
    require_rebindable,
    require_replied,
)
from sourcebook.curate.gaps import find_gaps
from sourcebook.curate.offered_sources import with_source_states
from sourcebook.curate.question_groups import same_words
from sourcebook.curate.rejected_quote import quotes_still_said
from sourcebook.curate.revision_maker import RevisionMaker, SourceName, Wanted
from sourcebook.errors import CuratedAnswerNotFound, DraftNotFound, UsageError
from sourcebook.model.moderation import (
    Digest,
    Draft,
    DraftKind,
    DraftStatus,
    Keep,
    LostSupport,
    NewDraft,
    Revision,
    Why,
)
from sourcebook.ports.arguments import checks_arguments
from sourcebook.retrieve.evaluation.evaluate import JudgedQuestion
from sourcebook.text.languages import detect_language

if TYPE_CHECKING:
    from sourcebook.model.chat import Answer
    from sourcebook.model.curation import CuratedAnswer, SourceChange
    from sourcebook.model.documents import JsonValue
    from sourcebook.model.moderation import AskedAgain, Gap
    from sourcebook.ports.clock_and_jobs import Clock
    from sourcebook.ports.moderation import Binder, BoundAnswer, Embedded, ModerationQueue
    from sourcebook.ports.stores import Stores
    from sourcebook.retrieve.question_context import QuestionContext

_GAPS_IN_A_DIGEST = 5
_SPENDING = frozenset({"new_topic", "buy_questions", "refund"})
"""The operations that spend tokens, and their refunds. All others give tokens."""


@dataclass(frozen=True, slots=True)
class Helpers:
    """What review needs besides a base: a source binder, an embedder and, if there is one, a chat model."""

    binder: Binder
    embed: Callable[[str, str], Awaitable[Embedded]]
    """`embed(collection, question)`: the vector by which the answer is found."""
    choose: Callable[[str], Awaitable[str]] | None = None
    """Asks a chat model to choose, and returns what it wrote."""


@checks_arguments
class Moderation:
    """The review queue: turns answers into drafts, and drafts into curated answers."""

    def __init__(
        self,
        stores: Stores,
        helpers: Helpers,
        clock: Clock,
        *,
        collection_id: str = "default",
        policy: DraftPolicy | None = None,
    ) -> None:
        self._stores = stores
        self._queue: ModerationQueue = stores.moderation
        self._helpers = helpers
        self._clock = clock
        self._collection_id = collection_id
        self._policy = policy or DraftPolicy()
        self._guessing = CategoryGuesser(stores, helpers.embed, helpers.choose)
        self._revisions = RevisionMaker(stores, helpers.binder, helpers.embed, collection_id)

    # Into the queue

    async def consider(
        self,
        answer: Answer,
        *,
        user_id: int = 1,
        topic_id: int | None = None,
        category: str | None = None,
        subcategory: str | None = None,
        attachments: Sequence[Mapping[str, JsonValue]] = (),
        collections: Sequence[str] = (),
        visit_key: str | None = None,
        context: QuestionContext | None = None,
    ) -> Draft | None:
        """Put an answer into the queue if the settings want it there. A declined question always goes to experts.

        `visit_key` is the key of the visit that the draft belongs to; `context` is what is known of the question.
        """
        kind = drafted_as(answer, self._policy)
        if kind is None:
            return None
        why = Why.DECLINED if kind is DraftKind.DECLINED else Why.ANSWERED
        return await self.add_to_moderation_queue(
            NewDraft(
                user_id=user_id,
                kind=kind,
                question=answer.question,
                answer=None if kind is DraftKind.DECLINED else answer.answer,
                language=answer.language,
                citations=answer.citations,
                details={**answer.details, "why": why.value, "weak": is_weak(answer)},
                attachments=attachments,
                category_guess=category,
                subcategory_guess=subcategory,
                collection_id=_of(answer, collections) or self._collection_id,
                topic_id=topic_id,
                session_id=answer.session_id,
                chat_message_id=answer.message_id,
                visit_key=visit_key,
            ),
            context,
        )

    async def call_human(
        self,
        question: str,
        *,
        user_id: int = 1,
        topic_id: int | None = None,
        session_id: str | None = None,
        category: str | None = None,
        subcategory: str | None = None,
        attachments: Sequence[Mapping[str, JsonValue]] = (),
        details: Mapping[str, JsonValue] | None = None,
        language: str | None = None,
        collection_id: str | None = None,
    ) -> Draft:
        """Ask an expert, whatever the base knows. The asker receives the reply, and may withdraw the question first."""
        if not question.strip() and not attachments:
            raise UsageError("The question is empty", hint="Ask something.")
        return await self.add_to_moderation_queue(
            NewDraft(
                user_id=user_id,
                kind=DraftKind.DECLINED,
                question=question,
                language=language or detect_language(question),
                details={**(details or {}), "why": Why.ASKED_FOR_A_PERSON.value},
                attachments=attachments,
                category_guess=category,
                subcategory_guess=subcategory,
                collection_id=collection_id or self._collection_id,
                topic_id=topic_id,
                session_id=session_id,
            )
        )

    async def add_to_moderation_queue(self, draft: NewDraft, context: QuestionContext | None = None) -> Draft:
        """Put a draft into the queue, with a guess of its category and the group of its question."""
        if draft.category_guess is None:
            guess = await self._guessing.guess(draft, draft.collection_id or self._collection_id, context)
            draft = replace(
                draft,
                category_guess=guess.category,
                subcategory_guess=draft.subcategory_guess or guess.subcategory,
            )
        return await self._queue.add(draft)

    # Looking

    async def get_pending_moderation_items(
        self,
        limit: int = 20,
        *,
        kind: DraftKind | None = None,
        after: int = 0,
        collection_id: str | None = None,
    ) -> list[Draft]:
        """The waiting drafts, oldest first, starting after the one with the number `after`.

        `has_changed_sources` tells of each whether what it quotes has changed since.
        """
        found = await self._queue.pending(limit, kind=kind, after=after, collection_id=collection_id)
        return await with_source_states(found, self._stores)

    async def get_item(self, draft_id: int) -> Draft:
        """The draft of this number, or DraftNotFound."""
        found = await self._queue.get(draft_id)
        if found is None:
            raise DraftNotFound(f"There is no draft {draft_id}")
        return (await with_source_states([found], self._stores))[0]

    async def similar(self, draft_id: int) -> list[Draft]:
        """Other waiting drafts that ask much the same, then those that ask exactly the same in other words."""
        draft = await self.get_item(draft_id)
        repeats = [
            d for d in await self._queue.repeats(draft_id) if not same_words(d.question, draft.question)
        ]
        group = [] if draft.group_key is None else await self._queue.in_group(draft.group_key)
        return [*(other for other in group if other.id != draft_id), *repeats]

    async def changes(self, draft_id: int) -> list[SourceChange]:
        """What each changed source of a draft said, and what it says now.

        Those of a stale answer, or of an answer from documents that waits. Empty for other drafts.
        """
        return await self._revisions.changes(await self.get_item(draft_id))

    async def in_new_words(self, draft_id: int) -> str | None:
        """Such an answer in the new words of its sources. None if none of its sentences can be replaced."""
        return await self._revisions.in_new_words(await self.get_item(draft_id))

    async def items_of(self, user_id: int, *, status: DraftStatus | None = None) -> list[Draft]:
        """A person's questions in the queue, the latest first."""
        return await self._queue.of_user(user_id, status)

    async def count_pending(self) -> dict[DraftKind, int]:
        """How many drafts of each kind are waiting."""
        return await self._queue.count_pending()

    # Deciding

    async def approve_moderation_item(
        self,
        draft_id: int,
        admin_id: int,
        *,
        answer: str | None = None,
        question: str | None = None,
        category: str | None = None,
        subcategory: str | None = None,
        on_lost_support: LostSupport = LostSupport.REFUSE,
        sources: Sequence[SourceName] = (),
    ) -> CuratedAnswer:
        """Make a curated answer of a draft, as it is or edited. What is not given stays as the draft has it.

        The answer is bound to the words of the documents that support it. Where it uses other words, name its
        `sources`: numbers of the draft's passages, or documents. Each sentence that had a source when the draft was
        made, or in the answer that it renews, must still have one, unless `on_lost_support` accepts it without.
        """
        draft = await self.get_item(draft_id)
        text = draft.answer if answer is None else answer
        if text is None or not text.strip():
            await self._queue.require_waiting(draft_id)
            raise UsageError(f"Draft {draft_id} has no answer yet", hint="Write an answer to it instead.")
        wanted = await self._revisions.of_draft(
            draft, Wanted(text, question, category, subcategory, sources, on_lost_support)
        )
        return await self._revisions.with_vector(
            wanted, lambda embedded: self._queue.approve(draft_id, admin_id, wanted, embedded)
        )

    async def reject_moderation_item(self, draft_id: int, admin_id: int, reason: str = "") -> Draft:
        """Reject a draft. A stale curated answer is then no longer given.

        An answer from documents is not given to the same question again until most of what it quoted changes. If the
        base could not answer the question, the asker is told the reason.
        """
        return await self._queue.reject(draft_id, admin_id, reason)

    async def asked_again(self, draft_id: int) -> AskedAgain | None:
        """What happens if the question of a rejected answer is asked again. None for any other draft."""
        draft = await self.get_item(draft_id)
        return asked_again(draft, await quotes_still_said(draft, self._stores))

    async def answer_item(
        self,
        draft_id: int,
        admin_id: int,
        text: str,
        *,
        keep: Keep = Keep.CURATED,
        category: str | None = None,
        subcategory: str | None = None,
        sources: Sequence[SourceName] = (),
    ) -> Draft:
        """Answer a question that the base could not answer. The asker receives it; if kept, it comes first next time.

        It is bound to the words of the documents that support it, and to the `sources` that are named for it: numbers
        of the closest passages, or documents. When one changes, the answer comes back for review.
        """
        draft = await self.get_item(draft_id)
        require_answerable(draft)
        if not text.strip():
            raise UsageError("The answer is empty", hint="Write an answer.")
        if keep is Keep.REPLY_ONLY:
            return await self._queue.reply(draft_id, admin_id, text.strip())
        wanted = await self._revisions.of_draft(
            draft, Wanted(text, category=category, subcategory=subcategory, sources=sources)
        )
        return await self._revisions.with_vector(
            wanted,
            lambda embedded: self._queue.reply(draft_id, admin_id, wanted.answer, wanted, embedded),
        )

    async def keep_answer(
        self,
        draft_id: int,
        admin_id: int,
        *,
        category: str | None = None,
        subcategory: str | None = None,
        sources: Sequence[SourceName] = (),
    ) -> CuratedAnswer:
        """Make a curated answer of a reply that was already given. Doing it again changes nothing.

        With `sources`, the curated answer is bound to these too: numbers of the draft's passages, or documents.
        """
        draft = await self.get_item(draft_id)
        if draft.kb_id is not None and sources:
            return await self._rebound(draft, draft.kb_id, admin_id, sources)
        wanted = await self._revisions.of_draft(
            draft,
            Wanted(require_replied(draft), category=category, subcategory=subcategory, sources=sources),
        )
        return await self._revisions.with_vector(
            wanted, lambda embedded: self._queue.keep(draft_id, admin_id, wanted, embedded)
        )

    async def _rebound(
        self, draft: Draft, entry_id: int, admin_id: int, sources: Sequence[SourceName]
    ) -> CuratedAnswer:
        entry = require_rebindable(await self._stores.curated.kb_get(entry_id), entry_id)
        wanted = await self._revisions.of_entry(draft, entry, sources)
        return await self._revisions.with_vector(
            wanted, lambda embedded: self._queue.rebind(draft.id, admin_id, entry, wanted, embedded)
        )

    async def bound(
        self, answer: str, question: str | None = None, *, collection_id: str | None = None
    ) -> BoundAnswer:
        """An answer with the words in the documents that support it, as it would be stored on approval."""
        named = collection_id or self._collection_id
        return await self._revisions.of_text(answer, question, named)

    async def cancel_item(self, draft_id: int, user_id: int) -> Draft:
        """Withdraw your own question."""
        return await self._queue.cancel(draft_id, user_id)

    async def edit_entry(
        self,
        entry_id: int,
        editor_id: int,
        *,
        answer: str | None = None,
        question: str | None = None,
        category: str | None = None,
        subcategory: str | None = None,
    ) -> Draft:
        """Propose a change to a curated answer. Until it is approved, the answer is given as it was."""
        entry = await self._stores.curated.kb_get(entry_id)
        if entry is None:
            raise CuratedAnswerNotFound(f"There is no curated answer {entry_id}")
        if answer is question is category is subcategory is None:
            raise UsageError(
                "There is nothing to change", hint="Give another answer, question, category or subcategory."
            )
        wanted = Revision(
            collection_id=entry.collection_id,
            category=category or entry.category,
            answer=entry.answer if answer is None else answer,
            question=entry.question if question is None else question,
            subcategory=entry.subcategory if subcategory is None else subcategory,
            language=entry.language,
        )
        return await self._queue.propose(entry_id, editor_id, wanted)

    # Learning

    async def gaps(
        self, since: int | None = None, limit: int = 20, *, collections: Container[str | None] | None = None
    ) -> list[Gap]:
        """What to write next: declined, rejected and weakly supported questions, grouped.

        They come from the whole base, or only from these collections.
        """
        troubled = await self._queue.troubled(since or 0)
        asked = [d for d in troubled if collections is None or (d.collection_id or "") in collections]
        return find_gaps(asked, collections)[:limit]

    async def digest(self, since: int, until: int | None = None) -> Digest:
        """A summary of a period: questions, tiers, stale answers, what to write."""
        end = self._clock.now() + 1 if until is None else until
        tally = await self._queue.tally(since, end)
        spent = -sum(amount for kind, amount in tally.tokens.items() if kind in _SPENDING)
        waiting = await self._queue.count_pending()
        gaps = find_gaps([draft for draft in await self._queue.troubled(since) if draft.created_at < end])
        return Digest(
            since=since,
            until=end,
            questions=tally.questions,
            tiers=tally.tiers,
            drafts=tally.drafts,
            pending=sum(waiting.values()),
            became_stale=tally.became_stale,
            to_write=gaps[:_GAPS_IN_A_DIGEST],
            tokens_spent=spent,
            tokens_given=sum(amount for kind, amount in tally.tokens.items() if kind not in _SPENDING),
            people=tally.people,
        )

    async def judged_questions(self, collection_id: str | None = None) -> list[JudgedQuestion]:
        """The decided questions with the documents that answer them: an evaluation set that grows with the work.

        They are those that the approved answer is bound to; a rejected question has none.
        """
        chosen = collection_id or self._collection_id
        judged: list[JudgedQuestion] = []
        for draft in await self._queue.decided():
            documents = await self._documents_of(draft, chosen)
            if documents or (draft.kind is DraftKind.DECLINED and draft.status is DraftStatus.REJECTED):
                grades = dict.fromkeys(documents, 1)
                judged.append(JudgedQuestion(str(draft.id), draft.question, grades, language=draft.language))
        return judged

    # Help

    async def _documents_of(self, draft: Draft, collection_id: str) -> list[str]:
        if draft.status is not DraftStatus.APPROVED or draft.kb_id is None:
            return []
        entry = await self._stores.curated.kb_get(draft.kb_id)
        sources = () if entry is None else entry.sources
        return [s.document_id for s in sources if s.collection_id == collection_id]


def _of(answer: Answer, collections: Sequence[str]) -> str | None:
    """The collection of an answer: that of its first citation, else the first one that was asked."""
    return next((c.collection_id for c in answer.citations), next(iter(collections), None))
