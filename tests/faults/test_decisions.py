"""One decision about a draft, however many processes and people press at the same moment."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest
from tests.faults.deciders import press
from tests.faults.processes import all_at_once

from sourcebook import AsyncSourcebook, Settings
from sourcebook.model.chat import SourceState, Tier
from sourcebook.model.moderation import DraftKind, DraftStatus
from sourcebook.testing.fakes import FakeEmbedder

TEXT = "Prune everbearing raspberries in late autumn, after the last berries."
QUESTION = "When do I prune everbearing raspberries?"
PROCESSES, PRESSES = 4, 8


async def _drafted(db: str) -> int:
    async with AsyncSourcebook(settings=Settings(db=db), embedder=FakeEmbedder(8)) as book:
        await book.add_text(TEXT, id="pruning", title="Pruning", category="berries")
        await book.add_text("Tomatoes are watered in the morning.", id="water", title="Water")
        await book.add_text("Blueberries want sour soil.", id="soil", title="Soil")
        draft_id = (await book.ask(QUESTION)).details["draft_id"]
        assert isinstance(draft_id, int)
        return draft_id


def test_thirty_two_admins_in_four_processes_decide_once(db: str, tmp_path: Path) -> None:
    draft_id = anyio.run(_drafted, db)
    codes = all_at_once(
        press, [(db, draft_id, PRESSES, str(tmp_path / f"said-{n}")) for n in range(PROCESSES)]
    )
    assert codes == [0] * PROCESSES
    said = [line for n in range(PROCESSES) for line in _said(tmp_path / f"said-{n}")]
    assert len(said) == PROCESSES * PRESSES
    (won,) = [line for line in said if not line.startswith("lost")]
    assert set(said) == {won, f"lost: Draft {draft_id} was already {won} by local."}
    anyio.run(_require_one, db, draft_id, won)


def _said(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()


async def _require_one(db: str, draft_id: int, won: str) -> None:
    async with AsyncSourcebook(settings=Settings(db=db), embedder=FakeEmbedder(8)) as book:
        draft = await book.moderation.get_item(draft_id)
        assert (draft.status.value, draft.admin_id) == (won, 1)
        entries = await book.kb_list()
        assert [entry.id for entry in entries] == ([draft.kb_id] if won == DraftStatus.APPROVED else [])


@pytest.mark.anyio
async def test_a_removed_document_is_known_to_be_gone_wherever_it_is_quoted(db: str) -> None:
    """The answer that quotes it says so at once, and comes back to the queue once; nothing breaks on it."""
    draft_id = await _drafted(db)
    async with AsyncSourcebook(settings=Settings(db=db), embedder=FakeEmbedder(8)) as book:
        entry = await book.moderation.approve_moderation_item(draft_id, 1)
        cited = await book.ask(QUESTION)
        assert await book.remove_document("pruning")
        given = await book.ask(QUESTION)
        assert (given.tier, given.details["stale"]) == (Tier.CURATED, "a source was removed: pruning")
        assert {citation.state for citation in given.citations} == {SourceState.REMOVED}
        earlier = (await book.session(str(cited.session_id))).messages[-1]
        assert {citation.state for citation in earlier.citations} == {SourceState.REMOVED}
        assert await book.search(QUESTION, collection="default")
        (draft,) = await book.moderation.get_pending_moderation_items(kind=DraftKind.STALE)
        assert draft.stale_kb_id == entry.id
        assert not (await book.doctor()).findings
