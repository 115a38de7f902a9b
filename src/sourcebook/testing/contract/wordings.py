"""What every store promises about other wordings of curated questions, and about drafts that ask the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sourcebook.errors import (
    ActiveModelChanged,
    AuthError,
    CuratedAnswerNotFound,
    UsageError,
    WordingNotFound,
)
from sourcebook.model.curation import WordingStatus
from sourcebook.model.documents import EmbeddingModel
from sourcebook.model.moderation import DraftKind, DraftStatus
from sourcebook.ports.moderation import Embedded
from sourcebook.testing.contract.chat import LOCAL, QUOTE, citation
from sourcebook.testing.contract.drafts import (
    EMBEDDED,
    MODEL,
    QUESTION,
    approved,
    declined,
    entry_of,
    put,
    revision,
)

if TYPE_CHECKING:
    from sourcebook.assembly import OpenBase
    from sourcebook.model.moderation import NewDraft

OTHER = "В каком месяце режут малину?"
NEAR_OTHER = Embedded([0.0, 1.0], MODEL)


async def people(base: OpenBase, count: int) -> list[int]:
    return [(await base.stores.users.create_user(username=f"asker{n}")).id for n in range(count)]


def asked(user_id: int = LOCAL, question: str = QUESTION) -> NewDraft:
    return declined(user_id=user_id, question=question, attachments=(), details={})


@pytest.mark.anyio
class WordingsContract:
    async def test_a_wording_is_matched_from_the_second_person_on(self, base: OpenBase) -> None:
        await put(base, QUOTE, "a")
        made, curated = await approved(base), base.stores.curated
        anna, boris = await people(base, 2)
        await curated.kb_confirm_wording(made.id, OTHER, anna, NEAR_OTHER)
        first = await curated.kb_confirm_wording(made.id, OTHER, anna, NEAR_OTHER)
        assert first is not None
        # Who says it twice counts once.
        assert (first.status, first.people) == (WordingStatus.PROPOSED, 1)
        assert await curated.kb_search(None, [0.0, 1.0], collection_id="c") == []
        second = await curated.kb_confirm_wording(made.id, "в каком месяце режут малину", boris, NEAR_OTHER)
        assert second is not None
        assert (second.id, second.question) == (first.id, OTHER)
        assert (second.status, second.people) == (WordingStatus.CONFIRMED, 2)
        (match,) = await curated.kb_search(None, [0.0, 1.0], collection_id="c")
        assert (match.entry.id, match.wording, match.question) == (made.id, OTHER, OTHER)
        (own,) = await curated.kb_search(None, [1.0, 0.0], collection_id="c")
        assert (own.wording, own.question) == (None, QUESTION)
        assert await curated.kb_open_wordings() == 1
        assert (await entry_of(base, made)).wordings == (second,)

    async def test_what_an_expert_says_counts_at_once_and_what_one_rejects_never(
        self, base: OpenBase
    ) -> None:
        await put(base, QUOTE, "a")
        made, curated = await approved(base), base.stores.curated
        anna, boris, vera = await people(base, 3)
        wording = await curated.kb_confirm_wording(made.id, OTHER, LOCAL, NEAR_OTHER)
        assert wording is not None
        assert (wording.status, wording.decided_by) == (WordingStatus.ACCEPTED, LOCAL)
        rejected = await curated.kb_decide_wording(wording.id, LOCAL, WordingStatus.REJECTED)
        assert rejected.status is WordingStatus.REJECTED
        for person in (anna, boris, vera, LOCAL):
            again = await curated.kb_confirm_wording(made.id, OTHER, person, NEAR_OTHER)
            assert again is not None
            assert again.status is WordingStatus.REJECTED
        assert await curated.kb_search(None, [0.0, 1.0], collection_id="c") == []
        added = await curated.kb_add_wording(made.id, OTHER, LOCAL, NEAR_OTHER)
        assert added is not None
        assert (added.id, added.status) == (wording.id, WordingStatus.ACCEPTED)
        assert await curated.kb_open_wordings() == 0

    async def test_only_experts_decide_on_wordings(self, base: OpenBase) -> None:
        await put(base, QUOTE, "a")
        made, curated = await approved(base), base.stores.curated
        (anna,) = await people(base, 1)
        wording = await curated.kb_confirm_wording(made.id, OTHER, anna, NEAR_OTHER)
        assert wording is not None
        with pytest.raises(AuthError):
            await curated.kb_decide_wording(wording.id, anna, WordingStatus.ACCEPTED)
        with pytest.raises(AuthError):
            await curated.kb_add_wording(made.id, "Когда?", anna, NEAR_OTHER)
        with pytest.raises(WordingNotFound):
            await curated.kb_decide_wording(99, LOCAL, WordingStatus.ACCEPTED)
        assert (await entry_of(base, made)).wordings == (wording,)

    async def test_bad_wordings_are_refused(self, base: OpenBase) -> None:
        await put(base, QUOTE, "a")
        made, curated = await approved(base), base.stores.curated
        assert await curated.kb_add_wording(made.id, QUESTION.upper(), LOCAL, EMBEDDED) is None
        with pytest.raises(UsageError):
            await curated.kb_add_wording(made.id, " ?! ", LOCAL, EMBEDDED)
        with pytest.raises(CuratedAnswerNotFound):
            await curated.kb_add_wording(99, OTHER, LOCAL, EMBEDDED)
        with pytest.raises(ActiveModelChanged):
            await curated.kb_add_wording(made.id, OTHER, LOCAL, Embedded([1.0], EmbeddingModel.of_caller(1)))
        assert (await entry_of(base, made)).wordings == ()

    async def test_wordings_go_with_their_answer_and_with_who_said_them(self, base: OpenBase) -> None:
        await put(base, QUOTE, "a")
        made, curated = await approved(base), base.stores.curated
        anna, boris = await people(base, 2)
        await curated.kb_confirm_wording(made.id, OTHER, anna, NEAR_OTHER)
        kept = await curated.kb_confirm_wording(made.id, "Когда режут?", anna, NEAR_OTHER)
        assert kept is not None
        await curated.kb_confirm_wording(made.id, "Когда режут?", boris, NEAR_OTHER)
        await base.stores.users.forget_user(anna)
        assert [(w.id, w.people) for w in (await entry_of(base, made)).wordings] == [(kept.id, 1)]
        assert await curated.kb_remove(made.id)
        assert await curated.kb_open_wordings() == 0


@pytest.mark.anyio
class RepeatedDraftsContract:
    async def test_the_same_open_question_is_one_draft_with_a_count(self, base: OpenBase) -> None:
        queue = base.stores.moderation
        anna, boris = await people(base, 2)
        first = await queue.add(asked(anna))
        again = await queue.add(asked(anna, "когда обрезать МАЛИНУ"))
        other = await queue.add(asked(boris))
        apart = await queue.add(asked(boris, "Когда обрезать старую малину?"))
        assert [d.same_as for d in (again, other, apart)] == [first.id, first.id, None]
        listed = await queue.pending()
        assert [(d.id, d.asked, d.people) for d in listed] == [(first.id, 3, 2), (apart.id, 1, 1)]
        assert (await queue.count_pending())[DraftKind.DECLINED] == 2
        assert [d.id for d in await queue.repeats(first.id)] == [again.id, other.id]

    async def test_every_asker_gets_the_reply_once(self, base: OpenBase) -> None:
        queue = base.stores.moderation
        anna, boris = await people(base, 2)
        first = await queue.add(asked(anna))
        await queue.add(asked(anna))
        other = await queue.add(asked(boris))
        await queue.reply(first.id, LOCAL, "В октябре.")
        told = [await base.stores.jobs.claim(["message"], "w") for _ in range(3)]
        assert [job.payload["draft_id"] if job else None for job in told] == [first.id, other.id, None]
        settled = await queue.get(other.id)
        assert settled is not None
        assert (settled.status, settled.answer) == (DraftStatus.APPROVED, "В октябре.")
        assert await queue.pending() == []

    async def test_a_rejection_reaches_every_asker(self, base: OpenBase) -> None:
        queue = base.stores.moderation
        anna, boris = await people(base, 2)
        first, other = await queue.add(asked(anna)), await queue.add(asked(boris))
        await queue.reject(other.id, LOCAL, "не о саде")
        for draft in (first, other):
            found = await queue.get(draft.id)
            assert found is not None
            assert (found.status, found.reason) == (DraftStatus.REJECTED, "не о саде")
        told = [await base.stores.jobs.claim(["message"], "w") for _ in range(3)]
        assert sorted(str(job.payload["user_id"]) for job in told if job) == sorted([str(anna), str(boris)])

    async def test_when_the_first_asker_goes_the_next_one_waits(self, base: OpenBase) -> None:
        queue = base.stores.moderation
        anna, boris, vera = await people(base, 3)
        first, second, third = [await queue.add(asked(person)) for person in (anna, boris, vera)]
        await queue.cancel(first.id, anna)
        assert [(d.id, d.asked, d.people) for d in await queue.pending()] == [(second.id, 2, 2)]
        await queue.cancel(third.id, vera)
        assert [(d.id, d.asked) for d in await queue.pending()] == [(second.id, 1)]

    async def test_what_was_sent_along_or_answered_otherwise_is_no_repeat(self, base: OpenBase) -> None:
        queue = base.stores.moderation
        await queue.add(asked())
        photo = await queue.add(declined(details={}))
        follow_up = await queue.add(declined(attachments=(), details={"searched": "малина осенью"}))
        other_fall = await queue.add(declined(attachments=(), details={"searched": "груша осенью"}))
        assert (photo.same_as, other_fall.same_as is follow_up.id) == (None, False)

    async def test_an_approved_answer_closes_the_questions_that_waited_for_it(self, base: OpenBase) -> None:
        await put(base, QUOTE, "a")
        queue = base.stores.moderation
        (anna,) = await people(base, 1)
        waiting = await queue.add(asked(anna, "Подскажите, когда обрезать малину?"))
        other = await queue.add(asked(anna, "Когда обрезать грушу?"))
        made = await base.stores.curated.kb_insert(
            collection_id="c",
            category="Ягоды",
            answer="В октябре.",
            question=QUESTION,
            embedding=[1.0, 0.0],
            approved_by=LOCAL,
            language="ru",
        )
        closed = await queue.get(waiting.id)
        assert closed is not None
        assert (closed.status, closed.kb_id, closed.answer) == (DraftStatus.APPROVED, made.id, "В октябре.")
        assert closed.reason == f"the curated answer {made.id} answers it"
        job = await base.stores.jobs.claim(["message"], "w")
        assert job is not None
        assert (job.payload["kind"], job.payload["user_id"]) == ("expert_answer", anna)
        assert [d.id for d in await queue.pending()] == [other.id]

    async def test_a_question_that_the_documents_answer_closes_with_a_note(self, base: OpenBase) -> None:
        queue = base.stores.moderation
        anna, boris = await people(base, 2)
        first = await queue.add(asked(anna))
        await queue.add(asked(boris))
        closed = await queue.close_found(first.id, QUOTE, [citation()], "the documents answer it now: d.md")
        assert closed is not None
        assert (closed.status, closed.answer, len(closed.citations)) == (DraftStatus.CANCELLED, QUOTE, 1)
        assert closed.reason == "the documents answer it now: d.md"
        assert await queue.pending() == []
        told = [await base.stores.jobs.claim(["message"], "w") for _ in range(3)]
        assert [(j.payload["kind"], j.payload["user_id"]) if j else None for j in told] == [
            ("answer_found", anna),
            ("answer_found", boris),
            None,
        ]
        assert await queue.close_found(first.id, QUOTE, [], "again") is None

    async def test_who_takes_an_approved_answer_waits_no_longer(self, base: OpenBase) -> None:
        await put(base, QUOTE, "a")
        made, queue = await approved(base, question="Когда режут кусты?"), base.stores.moderation
        anna, boris = await people(base, 2)
        mine, other = await queue.add(asked(anna)), await queue.add(asked(boris))
        await queue.close_own(anna, QUESTION, made.id)
        closed = await queue.get(mine.id)
        assert closed is not None
        assert (closed.status, closed.kb_id) == (DraftStatus.CANCELLED, made.id)
        assert [(d.id, d.asked) for d in await queue.pending()] == [(other.id, 1)]
        assert await base.stores.jobs.claim(["message"], "w") is None

    async def test_a_renewed_answer_still_matches_its_wordings(self, base: OpenBase) -> None:
        await put(base, QUOTE, "a")
        made, queue = await approved(base), base.stores.moderation
        await base.stores.curated.kb_add_wording(made.id, OTHER, LOCAL, NEAR_OTHER)
        change = await queue.propose(made.id, LOCAL, revision(answer="В ноябре."))
        await queue.approve(change.id, LOCAL, revision(answer="В ноябре."), EMBEDDED)
        (match,) = await base.stores.curated.kb_search(None, [0.0, 1.0], collection_id="c")
        assert (match.entry.answer, match.wording) == ("В ноябре.", OTHER)
