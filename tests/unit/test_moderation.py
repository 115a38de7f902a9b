"""Review on a real base: what goes into the queue, how an answer finds its sources, and what an edit does."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from sourcebook import AsyncSourcebook, Settings
from sourcebook.errors import CuratedAnswerNotFound, DraftNotFound, ProviderTimeout, UsageError
from sourcebook.model.chat import SourceState, Tier
from sourcebook.model.moderation import DraftKind, DraftStatus, Keep
from sourcebook.testing.fakes import FakeEmbedder, ScriptedChatModel

PRUNING = "Prune everbearing raspberries in late autumn, after the last berries. Cut the canes to the ground."
SOIL = "Blueberries want sour soil. The pH of the soil for blueberries is between 4.0 and 5.0."
QUESTION = "When do I prune everbearing raspberries?"
UNKNOWN = "Which gearbox oil suits a tractor?"
LOCAL = 1


async def filled(book: AsyncSourcebook) -> AsyncSourcebook:
    await book.add_text(PRUNING, id="pruning", title="Pruning", category="berries")
    await book.add_text(SOIL, id="soil", title="Soil", category="ground")
    return book


@pytest.fixture
async def book(tmp_path: Path) -> AsyncGenerator[AsyncSourcebook]:
    settings = Settings(db=str(tmp_path / "base.db"))
    async with AsyncSourcebook(settings=settings, embedder=FakeEmbedder()) as opened:
        yield await filled(opened)


async def drafted(book: AsyncSourcebook, question: str = QUESTION) -> int:
    draft_id = (await book.ask(question)).details["draft_id"]
    assert isinstance(draft_id, int)
    return draft_id


@pytest.mark.anyio
async def test_an_answer_becomes_a_draft_with_a_category_and_how_it_came_about(book: AsyncSourcebook) -> None:
    draft = await book.moderation.get_item(await drafted(book))
    assert (draft.kind, draft.category_guess, draft.language) == (DraftKind.ANSWER, "berries", "en")
    assert draft.citations[0].document_id == "pruning"
    assert (draft.details["why"], draft.details["weak"]) == ("answered", False)
    session = await book.session(str(draft.session_id))
    assert session.messages[-1].id == draft.chat_message_id


@pytest.mark.anyio
async def test_what_the_settings_leave_out_is_no_draft(tmp_path: Path) -> None:
    settings = Settings(db=str(tmp_path / "base.db"), draft_answers="none")
    async with AsyncSourcebook(settings=settings, embedder=FakeEmbedder()) as opened:
        book = await filled(opened)
        assert "draft_id" not in (await book.ask(QUESTION)).details
        assert "draft_id" in (await book.ask(UNKNOWN)).details


@pytest.mark.anyio
async def test_an_approved_answer_names_each_place_once_and_in_order(book: AsyncSourcebook) -> None:
    draft_id = await drafted(book)
    said = "Cut the canes to the ground. [7] Prune in late autumn, after the last berries."
    entry = await book.moderation.approve_moderation_item(draft_id, LOCAL, answer=said)
    assert (
        entry.answer == "Cut the canes to the ground. [1] Prune in late autumn, after the last berries. [2]"
    )
    assert [source.quote for source in entry.sources] == [
        "Cut the canes to the ground.",
        "Prune everbearing raspberries in late autumn, after the last berries.",
    ]
    assert all(source.file_hash for source in entry.sources)
    given = await book.ask(QUESTION)
    assert [citation.number for citation in given.citations] == [1, 2]


@pytest.mark.anyio
async def test_a_sentence_that_nothing_supports_gets_no_source(book: AsyncSourcebook) -> None:
    entry = await book.moderation.approve_moderation_item(
        await drafted(book), LOCAL, answer="Prune everbearing raspberries in early spring."
    )
    assert entry.answer == "Prune everbearing raspberries in early spring."
    assert entry.sources == ()


@pytest.mark.anyio
async def test_a_person_can_be_called_at_any_time_and_sent_away_again(book: AsyncSourcebook) -> None:
    draft = await book.moderation.call_human(QUESTION, details={"searched": "x"})
    assert (draft.kind, draft.details["why"]) == (DraftKind.DECLINED, "asked_for_a_person")
    assert [d.id for d in await book.moderation.items_of(LOCAL, status=DraftStatus.PENDING)] == [draft.id]
    await book.moderation.cancel_item(draft.id, LOCAL)
    assert await book.moderation.get_pending_moderation_items() == []
    with pytest.raises(UsageError):
        await book.moderation.call_human("  ")
    photo = await book.moderation.call_human("", attachments=[{"kind": "photo", "file_id": "f"}])
    assert photo.attachments == ({"kind": "photo", "file_id": "f"},)


@pytest.mark.anyio
async def test_the_reply_of_an_expert_finds_its_source_by_search(book: AsyncSourcebook) -> None:
    draft = await book.moderation.call_human("How sour is the ground for blueberries?")
    reply = "The pH of the soil for blueberries is between 4.0 and 5.0."
    answered = await book.moderation.answer_item(draft.id, LOCAL, reply, keep=Keep.CURATED, category="soil")
    entry = await book.stores.curated.kb_get(answered.kb_id or 0)
    assert entry is not None
    (source,) = entry.sources
    assert (source.document_id, source.quote, source.state) == ("soil", reply, SourceState.CURRENT)
    assert entry.category == "soil"
    await book.add_text(SOIL.replace("5.0", "6.0"), id="soil", title="Soil")
    assert (await book.moderation.count_pending())[DraftKind.STALE] == 1


@pytest.mark.anyio
async def test_a_few_words_that_stand_somewhere_are_no_source(book: AsyncSourcebook) -> None:
    for question, sources in (("When do I harvest gooseberries?", 0), (f"{QUESTION} Now?", 1)):
        draft = await book.moderation.call_human(question)
        answered = await book.moderation.answer_item(draft.id, LOCAL, "In late autumn.", category="berries")
        entry = await book.stores.curated.kb_get(answered.kb_id or 0)
        assert entry is not None
        assert len(entry.sources) == sources, question


@pytest.mark.anyio
async def test_what_cannot_be_decided_so_says_why(book: AsyncSourcebook) -> None:
    moderation = book.moderation
    declined = await drafted(book, UNKNOWN)
    with pytest.raises(UsageError, match="no answer yet"):
        await moderation.approve_moderation_item(declined, LOCAL)
    with pytest.raises(UsageError, match="empty"):
        await moderation.answer_item(declined, LOCAL, " ")
    with pytest.raises(UsageError, match="not a question waiting"):
        await moderation.answer_item(await drafted(book), LOCAL, "x")
    with pytest.raises(DraftNotFound):
        await moderation.get_item(99)
    with pytest.raises(CuratedAnswerNotFound):
        await moderation.edit_entry(99, LOCAL, answer="x")


@pytest.mark.anyio
async def test_drafts_that_ask_much_the_same_are_shown_together(book: AsyncSourcebook) -> None:
    first = await drafted(book, UNKNOWN)
    second = await drafted(book, "What gearbox oil does a tractor need?")
    await drafted(book, "How many eggs does a hen lay?")
    assert [draft.id for draft in await book.moderation.similar(first)] == [second]
    (tractor, hens) = await book.moderation.gaps()
    assert (tractor.count, hens.count) == (2, 1)


@pytest.mark.anyio
async def test_without_a_citation_the_category_is_that_of_the_nearest_curated_answer(
    book: AsyncSourcebook,
) -> None:
    await book.kb_insert("Twice a day.", category="poultry", question="How often do I feed a hen?")
    draft = await book.moderation.get_item(await drafted(book, "How often do I feed a cold hen?"))
    assert (draft.kind, draft.category_guess) == (DraftKind.DECLINED, "poultry")
    far = await book.moderation.get_item(await drafted(book, UNKNOWN))
    assert far.category_guess is None


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("written", "guess"), [("2", "ground"), ("nothing", None), (ProviderTimeout(), None)], ids=str
)
async def test_a_chat_model_is_asked_where_the_documents_leave_it_open(
    tmp_path: Path, written: str | Exception, guess: str | None
) -> None:
    model = ScriptedChatModel(written)
    settings = Settings(db=str(tmp_path / "base.db"), chat_reads_unsure=False)
    async with AsyncSourcebook(settings=settings, embedder=FakeEmbedder(), chat_model=model) as opened:
        book = await filled(opened)
        answer = await book.ask(UNKNOWN)
        assert answer.tier is Tier.NONE
        draft = await book.moderation.get_item(await drafted(book, UNKNOWN))
    assert draft.category_guess == guess
    assert "1. berries\n2. ground" in model.asked[-1][0].content


@pytest.mark.anyio
async def test_a_digest_tells_what_happened(book: AsyncSourcebook) -> None:
    await drafted(book, UNKNOWN)
    entry = await book.moderation.approve_moderation_item(await drafted(book), LOCAL)
    await book.ask(QUESTION)
    await book.remove_document("pruning")
    digest = await book.moderation.digest(0)
    assert (digest.questions, digest.declined, digest.people) == (3, 1, 1)
    assert digest.tiers == {"none": 1, "documents": 1, "curated": 1}
    assert (digest.drafts, digest.pending) == ({"approved": 1}, 2)
    assert [each.id for each in digest.became_stale] == [entry.id]
    assert [gap.question for gap in digest.to_write] == [UNKNOWN]
    assert (await book.moderation.digest(0, 1)).questions == 0
