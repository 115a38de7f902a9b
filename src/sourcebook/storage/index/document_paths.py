"""Where documents lie, inside one transaction. A document that lies nowhere any more is gone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sourcebook.model.sources import Labelling, shown_path
from sourcebook.storage.index import collections, documents
from sourcebook.storage.index.index_change import IndexChange
from sourcebook.storage.rows import refused_in, source_from

if TYPE_CHECKING:
    from sourcebook.model.documents import Document, DocumentPath
    from sourcebook.model.sources import Placement, Rearrangement
    from sourcebook.storage.database import Executor


@dataclass(frozen=True, slots=True)
class DocumentPaths:
    """The documents of one collection and their paths, in one transaction."""

    transaction: Executor
    collection_id: str
    now: int

    async def change(self, document_ids: Sequence[str]) -> IndexChange:
        """A change of these documents, begun."""
        stored = await collections.require(self.transaction, self.collection_id)
        change = IndexChange(self.transaction, self.collection_id, stored.model_id, self.now)
        await change.begin(document_ids)
        return change

    async def put(self, document_id: str, paths: Iterable[DocumentPath]) -> None:
        """The document lies at these paths now. Whichever lay there before does so no longer."""
        for path in paths:
            before = await documents.path_owner(
                self.transaction, self.collection_id, path.source_id, path.path
            )
            await documents.put_path(self.transaction, self.collection_id, document_id, path, self.now)
            if before is not None and before != document_id:
                await self.settle([before])

    async def remove(self, document_id: str) -> bool:
        """Remove the document and everything that belongs to it. True if there was one."""
        key = {"collection_id": self.collection_id, "document_id": document_id}
        if await self.transaction.fetch_one("document_state", **key) is None:
            return False
        change = await self.change([document_id])
        old = await self.transaction.fetch("chunk_ids_of_document", **key)
        await change.drop_chunks({r["id"]: document_id for r in old})
        await change.drop_document_words(document_id)
        for statement in ("release_hashes", "delete_paths_of_document", "delete_document"):
            await self.transaction.execute(statement, **key)
        await change.settle()
        return True

    async def rearrange(self, wanted: Rearrangement) -> list[Placement]:
        """Carry out what fits; those placements come back whose document is no longer what it was."""
        heads = await self._heads({p.document_id for p in wanted.placements})
        fitting = [p for p in wanted.placements if _holds(heads.get(p.document_id), p.file_hash)]
        unfit = [p for p in wanted.placements if not _holds(heads.get(p.document_id), p.file_hash)]
        concerned = {p.document_id for p in fitting} | {s.document_id for s in wanted.left}
        concerned |= await self._owners([p.path for p in fitting])
        await self.transaction.execute_many(
            "leave_path",
            (self._key(wanted.source_id, s.path, s.document_id) for s in wanted.left),
        )
        for placement in fitting:
            await documents.put_path(
                self.transaction, self.collection_id, placement.document_id, placement.path, self.now
            )
        await self.transaction.execute_many(
            "see_path",
            (
                {
                    **self._key(wanted.source_id, s.path, s.document_id),
                    "mtime": s.mtime,
                    "size": s.size,
                    "now": s.seen_at,
                }
                for s in wanted.seen
            ),
        )
        if concerned:
            await self.settle(sorted(concerned), {p.document_id: p for p in reversed(fitting)})
        return unfit

    async def settle(
        self, document_ids: Sequence[str], placements: Mapping[str, Placement] | None = None
    ) -> None:
        """The paths of these documents changed: each is shown at one of them, its placement first, or removed."""
        heads = await self._heads(document_ids)
        paths = await self._paths(heads)
        roots = await self._shown_roots() if heads else {}
        for document_id in [d for d in heads if not paths[d]]:
            await self.remove(document_id)
        kept = [d for d in heads if paths[d]]
        change = await self.change(kept)
        for document_id in kept:
            shown = {shown_path(roots.get(p.source_id, ""), p.path): p for p in paths[document_id]}
            if heads[document_id].file_path not in shown:
                placement = (placements or {}).get(document_id)
                await self._relocate(document_id, placement, *next(iter(shown.items())))
        await change.log()

    async def _relocate(
        self, document_id: str, placement: Placement | None, shown: str, path: DocumentPath
    ) -> None:
        if placement is not None:
            shown, path = placement.file_path, placement.path
        await documents.relocate(self.transaction, self.collection_id, document_id, path, shown, self.now)
        if placement is not None:
            labelling = Labelling(document_id, placement.type, placement.category, path.subcategory)
            await documents.label(self.transaction, self.collection_id, labelling, self.now)

    async def _heads(self, document_ids: Iterable[str]) -> dict[str, Document]:
        found = await documents.heads(self.transaction, self.collection_id, sorted(document_ids))
        return {document.id: document for document in found}

    async def _owners(self, paths: Sequence[DocumentPath]) -> set[str]:
        """The documents that lie at these paths now."""
        by_source: defaultdict[str, list[str]] = defaultdict(list)
        for path in paths:
            by_source[path.source_id].append(path.path)
        owners: set[str] = set()
        for source_id, names in by_source.items():
            rows = await self.transaction.fetch(
                "path_owners", collection_id=self.collection_id, source_id=source_id, paths=names
            )
            owners.update(row["document_id"] for row in rows)
        return owners

    async def _paths(self, document_ids: Iterable[str]) -> defaultdict[str, list[DocumentPath]]:
        paths: defaultdict[str, list[DocumentPath]] = defaultdict(list)
        rows = await self.transaction.fetch(
            "paths_of_documents", collection_id=self.collection_id, document_ids=sorted(document_ids)
        )
        for row in rows:
            paths[row["document_id"]].append(documents.path_from(row))
        return paths

    async def _shown_roots(self) -> dict[str, str]:
        """What stands before the paths of each source when people are shown them."""
        rows = await self.transaction.fetch("all_sources", collection_id=self.collection_id)
        return {source.id: source.shown for source in map(source_from, rows)}

    def _key(self, source_id: str, path: str, document_id: str) -> dict[str, object]:
        return {
            "collection_id": self.collection_id,
            "source_id": source_id,
            "path": path,
            "document_id": document_id,
        }


def _holds(document: Document | None, file_hash: str) -> bool:
    """Whether these are the bytes that the document was made of, or newer ones of it that could not be read."""
    if document is None:
        return False
    refused = refused_in(document.layout)
    return document.file_hash == file_hash or (refused is not None and refused.file_hash == file_hash)
