"""`book.curated`: the curated answers, which `ask` prefers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcebook.assembly import make_entries, make_moderation
from sourcebook.consult.question.inquiry import LOCAL_USER
from sourcebook.curate.source_changes import source_changes
from sourcebook.errors import CuratedAnswerNotFound
from sourcebook.model.curation import SourceType, WordingStatus
from sourcebook.ports.arguments import checks_arguments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sourcebook.consult.curated.curated_entries import CuratedEntries
    from sourcebook.curate.moderation import Moderation
    from sourcebook.doors.connection import DoorConnection
    from sourcebook.model.curation import CuratedAnswer, CuratedMatch, CuratedSource, SourceChange, Wording


@checks_arguments
class CuratedDoor:
    """Curated answers, which `ask` prefers: add, find, list and remove them."""

    def __init__(self, connection: DoorConnection) -> None:
        self._connection = connection

    async def insert(
        self,
        answer: str,
        *,
        category: str,
        question: str | None = None,
        subcategory: str | None = None,
        source_type: SourceType = SourceType.MANUAL,
        language: str | None = None,
        approved_by: int | None = LOCAL_USER,
        sources: Sequence[CuratedSource] | None = None,
        also: Sequence[str] = (),
        collection: str | None = None,
    ) -> CuratedAnswer:
        """Add an approved answer, which `ask` prefers. It is matched by its question or, without one, by its text.

        By its sources it is known when the answer is out of date. `source` makes them. If they are left out,
        what supports the answer is looked for in the documents, and marked in it as on approval. An empty list binds
        it to nothing.
        `also` are other wordings of the question.
        """
        named = self._connection.named(collection)
        if sources is None:
            bound = await self._moderation().bound(answer, question, collection_id=named)
            answer, sources = bound.text, bound.sources
        entry = await self._entries().insert(
            collection_id=named,
            category=category,
            answer=answer,
            question=question,
            subcategory=subcategory,
            source_type=source_type,
            language=language,
            approved_by=approved_by,
            sources=sources,
        )
        for wording in also:
            await self._entries().add_wording(entry, wording, approved_by or LOCAL_USER)
        return await self.get(entry.id) if also else entry

    async def source(
        self, document: str, *, quote: str | None = None, supports: str = "", collection: str | None = None
    ) -> CuratedSource:
        """The place of `quote` in the document with this id or path or, without one, what best supports `supports`."""
        return await self._entries().source(self._connection.named(collection), document, quote, supports)

    async def search(
        self,
        query: str,
        *,
        category: str | None = None,
        subcategory: str | None = None,
        limit: int = 3,
        distance_threshold: float = 0.35,
        collection: str | None = None,
    ) -> list[CuratedMatch]:
        """The approved answers to the nearest questions, at a cosine distance strictly below the threshold."""
        return await self._entries().search(
            query,
            collection_id=self._connection.named(collection),
            category=category,
            subcategory=subcategory,
            limit=limit,
            distance_threshold=distance_threshold,
        )

    async def all(self, collection: str | None = None) -> list[CuratedAnswer]:
        """The approved answers of one collection, or of all."""
        return await self._connection.stores.curated.kb_list(collection)

    async def get(self, entry_id: int) -> CuratedAnswer:
        """The approved answer of this number, with its sources and wordings, or the error that there is none."""
        found = await self._connection.stores.curated.kb_get(entry_id)
        if found is None:
            raise CuratedAnswerNotFound(f"There is no curated answer {entry_id}.")
        return found

    async def changes(self, entry_id: int) -> list[SourceChange]:
        """What each changed source of an approved answer said, and what stands there now."""
        return await source_changes((await self.get(entry_id)).sources, self._connection.stores)

    async def add_wording(
        self, entry_id: int, question: str, *, admin_id: int = LOCAL_USER
    ) -> Wording | None:
        """Add another wording of an approved answer's question, matched like the first. None if it is the first."""
        entry = await self.get(entry_id)
        return await self._entries().add_wording(entry, question, admin_id)

    async def accept_wording(self, wording_id: int, *, admin_id: int = LOCAL_USER) -> Wording:
        """Let a wording that askers confirmed be matched like the first question."""
        return await self._decided(wording_id, admin_id, WordingStatus.ACCEPTED)

    async def reject_wording(self, wording_id: int, *, admin_id: int = LOCAL_USER) -> Wording:
        """Say that a wording asks something else. However many confirm it, it is not matched any more."""
        return await self._decided(wording_id, admin_id, WordingStatus.REJECTED)

    async def open_wordings(self) -> int:
        """How many wordings askers confirmed that no expert has decided on."""
        return await self._connection.stores.curated.kb_open_wordings()

    async def _decided(self, wording_id: int, admin_id: int, status: WordingStatus) -> Wording:
        return await self._connection.stores.curated.kb_decide_wording(wording_id, admin_id, status)

    async def remove(self, entry_id: int) -> bool:
        """Remove an approved answer. True if there was one."""
        return await self._connection.stores.curated.kb_remove(entry_id)

    def _moderation(self) -> Moderation:
        at = self._connection
        return make_moderation(at.base, at.retriever(), at.embedders, at.chat_model, at.settings)

    def _entries(self) -> CuratedEntries:
        return make_entries(self._connection.stores, self._connection.embedders)
