"""Looking documents up: the contract of `ports.storage.Library`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread

from sourcebook.errors import ActiveModelChanged, AmbiguousName, DocumentNotFound
from sourcebook.model.asked_collection import AskedCollection, CitableDocuments
from sourcebook.model.documents import Collection, DocumentDetails, DocumentStatus
from sourcebook.model.sources import SourceKind, shown_path
from sourcebook.storage.argument_checks import require_storable
from sourcebook.storage.database import again_if_lost, reads_at_once
from sourcebook.storage.index import collections, documents
from sourcebook.storage.index.collections import stored_from
from sourcebook.storage.maintenance import text_integrity
from sourcebook.storage.rows import document_from, source_from

if TYPE_CHECKING:
    from sourcebook.model.documents import Chunk, Document, DocumentListing, EmbeddingModel, JsonValue
    from sourcebook.ports.clock_and_jobs import Clock
    from sourcebook.storage.database import Database, Executor, Row

_ON_DISK = (SourceKind.FOLDER, SourceKind.FILE)
_PART = 500
"""How many documents are read at a time where the database cannot select the wanted ones itself."""


class SqlLibrary:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def open_collection(self, collection_id: str, model: EmbeddingModel) -> Collection:
        stored = await collections.find(self._database, collection_id)
        if stored is None:
            wanted = Collection(collection_id, model.dimensions, model=model)
            collection = await collections.create(self._database, wanted, self._clock.now())
        else:
            collection = stored.collection
        if collection.model != model:
            raise ActiveModelChanged(
                f"The collection {collection_id!r} has vectors of "
                f"{collection.model.name if collection.model else 'no model'}, not of {model.name}",
                hint="Choose the collection's own model with `embedder`, or run `sourcebook reindex --model`.",
            )
        return collection

    async def get_document(self, collection_id: str, document_id: str) -> Document | None:
        return await documents.find(self._database, collection_id, document_id)

    async def get_document_by_hash(self, collection_id: str, file_hash: str) -> Document | None:
        return await documents.find_by_hash(self._database, collection_id, file_hash)

    @again_if_lost
    async def list_documents(self, collection_id: str) -> list[Document]:
        async with self._database.snapshot() as reader:
            await collections.require(reader, collection_id)
            return await documents.list_all(reader, collection_id)

    @again_if_lost
    async def list_part(self, collection_id: str, listing: DocumentListing) -> list[Document]:
        found: list[Document] = []
        after = listing.after or ("", "")
        size = listing.limit if listing.text is None else _PART
        async with self._database.snapshot() as reader:
            await collections.require(reader, collection_id)
            while len(found) < listing.limit:
                part = await documents.list_part(reader, collection_id, listing, after, size)
                found += [document for document in part if _holds(document, listing.text)]
                if len(part) < size:
                    break
                after = (part[-1].file_path, part[-1].id)
        return found[: listing.limit]

    async def status_counts(self, collection_id: str) -> dict[DocumentStatus, int]:
        rows = await self._database.fetch("status_counts", collection_id=collection_id)
        return {DocumentStatus(row["processing_status"]): row["documents"] for row in rows}

    @again_if_lost
    async def find_document(self, collection_id: str, name: str) -> DocumentDetails:
        require_storable("the name of a document", name)
        async with self._database.snapshot() as reader:
            await collections.require(reader, collection_id)
            document_id = await _called(reader, collection_id, name)
            return await _details(reader, collection_id, document_id)

    @again_if_lost
    async def shown_paths(self, collection_id: str, status: DocumentStatus) -> dict[str, list[str]]:
        async with self._database.snapshot() as reader:
            sources = await reader.fetch("all_sources", collection_id=collection_id)
            rows = await reader.fetch("paths_by_status", collection_id=collection_id, status=status.value)
        roots = {source.id: source.shown for source in map(source_from, sources)}
        found: dict[str, list[str]] = {}
        for row in rows:
            shown = shown_path(roots.get(row["source_id"], ""), row["path"])
            found.setdefault(row["document_id"], []).append(shown)
        return found

    @again_if_lost
    async def get_details(self, collection_id: str, document_id: str) -> DocumentDetails | None:
        async with self._database.snapshot() as reader:
            if await documents.find(reader, collection_id, document_id) is None:
                return None
            return await _details(reader, collection_id, document_id)

    async def languages(self, collection_id: str) -> list[str]:
        rows = await self._database.fetch("languages", collection_id=collection_id)
        return [row["language"] for row in rows]

    async def labels(self, collection_id: str) -> list[tuple[str | None, str | None]]:
        rows = await self._database.fetch("document_labels", collection_id=collection_id)
        found = [(row["category"], row["subcategory"]) for row in rows]
        return sorted(found, key=lambda pair: (pair[0] or "", pair[1] or ""))

    async def metadata_names(self, collection_id: str) -> set[str]:
        rows = await self._database.fetch("metadata_names", collection_id=collection_id)
        return {row["name"] for row in rows}

    async def collection_settings(self, collection_id: str) -> dict[str, JsonValue]:
        return await collections.settings(self._database, collection_id)

    async def change_collection_settings(
        self, collection_id: str, changes: Mapping[str, JsonValue]
    ) -> dict[str, JsonValue]:
        return await collections.change_settings(self._database, collection_id, changes, self._clock.now())

    async def asked_collection(self, collection_id: str) -> AskedCollection | None:
        row = await self._database.fetch_one("collection_to_ask", collection_id=collection_id)
        if row is None:
            return None
        languages: list[str] = row["languages"].split(",") if row["languages"] else []
        unknown = [""] if row["has_unknown_language"] else []
        return AskedCollection(
            stored_from(row).collection,
            sorted(languages + unknown),
            json.loads(row["settings"]),
            bool(row["has_curated"]),
            bool(row["has_rejected"]),
        )

    async def citable_documents(self, collection_id: str, chunks: Sequence[Chunk]) -> CitableDocuments:
        wanted: dict[str, object] = {
            "collection_id": collection_id,
            "document_ids": sorted({chunk.document_id for chunk in chunks}),
        }

        async def work(reader: Executor) -> CitableDocuments:
            return _citable(collection_id, await reader.fetch("documents_to_cite", **wanted), chunks)

        # Reading a text again takes its time: it is done in a thread, the one of the read if there is one.
        if reads_at_once(self._database):
            return await self._database.read_at_once(work)
        rows = await self._database.fetch("documents_to_cite", **wanted)
        return await anyio.to_thread.run_sync(_citable, collection_id, rows, chunks)


def _holds(document: Document, text: str | None) -> bool:
    """Whether the text stands in the path or the title. No database folds the case of every script alike."""
    return text is None or text.casefold() in f"{document.file_path}\n{document.title or ''}".casefold()


def _citable(collection_id: str, rows: Sequence[Row], chunks: Sequence[Chunk]) -> CitableDocuments:
    """Chunks of documents that are gone, or hold another text by now, are not to be cited either."""
    by_document = {row["id"]: [c for c in chunks if c.document_id == row["id"]] for row in rows}
    damaged = {c.id for c in chunks if c.document_id not in by_document}
    documents: dict[str, Document] = {}
    for row in rows:
        held = text_integrity.document_text(collection_id, row, by_document[row["id"]])
        damaged |= text_integrity.damaged_among([held])
        if (text := held.text) is not None:
            documents[held.id] = document_from(
                {**row, "content": text, "title": held.title, "file_path": held.path}
            )
    return CitableDocuments(documents, frozenset(damaged))


async def _called(reader: Executor, collection_id: str, name: str) -> str:
    """The id of the document of this id or path. A path may be that of the file itself, or only end so."""
    rows = await reader.fetch("documents_called", collection_id=collection_id, name=name, ending=f"/{name}")
    exact = [row["id"] for row in rows if name in (row["id"], row["file_path"])]
    if exact:
        return exact[0]
    owner = await _lying_at(reader, collection_id, name)
    if owner is not None:
        return owner
    if not rows:
        raise DocumentNotFound(f"There is no document {name!r} in the collection {collection_id!r}.")
    if len(rows) > 1:
        listed = ", ".join(f"{row['file_path']} ({row['id']})" for row in rows[:5])
        raise AmbiguousName(f"Several documents match {name!r}: {listed}.")
    return rows[0]["id"]


async def _lying_at(reader: Executor, collection_id: str, name: str) -> str | None:
    """The document of the file at this path, as the current folder and the file system have it, or of this id."""
    places = _places(name)
    for source in map(source_from, await reader.fetch("all_sources", collection_id=collection_id)):
        if source.kind is SourceKind.TEXT:
            owner = await documents.path_owner(reader, collection_id, source.id, name)
            if owner is not None:
                return owner
        for place in places:
            if source.kind in _ON_DISK and place.is_relative_to(source.root):
                inner = place.relative_to(source.root).as_posix()
                owner = await documents.path_owner(reader, collection_id, source.id, inner)
                if owner is not None:
                    return owner
    return None


def _places(name: str) -> tuple[Path, Path]:
    """The path as it is written, and without the links on its way."""
    path = Path(name).absolute()
    return path, path.parent.resolve() / path.name


async def _details(reader: Executor, collection_id: str, document_id: str) -> DocumentDetails:
    document = await documents.find(reader, collection_id, document_id)
    assert document is not None, "it was found in this snapshot"  # noqa: S101
    paths = await documents.paths(reader, collection_id, document_id)
    counted = await reader.fetch_one("passage_count", collection_id=collection_id, document_id=document_id)
    sources = [source_from(row) for row in await reader.fetch("all_sources", collection_id=collection_id)]
    lying = {path.source_id for path in paths}
    return DocumentDetails(
        document=document,
        paths=paths,
        passages=counted["passages"] if counted else 0,
        held_by=[source.root for source in sources if source.id in lying and source.kind in _ON_DISK],
    )
