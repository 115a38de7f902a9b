"""Mending one document whose text, passages or labels were damaged, inside a transaction.

A text and its passages heal each other, as far as a hash or an id proves what they were. A passage that nothing proves
is removed, for it might be cited; the document then says that it is to be added again, and keeps what is left of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sourcebook.model.health import Finding
from sourcebook.storage.index import collections
from sourcebook.storage.index.index_change import IndexChange
from sourcebook.storage.maintenance import text_integrity
from sourcebook.storage.maintenance.text_integrity import ChunkText, DocumentText, read_documents

if TYPE_CHECKING:
    from sourcebook.storage.database import Executor

REASON = "parts of it were damaged and lost; add the document again"


@dataclass(frozen=True, slots=True)
class RepairedDocument:
    """What a document becomes: its text, the chunks that change, and those that go."""

    text: str
    is_proven: bool
    changed: Sequence[ChunkText] = ()
    dropped: Sequence[str] = ()

    @property
    def is_whole(self) -> bool:
        return self.is_proven and not self.dropped


def mended(document: DocumentText) -> RepairedDocument:
    """What can be made of a document by itself."""
    proven = document.text if document.text is not None else text_integrity.healed_text(document)
    text = text_integrity.best_text(document) if proven is None else proven
    if document.is_bare:
        return RepairedDocument(text, proven is not None)
    changed: list[ChunkText] = []
    dropped: set[str] = set()
    for chunk in document.chunks:
        stands = text[chunk.start : chunk.end] == chunk.text
        if stands and (proven is not None or text_integrity.is_proven(document, chunk)):
            continue
        found = None if stands else text_integrity.healed_chunk(document, text, chunk)
        if found is None and proven is not None:
            found = text_integrity.spanned_chunk(text, chunk)
        if found is None:
            dropped.add(chunk.id)
        else:
            changed.append(found)
    dropped |= _without_parent(document.chunks, dropped)
    kept = [chunk for chunk in changed if chunk.id not in dropped]
    return RepairedDocument(text, proven is not None, kept, sorted(dropped))


def _without_parent(chunks: Sequence[ChunkText], dropped: set[str]) -> set[str]:
    """A sentence is shown in its passage: without that it cannot be."""
    there = {chunk.id for chunk in chunks} - dropped
    return {c.id for c in chunks if c.parent_id is not None and c.parent_id not in there}


@dataclass
class DocumentRepairer:
    """Mends documents, and counts what it did."""

    now: int
    done: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    to_add_again: set[str] = field(default_factory=set[str])
    """The paths of the documents that are not whole any more."""

    async def mend(
        self, transaction: Executor, collection_id: str, document_id: str, *, is_whole: bool = True
    ) -> None:
        """Heal a document. One of which it is known that something is missing is marked so, whatever is healed."""
        for document in await read_documents(transaction, collection_id, [document_id]):
            result = mended(document)
            change = await self.change(transaction, collection_id, document_id)
            await self._put(transaction, document, result)
            await change.drop_chunks(dict.fromkeys(result.dropped, document.id))
            if not (is_whole and result.is_whole):
                await self._mark(transaction, document, result)
            await change.settle()

    async def keep_what_is_proven(self, transaction: Executor, collection_id: str, document_id: str) -> None:
        """Of a document that was lost, keep only the chunks whose id proves their text."""
        for document in await read_documents(transaction, collection_id, [document_id]):
            dropped = {c.id for c in document.chunks if not text_integrity.is_proven(document, c)}
            dropped |= _without_parent(document.chunks, dropped)
            change = await self.change(transaction, collection_id, document_id)
            await change.drop_chunks(dict.fromkeys(sorted(dropped), document.id))
            await change.settle()
            self.to_add_again.add(document.path)
            self.note("drop_unproven_chunks", "chunks of lost documents were removed", len(dropped))

    async def forget_labels(self, transaction: Executor, collection_id: str, document_id: str) -> None:
        """Metadata that is no JSON any more goes; the text stays."""
        key = {"collection_id": collection_id, "document_id": document_id}
        await transaction.execute("clear_metadata", **key)
        await transaction.execute("clear_metadata_of_chunks", **key)
        self.note("clear_metadata", "documents lost their metadata", 1)

    async def remove(self, transaction: Executor, collection_id: str, document_id: str) -> None:
        """Remove a document of which not even the row can be read."""
        key = {"collection_id": collection_id, "document_id": document_id}
        change = await self.change(transaction, collection_id, document_id)
        old = await transaction.fetch("chunk_ids_of_document", **key)
        await change.drop_chunks({row["id"]: document_id for row in old})
        await change.drop_document_words(document_id)
        for name in ("release_hashes", "delete_paths_of_document", "delete_document"):
            await transaction.execute(name, **key)
        await change.settle()
        self.to_add_again.add(document_id)
        self.note("delete_document", "documents could not be read, and were removed", 1)

    async def change(self, transaction: Executor, collection_id: str, document_id: str) -> IndexChange:
        stored = await collections.require(transaction, collection_id)
        change = IndexChange(transaction, collection_id, stored.model_id, self.now)
        await change.begin([document_id])
        return change

    def findings(self) -> list[Finding]:
        """What only the owner of the documents can do."""
        paths = sorted(self.to_add_again)
        if not paths:
            return []
        message = f"{len(paths)} × documents are no longer complete, for example {paths[0]!r}"
        hint = "Add them again with `sourcebook add PATH`. Until then, what is left of them can be found."
        return [Finding("damaged_documents", message, hint, len(paths), rows=paths)]

    def note(self, code: str, message: str, count: int) -> None:
        if count > 0:
            self.done[code, message] += count

    async def _put(self, transaction: Executor, document: DocumentText, result: RepairedDocument) -> None:
        key = {"collection_id": document.collection_id, "document_id": document.id}
        if result.text.encode() != document.content:
            await transaction.execute("heal_text", **key, content=result.text, now=self.now)
            if result.is_proven:
                self.note("heal_text", "texts were repaired from their passages", 1)
        for chunk in result.changed:
            await transaction.execute(
                "heal_chunk",
                **key,
                chunk_id=chunk.id,
                content=chunk.text,
                start_index=chunk.start,
                end_index=chunk.end,
            )
        self.note("heal_chunk", "passages were repaired from their document's text", len(result.changed))

    async def _mark(self, transaction: Executor, document: DocumentText, result: RepairedDocument) -> None:
        """Say of a document that it is not whole. Without a hash, its file is read again when it is added."""
        key = {"collection_id": document.collection_id, "document_id": document.id}
        await transaction.execute("release_hashes", **key)
        await transaction.execute(
            "mark_damaged",
            **key,
            content_hash=document.content_hash if result.is_proven else None,
            status=None if document.is_bare else "failed",
            reason=None if document.is_bare else REASON,
            now=self.now,
        )
        self.to_add_again.add(document.path)
        self.note("mark_damaged", "documents must be added again", 1)
        self.note("drop_chunks", "passages that could not be verified were removed", len(result.dropped))
