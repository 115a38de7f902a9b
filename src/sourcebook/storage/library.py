"""Looking documents up: the contract of `ports.storage.Library`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcebook.errors import ActiveModelChanged
from sourcebook.model.documents import Collection
from sourcebook.storage.repositories import collections, documents

if TYPE_CHECKING:
    from sourcebook.model.documents import Document, EmbeddingModel
    from sourcebook.ports.work import Clock
    from sourcebook.storage.database import Database


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
                f"the collection {collection_id!r} holds vectors of "
                f"{collection.model.name if collection.model else 'no model'}, not of {model.name}",
                hint="Choose the collection's own model with `embedder`, or run `sourcebook reindex --model`.",
            )
        return collection

    async def get_document(self, collection_id: str, document_id: str) -> Document | None:
        return await documents.find(self._database, collection_id, document_id)

    async def get_document_by_hash(self, collection_id: str, file_hash: str) -> Document | None:
        return await documents.find_by_hash(self._database, collection_id, file_hash)

    async def list_documents(self, collection_id: str) -> list[Document]:
        async with self._database.snapshot() as reader:
            await collections.require(reader, collection_id)
            return await documents.list_all(reader, collection_id)

    async def languages(self, collection_id: str) -> list[str]:
        rows = await self._database.fetch("languages", collection_id=collection_id)
        return [row["language"] for row in rows]
