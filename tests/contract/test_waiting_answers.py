"""An answer that waits for approval while its source changes, on both databases."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest

from sourcebook import AsyncSourcebook, LostSupport, Settings
from sourcebook.errors import SupportLost
from sourcebook.model.chat import SourceState
from sourcebook.model.moderation import Draft, DraftKind
from sourcebook.testing.fakes import FakeEmbedder

pytestmark = pytest.mark.anyio

LOCAL = 1
QUESTION = "How much is the deposit?"
TERMS = "The deposit is two monthly rents. It is paid back after ten days."
NEW_TERMS = TERMS.replace("two", "three")


@pytest.fixture
async def book(db: str) -> AsyncGenerator[AsyncSourcebook, None]:
    async with AsyncSourcebook(settings=Settings(db=db), embedder=FakeEmbedder()) as opened:
        await opened.add_text(TERMS, id="terms", title="Terms")
        yield opened


async def waiting(book: AsyncSourcebook) -> Draft:
    """The answer to the question, not decided yet."""
    await book.ask(QUESTION)
    (draft,) = await book.moderation.get_pending_moderation_items(kind=DraftKind.ANSWER)
    assert not draft.has_changed_sources
    return draft


async def test_an_answer_whose_source_changed_is_not_approved_by_mistake(book: AsyncSourcebook) -> None:
    draft = await waiting(book)
    await book.add_text(NEW_TERMS, id="terms", title="Terms")
    with pytest.raises(SupportLost, match="no longer say: “The deposit is two monthly rents"):
        await book.moderation.approve_moderation_item(draft.id, LOCAL)
    with pytest.raises(SupportLost):
        await book.moderation.approve_moderation_item(draft.id, LOCAL, answer=draft.answer, sources=[1])
    assert await book.kb_list() == []


async def test_a_listing_and_the_draft_itself_tell_that_its_source_changed(book: AsyncSourcebook) -> None:
    draft = await waiting(book)
    assert (await book.moderation.changes(draft.id), await book.moderation.in_new_words(draft.id)) == (
        [],
        None,
    )
    await book.add_text(NEW_TERMS, id="terms", title="Terms")
    (listed,) = await book.moderation.get_pending_moderation_items()
    shown = await book.moderation.get_item(draft.id)
    assert (listed.has_changed_sources, shown.has_changed_sources) == (True, True)
    (change,) = await book.moderation.changes(draft.id)
    assert [(run.kind, run.text) for run in change.words if run.kind != "same"] == [
        ("removed", "two"),
        ("added", "three"),
    ]


async def test_it_is_approved_in_the_new_words_of_its_source(book: AsyncSourcebook) -> None:
    draft = await waiting(book)
    await book.add_text(NEW_TERMS, id="terms", title="Terms")
    renewed = await book.moderation.in_new_words(draft.id)
    entry = await book.moderation.approve_moderation_item(draft.id, LOCAL, answer=renewed)
    assert entry.answer.startswith("The deposit is three monthly rents.")
    assert [source.quote for source in entry.sources] == [NEW_TERMS]


async def test_an_expert_may_insist_or_write_other_words(book: AsyncSourcebook) -> None:
    draft = await waiting(book)
    await book.add_text(NEW_TERMS, id="terms", title="Terms")
    accept = LostSupport.ACCEPT
    entry = await book.moderation.approve_moderation_item(draft.id, LOCAL, on_lost_support=accept)
    assert entry.answer.startswith("The deposit is two monthly rents.")
    await book.ask("When is the deposit paid back?")
    (other,) = await book.moderation.get_pending_moderation_items(kind=DraftKind.ANSWER)
    await book.add_text("The deposit is gone.", id="terms", title="Terms")
    own = await book.moderation.approve_moderation_item(other.id, LOCAL, answer="Ask at the counter.")
    assert (own.answer, own.sources) == ("Ask at the counter.", ())


async def test_a_change_elsewhere_in_the_document_does_not_matter(book: AsyncSourcebook) -> None:
    draft = await waiting(book)
    await book.add_text(f"{TERMS}\n\nKeys are changed by hand.", id="terms", title="Terms")
    assert not (await book.moderation.get_item(draft.id)).has_changed_sources
    entry = await book.moderation.approve_moderation_item(draft.id, LOCAL)
    assert [source.quote for source in entry.sources] == [TERMS]


async def test_an_answer_whose_document_is_gone_is_refused(book: AsyncSourcebook) -> None:
    draft = await waiting(book)
    await book.remove_document("terms")
    assert [c.state for c in (await book.moderation.get_item(draft.id)).citations] == [SourceState.REMOVED]
    with pytest.raises(SupportLost):
        await book.moderation.approve_moderation_item(draft.id, LOCAL)
