"""The composition root: the one file that knows every class. Heavy ones are imported when they are needed."""

# ruff: noqa: PLC0415 - lazy imports are what this file is for

from __future__ import annotations

import time
from dataclasses import dataclass
from platform import python_version
from typing import TYPE_CHECKING

from sourcebook._version import __version__
from sourcebook.errors import BaseUnreachable, NoEmbedder
from sourcebook.ports.stores import Stores
from sourcebook.settings import Settings, masked

if TYPE_CHECKING:
    from sourcebook.ingest.service import Ingest
    from sourcebook.model.health import HealthReport
    from sourcebook.ports.providers import Embedder
    from sourcebook.ports.work import Clock
    from sourcebook.retrieve.service import DefaultRetriever
    from sourcebook.storage.database import Database
    from sourcebook.storage.engines import VectorEngine, WordEngine
    from sourcebook.storage.jsonl.bundles import Bundles


class SystemClock:
    def now(self) -> int:
        return int(time.time())


@dataclass(frozen=True, slots=True)
class OpenBase:
    """An open base with its stores. Close it when done."""

    database: Database
    stores: Stores
    versions: dict[str, str]

    async def close(self) -> None:
        await self.database.close()

    async def examine(self) -> HealthReport:
        from sourcebook.storage.health import examine

        return await examine(self.database, self.versions)


async def open_base(settings: Settings, clock: Clock | None = None) -> OpenBase:
    """Open the base that the settings name, making it first if it is a file that does not exist."""
    if "://" in settings.db:
        raise BaseUnreachable(
            f"{masked(settings.db)} is the address of a server, and this version stores bases in files",
            hint="Give `--db` a path.",
        )
    return await open_sqlite(settings, clock or SystemClock())


async def open_sqlite(settings: Settings, clock: Clock) -> OpenBase:
    from sourcebook.storage.sqlite.database import SqliteDatabase
    from sourcebook.storage.sqlite.driver import library_version
    from sourcebook.storage.sqlite.engine.vectors import SqliteVectorEngine
    from sourcebook.storage.sqlite.engine.words import SqliteWordEngine

    database = await SqliteDatabase.open(
        settings.db, busy_timeout=settings.busy_timeout, readers=settings.readers
    )
    versions = {
        "sourcebook": __version__,
        "python": python_version(),
        "sqlite": ".".join(map(str, library_version())),
    }
    stores = make_stores(database, SqliteVectorEngine(database), SqliteWordEngine(database), clock)
    return OpenBase(database, stores, versions)


def make_stores(database: Database, vectors: VectorEngine, words: WordEngine, clock: Clock) -> Stores:
    from sourcebook.storage.fts_store import SqlFtsStore
    from sourcebook.storage.index_writer import SqlIndexWriter
    from sourcebook.storage.jobs import SqlJobs
    from sourcebook.storage.library import SqlLibrary
    from sourcebook.storage.tracker import SqlDocumentTracker
    from sourcebook.storage.vector_store import SqlVectorStore

    return Stores(
        vectors=SqlVectorStore(database, vectors, words, clock),
        fts=SqlFtsStore(database, words, clock),
        tracker=SqlDocumentTracker(database, clock),
        writer=SqlIndexWriter(database, clock),
        library=SqlLibrary(database, clock),
        jobs=SqlJobs(database, clock),
    )


def make_bundles(base: OpenBase, clock: Clock | None = None) -> Bundles:
    from sourcebook.storage.jsonl.bundles import Bundles

    return Bundles(base.database, base.stores, clock or SystemClock(), __version__)


def make_embedder(settings: Settings) -> Embedder | None:
    match settings.embedder:
        case "default":
            from sourcebook.providers.universal_sentence_encoder import UniversalSentenceEncoder

            return UniversalSentenceEncoder()
        case "none":
            return None


def make_ingest(stores: Stores, embedder: Embedder | None) -> Ingest:
    from sourcebook.ingest.service import Ingest

    if embedder is None:
        raise NoEmbedder("adding documents needs an embedder", hint="Set `embedder` to `default`.")
    return Ingest(library=stores.library, writer=stores.writer, embedder=embedder)


def make_retriever(stores: Stores, embedder: Embedder | None) -> DefaultRetriever:
    from sourcebook.retrieve.service import DefaultRetriever

    return DefaultRetriever(vector_store=stores.vectors, fts_store=stores.fts, embedder=embedder)
