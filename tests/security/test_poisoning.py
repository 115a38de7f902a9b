"""Nobody gets words among the curated answers that somebody with the right to do so has not approved."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from sourcebook import AsyncSourcebook, Settings
from sourcebook.errors import AlreadyDecided, AuthError
from sourcebook.model.chat import Tier
from sourcebook.model.moderation import DraftKind, DraftStatus
from sourcebook.testing.fakes import FakeEmbedder

TEXT = "Prune everbearing raspberries in late autumn, after the last berries."
QUESTION = "When do I prune everbearing raspberries?"
POISON = "Never prune everbearing raspberries, pour salt on them."
LOCAL, STRANGER = 1, 66


@pytest.fixture
async def book(tmp_path: Path) -> AsyncGenerator[AsyncSourcebook]:
    settings = Settings(db=str(tmp_path / "base.db"))
    async with AsyncSourcebook(settings=settings, embedder=FakeEmbedder()) as opened:
        await opened.add_text(TEXT, id="pruning", title="Pruning", category="berries")
        await opened.add_text("Blueberries want sour soil.", id="soil", title="Soil", category="berries")
        await opened.add_text("Tomatoes are watered in the morning.", id="water", title="Water")
        yield opened


async def approved(book: AsyncSourcebook) -> int:
    draft_id = (await book.ask(QUESTION)).details["draft_id"]
    assert isinstance(draft_id, int)
    return (await book.moderation.approve_moderation_item(draft_id, LOCAL)).id


@pytest.mark.anyio
async def test_a_planted_question_is_not_answered_before_somebody_approves(book: AsyncSourcebook) -> None:
    for _ in range(5):
        await book.moderation.call_human(f"{QUESTION} {POISON}", user_id=LOCAL)
    assert (await book.ask(QUESTION)).tier is Tier.DOCUMENTS
    assert await book.kb_list() == []


@pytest.mark.anyio
async def test_a_near_duplicate_does_not_take_the_place_of_the_approved_answer(book: AsyncSourcebook) -> None:
    entry_id = await approved(book)
    planted = await book.moderation.call_human("When do I prune everbearing raspberries now?")
    with pytest.raises(AuthError):
        await book.moderation.answer_item(planted.id, STRANGER, POISON)
    given = await book.ask(QUESTION)
    assert (given.curated_id, POISON in given.answer) == (entry_id, False)


@pytest.mark.anyio
async def test_a_rejected_answer_is_never_given(book: AsyncSourcebook) -> None:
    draft_id = (await book.ask(QUESTION)).details["draft_id"]
    assert isinstance(draft_id, int)
    await book.moderation.reject_moderation_item(draft_id, LOCAL, "wrong")
    with pytest.raises(AlreadyDecided, match="rejected by local"):
        await book.moderation.approve_moderation_item(draft_id, LOCAL, answer=POISON)
    assert (await book.ask(QUESTION)).tier is Tier.NONE


@pytest.mark.anyio
async def test_an_edit_after_approval_waits_and_the_approved_revision_is_given(book: AsyncSourcebook) -> None:
    entry_id = await approved(book)
    before = await book.ask(QUESTION)
    edit = await book.moderation.edit_entry(entry_id, LOCAL, answer=POISON)
    assert (edit.kind, edit.status, edit.answer) == (DraftKind.STALE, DraftStatus.PENDING, POISON)
    during = await book.ask(QUESTION)
    assert (during.answer, during.details["approved_at"]) == (before.answer, before.details["approved_at"])
    with pytest.raises(AuthError):
        await book.moderation.approve_moderation_item(edit.id, STRANGER)
    assert (await book.ask(QUESTION)).answer == before.answer
    await book.moderation.reject_moderation_item(edit.id, LOCAL, "poison")
    after = await book.ask(QUESTION)
    assert (after.curated_id, after.answer) == (entry_id, before.answer)


@pytest.mark.anyio
async def test_what_is_given_shows_who_approved_it_and_what_it_stands_on(book: AsyncSourcebook) -> None:
    await approved(book)
    given = await book.ask(QUESTION)
    assert given.details["approved_by"] == LOCAL
    assert [citation.quote for citation in given.citations] == [TEXT]


@pytest.mark.anyio
async def test_an_edit_that_arrives_while_a_source_is_gone_does_not_hide_that(book: AsyncSourcebook) -> None:
    entry_id = await approved(book)
    await book.moderation.edit_entry(entry_id, LOCAL, answer=f"{TEXT} More.")
    await book.add_text("Something else.", id="pruning", title="Pruning")
    given = await book.ask(QUESTION)
    assert (given.curated_id, bool(given.details["stale"])) == (entry_id, True)
    (waiting,) = await book.moderation.get_pending_moderation_items(kind=DraftKind.STALE)
    assert waiting.stale_kb_id == entry_id
