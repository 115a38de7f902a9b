"""Sources and what a base remembers of their files: the contract of `ports.storage.Sources`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sourcebook.errors import DocumentChangedMeanwhile
from sourcebook.model.sources import DocumentState, PathState
from sourcebook.storage.argument_checks import metadata_text, require_storable
from sourcebook.storage.database import again_if_lost
from sourcebook.storage.index import documents
from sourcebook.storage.rows import source_from, state_from

if TYPE_CHECKING:
    from sourcebook.model.documents import Document
    from sourcebook.model.sources import Absorbed, Source
    from sourcebook.ports.clock_and_jobs import Clock
    from sourcebook.storage.database import Database

_PAGE = 2_000


class SqlSources:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def list_sources(self, collection_id: str) -> list[Source]:
        rows = await self._database.fetch("all_sources", collection_id=collection_id)
        return [source_from(row) for row in rows]

    async def put_source(
        self, collection_id: str, source: Source, absorbed: Sequence[Absorbed], expected: Sequence[str]
    ) -> None:
        require_storable(f"the source {source.root!r}", source.id, source.root)
        options = metadata_text(source.options, f"the source {source.root!r}")
        now = self._clock.now()
        async with self._database.transaction() as transaction:
            present = await transaction.fetch("all_sources", collection_id=collection_id)
            if {row["id"] for row in present} != set(expected):
                raise DocumentChangedMeanwhile("Somebody else added or joined folders at the same time.")
            for inner in absorbed:
                await transaction.execute(
                    "absorb_paths",
                    collection_id=collection_id,
                    source_id=inner.source_id,
                    into_id=source.id,
                    prefix=inner.prefix,
                )
                await transaction.execute(
                    "delete_source", collection_id=collection_id, source_id=inner.source_id
                )
            await transaction.execute(
                "put_source",
                source_id=source.id,
                collection_id=collection_id,
                kind=source.kind.value,
                root=source.root,
                options=options,
                now=now,
            )

    async def set_scanned(self, collection_id: str, source_id: str) -> None:
        await self._database.execute(
            "set_scanned", collection_id=collection_id, source_id=source_id, now=self._clock.now()
        )

    async def known_paths(self, collection_id: str, source_id: str) -> list[PathState]:
        known: list[PathState] = []
        while True:
            page = await self._database.fetch(
                "paths_of_source",
                collection_id=collection_id,
                source_id=source_id,
                after=known[-1].path if known else "",
                limit=_PAGE,
            )
            known += [
                PathState(row["path"], row["document_id"], row["size"], row["mtime"], row["seen_at"])
                for row in page
            ]
            if len(page) < _PAGE:
                return known

    async def known_documents(
        self, collection_id: str, source_ids: Sequence[str], document_ids: Sequence[str]
    ) -> list[DocumentState]:
        rows = await self._database.fetch(
            "documents_also_elsewhere", collection_id=collection_id, source_ids=list(source_ids)
        )
        elsewhere = {row["document_id"] for row in rows}
        states: list[DocumentState] = []
        for start in range(0, len(document_ids), _PAGE):
            page = await self._database.fetch(
                "states_of_documents",
                collection_id=collection_id,
                document_ids=list(document_ids[start : start + _PAGE]),
            )
            states += [state_from(row, elsewhere) for row in page]
        return states

    async def owner_of_path(self, collection_id: str, source_id: str, path: str) -> str | None:
        return await documents.path_owner(self._database, collection_id, source_id, path)

    @again_if_lost
    async def stored_files(self, job_kind: str, *, besides: int = 0) -> set[str]:
        async with self._database.snapshot() as reader:
            held = {row["stored_file"] for row in await reader.fetch("stored_files")}
            waiting = await reader.fetch("payloads_of_open_jobs", kind=job_kind, besides=besides)
        return held | {str(json.loads(row["payload"])["file"]) for row in waiting}

    async def owners(self, collection_id: str, file_hashes: Sequence[str]) -> dict[str, str]:
        owners: dict[str, str] = {}
        for start in range(0, len(file_hashes), _PAGE):
            page = await self._database.fetch(
                "hash_owners",
                collection_id=collection_id,
                hashes=list(file_hashes[start : start + _PAGE]),
            )
            owners |= {row["file_hash"]: row["document_id"] for row in page}
        return owners

    async def heads(self, collection_id: str, document_ids: Sequence[str]) -> list[Document]:
        return await documents.heads(self._database, collection_id, document_ids)
