"""What every store of people, topics and messages promises."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar, cast

import anyio
import pytest

from sourcebook.errors import BadText, TopicNotFound, UsageError, UserNotFound
from sourcebook.model.chat import Tier
from sourcebook.model.consultations import Direction, TopicStatus
from sourcebook.model.people import UserRole
from sourcebook.model.token_ledger import OperationType

if TYPE_CHECKING:
    from sourcebook.assembly import OpenBase
    from sourcebook.model.consultations import LoggedMessage, Topic
    from sourcebook.model.people import User
    from sourcebook.ports.stores import Stores
    from sourcebook.testing.fakes import FixedClock

CHANNEL = "telegram:7:0"


T = TypeVar("T")


async def at_once(count: int, call: Callable[[int], Awaitable[T]]) -> list[T | Exception]:
    """What so many calls at the same time give, or the error that they raise."""
    results: dict[int, T | Exception] = {}

    async def one(place: int) -> None:
        try:
            results[place] = await call(place)
        except Exception as error:
            results[place] = error

    async with anyio.create_task_group() as tasks:
        for place in range(count):
            tasks.start_soon(one, place)
    return [results[place] for place in range(count)]


async def together(count: int, call: Callable[[int], Awaitable[T]]) -> list[T]:
    """What so many calls at the same time give, all of which succeed."""
    results = await at_once(count, call)
    for result in results:
        if isinstance(result, Exception):
            raise result
    return cast("list[T]", results)


async def a_person(base: OpenBase, tokens: int = 0) -> User:
    return await base.stores.users.create_user(first_name="Ada", welcome_tokens=tokens)


@pytest.mark.anyio
class UsersContract:
    """Also needs a fixture `clock`: the `FixedClock` that the base was opened with."""

    async def test_a_new_person_is_made_once_and_welcomed_once(self, base: OpenBase) -> None:
        users = base.stores.users

        async def arrive(_: int) -> User:
            return await users.get_or_create_user(77, "ada", "Ada", None, "en", welcome_tokens=2)

        arrived = await together(12, arrive)
        first = arrived[0]
        assert arrived == [first] * 12
        known = await users.get_or_create_user(77)
        assert (known.username, known.first_name, known.language, known.token_balance) == (
            "ada",
            "Ada",
            "en",
            2,
        )
        assert known.role is UserRole.USER
        assert await users.count_all_users() == 1
        (row,) = await base.stores.ledger.token_history(known.id)
        assert (row.amount, row.operation_type) == (2, OperationType.WELCOME)

    async def test_names_follow_the_person_and_a_chosen_language_stays(
        self, base: OpenBase, clock: FixedClock
    ) -> None:
        users = base.stores.users
        made = await users.get_or_create_user(5, "old", "Иван", "Петров")
        assert made.language is None
        told = await users.get_or_create_user(5, "old", "Иван", "Петров", "ru")
        assert told.language == "ru"
        await users.set_language(made.id, "pt")
        clock.wait(60)
        renamed = await users.get_or_create_user(5, None, "Ivan", None, "en")
        assert (renamed.id, renamed.username, renamed.first_name, renamed.last_name, renamed.language) == (
            made.id,
            None,
            "Ivan",
            None,
            "pt",
        )
        assert renamed.updated_at == made.updated_at + 60
        assert await users.get_or_create_user(5) == renamed

    async def test_people_without_telegram_are_people_too(self, base: OpenBase) -> None:
        users = base.stores.users
        one = await users.create_user(username="web-1", role=UserRole.EXPERT)
        two = await users.create_user(username="web-1")
        assert one.id != two.id
        assert [u.id for u in await users.list_users()] == [1, one.id, two.id]
        assert [u.id for u in await users.list_users(UserRole.EXPERT)] == [one.id]
        assert await users.count_all_users() == 2

    async def test_a_role_and_a_block_are_kept(self, base: OpenBase) -> None:
        users = base.stores.users
        made = await a_person(base)
        assert (await users.set_role(made.id, UserRole.ADMIN)).role is UserRole.ADMIN
        assert (await users.set_blocked(made.id, is_blocked=True)).is_blocked
        assert not (await users.set_blocked(made.id, is_blocked=False)).is_blocked
        for change in (
            users.set_role(999, UserRole.USER),
            users.set_blocked(999, is_blocked=True),
            users.set_language(999, "en"),
            users.get_user(999),
            users.forget_user(999),
        ):
            with pytest.raises(UserNotFound):
                await change

    async def test_the_person_at_the_keyboard_stays_who_they_are(self, base: OpenBase) -> None:
        for change in (
            base.stores.users.set_role(1, UserRole.USER),
            base.stores.users.set_blocked(1, is_blocked=True),
            base.stores.users.forget_user(1),
        ):
            with pytest.raises(UsageError):
                await change

    async def test_a_name_that_no_database_can_hold_is_refused(self, base: OpenBase) -> None:
        with pytest.raises(BadText):
            await base.stores.users.get_or_create_user(5, "a\x00b")
        assert await base.stores.users.count_all_users() == 0

    async def test_a_forgotten_person_is_nobody_and_their_ledger_stays(self, base: OpenBase) -> None:
        users, ledger = base.stores.users, base.stores.ledger
        made = await users.get_or_create_user(31337, "zorro", "Диего", "де ла Вега", "es", welcome_tokens=3)
        key, note = "tg:31337:1", "for zorro"
        await ledger.add_tokens(made.id, 4, OperationType.ADMIN_CREDIT, idempotency_key=key, description=note)
        held = await ledger.reserve(made.id, 2, OperationType.NEW_TOPIC, "tg:31337:2")
        report = await users.forget_user(made.id)
        assert report.transactions_kept == 4
        kept = await users.get_user(made.id)
        assert (kept.telegram_user_id, kept.username, kept.first_name, kept.last_name, kept.language) == (
            (None,) * 5
        )
        assert kept.forgotten_at is not None
        rows = await ledger.token_history(made.id)
        assert [row.amount for row in rows] == [2, -2, 4, 3]
        assert sum(row.amount for row in rows) == await ledger.get_token_balance(made.id) == 7
        assert all(row.description is None and "31337" not in row.idempotency_key for row in rows)
        assert (await ledger.settle(held.id)).status == "refunded"
        assert await users.list_users() == [await users.get_user(1)]
        assert (await users.get_or_create_user(31337, "zorro")).id != made.id


@pytest.mark.anyio
class TopicsContract:
    async def test_one_topic_is_open_for_a_person_at_a_place(self, base: OpenBase) -> None:
        topics, person = base.stores.topics, await a_person(base)

        async def open_one(_: int) -> Topic:
            return await topics.get_or_create_open_topic(person.id, CHANNEL, culture="малина")

        opened = await together(16, open_one)
        first = opened[0]
        assert opened == [first] * 16
        assert await topics.get_open_topic(person.id, CHANNEL) == first
        (made,) = await topics.list_topics(person.id)
        assert (made.culture, made.status, made.follow_ups_left) == ("малина", TopicStatus.OPEN, 0)
        session = await base.stores.sessions.get_session(made.session_id, person.id)
        assert session is not None
        assert len(await base.stores.sessions.list_sessions(person.id)) == 1

    async def test_another_place_and_another_person_have_their_own(self, base: OpenBase) -> None:
        topics, one, two = base.stores.topics, await a_person(base), await a_person(base)
        made = [
            await topics.get_or_create_open_topic(user.id, channel)
            for user in (one, two)
            for channel in (CHANNEL, "telegram:7:1")
        ]
        assert len({topic.id for topic in made}) == len({topic.session_id for topic in made}) == 4

    async def test_a_closed_topic_makes_room_for_another(self, base: OpenBase, clock: FixedClock) -> None:
        topics, person = base.stores.topics, await a_person(base)
        first = await topics.get_or_create_open_topic(person.id, CHANNEL)
        clock.wait(10)
        closed = await topics.close_topic(first.id)
        assert (closed.status, closed.closed_at) == (TopicStatus.CLOSED, clock.now())
        assert await topics.get_open_topic(person.id, CHANNEL) is None
        clock.wait(10)
        assert (await topics.close_topic(first.id)).closed_at == closed.closed_at
        second = await topics.get_or_create_open_topic(person.id, CHANNEL)
        third = await topics.replace_open_topic(person.id, CHANNEL, culture="x", category="y")
        assert [t.id for t in await topics.list_topics(person.id)] == [third.id, second.id, first.id]
        assert (await topics.get_topic(second.id)).status is TopicStatus.CLOSED
        assert (third.culture, third.category, third.status) == ("x", "y", TopicStatus.OPEN)

    async def test_what_a_topic_is_about_can_change(self, base: OpenBase) -> None:
        person = await a_person(base)
        made = await base.stores.topics.get_or_create_open_topic(person.id, CHANNEL)
        changed = await base.stores.topics.update_topic_culture(made.id, "голубика", "питание растений")
        assert (changed.culture, changed.category) == ("голубика", "питание растений")
        assert (await base.stores.topics.update_topic_culture(made.id, None)).culture is None

    async def test_what_is_not_there_is_not_found(self, base: OpenBase) -> None:
        topics = base.stores.topics
        for missing in (topics.get_topic(9), topics.close_topic(9), topics.update_topic_culture(9, "x")):
            with pytest.raises(TopicNotFound):
                await missing
        with pytest.raises(UserNotFound):
            await topics.get_or_create_open_topic(999, CHANNEL)
        with pytest.raises(UsageError):
            await topics.get_or_create_open_topic(1, "")
        assert not await topics.remove_topic(9)

    async def test_a_topic_and_its_conversation_go_together(self, base: OpenBase) -> None:
        stores, person = base.stores, await a_person(base)
        for way in ("topic", "session"):
            topic = await stores.topics.get_or_create_open_topic(person.id, CHANNEL)
            asked, _ = await stores.sessions.add_turn(topic.session_id, "q", "a", Tier.NONE, (), {})
            for text, chat_message in (("hello", None), (None, asked.id)):
                logged = await stores.messages.log_message(
                    person.id, Direction.INCOMING, text=text, chat_message_id=chat_message, topic_id=topic.id
                )
                assert logged is not None
            if way == "topic":
                assert await stores.topics.remove_topic(topic.id)
            else:
                assert await stores.sessions.remove_session(topic.session_id, person.id)
            assert await stores.topics.list_topics(person.id) == []
            assert await stores.sessions.list_sessions(person.id) == []
            assert await stores.messages.last_message(person.id, Direction.INCOMING) is None


@pytest.mark.anyio
class MessagesContract:
    async def test_messages_come_back_in_the_order_in_which_they_were_logged(
        self, base: OpenBase, clock: FixedClock
    ) -> None:
        messages, person = base.stores.messages, await a_person(base)
        topic = await base.stores.topics.get_or_create_open_topic(person.id, CHANNEL)
        for number in range(5):
            direction = Direction.OUTGOING if number % 2 else Direction.INCOMING
            meta = {"number": number, "deep": {"list": [1, None, "ж"]}}
            await messages.log_message(person.id, direction, text=f"m{number}", topic_id=topic.id, meta=meta)
            clock.wait(-100)
        found = await messages.get_topic_messages(topic.id)
        assert [m.text for m in found] == ["m0", "m1", "m2", "m3", "m4"]
        assert found[3].meta == {"number": 3, "deep": {"list": [1, None, "ж"]}}
        assert [m.text for m in await messages.get_topic_messages(topic.id, limit=2)] == ["m3", "m4"]
        last = await messages.last_message(person.id, Direction.OUTGOING)
        assert last == found[3]

    async def test_the_same_message_from_outside_is_logged_once(self, base: OpenBase) -> None:
        messages, person = base.stores.messages, await a_person(base)

        async def arrive(place: int) -> LoggedMessage | None:
            return await messages.log_message(
                person.id, Direction.INCOMING, text=f"copy {place}", external_id="tg:1"
            )

        arrived = [message for message in await together(10, arrive) if message is not None]
        assert arrived == [await messages.find_message("tg:1")]
        assert await messages.find_message("tg:2") is None

    async def test_words_that_a_conversation_holds_are_read_from_it(self, base: OpenBase) -> None:
        stores, person = base.stores, await a_person(base)
        topic = await stores.topics.get_or_create_open_topic(person.id, CHANNEL)
        asked, _ = await stores.sessions.add_turn(topic.session_id, "the words", "a", Tier.NONE, (), {})
        logged = await stores.messages.log_message(
            person.id, Direction.INCOMING, chat_message_id=asked.id, topic_id=topic.id
        )
        assert logged is not None
        assert logged.text == "the words"
        assert await stores.messages.get_topic_messages(topic.id) == [logged]

    async def test_a_note_on_a_message_leaves_the_others_alone(self, base: OpenBase) -> None:
        messages, person = base.stores.messages, await a_person(base)
        logged = await messages.log_message(
            person.id, Direction.OUTGOING, text="x", external_id="k", meta={"a": 1, "b": 2}
        )
        assert logged is not None
        await messages.update_message_meta(logged.id, {"b": 3, "delivered": True})
        found = await messages.find_message("k")
        assert found is not None
        assert found.meta == {"a": 1, "b": 3, "delivered": True}
        with pytest.raises(UsageError):
            await messages.update_message_meta(999, {})

    async def test_a_delivery_is_noted_beside_other_notes(self, base: OpenBase) -> None:
        messages, person = base.stores.messages, await a_person(base)
        await messages.log_message(person.id, Direction.OUTGOING, text="x", external_id="k", meta={"a": 1})
        await messages.note_delivery("k")
        await messages.note_delivery("k")
        await messages.note_delivery("another")
        found = await messages.find_message("k")
        assert found is not None
        assert found.meta == {"a": 1, "delivered": True}

    async def test_lookups_can_be_made_together(self, base: OpenBase) -> None:
        person = await a_person(base)
        logged = await base.stores.messages.log_message(
            person.id, Direction.OUTGOING, text="x", external_id="k"
        )

        async def looked_up(stores: Stores) -> tuple[User, LoggedMessage | None]:
            return await stores.users.get_user(person.id), await stores.messages.find_message("k")

        assert await base.stores.read_together(looked_up) == (person, logged)

    async def test_an_error_of_one_lookup_among_several_is_its_own(self, base: OpenBase) -> None:
        with pytest.raises(UserNotFound):
            await base.stores.read_together(lambda stores: stores.users.get_user(999))
        assert await base.stores.read_together(lambda stores: stores.users.count_all_users()) == 0

    async def test_a_message_is_a_text_or_of_a_conversation(self, base: OpenBase) -> None:
        messages = base.stores.messages
        with pytest.raises(UsageError):
            await messages.log_message(1, Direction.INCOMING)
        with pytest.raises(UsageError):
            await messages.log_message(1, Direction.INCOMING, text="a", chat_message_id="b")
        with pytest.raises(UserNotFound):
            await messages.log_message(999, Direction.INCOMING, text="a")
