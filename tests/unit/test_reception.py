"""The way of a person's question: what is logged, what it costs, and that it happens once."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace

import anyio
import pytest
from tests.unit.consulting import PRUNING, QUESTION, UNKNOWN
from tests.unit.receiving import CHANNEL, WRITTEN, Desk, reception_desk

from sourcebook.consult.reception.paid_answer import ReceptionPolicy
from sourcebook.consult.reception.reception import Reception
from sourcebook.errors import (
    NoQuestionsLeft,
    NotEnoughTokens,
    NothingToSearchFor,
    ProviderBusy,
    StillAnswering,
    TopicNotFound,
    UsageError,
    UserBlocked,
    UserNotFound,
)
from sourcebook.model.chat import AnswerEvent, Tier, TokenWritten
from sourcebook.model.consultations import Direction, TopicStatus, Visit
from sourcebook.model.moderation import DraftKind, DraftStatus
from sourcebook.model.token_ledger import OperationType
from sourcebook.model.token_prices import Prices
from sourcebook.ports.people import Entered, Leaving
from sourcebook.testing.contract.people import together
from sourcebook.testing.fakes import ScriptedChatModel

pytestmark = pytest.mark.anyio


@pytest.fixture
async def desk(db: str) -> AsyncGenerator[Desk, None]:
    async with reception_desk(db) as made:
        yield made


async def curated(desk: Desk) -> None:
    source = await desk.book.kb_source("pruning", quote=PRUNING[:36])
    await desk.book.kb_insert(
        "In late autumn.", category="berries", question=QUESTION, approved_by=1, sources=[source]
    )


async def test_a_question_is_logged_answered_paid_and_drafted(desk: Desk) -> None:
    reply = await desk.ask(key="tg:1", attachments=[{"kind": "photo", "file_id": "f"}])
    assert reply.answer.tier is Tier.DOCUMENTS
    assert (reply.charged, reply.balance, reply.follow_ups_left, reply.was_repeated) == (1, 0, 3, False)
    assert reply.topic == await desk.topic()
    asked, answered = await desk.messages()
    assert (asked.direction, asked.text, asked.external_id) == (Direction.INCOMING, QUESTION, "tg:1")
    assert (answered.direction, answered.text) == (Direction.OUTGOING, reply.answer.answer)
    assert (answered.external_id, answered.chat_message_id) == ("tg:1:answer", reply.answer.message_id)
    (draft,) = desk.drafts.drafts
    assert (draft.kind, draft.id, draft.topic_id) == (DraftKind.ANSWER, reply.draft_id, reply.topic.id)
    assert draft.attachments == [{"kind": "photo", "file_id": "f"}]
    history = await desk.people.token_history(desk.person.id)
    assert [(row.amount, row.operation_type) for row in history] == [(-1, "new_topic"), (1, "welcome")]
    assert await desk.balance() == 0


async def test_the_words_of_a_conversation_are_kept_once(desk: Desk) -> None:
    await desk.ask()
    rows = await desk.book.stores.sessions.list_sessions(desk.person.id)
    assert [row.message_count for row in rows] == [2]
    assert all(message.chat_message_id is not None for message in await desk.messages())


async def test_only_a_conversation_that_begins_with_the_question_is_new(desk: Desk) -> None:
    visits = desk.reception._stores.visits  # pyright: ignore[reportPrivateUsage]
    visit = desk.visit(key="tg:1")
    first = await visits.enter(visit, Prices(), face="python", seconds=60)
    desk.clock.wait(61)
    again = await visits.enter(visit, Prices(), face="python", seconds=60)
    assert isinstance(first, Entered)
    assert isinstance(again, Entered)
    assert (first.is_new_conversation, again.is_new_conversation) == (True, False)
    assert first.topic.session_id == again.topic.session_id


async def test_follow_up_questions_are_included_and_then_bought(desk: Desk) -> None:
    await desk.credit(1)
    replies = [await desk.ask() for _ in range(4)]
    assert [(r.charged, r.follow_ups_left) for r in replies] == [(1, 3), (0, 2), (0, 1), (0, 0)]
    assert len({r.topic.id for r in replies}) == 1
    with pytest.raises(NoQuestionsLeft) as refused:
        await desk.ask(key="tg:more")
    assert (refused.value.balance, refused.value.price) == (1, 1)
    bought = await desk.reception.buy_questions(desk.person.id, CHANNEL, "buy:1")
    assert bought.follow_ups_left == 3
    assert (await desk.reception.buy_questions(desk.person.id, CHANNEL, "buy:1")).follow_ups_left == 3
    reply = await desk.ask(key="tg:more")
    assert (reply.charged, reply.balance, reply.follow_ups_left) == (0, 0, 2)
    assert await desk.balance() == 0


async def test_what_is_curated_or_declined_costs_nothing_even_without_a_token(desk: Desk) -> None:
    await curated(desk)
    declined = await desk.ask(UNKNOWN)
    assert (declined.answer.tier, declined.charged, declined.balance) == (Tier.NONE, 0, 1)
    assert [draft.kind for draft in desk.drafts.drafts] == [DraftKind.DECLINED]
    await desk.people.deduct_tokens(desk.person.id, 1, OperationType.STARS_REFUND)
    reply = await desk.ask()
    assert (reply.answer.tier, reply.charged, reply.balance, reply.draft_id) == (Tier.CURATED, 0, 0, None)
    assert reply.answer.curated_id is not None
    assert (await desk.ask(UNKNOWN)).answer.tier is Tier.NONE
    with pytest.raises(NotEnoughTokens) as refused:
        await desk.ask("What pH does the soil for blueberries need?")
    assert (refused.value.balance, refused.value.price) == (0, 1)
    assert await desk.balance() == 0
    assert len(await desk.answers()) == 3


async def test_a_topic_is_paid_by_its_first_answer_that_costs_something(desk: Desk) -> None:
    assert (await desk.ask(UNKNOWN)).charged == 0
    assert (await desk.ask()).charged == 1
    assert (await desk.ask(UNKNOWN)).follow_ups_left == 3
    assert (await desk.ask()).follow_ups_left == 2


async def test_a_new_topic_closes_the_old_one_and_costs_again(desk: Desk) -> None:
    first = await desk.ask()
    await desk.credit(1)
    topic = await desk.reception.new_topic(desk.person.id, CHANNEL, culture="raspberry")
    assert (await desk.people.get_topic(first.topic.id)).status is TopicStatus.CLOSED
    second = await desk.ask(key="tg:new", subcategory=None)
    assert (second.topic.id, second.charged) == (topic.id, 1)
    assert second.answer.session_id != first.answer.session_id


async def test_questions_are_free_where_a_topic_costs_nothing(db: str) -> None:
    async with reception_desk(db, prices=Prices(welcome_tokens=0, new_topic=0)) as desk:
        replies = [await desk.ask() for _ in range(5)]
        assert {(r.charged, r.balance) for r in replies} == {(0, 0)}
        assert await desk.people.token_history(desk.person.id) == []


async def test_the_same_update_many_times_is_one_question_one_charge_one_answer(desk: Desk) -> None:
    await desk.credit(5)
    visit = desk.visit(key="tg:42")
    others = [
        Reception(
            stores=desk.reception._stores,  # pyright: ignore[reportPrivateUsage]
            people=desk.people,
            consultation=desk.book._consultation(),  # pyright: ignore[reportPrivateUsage]
            drafting=desk.drafts,  # type: ignore[arg-type]
        )
        for _ in range(4)
    ]
    receptions = [desk.reception, *others]
    replies = await together(20, lambda place: receptions[place % 5].ask(visit))
    told = {(r.answer.message_id, r.charged, r.balance, r.follow_ups_left) for r in replies}
    assert len(told) == 1
    assert sorted(r.was_repeated for r in replies) == [False] + [True] * 19
    assert len(await desk.messages()) == 2
    assert await desk.turns() == 1
    assert await desk.balance() == 5
    assert len(desk.drafts.drafts) == 1


async def test_a_reply_that_is_given_again_is_the_same(desk: Desk) -> None:
    first = await desk.ask(key="tg:1")
    again = await desk.ask(key="tg:1")
    assert again == replace(first, was_repeated=True)
    stranger = await desk.people.get_or_create_user(8)
    with pytest.raises(UsageError):
        await desk.reception.ask(Visit(stranger.id, CHANNEL, QUESTION, "tg:1"))


async def test_questions_at_one_place_take_turns_and_share_one_topic(desk: Desk) -> None:
    replies = await together(4, lambda _: desk.ask())
    assert {r.topic.id for r in replies} == {(await desk.topic()).id}
    assert sorted(r.charged for r in replies) == [0, 0, 0, 1]
    assert await desk.balance() == 0


async def test_a_model_that_fails_costs_nothing_and_the_question_can_be_brought_again(db: str) -> None:
    model = ScriptedChatModel(WRITTEN[0], ProviderBusy("down"))
    async with reception_desk(db, model) as desk:
        seen: list[AnswerEvent] = []
        with pytest.raises(ProviderBusy):
            await desk.reception.ask(desk.visit(key="tg:1"), seen.append)
        assert any(isinstance(event, TokenWritten) for event in seen)
        assert await desk.balance() == 1
        assert [m.text for m in await desk.messages()] == [QUESTION]
        model._pieces = WRITTEN  # pyright: ignore[reportPrivateUsage]
        reply = await desk.ask(key="tg:1")
        assert (reply.charged, reply.was_repeated) == (1, False)
        assert await desk.turns() == 1
        assert await desk.balance() == 0


@pytest.mark.parametrize(("after", "left"), [(0, 1), (1, 0)])
async def test_stopped_in_the_middle_it_is_paid_once_if_text_was_shown(
    db: str, after: int, left: int
) -> None:
    """As when a reader leaves: the request ends, nothing is stored, no task stays behind."""
    model = ScriptedChatModel(*WRITTEN, " More of it." * 20, pause=0.05)
    async with reception_desk(db, model) as desk:
        visit, written = desk.visit(key="tg:1"), 0

        with anyio.CancelScope() as scope:

            def watch(event: AnswerEvent) -> None:
                nonlocal written
                written += isinstance(event, TokenWritten)
                if written >= after:
                    scope.cancel()

            await desk.reception.ask(visit, watch)
        assert scope.cancelled_caught
        assert model.closed == len(model.asked)
        assert await desk.balance() == left
        assert await desk.turns() == 0
        assert (await desk.topic()).follow_ups_left == (3 if after else 0)
        await desk.people.sweep_reservations()
        assert await desk.balance() == left
        again = await desk.reception.ask(visit)
        assert again.charged == left
        assert await desk.balance() == 0


async def test_who_waits_for_the_whole_answer_and_leaves_pays_nothing(db: str) -> None:
    """Somebody else may listen to the text as it is written, to measure how long it takes."""
    model = ScriptedChatModel(*WRITTEN, " More of it." * 20, pause=0.05)
    async with reception_desk(db, model) as desk:
        visit = desk.visit(key="http:1")

        with anyio.CancelScope() as scope:

            def watch(event: AnswerEvent) -> None:
                if isinstance(event, TokenWritten):
                    scope.cancel()

            await desk.reception.ask(visit, watch, is_looking=False)
        assert scope.cancelled_caught
        assert await desk.balance() == 1
        assert (await desk.reception.ask(visit, is_looking=False)).charged == 1


async def test_a_listener_that_breaks_is_a_reader_who_left(db: str) -> None:
    async with reception_desk(db, ScriptedChatModel(*WRITTEN)) as desk:

        def broken(event: AnswerEvent) -> None:
            if isinstance(event, TokenWritten) and desk.clock.now() == start:
                desk.clock.wait(1)
            elif isinstance(event, TokenWritten):
                raise BrokenPipeError

        start = desk.clock.now()
        with pytest.raises(BrokenPipeError):
            await desk.reception.ask(desk.visit(), broken)
        assert await desk.balance() == 0
        assert await desk.turns() == 0


async def test_what_a_dead_process_held_comes_back_and_its_question_is_answered(desk: Desk) -> None:
    visits = desk.reception._stores.visits  # pyright: ignore[reportPrivateUsage]
    visit = desk.visit(key="tg:1")
    await visits.enter(visit, Prices(), face="python", seconds=60)  # and the process dies
    assert await desk.balance() == 0
    desk.clock.wait(61)
    reply = await desk.reception.ask(visit)
    assert (reply.charged, reply.balance) == (1, 0)
    assert [m.direction for m in await desk.messages()] == [Direction.INCOMING, Direction.OUTGOING]
    history = await desk.people.token_history(desk.person.id)
    assert [row.amount for row in history] == [-1, 1, -1, 1]
    assert await desk.reception.sweep() == 0


@pytest.mark.parametrize("jump", [86_400, -86_400])
async def test_a_clock_that_jumps_during_an_answer_leaves_one_answer(desk: Desk, jump: int) -> None:
    visits = desk.reception._stores.visits  # pyright: ignore[reportPrivateUsage]
    visit = desk.visit(key="tg:1")
    slow = await visits.enter(visit, Prices(), face="python", seconds=60)
    desk.clock.wait(jump)
    reply = await desk.reception.ask(visit)
    assert reply.charged == 1
    assert await visits.finish(slow, reply.answer, Prices(), 60) is None  # type: ignore[arg-type]
    assert await desk.turns() == 1
    assert await desk.balance() == 0


async def test_who_was_overtaken_cannot_answer_before_who_took_over(desk: Desk) -> None:
    visits = desk.reception._stores.visits  # pyright: ignore[reportPrivateUsage]
    visit, answer = desk.visit(), replace(await desk.book.ask(QUESTION), session_id=None)
    slow = await visits.enter(visit, Prices(), face="python", seconds=60)
    desk.clock.wait(61)
    quick = await visits.enter(visit, Prices(), face="python", seconds=60)
    assert isinstance(slow, Entered)
    assert isinstance(quick, Entered)
    assert await visits.finish(slow, answer, Prices(), 60) is None
    await visits.leave(slow, Leaving.SETTLE, Prices())
    assert not await visits.extend(slow, 60)
    assert await visits.extend(quick, 60)
    reply = await visits.finish(quick, answer, Prices(), 60)
    assert reply is not None
    assert (reply.charged, await desk.turns(), await desk.balance()) == (1, 1, 0)


async def test_an_answer_that_came_after_a_sweep_is_free(desk: Desk) -> None:
    visits = desk.reception._stores.visits  # pyright: ignore[reportPrivateUsage]
    slow = await visits.enter(desk.visit(), Prices(), face="python", seconds=60)
    desk.clock.wait(3_600)
    assert await desk.people.sweep_reservations() == 1
    answer = replace((await desk.book.ask(QUESTION)), session_id=None)
    reply = await visits.finish(slow, answer, Prices(), 60)  # type: ignore[arg-type]
    assert reply is not None
    assert (reply.charged, reply.balance) == (0, 1)
    assert await desk.balance() == 1


async def test_who_waits_too_long_is_told_so(desk: Desk) -> None:
    stores = desk.reception._stores  # pyright: ignore[reportPrivateUsage]
    visit = desk.visit(key="tg:1")
    await stores.visits.enter(visit, Prices(), face="python", seconds=60)
    hasty = Reception(
        stores=stores,
        people=desk.people,
        consultation=desk.book._consultation(),  # pyright: ignore[reportPrivateUsage]
        policy=ReceptionPolicy(seconds=0),
    )
    with pytest.raises(StillAnswering):
        await hasty.ask(visit)


async def test_a_draft_that_could_not_be_made_is_made_by_a_sweep(desk: Desk) -> None:
    desk.drafts.failure = ProviderBusy("down")
    reply = await desk.ask(key="tg:1", attachments=[{"kind": "voice"}])
    assert reply.draft_id is None
    assert await desk.reception.sweep() == 0
    desk.clock.wait(61)
    desk.drafts.failure = None
    assert await desk.reception.sweep() == 1
    assert [(d.id, d.question, d.attachments) for d in desk.drafts.drafts] == [
        (1, QUESTION, [{"kind": "voice"}])
    ]
    assert (await desk.ask(key="tg:1")).draft_id == 1
    assert await desk.reception.sweep() == 0


async def test_an_expert_is_called_once_and_may_be_cancelled(desk: Desk) -> None:
    await desk.ask()
    visit = replace(desk.visit(key="tg:human"), question=" ")
    drafts = await together(6, lambda _: desk.reception.call_human(visit))
    assert [d.question for d in desk.drafts.drafts] == [QUESTION, QUESTION]
    assert {d.id for d in drafts} == {2}
    cancelled = await desk.reception.cancel_human(desk.person.id, 2)
    assert cancelled.status is DraftStatus.CANCELLED
    with pytest.raises(UsageError):
        await desk.reception.call_human(replace(visit, key="tg:1"))


async def test_who_may_not_ask_is_told_so(desk: Desk) -> None:
    with pytest.raises(NothingToSearchFor):
        await desk.ask("  ")
    with pytest.raises(UsageError):
        await desk.reception.ask(replace(desk.visit(), key=""))
    with pytest.raises(UserNotFound):
        await desk.reception.ask(replace(desk.visit(), user_id=999))
    with pytest.raises(TopicNotFound):
        await desk.reception.buy_questions(desk.person.id, CHANNEL, "b")
    with pytest.raises(NothingToSearchFor):
        await desk.reception.call_human(replace(desk.visit(), question=""))
    await desk.people.block_user(desk.person.id)
    for refused in (desk.ask(), desk.reception.call_human(desk.visit())):
        with pytest.raises(UserBlocked):
            await refused
    await desk.people.unblock_user(desk.person.id)
    assert (await desk.ask()).charged == 1
