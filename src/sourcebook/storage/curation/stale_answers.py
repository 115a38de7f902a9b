"""Curated answers follow their sources: what a write takes from them is known in the same transaction."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sourcebook.consult.citations.marks_and_quotes import cited_sentences
from sourcebook.consult.support.support_check import check_support
from sourcebook.curate.quoted_rows import columns_of, renamed_cells
from sourcebook.curate.staleness import same_text, sentence_before, stands
from sourcebook.model.chat import SourceState
from sourcebook.model.curation import ContextChange
from sourcebook.model.moderation import Why
from sourcebook.storage.argument_checks import metadata_text
from sourcebook.storage.curation.curated_rows import (
    context_changes_from,
    context_changes_text,
    read_entries,
)
from sourcebook.storage.curation.draft_rows import insert_draft, stale_draft
from sourcebook.text.layout.tables import BETWEEN_CELLS

if TYPE_CHECKING:
    from sourcebook.storage.database import Executor, Row

_REASONS = {
    SourceState.CHANGED: "a source has changed: {}",
    SourceState.REMOVED: "a source was removed: {}",
}
AS_IT_WAS = "the sources are as they were again"


@dataclass(frozen=True, slots=True)
class Quoted:
    """Documents that curated answers quote, as they are at one moment."""

    documents: Mapping[str, Row] = field(default_factory=dict[str, "Row"])
    chunks: Mapping[str, Sequence[Row]] = field(default_factory=dict[str, "Sequence[Row]"])

    def text(self, document_id: str) -> str | None:
        """The text of a document; of one whose chunks alone are known, those."""
        document = self.documents.get(document_id)
        if document is None:
            return None
        return document["content"] or "\n\n".join(c["content"] for c in self.chunks.get(document_id, ()))

    def context(self, document_id: str, quote: str) -> str:
        """What a reader of the quote knows too: the title, the headings above it, and the names of its columns."""
        around = self.around(document_id, quote)
        return "\n".join(part for part in (around["title"], around["section"], around["columns"]) if part)

    def around(self, document_id: str, quote: str) -> dict[str, str | None]:
        """The title, the headings above the quote, the names of its columns, and the sentence before it."""
        document, text = self.documents.get(document_id), self.text(document_id) or ""
        section = next(
            (c["section"] for c in self.chunks.get(document_id, ()) if quote in c["content"]),
            None,
        )
        return {
            "title": document["title"] if document is not None else None,
            "section": section,
            "columns": BETWEEN_CELLS.join(columns_of(quote, text)) or None,
            "sentence_before": sentence_before(quote, text),
        }

    def hash(self, document_id: str) -> str | None:
        document = self.documents.get(document_id)
        return None if document is None else document["file_hash"]

    def is_there(self, document_id: str) -> bool:
        document = self.documents.get(document_id)
        return document is not None and bool(document["is_active"])


async def quoted_by_answers(
    transaction: Executor, collection_id: str, document_ids: Sequence[str]
) -> Quoted | None:
    """Those of the documents that curated answers quote; None if there are none."""
    rows = await transaction.fetch(
        "sources_of_documents", collection_id=collection_id, document_ids=document_ids
    )
    held = sorted({row["document_id"] for row in rows})
    return await _quoted(transaction, collection_id, held) if held else None


async def follow_sources(
    transaction: Executor, collection_id: str, document_ids: Sequence[str], before: Quoted | None, now: int
) -> None:
    """The documents were written, hidden or removed: let the answers that quote them know."""
    rows = await transaction.fetch(
        "sources_of_documents", collection_id=collection_id, document_ids=document_ids
    )
    if not rows:
        return
    after = await _quoted(transaction, collection_id, sorted({row["document_id"] for row in rows}))
    changed: dict[int, list[tuple[SourceState, str]]] = {}
    for row in rows:
        state = _state(row, before or Quoted(), after)
        await _note_context(transaction, row, state, before or Quoted(), after)
        if state.value != row["state"]:
            await _set_state(transaction, row, state)
            changed.setdefault(row["knowledge_base_id"], []).append((state, row["document_path"]))
    for entry_id, states in changed.items():
        await _settle(transaction, entry_id, states, now)


async def check_entry(transaction: Executor, entry_id: int, now: int) -> None:
    """An answer was just approved: its sources are looked at as they are now, whatever they were a moment ago."""
    rows = await transaction.fetch("sources_of_entry", entry_id=entry_id)
    lost: list[tuple[SourceState, str]] = []
    for collection_id in sorted({row["collection_id"] for row in rows}):
        mine = [row for row in rows if row["collection_id"] == collection_id]
        now_there = await _quoted(transaction, collection_id, sorted({row["document_id"] for row in mine}))
        for row in mine:
            state = _plain_state(row, now_there)
            if state is SourceState.CURRENT:
                await _set_hash(transaction, row, now_there.hash(row["document_id"]))
            else:
                await _set_state(transaction, row, state)
                lost.append((state, row["document_path"]))
    if lost:
        await _settle(transaction, entry_id, lost, now)


async def _draft_stale_answers(transaction: Executor, now: int) -> None:
    """Every answer that is stale waits for somebody to look at it."""
    rows = await transaction.fetch("stale_without_draft")
    await _draft(transaction, [row["id"] for row in rows], now)


async def lose_sources(transaction: Executor, collection_id: str, now: int) -> None:
    """A collection is gone: whoever quotes it from elsewhere has lost a source."""
    if await transaction.execute("lose_sources_in", lost=collection_id):
        await follow_lost_sources(transaction, now, collection_id)


async def follow_lost_sources(transaction: Executor, now: int, collection_id: str | None = None) -> None:
    """Whatever lost a source is stale, says so, and waits for somebody to look at it."""
    await transaction.execute("mark_stale_answers", now=now)
    await _draft_stale_answers(transaction, now)
    for row in await transaction.fetch("answers_that_lost", of_collection=collection_id):
        await _tell_reason(transaction, row["knowledge_base_id"])


async def _quoted(transaction: Executor, collection_id: str, document_ids: Sequence[str]) -> Quoted:
    scope = {"collection_id": collection_id, "document_ids": document_ids}
    documents = {row["id"]: row for row in await transaction.fetch("quoted_documents", **scope)}
    chunks: dict[str, list[Row]] = {}
    for row in await transaction.fetch("passages_with_sections", **scope):
        chunks.setdefault(row["document_id"], []).append(row)
    return Quoted(documents, chunks)


def _state(row: Row, before: Quoted, after: Quoted) -> SourceState:
    """What became of a source. Once it was flagged, only a person, or the very same bytes, make it current again."""
    document_id = row["document_id"]
    if not after.is_there(document_id):
        return SourceState.REMOVED
    if row["file_hash"] is not None and row["file_hash"] == after.hash(document_id):
        return SourceState.CURRENT
    match SourceState(row["state"]):
        case SourceState.CURRENT:
            return _after_a_change(row, before, after)
        case SourceState.CHANGED:
            return SourceState.CHANGED
        case SourceState.REMOVED:
            is_titled_so = after.documents[document_id]["title"] == row["document_title"]
            is_standing = is_titled_so and stands(row["quote"], after.text(document_id) or "")
            return SourceState.CURRENT if is_standing else SourceState.CHANGED


def _after_a_change(row: Row, before: Quoted, after: Quoted) -> SourceState:
    document_id, quote = row["document_id"], row["quote"]
    if not stands(quote, after.text(document_id) or "", before.text(document_id)):
        return SourceState.CHANGED
    if document_id not in before.documents:
        return SourceState.CURRENT
    if _renamed(row, after) - _renamed(row, before):
        return SourceState.CHANGED
    return _in_context(row, before.context(document_id, quote), after.context(document_id, quote))


def _renamed(row: Row, there: Quoted) -> set[str]:
    """The cells of the answer that have other names there. Those of another source's table always have."""
    text = there.text(row["document_id"]) or ""
    said = cited_sentences(row["answer"])
    return {cell for each in said for cell in renamed_cells(each.text, row["quote"], text)}


def _in_context(row: Row, known: str, now: str) -> SourceState:
    """A new title, heading or name of a column matters if a sentence of the answer leans on the old one."""
    if known == now:
        return SourceState.CURRENT
    for sentence in cited_sentences(row["answer"]):
        leaned = check_support(sentence.text, row["quote"], row["language"], known).is_enough
        if leaned and not check_support(sentence.text, row["quote"], row["language"], now).is_enough:
            return SourceState.CHANGED
    return SourceState.CURRENT


async def _note_context(
    transaction: Executor, row: Row, state: SourceState, before: Quoted, after: Quoted
) -> None:
    """Mark a source whose words stand, but not in the context in which they were approved; or take the mark away."""
    document_id = row["document_id"]
    if state is not SourceState.CURRENT or document_id not in before.documents:
        return
    known = context_changes_from(row["context_change"])
    if row["file_hash"] is not None and row["file_hash"] == after.hash(document_id):
        changes: list[ContextChange] = []
    else:
        changes = _context_changes(
            known, before.around(document_id, row["quote"]), after.around(document_id, row["quote"])
        )
    if tuple(changes) != known:
        await transaction.execute(
            "set_source_context",
            knowledge_base_id=row["knowledge_base_id"],
            position=row["position"],
            context_change=context_changes_text(changes),
        )


def _context_changes(
    known: Sequence[ContextChange], before: Mapping[str, str | None], after: Mapping[str, str | None]
) -> list[ContextChange]:
    """What differs from the state in which the answer was approved, even if there were several changes since."""
    approved = dict(before) | {change.part: change.before for change in known}
    return [
        ContextChange(part, approved[part], now)
        for part, now in after.items()
        if not same_text(approved[part], now)
    ]


def _plain_state(row: Row, there: Quoted) -> SourceState:
    if not there.is_there(row["document_id"]):
        return SourceState.REMOVED
    if row["file_hash"] is not None and row["file_hash"] == there.hash(row["document_id"]):
        return SourceState.CURRENT
    is_standing = stands(row["quote"], there.text(row["document_id"]) or "")
    return SourceState.CURRENT if is_standing else SourceState.CHANGED


async def _set_state(transaction: Executor, row: Row, state: SourceState) -> None:
    await transaction.execute(
        "set_source_state",
        knowledge_base_id=row["knowledge_base_id"],
        position=row["position"],
        state=state.value,
    )


async def _set_hash(transaction: Executor, row: Row, file_hash: str | None) -> None:
    if file_hash != row["file_hash"]:
        await transaction.execute(
            "set_source_hash",
            knowledge_base_id=row["knowledge_base_id"],
            position=row["position"],
            file_hash=file_hash,
        )


async def _settle(
    transaction: Executor, entry_id: int, states: Iterable[tuple[SourceState, str]], now: int
) -> None:
    """Make the answer stale and its draft, or both undone if all of its sources stand again."""
    lost = [(state, path) for state, path in states if state is not SourceState.CURRENT]
    if lost:
        state, path = lost[0]
        reason = _REASONS[state].format(path)
        if await transaction.execute("mark_stale", entry_id=entry_id, reason=reason, now=now):
            await _draft(transaction, [entry_id], now)
    elif await transaction.execute("clear_stale", entry_id=entry_id):
        await _withdraw(transaction, entry_id, now)
    await _tell_reason(transaction, entry_id)


async def _tell_reason(transaction: Executor, entry_id: int) -> None:
    """A stale answer and its draft say what is wrong with its sources now: a removed one may be back, changed."""
    for row in await transaction.fetch("sources_of_entry", entry_id=entry_id):
        if (state := SourceState(row["state"])) is not SourceState.CURRENT:
            reason = _REASONS[state].format(row["document_path"])
            await transaction.execute("set_stale_reason", entry_id=entry_id, reason=reason)
            break
    waiting = await transaction.fetch_one("pending_stale_draft", entry_id=entry_id)
    if waiting is not None:
        details = json.loads(waiting["details"]) | {"reason": waiting["stale_reason"]}
        told = metadata_text(details, "the draft")
        await transaction.execute("set_draft_details", draft_id=waiting["id"], details=told)


async def _draft(transaction: Executor, entry_ids: Sequence[int], now: int) -> None:
    for entry in await read_entries(transaction, entry_ids):
        if entry.is_active:
            await insert_draft(transaction, stale_draft(entry), now, stale_kb_id=entry.id)


async def _withdraw(transaction: Executor, entry_id: int, now: int) -> None:
    """There is nothing to look at any more, unless somebody wants to change the answer."""
    waiting = await transaction.fetch_one("pending_stale_draft", entry_id=entry_id)
    if waiting is not None and json.loads(waiting["details"]).get("why") == Why.SOURCE_CHANGED:
        await transaction.execute(
            "decide_draft",
            draft_id=waiting["id"],
            status="cancelled",
            admin_id=None,
            reason=AS_IT_WAS,
            answer=None,
            now=now,
        )
