"""What a bot's experts approved, what waits for them, and the words that they prefer."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sourcebook.model.curation import SourceType
from sourcebook.ports.providers import TextRole
from sourcebook.storage.importing.documents import of_bot_is_active, seconds
from sourcebook.storage.importing.layouts import BOT, NUMBER
from sourcebook.storage.index import vector_encoding
from sourcebook.storage.rows import normal_or_none
from sourcebook.text.case_and_accents import normal_form
from sourcebook.text.languages import detect_language

if TYPE_CHECKING:
    from sourcebook.model.documents import Collection
    from sourcebook.storage.database import Executor, Row
    from sourcebook.storage.importing.imported_ids import ImportedIds
    from sourcebook.storage.importing.layouts import OldBase, Values
    from sourcebook.storage.importing.progress import ImportProgress
    from sourcebook.storage.importing.vectors import VectorSource

_PAGE = 500


async def curated_vectors(
    old: OldBase,
    after: int,
    changed: Sequence[Values],
    source: VectorSource,
    collection: Collection,
    tally: ImportProgress,
) -> dict[int, bytes]:
    """The vectors of the answers behind this number and of the changed ones, as stored.

    They are made before any transaction opens.
    """
    made = await _vectors_of(changed, source, collection) if changed else {}
    async for page in _pages(old, "knowledge_base", after):
        made |= await _vectors_of(page, source, collection)
        tally.read("knowledge_base", len(page))
    return made


async def _vectors_of(
    page: Sequence[Values], source: VectorSource, collection: Collection
) -> dict[int, bytes]:
    made: dict[int, bytes] = {}
    for role, rows in (
        (TextRole.QUESTION, [row for row in page if row["question"]]),
        (TextRole.PASSAGE, [row for row in page if not row["question"]]),
    ):
        texts = [row["question"] or row["answer"] for row in rows]
        found = await source.vectors(texts, [row["embedding"] for row in rows], role)
        for row, vector in zip(rows, found, strict=True):
            made[row["id"]] = vector_encoding.encoded(vector, collection, f"the curated answer {row['id']}")
    return made


@dataclass(frozen=True, slots=True)
class CurationImport:
    """The curated answers, drafts and terms that were not imported before, in the transaction of the people."""

    transaction: Executor
    old: OldBase
    origin: ImportedIds
    tally: ImportProgress
    collection: Collection
    model_id: int
    vectors: dict[int, bytes] | None
    """As stored, by the old number; None if it is only to be seen what would be written."""

    async def run(self) -> None:
        highest = await self.transaction.fetch_one("import_highest_numbers") or {}
        await self._answers(highest)
        await self._drafts(highest)
        await self._terms()

    async def _answers(self, highest: Row) -> None:
        before = self.origin.through("knowledge_base")
        shift = await self._extended("knowledge_base", highest)
        async for page in _pages(self.old, "knowledge_base", before):
            await self.transaction.execute_many(
                "import_curated", [self.answer(row, row["id"] + shift) for row in page]
            )
            if self.vectors is not None:
                await self.transaction.execute_many(
                    "insert_vector_of_curated",
                    [
                        {
                            "knowledge_base_id": row["id"] + shift,
                            "model_id": self.model_id,
                            "vector": self.vectors[row["id"]],
                        }
                        for row in page
                    ],
                )
            self.tally.written["knowledge_base"] += len(page)

    def answer(self, row: Values, number: int) -> dict[str, object]:
        """The row here of a curated answer there."""
        source_type = row["source_type"] or SourceType.MANUAL.value
        return {
            "entry_id": number,
            "collection_id": self.collection.id,
            "category": row["category"],
            "category_key": normal_form(row["category"]),
            "subcategory": row["subcategory"],
            "subcategory_key": normal_or_none(row["subcategory"]),
            "question": row["question"] or None,
            "answer": row["answer"],
            "source_type": source_type,
            "language": detect_language(row["question"] or row["answer"]),
            "is_active": of_bot_is_active(row),
            "created_at": seconds(row["created_at"]),
            "updated_at": seconds(row["updated_at"]),
        }

    async def _drafts(self, highest: Row) -> None:
        before = self.origin.through("moderation_queue")
        shift = await self._extended("moderation_queue", highest)
        async for page in _pages(self.old, "moderation_queue", before):
            drafts = [self.draft(row, row["id"] + shift) for row in page]
            await self.transaction.execute_many("import_draft", drafts)
            await self.approve(drafts)
            self.tally.written["moderation_queue"] += len(drafts)
            self.tally.read("moderation_queue", len(page))

    async def approve(self, drafts: Sequence[dict[str, object]]) -> None:
        """Let the answers that drafts became know where they came from."""
        await self.transaction.execute_many(
            "import_approval",
            (
                {
                    "entry_id": draft["kb_id"],
                    "draft_id": draft["draft_id"],
                    "approved_by": draft["admin_id"],
                    "approved_at": draft["decided_at"],
                }
                for draft in drafts
                if draft["kb_id"] is not None and draft["status"] == "approved"
            ),
        )

    def draft(self, row: Values, number: int) -> dict[str, object]:
        """The row here of a draft there."""
        status = row["status"] or "pending"
        updated_at = seconds(row["updated_at"])
        return {
            "draft_id": number,
            "user_id": self.origin.user(row["user_id"]),
            "topic_id": self.origin.number("topics", row["topic_id"]),
            "collection_id": self.collection.id,
            "question": row["question"],
            "answer": row["answer"],
            "language": detect_language(row["question"]),
            "category_guess": row["category_guess"],
            "status": status,
            "admin_id": self.origin.user(row["admin_id"]),
            "kb_id": self.origin.number("knowledge_base", row["kb_id"]),
            "created_at": seconds(row["created_at"]),
            "updated_at": updated_at,
            "decided_at": None if status == "pending" else updated_at,
        }

    async def _terms(self) -> None:
        """A word that is there already, whatever it was told to become, stays as it is."""
        async for page in _pages(self.old, "terminology", self.origin.through("terminology")):
            for row in page:
                written = await self.transaction.execute(
                    "import_term",
                    term=row["term"],
                    term_key=normal_form(row["term"]),
                    preferred_phrase=row["preferred_phrase"],
                    description=row["description"],
                    created_at=seconds(row["created_at"]),
                )
                self.tally.written["terminology"] += written
                self.tally.left_out["terms that already exist"] += 1 - written
            self.origin.extend("terminology", page[-1][NUMBER], 0)
            self.tally.read("terminology", len(page))

    async def _extended(self, table: str, highest: Row) -> int:
        return self.origin.extend(table, await self.old.last(table), highest[table])


async def _pages(old: OldBase, table: str, after: int) -> AsyncGenerator[list[Values], None]:
    while rows := await old.page(table, BOT.tables[table], after, _PAGE):
        after = rows[-1][NUMBER]
        yield rows
