"""An approved answer is given to its own question, and offered to one that resembles it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.unit.consulting import Desk, desk

from sourcebook.consult.answer.terminology import TermIndex
from sourcebook.consult.curated.curated_lookup import CuratedLookup
from sourcebook.consult.question.inquiry import Inquiry
from sourcebook.retrieve.question_context import QuestionContext
from sourcebook.testing.fakes import FakeEmbedder

if TYPE_CHECKING:
    from sourcebook.consult.curated.curated_lookup import CuratedFinding
    from sourcebook.model.documents import EmbeddingModel, JsonValue
    from sourcebook.ports.providers import Embedder

pytestmark = pytest.mark.anyio

KNOWN = "Which pH does the soil for blueberries in a large garden need?"


async def looked_up(at: Desk, question: str, details: dict[str, JsonValue]) -> CuratedFinding:
    async def embedder_for(_: EmbeddingModel) -> Embedder:
        return FakeEmbedder()

    context = await QuestionContext.read(at.book.stores.library, embedder_for, ["default"])
    inquiry = Inquiry(question, ("default",))
    return await CuratedLookup(at.book.stores.curated).find(
        question, inquiry, context, TermIndex.of([], "en"), details
    )


async def test_a_question_that_may_be_meant_is_offered_and_not_taken(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        entry = await at.book.kb_insert("From 4 to 5.", category="soil", question=KNOWN)
        details: dict[str, JsonValue] = {}
        found = await looked_up(at, KNOWN.replace("large", "roomy"), details)
        assert found.entry is None
        (offered,) = found.similar
        assert (offered.id, offered.question) == (entry.id, KNOWN)
        assert 0.73 < offered.score < 1
        assert '"reason": "one_word"' in json.dumps(details["curated"])


async def test_the_same_question_is_taken_and_nothing_is_offered(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        entry = await at.book.kb_insert("From 4 to 5.", category="soil", question=KNOWN)
        found = await looked_up(at, KNOWN.lower(), {})
        assert (found.entry and found.entry.id, found.similar) == (entry.id, ())


async def test_what_contradicts_is_neither_taken_nor_offered(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await at.book.kb_insert("From 4 to 5.", category="soil", question=KNOWN)
        found = await looked_up(at, KNOWN.replace("large", "small"), {})
        assert (found.entry, list(found.similar)) == (None, [])
