"""What was imported before and has changed there since: brought over, unless somebody changed it here as well.

Which of the two is later is told by the time of the row. What was changed here stays, and is named.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sourcebook.storage.importing.documents import of_bot_is_active, seconds
from sourcebook.storage.importing.layouts import BOT, NUMBER

if TYPE_CHECKING:
    from sourcebook.ports.stores import Stores
    from sourcebook.storage.database import Executor
    from sourcebook.storage.importing.curation import CurationImport
    from sourcebook.storage.importing.imported_ids import ImportedIds
    from sourcebook.storage.importing.layouts import OldBase, Values
    from sourcebook.storage.importing.progress import ImportProgress

_PAGE = 500
_SAME = ("category", "subcategory", "question", "answer", "is_active")


@dataclass(frozen=True, slots=True)
class EarlierRows:
    """Up to which number the rows of each table were imported before this import."""

    topics: int
    knowledge_base: int
    moderation_queue: int

    @classmethod
    def of(cls, origin: ImportedIds) -> EarlierRows:
        return cls(*(origin.through(table) for table in ("topics", "knowledge_base", "moderation_queue")))


async def rows_through(
    old: OldBase, table: str, columns: Sequence[str], last: int
) -> AsyncGenerator[list[Values], None]:
    """The rows up to a number, in pages."""
    after = 0
    while rows := [r for r in await old.page(table, columns, after, _PAGE) if r[NUMBER] <= last]:
        after = rows[-1][NUMBER]
        yield rows


async def changed_answers(
    reader: Executor, old: OldBase, origin: ImportedIds, curation: CurationImport
) -> list[Values]:
    """The curated answers that say something else there than here, and were not changed here."""
    changed: list[Values] = []
    async for page in rows_through(
        old, "knowledge_base", BOT.tables["knowledge_base"], origin.through("knowledge_base")
    ):
        numbers = {origin.number("knowledge_base", row["id"]): row for row in page}
        for here in await reader.fetch("curated_by_ids", ids=[n for n in numbers if n is not None]):
            row = numbers[here["id"]]
            there = curation.answer(row, here["id"])
            if all(here[name] == there[name] for name in _SAME):
                continue
            if (
                here["updated_at"] > seconds(row["updated_at"])
                or here["collection_id"] != there["collection_id"]
            ):
                curation.tally.stays("curated answer", here["id"])
            else:
                changed.append(row)
    return changed


@dataclass(frozen=True, slots=True)
class Renewal:
    """Brings the state of earlier rows over, inside the transaction of the import and behind its new rows."""

    transaction: Executor
    old: OldBase
    origin: ImportedIds
    tally: ImportProgress
    earlier: EarlierRows

    async def topics(self) -> None:
        """A consultation that was closed there is closed here."""
        async for page in rows_through(self.old, "topics", BOT.tables["topics"], self.earlier.topics):
            closed = {
                self.origin.number("topics", row["id"]): seconds(row["updated_at"])
                for row in page
                if row["status"] == "closed"
            }
            ids = [number for number in closed if number is not None]
            for here in await self.transaction.fetch("import_open_topics_of", ids=ids):
                at = closed[here["id"]]
                if here["updated_at"] > at:
                    self.tally.stays("topic", here["id"])
                    continue
                await self.transaction.execute("import_close_topic", topic_id=here["id"], closed_at=at)
                self.tally.renewed["topics"] += 1

    async def answers(self, changed: Sequence[Values], curation: CurationImport) -> None:
        for row in changed:
            number = self.origin.number("knowledge_base", row["id"])
            if number is None:
                continue
            there = {k: v for k, v in curation.answer(row, number).items() if k in _RENEWED}
            await self.transaction.execute("import_renew_curated", **there)
            if curation.vectors is not None:
                await self.transaction.execute("drop_vectors_of_curated", entry_id=number)
                await self.transaction.execute(
                    "insert_vector_of_curated",
                    knowledge_base_id=number,
                    model_id=curation.model_id,
                    vector=curation.vectors[row["id"]],
                )
            self.tally.renewed["knowledge_base"] += 1

    async def drafts(self, curation: CurationImport) -> None:
        """A draft that was decided there is decided here, if it still waits."""
        columns = BOT.tables["moderation_queue"]
        last = self.earlier.moderation_queue
        async for page in rows_through(self.old, "moderation_queue", columns, last):
            there = {
                draft["draft_id"]: draft
                for row in page
                if (number := self.origin.number("moderation_queue", row["id"])) is not None
                and (draft := curation.draft(row, number))["status"] != "pending"
            }
            for here in await self.transaction.fetch("import_draft_states", ids=list(there)):
                draft = there[here["id"]]
                if here["status"] == draft["status"]:
                    continue
                if here["status"] != "pending":
                    self.tally.stays("draft", here["id"])
                    continue
                await self.transaction.execute(
                    "import_decide_draft", **{name: draft[name] for name in _DECISION}
                )
                await curation.approve([draft])
                self.tally.renewed["moderation_queue"] += 1


_RENEWED = (
    *("entry_id", "category", "category_key", "subcategory", "subcategory_key", "question", "answer"),
    *("language", "is_active", "updated_at"),
)
_DECISION = ("draft_id", "status", "admin_id", "kb_id", "updated_at", "decided_at")


async def hide_documents(
    stores: Stores,
    old: OldBase,
    origin: ImportedIds,
    collection_id: str,
    tally: ImportProgress,
    *,
    is_rehearsal: bool,
) -> None:
    """What was hidden there is hidden here. What was hidden here stays so, whatever is said there."""
    columns = ("id", "file_hash", "is_active")
    async for page in rows_through(old, "documents", columns, origin.through("documents")):
        for row in page:
            for name in (str(row["id"]), f"{origin.name}-{row['id']}"):
                here = await stores.library.get_document(collection_id, name)
                if here is None or here.file_hash != str(row["file_hash"]).lower():
                    continue
                if here.is_active and not of_bot_is_active(row):
                    if not is_rehearsal:
                        await stores.writer.set_active(collection_id, name, active=False)
                    tally.renewed["documents"] += 1
                elif of_bot_is_active(row) and not here.is_active:
                    tally.stays("document", name)
