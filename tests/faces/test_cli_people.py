"""`users` and `tokens`: who asks, and what they have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.every_row import tables_with
from tests.faces.shell import Here
from tests.unit.consulting import NOTES, QUESTION

from sourcebook import Settings, Sourcebook, Visit
from sourcebook.testing.fakes import FakeEmbedder

NAMES = ("Zebedeu", "Quincas", "zeb_quincas", "987654321")
WORDS = ("marsupilami", "xylophagous")


@pytest.fixture
def say(tmp_path: Path, db: str) -> Callable[..., Any]:
    """Runs a command with `--json` on a base that knows two people."""
    with Sourcebook(settings=Settings(db=db), embedder=FakeEmbedder()) as book:
        for name, text in NOTES.items():
            book.add_text(text, id=name, title=name.title())
        zebedeu = book.people.get_or_create_user(987654321, "zeb_quincas", "Zebedeu", "Quincas", "pt")
        anna = book.people.get_or_create_user(5, None, "Анна", None, "ru")
        for person, place in ((zebedeu, "telegram:987654321:0"), (anna, "telegram:5:0")):
            for number, question in enumerate((QUESTION, "Do xylophagous gearboxes rust?")):
                book.reception.ask(Visit(person.id, place, question, f"{place}:{number}"))
            book.reception.call_human(Visit(person.id, place, "Is a marsupilami there?", f"{place}:human"))
    shell = Here(tmp_path)

    def run(*words: str, exit_code: int = 0) -> Any:
        return shell.json("--db", db, *words, exit_code=exit_code)

    return run


def ids(users: Any) -> list[int]:
    return [user["id"] for user in users["users"]]


def test_people_are_listed_blocked_and_given_a_role(say: Callable[..., Any]) -> None:
    listed = say("users", "list")["users"]
    assert [(u["first_name"], u["role"], u["token_balance"]) for u in listed] == [
        (None, "admin", 0),
        ("Zebedeu", "user", 0),
        ("Анна", "user", 0),
    ]
    assert say("users", "block", "2")["user"]["is_blocked"] is True
    assert say("users", "unblock", "2")["user"]["is_blocked"] is False
    assert say("users", "role", "3", "expert")["user"]["role"] == "expert"
    assert ids(say("users", "list", "--role", "expert")) == [3]
    for written in ("reader", "user"):
        assert say("users", "role", "3", written)["user"]["role"] == "user"
    assert say("users", "block", "99", exit_code=3)["error"]["code"] == "user_not_found"
    assert say("users", "block", "1", exit_code=2)["error"]["code"] == "usage"
    error = say("users", "role", "3", "king", exit_code=2)["error"]
    assert (error["code"], "for 'ROLE': 'king'" in error["message"]) == ("usage", True)


def test_tokens_are_credited_once_for_a_key_and_every_row_is_shown(say: Callable[..., Any]) -> None:
    assert say("tokens", "balance", "3") == {"user_id": 3, "balance": 0}
    given = [say("tokens", "credit", "3", "5", "--note", "Спасибо", "--key", "may") for _ in range(2)]
    assert given[0] == given[1]
    assert (given[0]["balance"], given[0]["transaction"]["amount"]) == (5, 5)
    history = say("tokens", "history", "3")
    assert history["balance"] == 5
    assert [(t["amount"], t["operation_type"]) for t in history["transactions"]] == [
        (5, "admin_credit"),
        (-1, "new_topic"),
        (1, "welcome"),
    ]
    assert len(say("tokens", "history", "3", "--limit", "1")["transactions"]) == 1
    for command in (("balance", "99"), ("credit", "99", "1"), ("history", "99")):
        assert say("tokens", *command, exit_code=3)["error"]["code"] == "user_not_found"
    say("tokens", "credit", "3", "0", exit_code=2)
    assert {finding["code"] for finding in say("doctor")["findings"]} <= {"model_missing"}


def test_nothing_is_left_of_a_person_who_was_forgotten(say: Callable[..., Any], db: str) -> None:
    assert {"users", "chat_messages", "moderation_queue", "topics"} <= tables_with(db, *NAMES, *WORDS).keys()
    say("users", "forget", "3")
    assert "chat_messages" in tables_with(db, *WORDS)
    report = say("users", "forget", "2")["forgotten"]
    assert (report["sessions"], report["messages"], report["drafts"]) == (1, 5, 3)
    assert report["transactions_kept"] == 2
    assert tables_with(db, *NAMES, *WORDS) == {}
    assert ids(say("users", "list")) == [1]
    assert say("tokens", "history", "2")["balance"] == 0
    assert say("users", "forget", "1", exit_code=2)["error"]["code"] == "usage"
    assert say("users", "forget", "99", exit_code=3)["error"]["code"] == "user_not_found"
    assert {finding["code"] for finding in say("doctor")["findings"]} <= {"model_missing"}


def test_who_uses_a_key_again_is_told_that_nothing_was_credited(
    say: Callable[..., Any], tmp_path: Path, db: str
) -> None:
    shell = Here(tmp_path)
    told = [shell.run("--db", db, "tokens", "credit", "3", "1", "--key", "may").stderr for _ in range(2)]
    assert told == [
        "Credited 1 token. The balance is 1.\n",
        "Nothing was credited: may was used before. The balance is 1.\n",
    ]


def test_they_speak_to_people_too(say: Callable[..., Any], tmp_path: Path, db: str) -> None:
    shell = Here(tmp_path)
    shown = shell.run("--db", db, "users", "list").stdout
    assert shown.splitlines()[2].split("\t")[:6] == [
        "2",
        "Zebedeu Quincas",
        "zeb_quincas",
        "987654321",
        "user",
        "0",
    ]
    assert shell.run("--db", db, "tokens", "balance", "2").stdout == "0\n"
    told = [
        shell.run("--db", db, *words).stderr
        for words in (
            ("users", "block", "2"),
            ("users", "unblock", "2"),
            ("users", "role", "2", "admin"),
            ("tokens", "credit", "2", "3"),
            ("users", "forget", "2"),
        )
    ]
    assert [text.splitlines()[0] for text in told] == [
        "Zebedeu Quincas is blocked.",
        "Zebedeu Quincas may ask again.",
        "The role of Zebedeu Quincas is now admin.",
        "Credited 3 tokens. The balance is 3.",
        "Removed user 2: 5 messages, 1 conversations and 3 drafts. 3 rows of the ledger stay, "
        "without a name.",
    ]
    assert "new_topic" in shell.run("--db", db, "tokens", "history", "2").stdout
