"""What the bot asks of a base and nobody else does, on both databases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sourcebook import AsyncSourcebook, EmbeddedChunk, Settings
from sourcebook.errors import UsageError
from sourcebook.model.documents import Chunk
from sourcebook.model.moderation import Keep
from sourcebook.testing.fakes import FakeEmbedder, FixedClock

if TYPE_CHECKING:
    from sourcebook.assembly import OpenBase

pytestmark = pytest.mark.anyio


async def test_jobs_that_wait_too_long_are_counted(base: OpenBase, clock: FixedClock) -> None:
    await base.stores.jobs.enqueue("message", {})
    assert await base.stores.jobs.overdue(600) == 0
    clock.wait(601)
    await base.stores.jobs.enqueue("message", {})
    assert await base.stores.jobs.overdue(600) == 1
    assert await base.stores.jobs.overdue(600, kind="message") == 1
    assert await base.stores.jobs.overdue(600, kind="uploads") == 0
    await base.stores.jobs.claim(["message"], "worker")
    assert await base.stores.jobs.overdue(600) == 0


async def test_labels_are_those_of_documents_that_can_be_found(db: str) -> None:
    async with AsyncSourcebook(settings=Settings(db=db), embedder=FakeEmbedder()) as book:
        assert await book.stores.library.labels("default") == []
        await book.add_text("One.", id="1", category="Berries", subcategory="Малина  Ремонтантная")
        await book.add_text("Two.", id="2", category="berries", subcategory="малина_ремонтантная")
        await book.add_text("Three.", id="3", subcategory="tomato")
        await book.add_text("Four.", id="4", category="hidden")
        await book.add_text("Five.", id="5")
        await book.hide_document("4")
        found = await book.stores.library.labels("default")
        assert [(category, sub is not None) for category, sub in found] == [(None, True), ("Berries", True)]


async def test_the_names_of_the_metadata_are_those_of_documents_and_passages(db: str) -> None:
    async with AsyncSourcebook(settings=Settings(db=db), embedder=FakeEmbedder()) as book:
        assert await book.stores.library.metadata_names("default") == set()
        await book.add_text("One.", id="1", metadata={"author": {"name": "Ann"}, "year": 2020})
        await book.add_text("Two.", id="2", metadata={"year": None})
        await book.stores.vectors.add(
            "default", [EmbeddedChunk(Chunk("c", "3", "Three.", metadata={"tone": "dry"}), [1.0] * 64)]
        )
        assert await book.stores.library.metadata_names("default") == {"author", "year", "tone"}
        assert await book.stores.library.metadata_names("none") == set()


async def test_a_reply_is_kept_once_and_only_when_there_is_one(db: str) -> None:
    async with AsyncSourcebook(settings=Settings(db=db), embedder=FakeEmbedder()) as book:
        await book.add_text("Tractors want gear oil.", id="1")
        draft = await book.moderation.call_human("Which oil suits a tractor?")
        with pytest.raises(UsageError, match="has no reply yet"):
            await book.moderation.keep_answer(draft.id, 1)
        await book.moderation.answer_item(draft.id, 1, "Any gear oil.", keep=Keep.REPLY_ONLY)
        kept = await book.moderation.keep_answer(draft.id, 1)
        assert (kept.question, kept.approved_by) == ("Which oil suits a tractor?", 1)
        assert (await book.moderation.keep_answer(draft.id, 1)).id == kept.id
        assert len(await book.kb_list()) == 1
