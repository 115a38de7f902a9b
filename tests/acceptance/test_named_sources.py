"""An answer in other words than its source is watched against the source that its expert names, on both databases."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

import pytest

from sourcebook import AsyncSourcebook, Settings
from sourcebook.errors import AuthError, SupportLost, UsageError
from sourcebook.faces.cli.terminal.curated_text import support_lines
from sourcebook.faces.telegram.messages import answer_and_draft_texts
from sourcebook.locale import texts
from sourcebook.model.chat import Tier
from sourcebook.model.moderation import AskedAgain, Draft, DraftKind, Keep, LostSupport
from sourcebook.testing.fakes import FakeEmbedder

if TYPE_CHECKING:
    from sourcebook.model.curation import CuratedAnswer
    from sourcebook.model.documents import JsonValue

pytestmark = pytest.mark.anyio
LOCAL = 1
RULE = "Rowing is forbidden when the wind is above 25 knots."
FLAG = "The harbour master raises a red flag then."
TEXT = f"# Boat house\n\n{RULE} {FLAG}\n\nEvery crew signs the log book.\n"
GUESTS = "Guests may visit three times before they have to join."
QUESTION = "When must nobody go out?"
REPLY = "Nobody goes out when it blows more than 25 knots."


@pytest.fixture
async def book(db: str) -> AsyncGenerator[AsyncSourcebook]:
    async with AsyncSourcebook(settings=Settings(db=db), embedder=FakeEmbedder()) as opened:
        await opened.add_text(TEXT, id="boats", title="Boat house")
        await opened.add_text(GUESTS, id="guests", title="Guests")
        yield opened


def place(document: str, quote: str | None, text: str = TEXT) -> dict[str, JsonValue]:
    """A passage that came closest, as a decline keeps it; without a quote it was only named."""
    return {
        "collection_id": "default",
        "document_id": document,
        "document_path": document,
        "title": None,
        "section": None,
        "page": None,
        "start_index": 0,
        "end_index": len(text),
        "excerpt": quote,
        "quote": quote,
        "quote_start": None if quote is None else text.index(quote),
    }


async def waiting(book: AsyncSourcebook, question: str = QUESTION) -> Draft:
    """A question that waits, with two passages that came closest: one quoted, one only named."""
    nearest: list[JsonValue] = [place("boats", f"{RULE} {FLAG}"), place("guests", None, GUESTS)]
    return await book.moderation.call_human(question, details={"nearest": nearest})


async def answered(book: AsyncSourcebook, *sources: int | str, reply: str = REPLY) -> CuratedAnswer:
    draft = await waiting(book)
    done = await book.moderation.answer_item(draft.id, LOCAL, reply, sources=sources)
    entry = await book.stores.curated.kb_get(done.kb_id or 0)
    assert entry is not None
    return entry


async def change(book: AsyncSourcebook, old: str, new: str) -> list[Draft]:
    """The stale answers that wait after the source was changed."""
    await book.add_text(TEXT.replace(old, new), id="boats", title="Boat house")
    return await book.moderation.get_pending_moderation_items(kind=DraftKind.STALE)


async def test_an_answer_in_other_words_has_the_source_that_its_expert_names(book: AsyncSourcebook) -> None:
    assert (await answered(book)).sources == ()
    draft = await waiting(book, "When do all boats stay in?")
    done = await book.moderation.answer_item(draft.id, LOCAL, REPLY, sources=[1])
    entry = await book.stores.curated.kb_get(done.kb_id or 0)
    assert entry is not None
    assert entry.answer == f"{REPLY} [1]"
    assert [(s.document_id, s.quote) for s in entry.sources] == [("boats", f"{RULE} {FLAG}")]
    (stale,) = await change(book, "25", "20")
    assert stale.stale_kb_id == entry.id


async def test_of_a_passage_that_was_only_named_the_nearest_sentence_is_watched(
    book: AsyncSourcebook,
) -> None:
    entry = await answered(book, 2, reply="Whoever is a guest joins after three visits.")
    assert [(s.document_id, s.quote) for s in entry.sources] == [("guests", GUESTS)]


async def test_a_document_can_be_named_and_what_is_not_there_cannot(book: AsyncSourcebook) -> None:
    draft = await waiting(book)
    with pytest.raises(UsageError, match="shows no source 7"):
        await book.moderation.answer_item(draft.id, LOCAL, REPLY, sources=[7])
    entry = await answered(book, "boats")
    assert [(s.document_id, s.quote) for s in entry.sources] == [("boats", RULE)]


async def test_what_the_documents_say_themselves_needs_no_name_and_gets_one_source(
    book: AsyncSourcebook,
) -> None:
    entry = await answered(book, 1, reply=RULE)
    assert [source.quote for source in entry.sources] == [RULE]


async def test_a_named_source_stays_when_the_answer_is_renewed(book: AsyncSourcebook) -> None:
    await answered(book, 1)
    (stale,) = await change(book, "red flag", "blue flag")
    renewed = await book.moderation.approve_moderation_item(stale.id, LOCAL)
    assert [source.quote for source in renewed.sources] == [f"{RULE} {FLAG}".replace("red", "blue")]
    assert await change(book, "red flag", "white flag") != []


async def test_a_number_that_its_named_source_lost_is_not_approved_by_mistake(book: AsyncSourcebook) -> None:
    await answered(book, 1)
    (stale,) = await change(book, "25", "20")
    with pytest.raises(SupportLost, match="no longer say: “Nobody goes out"):
        await book.moderation.approve_moderation_item(stale.id, LOCAL)
    other = await book.moderation.approve_moderation_item(stale.id, LOCAL, answer=REPLY.replace("25", "20"))
    assert [source.quote for source in other.sources] == [f"{RULE} {FLAG}".replace("25", "20")]


async def test_who_insists_keeps_the_answer_without_the_source_that_it_lost(book: AsyncSourcebook) -> None:
    await answered(book, 1)
    (stale,) = await change(book, "25", "20")
    kept = await book.moderation.approve_moderation_item(stale.id, LOCAL, on_lost_support=LostSupport.ACCEPT)
    assert (kept.answer, kept.sources) == (REPLY, ())


async def test_a_source_can_be_named_after_the_answer_was_given(book: AsyncSourcebook) -> None:
    draft = await waiting(book)
    await book.moderation.answer_item(draft.id, LOCAL, REPLY, keep=Keep.REPLY_ONLY)
    kept = await book.moderation.keep_answer(draft.id, LOCAL)
    assert kept.sources == ()
    bound = await book.moderation.keep_answer(draft.id, LOCAL, sources=[1])
    assert (bound.id, bound.question, bound.category) == (kept.id, kept.question, kept.category)
    assert [source.document_id for source in bound.sources] == ["boats"]
    both = await book.moderation.keep_answer(draft.id, LOCAL, sources=[2])
    assert [source.document_id for source in both.sources] == ["boats", "guests"]
    assert (await book.ask(QUESTION)).curated_id == kept.id


async def test_who_may_not_decide_may_not_name_a_source_either(book: AsyncSourcebook) -> None:
    entry = await answered(book)
    stranger = await book.people.get_or_create_user(telegram_user_id=77)
    (draft,) = [d for d in await book.moderation.items_of(LOCAL) if d.kb_id == entry.id]
    with pytest.raises(AuthError):
        await book.moderation.keep_answer(draft.id, stranger.id, sources=[1])


async def test_a_stale_answer_gets_its_sources_where_it_is_decided(book: AsyncSourcebook) -> None:
    entry = await answered(book, 1)
    (draft,) = [d for d in await book.moderation.items_of(LOCAL) if d.kb_id == entry.id]
    await change(book, "25", "20")
    with pytest.raises(UsageError, match="is stale"):
        await book.moderation.keep_answer(draft.id, LOCAL, sources=[2])


async def test_a_stale_answer_is_given_with_what_its_source_says_now(book: AsyncSourcebook) -> None:
    entry = await answered(book, 1)
    await change(book, "25", "20")
    given = await book.ask(QUESTION)
    assert (given.tier, given.curated_id) == (Tier.CURATED, entry.id)
    assert given.details["changes"] == [
        {
            "document_path": "boats",
            "state": "changed",
            "before": f"{RULE} {FLAG}",
            "after": f"{RULE} {FLAG}".replace("25", "20"),
        }
    ]


async def test_a_rejection_tells_what_it_means_for_the_same_question(book: AsyncSourcebook) -> None:
    asked = (await book.ask("When is rowing forbidden?")).details["draft_id"]
    assert isinstance(asked, int)
    assert await book.moderation.asked_again(asked) is None
    await book.moderation.reject_moderation_item(asked, LOCAL)
    assert await book.moderation.asked_again(asked) is AskedAgain.DECLINED
    await change(book, "25", "20")
    assert await book.moderation.asked_again(asked) is AskedAgain.DECLINED
    await change(book, f"{RULE} {FLAG}", "Nobody goes out in fog.")
    assert await book.moderation.asked_again(asked) is AskedAgain.FROM_NEW_TEXT


async def test_a_reply_with_another_number_is_watched_and_not_called_supported(book: AsyncSourcebook) -> None:
    entry = await answered(book, 1, reply="Nobody goes out when it blows more than 99 knots.")
    assert list(support_lines(entry)) == [
        f"  Watched against boats: “{RULE} {FLAG}”",
        "    That text does not say: 99. Check the answer.",
    ]
    told = answer_and_draft_texts.watched(texts("ru"), entry)
    assert "Этого в источниках нет: 99. Проверьте ответ." in told
