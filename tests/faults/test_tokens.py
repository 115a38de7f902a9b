"""L01, L03, L05, and kills in the middle of consultations: tokens are taken once, questions answered once."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.faults import consultants
from tests.faults.consultants import Office, furnish, office
from tests.faults.processes import all_at_once, heard, talking
from tests.unit.consulting import QUESTION, UNKNOWN

from sourcebook import Settings, Sourcebook
from sourcebook.errors import NoQuestionsLeft, NotEnoughTokens
from sourcebook.model.consultations import Direction, LoggedMessage, Visit
from sourcebook.model.token_ledger import OperationType

pytestmark = pytest.mark.anyio

SPENT = OperationType.NEW_TOPIC


async def sums(opened: Office, user_id: int) -> int:
    """The balance, which is the sum of the rows."""
    rows = await opened.people.token_history(user_id, 100_000)
    balance = await opened.people.get_token_balance(user_id)
    assert balance == sum(row.amount for row in rows) >= 0
    return balance


@pytest.mark.parametrize("rounds", [2, pytest.param(200, marks=pytest.mark.soak)])
def test_64_threads_take_the_10_tokens_that_there_are(db: str, rounds: int) -> None:
    with (
        Sourcebook(settings=Settings(db=db, embedder="none", welcome_tokens=10)) as book,
        ThreadPoolExecutor(64) as threads,
    ):

        def take(user_id: int) -> str:
            try:
                book.people.deduct_tokens(user_id, 1, SPENT)
            except NotEnoughTokens:
                return "refused"
            return "taken"

        for _ in range(rounds):
            person = book.people.create_user()
            assert Counter(threads.map(take, [person.id] * 64)) == {"taken": 10, "refused": 54}
            assert book.people.get_token_balance(person.id) == 0
            assert len(book.people.token_history(person.id, 100)) == 11
        assert book.doctor().findings == []


@pytest.mark.parametrize("rounds", [1, pytest.param(200, marks=pytest.mark.soak)])
async def test_64_takers_in_4_processes_take_the_10_tokens_that_there_are(db: str, rounds: int) -> None:
    persons = await furnish(db, rounds, tokens=10)
    for user_id in persons:
        assert all_at_once(consultants.take_tokens, [(db, user_id, 16, [None])] * 4) == [0] * 4
    async with office(db) as opened:
        for user_id in persons:
            assert await sums(opened, user_id) == 0
            rows = await opened.people.token_history(user_id, 100)
            assert Counter(row.amount for row in rows) == {-1: 10, 1: 1, 9: 1}


async def test_one_key_of_32_callers_in_4_processes_is_one_effect(db: str) -> None:
    (user_id,) = await furnish(db, 1, tokens=10)
    assert all_at_once(consultants.take_tokens, [(db, user_id, 8, ["a key"])] * 4) == [0] * 4
    async with office(db) as opened:
        assert await sums(opened, user_id) == 9


async def test_one_update_delivered_20_times_by_processes_and_after_a_restart(
    db: str, tmp_path: Path
) -> None:
    (user_id,) = await furnish(db, 1, tokens=5)
    visit = Visit(user_id, "telegram:100:0", QUESTION, "telegram:1:42")
    files = [tmp_path / f"{number}.json" for number in range(4)]
    assert all_at_once(consultants.deliver, [(db, visit, 5, file) for file in files]) == [0] * 4
    replies = [reply for file in files for reply in json.loads(file.read_text("utf-8"))]
    async with office(db) as restarted:
        late = await restarted.reception.ask(visit)
        assert late.was_repeated
        expected = [late.answer.message_id, 1, 4, 3]
        assert replies == [expected] * 20
        assert await sums(restarted, user_id) == 4
        (topic,) = await restarted.people.list_topics(user_id)
        assert len(await restarted.people.get_topic_messages(topic.id)) == 2
        (session,) = await restarted.base.stores.sessions.list_sessions(user_id)
        assert session.message_count == 2
        assert len(await restarted.moderation.items_of(user_id)) == 1


ASKING = """
import sys
from pathlib import Path
from sourcebook import Settings, Sourcebook, Visit
from sourcebook.model.chat import TokenWritten
from sourcebook.testing.fakes import FakeEmbedder, ScriptedChatModel
from tests.unit.consulting import QUESTION

shown_at = sys.argv[2]
pause = 0.02 if shown_at == "TokenWritten" else 5.0
model = ScriptedChatModel("Prune everbearing raspberries ", *["in late autumn "] * 500, pause=pause)
with Sourcebook(settings=Settings(db=sys.argv[1]), embedder=FakeEmbedder(), chat_model=model) as book:
    book.reception.ask(
        Visit(2, "here", QUESTION, "1"),
        lambda event: print("shown", flush=True) if type(event).__name__ == shown_at else None,
    )
"""


def stop_when_shown(db: str, shown_at: str) -> str:
    """Press Ctrl-C in a program that asks, when it shows the event; what it says then."""
    asking = subprocess.Popen(
        [sys.executable, "-c", ASKING, db, shown_at],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert asking.stdout is not None
        assert asking.stdout.readline() == "shown\n"
        asking.send_signal(signal.SIGINT)
        return asking.communicate(timeout=200)[1]
    finally:
        asking.kill()
        asking.communicate()


@pytest.mark.parametrize(("shown_at", "left"), [("PassagesFound", 5), ("TokenWritten", 4)])
async def test_ctrl_c_ends_the_answer_and_pays_for_what_was_shown(
    tmp_path: Path, shown_at: str, left: int
) -> None:
    db = str(tmp_path / "base.db")
    (user_id,) = await furnish(db, 1, tokens=5)
    assert "KeyboardInterrupt" in stop_when_shown(db, shown_at)
    async with office(db) as opened:
        assert await opened.base.database.fetch("held_reservations") == []
        assert await sums(opened, user_id) == left


PERSONS, TOKENS = 3, 12


def kill_on_the_way(
    db: str, visits: list[Visit], now: int, chance: random.Random
) -> tuple[dict[str, tuple[str | None, int]], bool]:
    """Let a process take questions, and kill it. What it acknowledged, and whether it was still at work."""
    with talking(consultants.consult, db, visits, now) as (process, line):
        said: list[Any] = [line.recv() for _ in range(1 + chance.randrange(3))]
        time.sleep(chance.uniform(0, 0.03))
        process.kill()
        said += heard(line)
    replies = {entry[0]: (entry[1], entry[2]) for entry in said if entry not in ("ready", "done")}
    return replies, "done" not in said


async def answers_of(opened: Office, user_id: int) -> list[LoggedMessage]:
    """The answers of a person, each to a question that was asked once, and each a turn of its conversation."""
    messages: list[LoggedMessage] = []
    turns = 0
    for topic in await opened.people.list_topics(user_id, 1000):
        messages += await opened.people.get_topic_messages(topic.id)
        session = await opened.base.stores.sessions.get_session(topic.session_id, user_id)
        assert session is not None
        turns += session.message_count
    answers = [m for m in messages if m.direction is Direction.OUTGOING]
    assert turns == 2 * len(answers)
    assert len({m.external_id for m in messages}) == len(messages)
    return answers


@pytest.mark.parametrize("kills", [10, pytest.param(200, marks=pytest.mark.soak)])
async def test_after_every_kill_in_the_middle_of_consultations_the_ledger_adds_up(
    db: str, kills: int
) -> None:
    chance, at_work, now = random.Random(kills), 0, 1_800_000_000
    persons = await furnish(db, PERSONS, TOKENS)
    given = dict.fromkeys(persons, TOKENS)
    acknowledged: dict[str, tuple[str | None, int]] = {}
    waiting: list[Visit] = []
    rounds = left_in_the_middle = 0
    while at_work < kills:
        rounds += 1
        assert rounds < 4 * kills, "the processes end before they can be killed"
        waiting += new_visits(persons, rounds, chance)
        replies, was_at_work = kill_on_the_way(db, waiting, now, chance)
        at_work += was_at_work
        now += 1_000
        async with office(db, now) as opened:
            left_in_the_middle += bool(await opened.base.database.fetch("held_reservations"))
            for user_id in persons:
                await sums(opened, user_id)
            if chance.random() < 0.5:
                await opened.reception.sweep()
            for key, (message_id, charged) in replies.items():
                if message_id is not None:
                    assert acknowledged.setdefault(key, (message_id, charged)) == (message_id, charged)
            # What was not confirmed is delivered again.
            waiting = [visit for visit in waiting if visit.key not in replies]
            for user_id in persons:
                if await opened.people.get_token_balance(user_id) == 0:
                    await opened.people.add_tokens(user_id, 5)
                    given[user_id] += 5
    assert left_in_the_middle, "no kill came between holding and paying: the test sees nothing"
    print(
        f"{kills} kills, {left_in_the_middle} left something held, {len(acknowledged)} answers acknowledged"
    )
    async with office(db, now + 1_000) as opened:
        for visit in waiting:
            with suppress(NotEnoughTokens, NoQuestionsLeft):
                await opened.reception.ask(visit)
        opened.clock.wait(1_000)
        await opened.reception.sweep()
        assert await opened.reception.sweep() == 0
        for user_id in persons:
            answers = await answers_of(opened, user_id)
            paid = sum(int(str(answer.meta["charged"])) for answer in answers)
            assert await sums(opened, user_id) == given[user_id] - paid
            stored = {answer.chat_message_id for answer in answers}
            drafts = await opened.moderation.items_of(user_id)
            assert Counter(draft.chat_message_id for draft in drafts) == Counter(stored)
            mine = [m for k, (m, _) in acknowledged.items() if k.startswith(f"u{user_id}:")]
            assert set(mine) <= stored
        assert (await opened.base.examine()).findings == []


def new_visits(persons: list[int], number: int, chance: random.Random) -> list[Visit]:
    """A question of each person, sometimes in a place where they have not been, sometimes without an answer."""
    return [
        Visit(
            user_id,
            f"telegram:{user_id}:{chance.randrange(20)}",
            chance.choice([QUESTION, QUESTION, UNKNOWN]),
            f"u{user_id}:{number}",
        )
        for user_id in persons
    ]
