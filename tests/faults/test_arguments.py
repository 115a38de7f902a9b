"""B10: what a door cannot take is refused in our words, alike on both databases, and changes nothing."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from sourcebook import AsyncSourcebook, Settings
from sourcebook.errors import BadSetting, BadText, UsageError
from sourcebook.model.token_ledger import OperationType
from sourcebook.storage.people.token_ledger import SqlLedger
from sourcebook.testing.fakes import FakeEmbedder, FixedClock

pytestmark = pytest.mark.anyio


@pytest.fixture
async def book(db: str) -> AsyncGenerator[AsyncSourcebook]:
    async with AsyncSourcebook(db, embedder=FakeEmbedder(16), settings=Settings()) as opened:
        yield opened


def ledger_of(book: AsyncSourcebook) -> SqlLedger:
    return SqlLedger(book._opened().database, FixedClock())  # pyright: ignore[reportPrivateUsage]


NO_NUMBERS: list[Any] = [1.5, 1.0, "1", None, True, [1], b"1"]


@pytest.mark.parametrize("wrong", NO_NUMBERS, ids=repr)
async def test_only_a_whole_number_names_a_person_or_an_amount(book: AsyncSourcebook, wrong: Any) -> None:
    person = await book.people.create_user(username="ada")
    before = await book.people.get_token_balance(person.id)
    calls: list[Callable[[], Awaitable[object]]] = [
        lambda: book.people.add_tokens(wrong, 5),
        lambda: book.people.add_tokens(user_id=wrong, amount=5),
        lambda: book.people.add_tokens(person.id, wrong),
        lambda: book.people.get_token_balance(wrong),
        lambda: ledger_of(book).add_tokens(wrong, 5, OperationType.ADMIN_CREDIT),
        lambda: book.people.token_history(person.id, wrong),
        lambda: book.people.settle(wrong),
        lambda: book.people.get_topic(wrong),
        lambda: book.moderation.get_item(wrong),
    ]
    for call in calls:
        with pytest.raises(UsageError, match="must be a whole number"):
            await call()
    assert await book.people.get_token_balance(person.id) == before


@pytest.mark.parametrize("wrong", [5, 1.5, b"key", ["key"]], ids=repr)
async def test_only_text_is_a_key_or_a_name(book: AsyncSourcebook, wrong: Any) -> None:
    person = await book.people.create_user(username="ada")
    before = await book.people.get_token_balance(person.id)
    calls: list[Callable[[], Awaitable[object]]] = [
        lambda: book.people.add_tokens(person.id, 5, idempotency_key=wrong),
        lambda: book.people.add_tokens(person.id, 5, description=wrong),
        lambda: book.people.create_user(username=wrong),
        lambda: book.people.find_message(wrong),
        lambda: book.add_bytes(wrong, b"# Quinces"),
    ]
    for call in calls:
        with pytest.raises(UsageError, match="must be text"):
            await call()
    assert await book.people.get_token_balance(person.id) == before
    assert await book.people.count_all_users() == 1


async def test_only_bytes_are_the_content_of_a_file(book: AsyncSourcebook) -> None:
    wrong: Any = "# Quinces"
    for add in (book.add_bytes, book.upload):
        with pytest.raises(UsageError, match="data must be bytes"):
            await add("quinces.md", wrong)


async def test_no_path_holds_a_nul_character(book: AsyncSourcebook, tmp_path: Path) -> None:
    path = f"{tmp_path}/a\0b"
    calls: list[Callable[[], Awaitable[object]]] = [
        lambda: book.export(path),
        lambda: book.backup(path),
        lambda: book.copy_to(path),
        lambda: book.import_bundle(path),
        lambda: book.restore(path),
    ]
    for call in calls:
        with pytest.raises(BadText):
            await call()


async def test_a_base_needs_a_name_that_a_file_can_have(tmp_path: Path) -> None:
    with pytest.raises(BadSetting):
        AsyncSourcebook("", settings=Settings())
    with pytest.raises(BadText):
        await AsyncSourcebook(f"{tmp_path}/a\0b.db", settings=Settings()).open()
