"""Curated answers by their words, and conversations as text."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.consulting import QUESTION, SOIL, desk

from sourcebook import AsyncSourcebook, Settings, SourceType
from sourcebook.consult.answer.transcript import as_markdown
from sourcebook.errors import DocumentNotFound, NoEmbedder, SessionNotFound, UsageError
from sourcebook.model.chat import Tier
from sourcebook.testing.fakes import FakeEmbedder

pytestmark = pytest.mark.anyio


async def test_an_entry_is_found_by_its_question_or_without_one_by_its_answer(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        asked = await at.book.kb_insert("From 4 to 5.", category="soil", question="Which pH for blueberries?")
        told = await at.book.kb_insert("Straw keeps the strawberries clean.", category="mulch")
        assert (asked.language, asked.approved_by, told.question) == ("en", 1, None)
        (near,) = await at.book.kb_search("Which pH for blueberries?")
        assert (near.entry.id, round(near.distance, 3)) == (asked.id, 0.0)
        (other,) = await at.book.kb_search("straw keeps the strawberries clean.")
        assert other.entry.id == told.id
        assert await at.book.kb_search("Which pH for blueberries?", category="mulch") == []


async def test_entries_are_listed_by_collection_and_removed(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        first = await at.book.kb_insert("a", category="k", source_type=SourceType.FAQ)
        second = await at.book.kb_insert("b", category="k", collection="other")
        assert [e.id for e in await at.book.kb_list()] == [first.id, second.id]
        assert [e.id for e in await at.book.kb_list("other")] == [second.id]
        assert await at.book.kb_remove(first.id)
        assert not await at.book.kb_remove(first.id)


async def test_an_empty_base_takes_curated_answers_first(tmp_path: Path) -> None:
    settings = Settings(db=str(tmp_path / "base.db"))
    async with AsyncSourcebook(settings=settings, embedder=FakeEmbedder()) as book:
        await book.kb_insert("In October.", category="k", question=QUESTION)
        answer = await book.ask(QUESTION)
        assert (answer.tier, answer.answer) == (Tier.CURATED, "In October.")


async def test_without_an_embedder_there_are_no_curated_answers(tmp_path: Path) -> None:
    async with AsyncSourcebook(settings=Settings(db=str(tmp_path / "base.db"), embedder="none")) as book:
        with pytest.raises(NoEmbedder):
            await book.kb_insert("a", category="k")


async def test_a_source_is_a_place_where_the_words_stand(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        quoted = await at.book.kb_source("soil", quote=" The  pH of\nthe soil ")
        assert quoted.quote == "The pH of the soil"
        assert SOIL[quoted.start : quoted.end] == quoted.quote
        assert quoted.chunk_id
        assert quoted.file_hash
        chosen = await at.book.kb_source("soil", supports="The pH is between 4.0 and 5.0.")
        assert chosen.quote == "The pH of the soil for blueberries is between 4.0 and 5.0."


@pytest.mark.parametrize(
    "wrong", [{"quote": "These words do not stand there"}, {"quote": " "}, {"supports": "Tractors rust."}]
)
async def test_words_that_do_not_stand_there_are_no_source(tmp_path: Path, wrong: dict[str, str]) -> None:
    async with desk(tmp_path) as at:
        with pytest.raises(UsageError, match="in soil"):
            await at.book.kb_source("soil", **wrong)
        with pytest.raises(DocumentNotFound):
            await at.book.kb_source("nowhere.md", **wrong)


async def test_a_conversation_is_made_named_listed_and_removed(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        made = await at.book.create_session(title="Garden", scope={"category": "x"})
        await at.book.ask(QUESTION, session=made.id)
        await at.book.rename_session(made.id, "Pruning")
        (listed,) = await at.book.sessions()
        assert (listed.id, listed.title, listed.message_count) == (made.id, "Pruning", 2)
        assert await at.book.remove_session(made.id)
        assert not await at.book.remove_session(made.id)
        with pytest.raises(SessionNotFound):
            await at.book.session(made.id)
        with pytest.raises(SessionNotFound):
            await at.book.export_session(made.id)


async def test_a_conversation_as_markdown_has_its_sources_and_no_markup_of_others(tmp_path: Path) -> None:
    notes = {"odd": "Prune the <b>odd</b> [link](http://x) raspberries # in *autumn*."}
    async with desk(tmp_path, notes=notes) as at:
        answer = await at.book.ask("When do I prune the odd raspberries?")
        await at.book.remove_document("odd")
        text = await at.book.export_session(answer.session_id or "")
        assert text.startswith("# When do I prune the odd raspberries?\n")
        assert "\\<b\\>odd\\</b\\> \\[link\\](http://x)" in text
        assert "— the source was removed" in text
        assert text == as_markdown(await at.book.session(answer.session_id or ""))
