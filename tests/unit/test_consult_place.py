"""Where a question is asked: what a conversation remembers of that, and what is never cited from there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.unit.consulting import PRUNING, QUESTION, SOIL, desk

from sourcebook import AsyncSourcebook, Settings
from sourcebook.consult.question.inquiry import Inquiry
from sourcebook.model.chat import ChatSession, Tier
from sourcebook.testing.fakes import FakeEmbedder

pytestmark = pytest.mark.anyio

SOUR = "What soil do blueberries want?"


async def test_a_conversation_goes_on_where_it_began(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await at.book.add_text(f"{SOIL} So says the other shelf.", id="peat", collection="other")
        first = await at.book.ask(SOUR, collection="other")
        assert {c.collection_id for c in first.citations} == {"other"}
        session = (await at.book.session(first.session_id or "")).session
        assert session.scope == {"collections": ["other"]}
        second = await at.book.ask("And what pH do they want?", session=session.id)
        assert {c.collection_id for c in second.citations} == {"other"}
        elsewhere = await at.book.ask(SOUR, session=session.id, collection="default")
        assert {c.collection_id for c in elsewhere.citations} == {"default"}
        assert (await at.book.session(session.id)).session.scope == {"collections": ["other"]}


async def test_a_conversation_remembers_its_category_and_subcategory(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await at.book.add_text(
            f"{SOIL} Bark is best.", id="bark", category="soil", subcategory="голубика_ремонтантная"
        )
        await at.book.kb_insert("Sour, from the soil shelf.", category="soil", question=SOUR)
        first = await at.book.ask(QUESTION, category="pruning", subcategory="голубика_ремонтантная")
        session = (await at.book.session(first.session_id or "")).session
        assert session.scope == {
            "collections": ["default"],
            "category": "pruning",
            "subcategory": "голубика_ремонтантная",
        }
        # The curated answer is of another category, and the subcategory still comes first.
        second = await at.book.ask(SOUR, session=session.id)
        assert second.tier is Tier.DOCUMENTS
        assert second.citations[0].document_id == "bark"
        assert (await at.book.ask(SOUR, session=session.id, category="soil")).tier is Tier.CURATED


async def test_a_scope_that_makes_no_sense_is_no_scope() -> None:
    for scope in ({}, {"collections": "all"}, {"collections": [1, None]}, {"category": 5}):
        asked = Inquiry("?", otherwise=("default",)).within(ChatSession("s", None, 1, "cli", scope))
        assert list(asked.collections) in (["default"], list("all"))
        assert (asked.category, asked.subcategory) == (None, None)


async def test_collections_of_one_model_share_the_vector_of_a_question(tmp_path: Path) -> None:
    embedder = FakeEmbedder()
    async with AsyncSourcebook(settings=Settings(db=str(tmp_path / "base.db")), embedder=embedder) as book:
        for name in ("a", "b", "c"):
            await book.add_text(PRUNING, id="pruning", collection=name)
        before = embedder.embedded
        await book.ask(QUESTION, collection=["a", "b", "c"])
        assert embedder.embedded - before == 1


async def test_a_passage_that_a_disk_has_changed_is_not_cited(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        assert (await at.book.ask(SOUR)).citations[0].document_id == "soil"
        broken: Any = apsw.Connection(str(tmp_path / "base.db"))
        broken.execute(
            "update document_chunks set content = replace(content, 'sour', 'lime') where document_id = 'soil'"
        )
        broken.close()
        answer = await at.book.ask(SOUR)
        assert all(c.document_id != "soil" for c in answer.citations)
        assert "lime" not in answer.answer
        passages = answer.details["passages"]
        assert isinstance(passages, list)
        assert [p["taken"] for p in passages if isinstance(p, dict) and p.get("damaged")] == [False]


async def test_a_term_and_its_phrase_ask_the_same(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await at.book.kb_insert("In October.", category="k", question="When do I remove the root shoots?")
        asked = "When do I remove the suckers?"
        assert (await at.book.ask(asked)).tier is not Tier.CURATED
        await at.book.add_term("sucker", "root shoot", language="en")
        assert (await at.book.ask(asked)).tier is Tier.CURATED
