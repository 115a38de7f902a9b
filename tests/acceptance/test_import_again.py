"""A bot that went on after its base was imported: imported again, what it decided since comes over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests import old_bases
from tests.acceptance.test_import_bases import contents, made, opened, told

from sourcebook import AsyncSourcebook, UserRole
from sourcebook.errors import UsageError
from sourcebook.storage.importing.people import place_key

pytestmark = pytest.mark.anyio


@pytest.fixture
def old(postgres_address: str) -> Iterator[str]:
    yield from made(postgres_address, "sourcebook_bot_that_went_on", old_bases.BotRows(4, 12, 60, 6, 6, 3, 2))


async def by_id(book: AsyncSourcebook, table: str, id: object) -> dict[str, Any]:
    return next(row for row in (await contents(book))[table] if row["id"] == id)


async def prepared(old: str) -> None:
    await told(old, "update moderation_queue set status = 'pending', kb_id = null, admin_id = null")
    await told(
        old,
        "update knowledge_base set is_active = true, question = 'Когда?', answer = 'Весной.', "
        "updated_at = timestamp '2025-01-01'",
    )
    await told(old, "update documents set is_active = true, processing_status = 'completed'")
    await told(old, "update topics set status = 'closed'")
    await told(old, "update topics set status = 'open', session_id = '-100777:5' where id = 12")


async def went_on(old: str) -> None:
    await told(
        old,
        "update moderation_queue set status = 'approved', kb_id = 1, admin_id = 1, updated_at = now() where id = 1",
    )
    await told(old, "update moderation_queue set status = 'rejected', admin_id = 1 where id = 2")
    await told(old, "update knowledge_base set answer = 'Осенью.' where id = 2")
    await told(old, "update knowledge_base set is_active = false where id = 3")
    await told(old, "update documents set is_active = false where id = 1")
    await told(old, "update topics set status = 'closed' where id = 12")


RENEWED = {"documents": 1, "knowledge_base": 2, "moderation_queue": 2, "topics": 1}


async def test_what_was_decided_since_comes_over(old: str, db: str) -> None:
    await prepared(old)
    async with opened(db) as book:
        await book.import_bundle(old)
        assert (await by_id(book, "topics", 12))["status"] == "open"
        await went_on(old)
        report = await book.import_bundle(old)
        assert report.renewed == RENEWED
        assert report.left_out == {}
        assert (await by_id(book, "moderation_queue", 1))["status"] == "approved"
        assert (await by_id(book, "knowledge_base", 1))["draft_id"] == 1
        assert (await by_id(book, "moderation_queue", 2))["status"] == "rejected"
        corrected = await by_id(book, "knowledge_base", 2)
        assert (corrected["answer"], corrected["revision"]) == ("Осенью.", 2)
        assert not (await by_id(book, "knowledge_base", 3))["is_active"]
        assert not (await by_id(book, "documents", "1"))["is_active"]
        assert (await by_id(book, "topics", 12))["status"] == "closed"
        assert [f.code for f in (await book.doctor()).findings] == []
        before = await contents(book)
        again = await book.import_bundle(old)
        assert again.renewed == {}
        assert await contents(book) == before


async def test_what_was_changed_here_as_well_stays_and_is_named(old: str, db: str) -> None:
    await prepared(old)
    async with opened(db) as book:
        await book.import_bundle(old)
        admin = await book.people.create_user(username="admin", role=UserRole.ADMIN)
        await book.moderation.reject_moderation_item(1, admin.id, "no")
        proposed = await book.moderation.edit_entry(2, admin.id, answer="Летом.")
        await book.moderation.approve_moderation_item(proposed.id, admin.id)
        await book.hide_document("2")
        await went_on(old)
        report = await book.import_bundle(old)
        assert report.renewed == {"documents": 1, "knowledge_base": 1, "moderation_queue": 1, "topics": 1}
        assert sorted(report.left_out) == [
            "curated answer changed here and there, left as here: 2",
            "document changed here and there, left as here: 2",
            "draft changed here and there, left as here: 1",
        ]
        assert (await by_id(book, "moderation_queue", 1))["status"] == "rejected"
        assert (await by_id(book, "knowledge_base", 2))["answer"] == "Летом."


async def test_a_plan_is_what_the_import_then_does_and_writes_nothing(old: str, db: str) -> None:
    await prepared(old)
    async with opened(db) as book:
        before = await contents(book)
        plan = await book.import_bundle(old, dry_run=True)
        assert await contents(book) == before
        assert plan == await book.import_bundle(old)
        await went_on(old)
        await told(old, "insert into terminology (term, preferred_phrase) values ('навоз', 'компост')")
        before = await contents(book)
        plan = await book.import_bundle(old, dry_run=True)
        assert await contents(book) == before
        assert plan.renewed == RENEWED
        assert plan == await book.import_bundle(old)


@pytest.mark.parametrize(
    "strange",
    [
        "update messages set direction = 'system' where id = 59",
        "update topics set status = 'paused' where id = 2",
        "update moderation_queue set status = 'lost' where id = 6",
        "update knowledge_base set source_type = 'rumour' where id = 6",
        "update documents set processing_status = 'half' where id = 3",
    ],
)
async def test_an_unknown_value_is_found_before_anything_is_written(old: str, db: str, strange: str) -> None:
    await told(old, strange)
    async with opened(db) as book:
        before = await contents(book)
        with pytest.raises(UsageError, match="not known"):
            await book.import_bundle(old)
        assert await contents(book) == before


async def test_what_does_not_say_that_it_is_active_is_not(old: str, db: str) -> None:
    await prepared(old)
    await told(old, "update knowledge_base set is_active = null where id = 4")
    await told(old, "update documents set is_active = null where id = 2")
    async with opened(db) as book:
        await book.import_bundle(old)
        assert not (await by_id(book, "knowledge_base", 4))["is_active"]
        assert not (await by_id(book, "documents", "2"))["is_active"]


async def test_an_open_topic_goes_on_where_the_bot_looks_for_it(old: str, db: str) -> None:
    await prepared(old)
    async with opened(db) as book:
        await book.import_bundle(old)
        topic = await by_id(book, "topics", 12)
        assert topic["channel_key"] == "telegram:-100777:5"
        found = await book.people.get_open_topic(topic["user_id"], "telegram:-100777:5")
        assert found is not None
        assert found.id == 12


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("123", "telegram:123:0"),
        ("chat:123", "telegram:123:0"),
        ("-100123:7", "telegram:-100123:7"),
        ("telegram:-100123:7", "telegram:-100123:7"),
        ("tg_123_none", "telegram:123:0"),
        ("6f1c-uuid", "6f1c-uuid"),
        ("", ""),
    ],
)
def test_places_are_named_as_the_bot_names_them(theirs: str, ours: str) -> None:
    assert place_key(theirs) == ours
