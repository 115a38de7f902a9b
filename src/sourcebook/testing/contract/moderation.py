"""What every queue of drafts promises."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio
import pytest

from sourcebook.curate.gaps import gap_reason
from sourcebook.errors import (
    ActiveModelChanged,
    AlreadyDecided,
    AuthError,
    CuratedAnswerChangedMeanwhile,
    CuratedAnswerNotFound,
    DraftNotFound,
    UsageError,
    UserNotFound,
)
from sourcebook.model.chat import SourceState, Tier
from sourcebook.model.documents import EmbeddingModel
from sourcebook.model.moderation import DraftKind, DraftStatus
from sourcebook.ports.moderation import Embedded
from sourcebook.testing.contract.chat import LOCAL, QUOTE, citation
from sourcebook.testing.contract.drafts import (
    EMBEDDED,
    OTHERS,
    QUESTION,
    STRANGER,
    approved,
    declined,
    new_draft,
    put,
    revision,
)
from sourcebook.testing.crash import prepared_document

if TYPE_CHECKING:
    from sourcebook.assembly import OpenBase
    from sourcebook.model.documents import JsonValue
    from sourcebook.testing.fakes import FixedClock


@pytest.mark.anyio
class ModerationContract:
    """Also needs a fixture `clock`: the `FixedClock` that the base was opened with."""

    async def test_a_draft_comes_back_as_it_was_made(self, base: OpenBase, clock: FixedClock) -> None:
        made = await base.stores.moderation.add(new_draft())
        assert (made.kind, made.status, made.created_at) == (
            DraftKind.ANSWER,
            DraftStatus.PENDING,
            clock.now(),
        )
        assert (made.question, made.answer, made.language) == (QUESTION, QUOTE, "ru")
        assert made.citations == (citation(),)
        assert made.details == new_draft().details
        assert made.attachments == new_draft().attachments
        assert await base.stores.moderation.get(made.id) == made
        assert await base.stores.moderation.get(made.id + 1) is None

    async def test_a_draft_without_a_group_joins_the_one_of_a_similar_question(self, base: OpenBase) -> None:
        queue = base.stores.moderation
        first = await queue.add(
            declined(question="When do I prune raspberries?", language="en", group_key=None)
        )
        again = await queue.add(
            declined(question="when do i prune RASPBERRIES", language="en", group_key=None)
        )
        other = await queue.add(declined(question="What do hens eat?", language="en", group_key=None))
        assert first.group_key
        assert again.group_key == first.group_key != other.group_key
        assert [d.id for d in await queue.in_group(first.group_key)] == [first.id, again.id]

    async def test_what_waits_is_listed_oldest_first_by_kind_and_page(self, base: OpenBase) -> None:
        queue = base.stores.moderation
        first = await queue.add(new_draft(question="one"))
        second = await queue.add(declined(question="two", collection_id=None))
        third = await queue.add(new_draft(question="three"))
        assert [d.id for d in await queue.pending()] == [first.id, second.id, third.id]
        assert [d.id for d in await queue.pending(limit=1)] == [first.id]
        assert [d.id for d in await queue.pending(after=first.id)] == [second.id, third.id]
        assert [d.id for d in await queue.pending(kind=DraftKind.DECLINED)] == [second.id]
        assert [d.id for d in await queue.pending(collection_id="c")] == [first.id, third.id]
        assert await queue.count_pending() == {
            DraftKind.ANSWER: 2,
            DraftKind.DECLINED: 1,
            DraftKind.STALE: 0,
        }
        assert [d.id for d in await queue.of_user(LOCAL)] == [third.id, second.id, first.id]

    async def test_as_many_cases_are_counted_as_a_listing_shows(self, base: OpenBase) -> None:
        queue = base.stores.moderation
        inner: dict[str, JsonValue] = {"outdated": {"weak": True}, "why": '"weak": true'}
        for number, weak in enumerate((True, False, 1, "true", None, True, True)):
            await queue.add(new_draft(question=f"answer {number}", details={**inner, "weak": weak}))
        await queue.add(new_draft(question="other words", details=inner))
        await queue.add(declined(question="one"))
        await queue.add(declined(question="two", collection_id=None))
        await queue.reject((await queue.pending(kind=DraftKind.DECLINED))[0].id, LOCAL, "no")
        for most in (0, 1, 6, 100):
            answers = await queue.pending(most, kind=DraftKind.ANSWER)
            listed = [d for d in answers if gap_reason(d) == "weak"]
            listed += await queue.pending(kind=DraftKind.DECLINED)
            assert await queue.count_cases(most) == Counter(d.collection_id for d in listed)

    async def test_one_message_makes_one_draft(self, base: OpenBase) -> None:
        queue = base.stores.moderation
        first = await queue.add(new_draft(chat_message_id="m1"))
        assert (await queue.add(new_draft(chat_message_id="m1"))).id == first.id
        assert (await queue.add(new_draft(chat_message_id="m2"))).id != first.id
        assert (await queue.add(declined(chat_message_id="m1"))).id != first.id

    async def test_an_approved_draft_is_a_curated_answer_with_its_approver_and_sources(
        self, base: OpenBase, clock: FixedClock
    ) -> None:
        await put(base, OTHERS + QUOTE, "b")
        clock.wait(9)
        entry = await approved(base, answer="Режут в октябре. [1]")
        assert (entry.answer, entry.approved_by, entry.approved_at) == (
            "Режут в октябре. [1]",
            LOCAL,
            clock.now(),
        )
        (source,) = entry.sources
        assert (source.state, source.file_hash) == (SourceState.CURRENT, "b" * 64)
        (draft,) = await base.stores.moderation.decided()
        assert (draft.status, draft.kb_id, draft.admin_id) == (DraftStatus.APPROVED, entry.id, LOCAL)
        found = await base.stores.curated.kb_search("ягоды", [1.0, 0.0], collection_id="c")
        assert [match.entry for match in found] == [entry]
        assert await base.stores.moderation.pending() == []

    async def test_a_rejected_draft_becomes_nothing(self, base: OpenBase) -> None:
        await put(base, QUOTE, "a")
        draft = await base.stores.moderation.add(new_draft())
        rejected = await base.stores.moderation.reject(draft.id, LOCAL, "неверно")
        assert (rejected.status, rejected.reason, rejected.admin_id) == (
            DraftStatus.REJECTED,
            "неверно",
            LOCAL,
        )
        assert await base.stores.curated.kb_list() == []
        (known,) = await base.stores.moderation.rejected_answers("c")
        assert (known.id, known.question, known.citations) == (draft.id, draft.question, draft.citations)
        assert not await base.stores.moderation.rejected_answers("other")
        with pytest.raises(AlreadyDecided, match="rejected by local"):
            await base.stores.moderation.approve(draft.id, LOCAL, revision(), EMBEDDED)
        assert await base.stores.curated.kb_list() == []
        other = await base.stores.moderation.add(new_draft(question="Another?"))
        await base.stores.moderation.require_waiting(other.id)
        with pytest.raises(AlreadyDecided, match="rejected by local"):
            await base.stores.moderation.require_waiting(draft.id)

    async def test_what_an_approved_answer_was_made_of_is_known(self, base: OpenBase) -> None:
        await put(base, QUOTE, "a")
        queue = base.stores.moderation
        draft = await queue.add(new_draft())
        entry = await queue.approve(draft.id, LOCAL, revision(), EMBEDDED)
        before = await queue.before_approval(entry.id)
        assert before is not None
        assert (before.id, before.answer, before.citations) == (draft.id, draft.answer, draft.citations)
        assert await queue.before_approval(entry.id + 1) is None

    async def test_an_answer_that_changed_meanwhile_is_not_bound_to_other_sources(
        self, base: OpenBase
    ) -> None:
        await put(base, QUOTE, "a")
        queue = base.stores.moderation
        draft = await queue.add(new_draft())
        entry = await queue.approve(draft.id, LOCAL, revision(), EMBEDDED)
        bound = await queue.rebind(draft.id, LOCAL, entry, revision(), EMBEDDED)
        assert bound.revision > entry.revision
        with pytest.raises(CuratedAnswerChangedMeanwhile):
            await queue.rebind(draft.id, LOCAL, entry, revision(), EMBEDDED)
        assert await base.stores.curated.kb_get(entry.id) == bound

    async def test_thirty_two_decide_at_once_and_one_is_first(self, base: OpenBase) -> None:
        await put(base, QUOTE, "a")
        queue = base.stores.moderation
        draft = await queue.add(new_draft())
        won: list[str] = []
        lost: list[AlreadyDecided] = []

        async def press(number: int) -> None:
            try:
                if number % 2:
                    await queue.approve(draft.id, LOCAL, revision(), EMBEDDED)
                    won.append("approved")
                else:
                    await queue.reject(draft.id, LOCAL, "no")
                    won.append("rejected")
            except AlreadyDecided as error:
                lost.append(error)

        async with anyio.create_task_group() as admins:
            for number in range(32):
                admins.start_soon(press, number)
        assert (len(won), len(lost)) == (1, 31)
        assert {(error.decided_by, error.status) for error in lost} == {("local", won[0])}
        decided = await queue.get(draft.id)
        assert decided is not None
        assert decided.status == won[0]
        assert len(await base.stores.curated.kb_list()) == (1 if won == ["approved"] else 0)

    async def test_only_experts_and_administrators_decide(self, base: OpenBase) -> None:
        await put(base, QUOTE, "a")
        draft = await base.stores.moderation.add(new_draft())
        with pytest.raises(AuthError):
            await base.stores.moderation.approve(draft.id, STRANGER, revision(), EMBEDDED)
        with pytest.raises(AuthError):
            await base.stores.moderation.reject(draft.id, STRANGER, "")
        assert len(await base.stores.moderation.pending()) == 1
        assert await base.stores.curated.kb_list() == []
        made = await base.stores.moderation.approve(draft.id, LOCAL, revision(), EMBEDDED)
        with pytest.raises(AuthError):
            await base.stores.moderation.propose(made.id, STRANGER, revision())

    async def test_nobody_asks_in_the_name_of_who_is_not_there(self, base: OpenBase) -> None:
        with pytest.raises(UserNotFound):
            await base.stores.moderation.add(new_draft(user_id=STRANGER))

    async def test_what_is_not_there_is_not_found(self, base: OpenBase) -> None:
        queue = base.stores.moderation
        for decision in (queue.reject(5, LOCAL, ""), queue.reply(5, LOCAL, "x"), queue.cancel(5, LOCAL)):
            with pytest.raises(DraftNotFound):
                await decision
        with pytest.raises(CuratedAnswerNotFound):
            await queue.propose(5, LOCAL, revision())

    async def test_a_vector_of_another_model_is_refused_and_nothing_is_decided(self, base: OpenBase) -> None:
        await put(base, QUOTE, "a")
        draft = await base.stores.moderation.add(new_draft())
        other = Embedded([1.0, 0.0], EmbeddingModel("other", 2))
        with pytest.raises(ActiveModelChanged):
            await base.stores.moderation.approve(draft.id, LOCAL, revision(), other)
        assert len(await base.stores.moderation.pending()) == 1

    async def test_the_reply_of_an_expert_is_sent_once_and_stands_in_the_conversation(
        self, base: OpenBase
    ) -> None:
        await put(base, QUOTE, "a")
        queue = base.stores.moderation
        session = await base.stores.sessions.create_session(LOCAL, "cli")
        await base.stores.sessions.add_turn(session.id, QUESTION, "нет", Tier.NONE, (), {})
        draft = await queue.add(declined(session_id=session.id))
        answered = await queue.reply(draft.id, LOCAL, "В октябре.", revision(), EMBEDDED)
        assert (answered.status, answered.answer) == (DraftStatus.APPROVED, "В октябре.")
        assert answered.kb_id is not None
        job = await base.stores.jobs.claim(["message"], "w")
        assert job is not None
        assert job.payload == {
            "kind": "expert_answer",
            "user_id": LOCAL,
            "channel_key": None,
            "draft_id": draft.id,
            "topic_id": None,
            "session_id": session.id,
            "kb_id": answered.kb_id,
        }
        assert await base.stores.jobs.claim(["message"], "w") is None
        told = (await base.stores.sessions.messages(session.id, LOCAL))[-1]
        assert (told.content, told.tier, len(told.citations)) == (QUOTE, None, 1)
        with pytest.raises(AlreadyDecided):
            await queue.reply(draft.id, LOCAL, "again")
        assert await base.stores.jobs.claim(["message"], "w") is None

    async def test_who_asked_a_question_that_is_rejected_is_told_once_and_why(self, base: OpenBase) -> None:
        queue = base.stores.moderation
        draft = await queue.add(declined())
        with pytest.raises(AuthError):
            await queue.reject(draft.id, STRANGER, "no")
        assert await base.stores.jobs.claim(["message"], "w") is None
        won: list[str] = []

        async def reject(reason: str) -> None:
            try:
                await queue.reject(draft.id, LOCAL, reason)
                won.append(reason)
            except AlreadyDecided:
                pass

        async with anyio.create_task_group() as experts:
            for number in range(8):
                experts.start_soon(reject, f"не о саде {number}")
        job = await base.stores.jobs.claim(["message"], "w")
        assert job is not None
        assert job.payload == {
            "kind": "question_rejected",
            "user_id": LOCAL,
            "channel_key": None,
            "draft_id": draft.id,
            "topic_id": None,
            "session_id": None,
            "reason": won[0],
        }
        assert len(won) == 1
        assert await base.stores.jobs.claim(["message"], "w") is None

    async def test_a_rejected_answer_is_told_to_nobody(self, base: OpenBase) -> None:
        draft = await base.stores.moderation.add(new_draft())
        await base.stores.moderation.reject(draft.id, LOCAL, "no")
        assert await base.stores.jobs.claim(["message"], "w") is None

    async def test_a_reply_need_not_be_kept(self, base: OpenBase) -> None:
        draft = await base.stores.moderation.add(declined())
        answered = await base.stores.moderation.reply(draft.id, LOCAL, "Только вам.")
        assert (answered.kb_id, answered.answer) == (None, "Только вам.")
        assert await base.stores.curated.kb_list() == []
        assert await base.stores.jobs.claim(["message"], "w") is not None

    async def test_a_reply_can_be_kept_afterwards_once(self, base: OpenBase) -> None:
        await put(base, QUOTE, "a")
        queue = base.stores.moderation
        draft = await queue.add(declined())
        with pytest.raises(UsageError):
            await queue.keep(draft.id, LOCAL, revision(), EMBEDDED)
        await queue.reply(draft.id, LOCAL, "В октябре.")
        with pytest.raises(AuthError):
            await queue.keep(draft.id, STRANGER, revision(), EMBEDDED)
        kept = await queue.keep(draft.id, LOCAL, revision(), EMBEDDED)
        assert await queue.keep(draft.id, LOCAL, revision(), EMBEDDED) == kept
        assert await base.stores.curated.kb_list() == [kept]

    async def test_only_a_question_can_be_replied_to(self, base: OpenBase) -> None:
        draft = await base.stores.moderation.add(new_draft())
        with pytest.raises(UsageError):
            await base.stores.moderation.reply(draft.id, LOCAL, "x")

    async def test_who_asked_may_take_it_back_and_nobody_else(self, base: OpenBase) -> None:
        queue = base.stores.moderation
        draft = await queue.add(declined())
        with pytest.raises(DraftNotFound):
            await queue.cancel(draft.id, STRANGER)
        assert (await queue.cancel(draft.id, LOCAL)).status is DraftStatus.CANCELLED
        with pytest.raises(AlreadyDecided, match="withdrawn"):
            await queue.reply(draft.id, LOCAL, "late")
        assert await base.stores.jobs.claim(["message"], "w") is None

    async def test_the_same_question_of_others_is_settled_with_it(self, base: OpenBase) -> None:
        await put(base, QUOTE, "a")
        queue = base.stores.moderation
        first = await queue.add(declined())
        neighbour = await base.stores.users.create_user(username="neighbour")
        same = await queue.add(declined(question="когда обрезать МАЛИНУ", user_id=neighbour.id))
        other = await queue.add(declined(question="Когда обрезать старую малину?"))
        apart = await queue.add(declined(group_key="h"))
        answered = await queue.reply(first.id, LOCAL, "В октябре.", revision(), EMBEDDED)
        settled = await queue.get(same.id)
        assert settled is not None
        assert (settled.status, settled.kb_id) == (DraftStatus.APPROVED, answered.kb_id)
        assert [d.id for d in await queue.pending()] == [other.id, apart.id]
        told = [await base.stores.jobs.claim(["message"], "w") for _ in range(3)]
        assert [job.payload["draft_id"] if job else None for job in told] == [first.id, same.id, None]
        assert len(await base.stores.curated.kb_list()) == 1

    async def test_counts_of_what_happened_between_two_moments(
        self, base: OpenBase, clock: FixedClock
    ) -> None:
        await put(base, QUOTE, "a")
        since = clock.now()
        session = await base.stores.sessions.create_session(LOCAL, "cli")
        for tier in (Tier.NONE, Tier.DOCUMENTS, Tier.DOCUMENTS):
            await base.stores.sessions.add_turn(session.id, "q", "a", tier, (), {})
        made = await approved(base)
        clock.wait(10)
        await put(base, "Something else.", "b")
        tally = await base.stores.moderation.tally(since, clock.now() + 1)
        assert (tally.questions, tally.people) == (3, 1)
        assert tally.tiers == {"none": 1, "documents": 2}
        assert tally.drafts == {"approved": 1}
        assert [entry.id for entry in tally.became_stale] == [made.id]
        assert (await base.stores.moderation.tally(0, since)).questions == 0

    async def test_the_categories_of_documents_are_known(self, base: OpenBase) -> None:
        """Of documents that share a subcategory the first one tells it, and how it is written."""
        labels = [
            ("Berries", "Raspberry"),
            ("berries", "raspberry"),
            ("Recipes", "RASPBERRY"),
            ("Tools", None),
            ("tools", None),
            (None, "Ladders"),
            (None, None),
        ]
        told: dict[str, tuple[str | None, str | None]] = {}
        for number, (category, subcategory) in enumerate(labels):
            made = prepared_document(number)
            told[made.document.id] = (category, subcategory)
            await base.stores.library.open_collection("default", made.model)
            document = replace(made.document, category=category, subcategory=subcategory)
            await base.stores.writer.replace_document("default", replace(made, document=document))
        first = min(known_as for known_as, (_, kind) in told.items() if str(kind).lower() == "raspberry")
        known = await base.stores.moderation.categories("default")
        assert set(known) == {told[first], ("Tools", None), ("tools", None)}
        assert len(known) == len(set(known))
        assert await base.stores.moderation.categories("elsewhere") == []
