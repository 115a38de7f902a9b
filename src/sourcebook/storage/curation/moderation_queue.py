"""The queue of drafts: the contract of `ports.moderation.ModerationQueue`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sourcebook.curate.draft_rules import require_answerable, require_replied, retires_its_entry
from sourcebook.curate.question_groups import group_of, same_words
from sourcebook.errors import (
    ActiveModelChanged,
    CuratedAnswerChangedMeanwhile,
    CuratedAnswerNotFound,
    DraftNotFound,
    UserNotFound,
)
from sourcebook.model.moderation import Draft, DraftKind, DraftStatus, Keep, Why
from sourcebook.ports.moderation import AskedQuestion, DecisionCounts
from sourcebook.storage.argument_checks import metadata_text, require_storable
from sourcebook.storage.chat.citations import citations_text
from sourcebook.storage.chat.outbox_messages import tell_rejected
from sourcebook.storage.curation.curated_rows import insert_entry, read_entries, renew_entry, require_sane
from sourcebook.storage.curation.draft_decisions import (
    change_status,
    close_answered_by,
    close_found,
    close_own,
    family_of,
    let_next_wait,
    original_of,
    reject_repeats,
    require_decider_row,
    require_draft,
    require_waiting,
    settle_repeats,
    tell,
)
from sourcebook.storage.curation.draft_rows import draft_from, insert_draft, stale_draft
from sourcebook.storage.curation.stale_answers import check_entry
from sourcebook.storage.database import again_if_lost, in_transaction
from sourcebook.storage.index import collections
from sourcebook.storage.people.visits import draft_is_made

if TYPE_CHECKING:
    from sourcebook.model.chat import Citation
    from sourcebook.model.curation import CuratedAnswer
    from sourcebook.model.moderation import NewDraft, Revision
    from sourcebook.ports.clock_and_jobs import Clock
    from sourcebook.ports.moderation import Embedded
    from sourcebook.storage.database import Database, Executor
    from sourcebook.storage.index.collections import StoredCollection

_RECENT = 300
_MANY_REJECTED = 500


class SqlModerationQueue:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def add(self, draft: NewDraft) -> Draft:
        return await in_transaction(self._database, lambda transaction: self._added(transaction, draft))

    async def _added(self, transaction: Executor, draft: NewDraft) -> Draft:
        if draft.group_key is None:
            # Here, where nobody else adds one: of two who ask the same at once, the second joins the first.
            known = await _recently_asked(transaction, draft.collection_id)
            draft = replace(draft, group_key=group_of(draft.question, draft.language, known))
        same_as = await original_of(transaction, draft)
        made = await insert_draft(transaction, draft, self._clock.now(), same_as=same_as)
        if made is None:
            known = await transaction.fetch_one(
                "draft_of_message", chat_message_id=draft.chat_message_id, kind=draft.kind.value
            )
            if known is None:
                raise UserNotFound(f"There is no user {draft.user_id}")
            made = await require_draft(transaction, known["id"])
        if draft.visit_key is not None:
            await draft_is_made(transaction, draft.visit_key, made.id)
        return made

    async def get(self, draft_id: int) -> Draft | None:
        row = await self._database.fetch_one("draft_by_id", draft_id=draft_id)
        return None if row is None else draft_from(row)

    async def pending(
        self,
        limit: int = 20,
        *,
        kind: DraftKind | None = None,
        after: int = 0,
        collection_id: str | None = None,
    ) -> list[Draft]:
        rows = await self._database.fetch(
            "pending_drafts",
            kind=None if kind is None else kind.value,
            after=after,
            of_collection=collection_id,
            limit=limit,
        )
        return [draft_from(row) for row in rows]

    async def require_waiting(self, draft_id: int) -> None:
        await require_waiting(self._database, draft_id)

    async def in_group(self, group_key: str) -> list[Draft]:
        rows = await self._database.fetch("pending_in_group", group_key=group_key)
        return [draft_from(row) for row in rows]

    async def repeats(self, draft_id: int) -> list[Draft]:
        rows = await self._database.fetch("pending_repeats", draft_id=draft_id)
        return [draft_from(row) for row in rows if row["id"] != draft_id]

    async def of_user(self, user_id: int, status: DraftStatus | None = None) -> list[Draft]:
        wanted = None if status is None else status.value
        rows = await self._database.fetch("drafts_of_user", user_id=user_id, status=wanted)
        return [draft_from(row) for row in rows]

    async def rejected_answers(self, collection_id: str, limit: int = _MANY_REJECTED) -> list[Draft]:
        rows = await self._database.fetch("rejected_answers", of_collection=collection_id, limit=limit)
        return [draft_from(row) for row in rows]

    async def before_approval(self, entry_id: int) -> Draft | None:
        row = await self._database.fetch_one("answer_before_approval", entry_id=entry_id)
        return None if row is None else draft_from(row)

    async def count_pending(self) -> dict[DraftKind, int]:
        rows = await self._database.fetch("pending_counts")
        return dict.fromkeys(DraftKind, 0) | {DraftKind(row["kind"]): row["count"] for row in rows}

    async def count_cases(self, answers: int) -> dict[str | None, int]:
        rows = await self._database.fetch("case_counts", answers=answers)
        return {row["collection_id"]: row["count"] for row in rows}

    async def categories(self, collection_id: str) -> list[tuple[str, str | None]]:
        rows = await self._database.fetch("known_categories", of_collection=collection_id)
        return [(row["category"], row["subcategory"]) for row in rows]

    async def approve(
        self, draft_id: int, admin_id: int, revision: Revision, embedded: Embedded
    ) -> CuratedAnswer:
        require_sane(revision)
        async with self._database.transaction() as transaction:
            draft = await require_draft(transaction, draft_id)
            return await self._approve(transaction, draft, admin_id, revision, embedded, answer=None)

    async def reject(self, draft_id: int, admin_id: int, reason: str) -> Draft:
        require_storable("the reason", reason)
        async with self._database.transaction() as transaction:
            draft = await require_draft(transaction, draft_id)
            others = await family_of(transaction, draft)
            await self._decide(transaction, draft, DraftStatus.REJECTED, admin_id, reason)
            if draft.stale_kb_id is not None:
                await self._retire(transaction, draft, draft.stale_kb_id)
            if draft.kind is DraftKind.DECLINED:
                await tell_rejected(transaction, draft, reason, self._clock.now())
            await reject_repeats(transaction, draft, others, admin_id, reason, self._clock.now())
            return await require_draft(transaction, draft_id)

    async def reply(
        self,
        draft_id: int,
        admin_id: int,
        text: str,
        revision: Revision | None = None,
        embedded: Embedded | None = None,
    ) -> Draft:
        require_storable("the reply", text)
        async with self._database.transaction() as transaction:
            draft = await require_draft(transaction, draft_id)
            require_answerable(draft)
            if revision is not None and embedded is not None:
                require_sane(revision)
                await self._approve(transaction, draft, admin_id, revision, embedded, answer=text)
            else:
                reason = Keep.REPLY_ONLY.value
                others = await family_of(transaction, draft)
                await self._decide(transaction, draft, DraftStatus.APPROVED, admin_id, reason, text)
                await tell(transaction, draft, text, None, self._clock.now())
                await settle_repeats(transaction, draft, others, admin_id, text, None, self._clock.now())
            return await require_draft(transaction, draft_id)

    async def keep(
        self, draft_id: int, admin_id: int, revision: Revision, embedded: Embedded
    ) -> CuratedAnswer:
        require_sane(revision)
        async with self._database.transaction() as transaction:
            await _take_turns(transaction, await require_draft(transaction, draft_id), revision)
            draft = await require_draft(transaction, draft_id)
            require_replied(draft)
            await require_decider_row(transaction, admin_id)
            entry_id = draft.kb_id
            if entry_id is None:
                entry_id = await self._make_entry(transaction, draft, admin_id, revision, embedded)
            (entry,) = await read_entries(transaction, [entry_id])
            return entry

    async def rebind(
        self, draft_id: int, admin_id: int, entry: CuratedAnswer, revision: Revision, embedded: Embedded
    ) -> CuratedAnswer:
        require_sane(revision)
        async with self._database.transaction() as transaction:
            await _take_turns(transaction, await require_draft(transaction, draft_id), revision)
            await require_decider_row(transaction, admin_id)
            now, stored = self._clock.now(), await _stored(transaction, revision, embedded)
            known = await read_entries(transaction, [entry.id])
            if [(each.revision, each.stale_since) for each in known] != [(entry.revision, None)]:
                raise CuratedAnswerChangedMeanwhile(f"The curated answer {entry.id} has changed meanwhile")
            await renew_entry(
                transaction, stored, entry.id, revision, embedded.vector, now, approved_by=admin_id
            )
            await check_entry(transaction, entry.id, now)
            (bound,) = await read_entries(transaction, [entry.id])
            return bound

    async def cancel(self, draft_id: int, user_id: int) -> Draft:
        async with self._database.transaction() as transaction:
            draft = await require_draft(transaction, draft_id)
            if draft.user_id != user_id or draft.kind is not DraftKind.DECLINED:
                raise DraftNotFound(f"User {user_id} has no question {draft_id}")
            now = self._clock.now()
            mine = [other for other in await family_of(transaction, draft) if other.user_id == user_id]
            for one in (*mine, draft):
                await let_next_wait(transaction, await require_draft(transaction, one.id))
                await change_status(transaction, one, DraftStatus.CANCELLED, None, None, None, now)
            return await require_draft(transaction, draft_id)

    async def close_own(self, user_id: int, question: str, entry_id: int) -> None:
        now = self._clock.now()
        await in_transaction(self._database, lambda state: close_own(state, user_id, question, entry_id, now))

    async def close_found(
        self, draft_id: int, answer: str, citations: Sequence[Citation], reason: str
    ) -> Draft | None:
        require_storable("the answer", answer, reason)
        async with self._database.transaction() as transaction:
            draft = await require_draft(transaction, draft_id)
            if draft.status is not DraftStatus.PENDING:
                return None
            await close_found(transaction, draft, answer, citations, reason, self._clock.now())
            return await require_draft(transaction, draft_id)

    async def propose(self, entry_id: int, editor_id: int, revision: Revision) -> Draft:
        require_sane(revision)
        now = self._clock.now()
        async with self._database.transaction() as transaction:
            entries = await read_entries(transaction, [entry_id])
            if not entries:
                raise CuratedAnswerNotFound(f"There is no curated answer {entry_id}")
            await require_decider_row(transaction, editor_id)
            proposal = replace(
                stale_draft(entries[0], Why.EDITED),
                user_id=editor_id,
                question=revision.question or revision.answer,
                answer=revision.answer,
                category_guess=revision.category,
                subcategory_guess=revision.subcategory,
            )
            waiting = await transaction.fetch_one("pending_stale_draft", entry_id=entry_id)
            if waiting is None:
                made = await insert_draft(transaction, proposal, now, stale_kb_id=entry_id)
                assert made is not None, "none was waiting"  # noqa: S101
                return made
            await _change_proposal(transaction, waiting["id"], proposal, now)
            return await require_draft(transaction, waiting["id"])

    async def troubled(self, since: int, limit: int = 5000) -> list[Draft]:
        rows = await self._database.fetch("troubled_drafts", since=since, limit=limit)
        return [draft_from(row) for row in rows]

    async def decided(self, since: int = 0, limit: int = 5000) -> list[Draft]:
        rows = await self._database.fetch("decided_drafts", since=since, limit=limit)
        return [draft_from(row) for row in rows]

    @again_if_lost
    async def tally(self, since: int, until: int) -> DecisionCounts:
        span = {"since": since, "until": until}
        async with self._database.snapshot() as reader:
            tiers = {row["tier"]: row["count"] for row in await reader.fetch("tiers_between", **span)}
            people = await reader.fetch_one("people_between", **span)
            decided = {row["status"]: row["count"] for row in await reader.fetch("decisions_between", **span)}
            tokens = await reader.fetch("tokens_between", **span)
            stale = [row["id"] for row in await reader.fetch("became_stale_between", **span)]
            return DecisionCounts(
                questions=sum(tiers.values()),
                people=people["people"] if people else 0,
                tiers=tiers,
                drafts=decided,
                tokens={row["operation_type"]: row["amount"] for row in tokens},
                became_stale=await read_entries(reader, stale),
            )

    async def _approve(
        self,
        transaction: Executor,
        draft: Draft,
        admin_id: int,
        revision: Revision,
        embedded: Embedded,
        answer: str | None,
    ) -> CuratedAnswer:
        now = self._clock.now()
        await _take_turns(transaction, draft, revision)
        stored = await _stored(transaction, revision, embedded)
        others = await _asking_the_same(transaction, draft)
        await self._decide(transaction, draft, DraftStatus.APPROVED, admin_id, None, answer)
        if draft.stale_kb_id is None:
            entry_id = await insert_entry(
                transaction, stored, revision, embedded.vector, now, approved_by=admin_id, draft_id=draft.id
            )
        else:
            entry_id = draft.stale_kb_id
            await renew_entry(
                transaction, stored, entry_id, revision, embedded.vector, now, approved_by=admin_id
            )
        await transaction.execute("link_draft", draft_id=draft.id, kb_id=entry_id)
        await check_entry(transaction, entry_id, now)
        (entry,) = await read_entries(transaction, [entry_id])
        await self._settle_the_same(transaction, draft, admin_id, entry, others)
        return entry

    async def _make_entry(
        self, transaction: Executor, draft: Draft, admin_id: int, revision: Revision, embedded: Embedded
    ) -> int:
        now = self._clock.now()
        stored = await _stored(transaction, revision, embedded)
        entry_id = await insert_entry(
            transaction, stored, revision, embedded.vector, now, approved_by=admin_id, draft_id=draft.id
        )
        await transaction.execute("link_draft", draft_id=draft.id, kb_id=entry_id)
        await check_entry(transaction, entry_id, now)
        return entry_id

    async def _settle_the_same(
        self,
        transaction: Executor,
        draft: Draft,
        admin_id: int,
        entry: CuratedAnswer,
        others: Sequence[Draft],
    ) -> None:
        """Queue the reply for the person who asked, and for everybody who waits for an answer to the same question."""
        now = self._clock.now()
        if draft.kind is DraftKind.DECLINED:
            await tell(transaction, draft, entry.answer, entry.id, now)
        await settle_repeats(transaction, draft, others, admin_id, entry.answer, entry.id, now)
        await close_answered_by(transaction, entry, entry.question, admin_id, now)

    async def _retire(self, transaction: Executor, draft: Draft, entry_id: int) -> None:
        for entry in await read_entries(transaction, [entry_id]):
            if retires_its_entry(draft, is_stale=entry.stale_since is not None):
                await transaction.execute("retire_curated", entry_id=entry_id, now=self._clock.now())

    async def _decide(
        self,
        transaction: Executor,
        draft: Draft,
        status: DraftStatus,
        admin_id: int,
        reason: str | None,
        answer: str | None = None,
    ) -> None:
        await require_decider_row(transaction, admin_id)
        await change_status(transaction, draft, status, admin_id, reason, answer, self._clock.now())


async def _asking_the_same(transaction: Executor, draft: Draft) -> list[Draft]:
    """What repeats a draft, and what waits in its group with the very same words, with what repeats that."""
    if draft.kind is DraftKind.STALE or draft.group_key is None:
        return []
    found = {other.id: other for other in await family_of(transaction, draft)}
    for row in await transaction.fetch("pending_in_group", group_key=draft.group_key):
        other = draft_from(row)
        if same_words(other.question, draft.question) and other.collection_id == draft.collection_id:
            found |= {one.id: one for one in (other, *await family_of(transaction, other))}
    found.pop(draft.id, None)
    return [found[number] for number in sorted(found)]


async def _stored(transaction: Executor, revision: Revision, embedded: Embedded) -> StoredCollection:
    """The collection of an answer, whose model the answer's vector must be of."""
    stored = await collections.require(transaction, revision.collection_id)
    if stored.collection.model != embedded.model:
        raise ActiveModelChanged(f"The model of the collection {revision.collection_id!r} has changed")
    return stored


async def _take_turns(transaction: Executor, draft: Draft, revision: Revision) -> None:
    """Lock the collections of the quoted documents, so that this transaction and writers of them run one by one."""
    quoted = {source.collection_id for source in revision.sources} | {revision.collection_id}
    if draft.stale_kb_id is not None:
        rows = await transaction.fetch("sources_of_entry", entry_id=draft.stale_kb_id)
        quoted |= {row["collection_id"] for row in rows}
    for collection_id in sorted(quoted):
        await collections.find(transaction, collection_id)


async def _recently_asked(reader: Executor, collection_id: str | None) -> list[AskedQuestion]:
    rows = await reader.fetch("recently_asked", of_collection=collection_id, limit=_RECENT)
    return [AskedQuestion(row["question"], row["language"], row["group_key"]) for row in rows]


async def _change_proposal(transaction: Executor, draft_id: int, proposal: NewDraft, now: int) -> None:
    await transaction.execute(
        "change_proposal",
        draft_id=draft_id,
        question=proposal.question,
        answer=proposal.answer,
        citations=citations_text(proposal.citations),
        details=metadata_text(dict(proposal.details), "the draft"),
        category_guess=proposal.category_guess,
        subcategory_guess=proposal.subcategory_guess,
        now=now,
    )
