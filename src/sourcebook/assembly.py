"""The composition root: the one file that knows every class. Heavy ones are imported when they are needed."""

# ruff: noqa: PLC0415 - lazy imports are what this file is for

from __future__ import annotations

import re
import time
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from platform import python_version
from typing import TYPE_CHECKING

from sourcebook._version import __version__
from sourcebook.errors import (
    BadSetting,
    BaseDamaged,
    BaseUnreachable,
    NoEmbedder,
    ProviderError,
    ProviderMissing,
    UsageError,
)
from sourcebook.model.search import OnMissingEmbedder, OnRerankFailure, RerankProvider
from sourcebook.ports.providers import Closing, known_model
from sourcebook.ports.storage import Preparing
from sourcebook.ports.stores import Stores
from sourcebook.settings import Settings, masked

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from contextlib import AbstractAsyncContextManager

    from sourcebook.consult.calibration.service import Calibrator
    from sourcebook.consult.curated.entries import CuratedEntries
    from sourcebook.consult.evidence.passages import Retrieval
    from sourcebook.consult.grounds import Grounds
    from sourcebook.consult.help import Manual
    from sourcebook.consult.reception.service import Reception
    from sourcebook.consult.service import Consultation
    from sourcebook.curate.service import Moderation
    from sourcebook.ingest.index.reindex import Reindex
    from sourcebook.ingest.service import Ingest
    from sourcebook.ingest.tools import Tools
    from sourcebook.ingest.uploads.page_pictures import PagePictures
    from sourcebook.ingest.uploads.service import Uploads
    from sourcebook.ingest.uploads.stored_files import StoredFiles
    from sourcebook.model.documents import EmbeddingModel
    from sourcebook.model.health import Finding, HealthReport, Repair
    from sourcebook.model.people import Prices
    from sourcebook.model.reindexing import ReindexScope
    from sourcebook.people.service import People
    from sourcebook.ports.chat import ChatModel
    from sourcebook.ports.providers import Embedder, EmbeddingCache, Reranker
    from sourcebook.ports.work import Claims, Clock
    from sourcebook.providers.known_models import Prefixes
    from sourcebook.retrieve.service import DefaultRetriever
    from sourcebook.retrieve.why_missing import MissingDocuments
    from sourcebook.storage.database import Database
    from sourcebook.storage.index.engines import VectorEngine, WordEngine
    from sourcebook.storage.jsonl.bundles import Bundles
    from sourcebook.storage.jsonl.report import BundleReport
    from sourcebook.storage.maintenance.base_copy import CopyReport
    from sourcebook.storage.maintenance.doctor import StorageHealth
    from sourcebook.storage.maintenance.repair import ChooseEmbedder
    from sourcebook.storage.postgres.copy_end import PostgresCopyEnd
    from sourcebook.storage.postgres.old_base import PostgresOldBase
    from sourcebook.storage.progress import OnProgress
    from sourcebook.storage.sqlite.backup.service import SqliteBackups
    from sourcebook.storage.sqlite.copy_end import SqliteCopyEnd
    from sourcebook.storage.sqlite.old_base import SqliteOldBase


_SERVERS = ("postgresql://", "postgres://")


class SystemClock:
    def now(self) -> int:
        return int(time.time())


@dataclass(frozen=True, slots=True)
class OpenBase:
    """An open base with its stores. Close it when done."""

    database: Database
    stores: Stores
    versions: dict[str, str]
    around: StorageHealth | None = None
    clock: Clock = field(default_factory=SystemClock)

    async def close(self) -> None:
        await self.database.close()

    async def examine(self, on_progress: OnProgress | None = None) -> HealthReport:
        from sourcebook.storage.maintenance.doctor import examine
        from sourcebook.storage.maintenance.installed_extras import extras

        return await examine(
            self.database,
            self.versions,
            around=self.around,
            now=self.clock.now(),
            extras=extras(),
            on_progress=on_progress,
        )

    async def repair(
        self, choose: ChooseEmbedder, on_progress: OnProgress | None = None
    ) -> tuple[list[Repair], list[Finding]]:
        """Put right what can be put right. What was done, and what somebody else has to do now."""
        from sourcebook.storage.maintenance.repair import Repairer

        repairer = Repairer(
            self.database, self.clock.now(), choose, around=self.around, on_progress=on_progress
        )
        return await repairer.run()


async def open_base(settings: Settings, clock: Clock | None = None) -> OpenBase:
    """Open the base that the settings name, making it first if it is a file that does not exist."""
    if settings.db.startswith(_SERVERS):
        return await open_postgres(settings, clock or SystemClock())
    if "://" in settings.db:
        raise BaseUnreachable(
            f"{masked(settings.db)} is an address of a kind that is not known",
            hint="Give `--db` a path, or an address that begins with `postgresql://`.",
        )
    return await open_sqlite(settings, clock or SystemClock())


def require_postgres() -> None:
    """Say what is missing before a server is asked for anything."""
    if find_spec("asyncpg") is None:
        raise BaseUnreachable(
            "a base on a server needs the package asyncpg, which is not installed",
            hint="Run `pip install 'sourcebook[postgres]'`.",
        )


async def open_postgres(settings: Settings, clock: Clock) -> OpenBase:
    require_postgres()
    from sourcebook.storage.postgres.database import PoolLimits, PostgresDatabase
    from sourcebook.storage.postgres.vector_engine import PostgresVectorEngine
    from sourcebook.storage.postgres.vector_indexes import GraphRules
    from sourcebook.storage.postgres.word_engine import PostgresWordEngine

    limits = PoolLimits(
        pool_min=min(settings.pool_min, settings.pool_max),
        pool_max=settings.pool_max,
        busy_timeout=settings.busy_timeout,
        statement_timeout=settings.statement_timeout,
    )
    database = await PostgresDatabase.open(settings.db, limits)
    versions = {"sourcebook": __version__, "python": python_version(), **await database.versions()}
    rules = GraphRules(
        kind=settings.vector_index, m=settings.hnsw_m, ef_construction=settings.hnsw_ef_construction
    )
    stores = make_stores(database, PostgresVectorEngine(database, rules), PostgresWordEngine(database), clock)
    return OpenBase(database, stores, versions, clock=clock)


async def open_sqlite(settings: Settings, clock: Clock) -> OpenBase:
    from sourcebook.storage.sqlite.database import SqliteDatabase
    from sourcebook.storage.sqlite.driver import library_version
    from sourcebook.storage.sqlite.engine.vector_engine import SqliteVectorEngine
    from sourcebook.storage.sqlite.engine.word_engine import SqliteWordEngine
    from sourcebook.storage.sqlite.file_health import SqliteFileHealth

    database = await SqliteDatabase.open(
        settings.db, busy_timeout=settings.busy_timeout, readers=settings.readers
    )
    versions = {
        "sourcebook": __version__,
        "python": python_version(),
        "sqlite": ".".join(map(str, library_version())),
    }
    stores = make_stores(database, SqliteVectorEngine(database), SqliteWordEngine(database), clock)
    return OpenBase(database, stores, versions, SqliteFileHealth(database), clock)


async def copy_base(
    source: OpenBase, settings: Settings, clock: Clock | None = None, on_progress: OnProgress | None = None
) -> CopyReport:
    """Copy a base, with its vectors, into the empty one that the settings name."""
    from sourcebook.storage.maintenance.base_copy import copy

    target = await open_base(settings, clock)
    try:
        async with _copy_end(source.database) as one, _copy_end(target.database) as other:
            report = await copy(one, other, on_progress)
        for collection in await target.stores.vectors.list_collections():
            if isinstance(target.stores.vectors, Preparing):
                await target.stores.vectors.prepare(collection.id)
        return report
    finally:
        await target.close()


def _copy_end(database: Database) -> AbstractAsyncContextManager[SqliteCopyEnd | PostgresCopyEnd]:
    from sourcebook.storage.sqlite.copy_end import sqlite_copy_end
    from sourcebook.storage.sqlite.database import SqliteDatabase

    if isinstance(database, SqliteDatabase):
        return sqlite_copy_end(database.path)
    from sourcebook.storage.postgres.copy_end import postgres_copy_end
    from sourcebook.storage.postgres.database import PostgresDatabase

    assert isinstance(database, PostgresDatabase)  # noqa: S101 - there are these two
    return postgres_copy_end(database)


def make_stores(database: Database, vectors: VectorEngine, words: WordEngine, clock: Clock) -> Stores:
    from sourcebook.storage.chat.sessions import SqlSessions
    from sourcebook.storage.curation.curated_answers import SqlCuratedAnswers
    from sourcebook.storage.curation.moderation_queue import SqlModerationQueue
    from sourcebook.storage.curation.terminology import SqlTerminology
    from sourcebook.storage.index.document_tracker import SqlDocumentTracker
    from sourcebook.storage.index.fts_store import SqlFtsStore
    from sourcebook.storage.index.index_writer import SqlIndexWriter
    from sourcebook.storage.index.library import SqlLibrary
    from sourcebook.storage.index.reindexing import SqlReindexing
    from sourcebook.storage.index.sources import SqlSources
    from sourcebook.storage.index.vector_store import SqlVectorStore
    from sourcebook.storage.job_queue import SqlJobs
    from sourcebook.storage.people.ledger import SqlLedger
    from sourcebook.storage.people.messages import SqlMessages
    from sourcebook.storage.people.topics import SqlTopics
    from sourcebook.storage.people.users import SqlUsers
    from sourcebook.storage.people.visits import SqlVisits

    return Stores(
        vectors=SqlVectorStore(database, vectors, words, clock),
        fts=SqlFtsStore(database, words, clock),
        tracker=SqlDocumentTracker(database, clock),
        writer=SqlIndexWriter(database, clock),
        library=SqlLibrary(database, clock),
        sources=SqlSources(database, clock),
        jobs=SqlJobs(database, clock),
        reindexing=SqlReindexing(database, vectors, words, clock),
        sessions=SqlSessions(database, clock),
        curated=SqlCuratedAnswers(database, clock),
        terms=SqlTerminology(database, clock),
        users=SqlUsers(database, clock),
        topics=SqlTopics(database, clock),
        messages=SqlMessages(database, clock),
        ledger=SqlLedger(database, clock),
        visits=SqlVisits(database, clock),
        moderation=SqlModerationQueue(database, clock),
    )


def make_bundles(base: OpenBase, clock: Clock | None = None) -> Bundles:
    from sourcebook.storage.jsonl.bundles import Bundles

    return Bundles(base.database, base.stores, clock or SystemClock(), __version__)


def is_old_base(source: str) -> bool:
    """Whether this is a database, in a file or on a server, rather than a bundle or an index of lines."""
    from sourcebook.storage.sqlite.old_base import is_database

    return source.startswith(_SERVERS) or ("://" not in source and is_database(Path(source)))


async def import_old_base(
    base: OpenBase,
    source: str,
    collection_id: str,
    embedders: Embedders,
    settings: Settings,
    *,
    model: str | None = None,
    on_progress: OnProgress | None = None,
    dry_run: bool = False,
) -> BundleReport:
    """Read a base of another program: with its vectors if the model that made them is named, else embedded again."""
    from sourcebook.ingest.folder.type_rules import parse_rules
    from sourcebook.storage.importing.service import LayoutImport
    from sourcebook.storage.importing.vectors import EmbeddedVectors, KeptVectors, VectorSource

    async def choose(size_of: Callable[[], Awaitable[int | None]]) -> VectorSource:
        if model is not None:
            return KeptVectors(await _model_of_vectors(model, await size_of(), settings))
        found = await base.stores.vectors.get_collection(collection_id)
        embedder = await embedders.choose(found.model) if found and found.model else embedders.main
        if embedder is None:
            raise NoEmbedder(
                "what is imported would have to be embedded, and there is no embedder for it",
                hint="Set `embedder`, or name the model of the vectors that are there with `--model`.",
            )
        return EmbeddedVectors(embedder, await known_model(embedder))

    work = LayoutImport(
        base.database, base.stores, base.clock, parse_rules(settings.type_rules), choose, on_progress, dry_run
    )
    async with _old_base(source) as old:
        return await work.run(old, collection_id)


def _old_base(source: str) -> AbstractAsyncContextManager[SqliteOldBase | PostgresOldBase]:
    if not source.startswith(_SERVERS):
        from sourcebook.storage.sqlite.old_base import sqlite_old_base

        return sqlite_old_base(Path(source))
    require_postgres()
    from sourcebook.storage.postgres.old_base import postgres_old_base

    return postgres_old_base(source)


async def _model_of_vectors(name: str, size: int | None, settings: Settings) -> EmbeddingModel:
    """The model of this name, as its embedder would say it here; one that nobody here knows is taken at its word."""
    from sourcebook.model.documents import EmbeddingModel
    from sourcebook.storage.importing.vectors import require_size

    if size is None:
        raise UsageError("there are no vectors that could be kept", hint="Leave out `--model`.")
    try:
        chosen = settings.with_embedder(name)
    except BadSetting:
        return EmbeddingModel(name, size)
    kind, _, _ = name.partition(":")
    if kind in ("openai", "ollama"):
        chosen = chosen.model_copy(update={"embedder_dimensions": size})
    embedder = make_embedder(chosen)
    if embedder is None:
        raise UsageError("no model cannot have made vectors", hint="Name the model, or leave out `--model`.")
    model = await known_model(embedder)
    require_size(model, size)
    return model


async def examine_damaged(settings: Settings, error: BaseDamaged) -> HealthReport:
    """What can be said of a base that cannot be opened."""
    from sourcebook.model.health import Finding, HealthReport
    from sourcebook.storage.maintenance.doctor import RESTORE
    from sourcebook.storage.sqlite.salvage.rebuild import lost_of

    lost = await lost_of(Path(settings.db))
    return HealthReport(findings=[Finding("engine", error.message, RESTORE), *lost])


async def rebuild_if_damaged(
    settings: Settings, choose: ChooseEmbedder, on_progress: OnProgress | None = None
) -> tuple[list[Repair], list[Finding]]:
    """Make a new file of what can be read, if the file of the base is damaged. It must not be open."""
    from sourcebook.storage.maintenance.repair import OnNoVectors, Repairer
    from sourcebook.storage.sqlite.salvage.rebuild import is_damaged, rebuild

    base, now = Path(settings.db), SystemClock().now()
    if "://" in settings.db or not await is_damaged(base):
        return [], []

    async def mend(database: Database) -> tuple[list[Repair], list[Finding]]:
        # Which documents had vectors cannot be said any more.
        embedding = OnNoVectors.EMBED
        return await Repairer(database, now, choose, on_no_vectors=embedding, on_progress=on_progress).run()

    return await rebuild(base, mend, now, on_progress)


def make_backups(settings: Settings, clock: Clock | None = None) -> SqliteBackups:
    from sourcebook.storage.sqlite.backup.service import SqliteBackups

    if "://" in settings.db:
        address = re.sub(r"(?<=://)([^/?#@:]*):.*@", r"\1@", settings.db)
        raise UsageError(
            f"{masked(settings.db)} is kept by a server, which makes backups with tools of its own.",
            hint=f"Run `pg_dump --format=custom --file=FILE {address}`, and "
            f"`pg_restore --clean --if-exists --dbname={address} FILE` to restore it; "
            "`sourcebook export DIR` writes the documents with their vectors as plain files.",
        )
    return SqliteBackups(Path(settings.db), clock or SystemClock(), __version__)


def make_embedder(settings: Settings, name: str | None = None) -> Embedder | None:
    """What makes vectors: as the settings say, or of another name that they could say."""
    chosen = settings.embedder if name is None else name
    if chosen == "none":
        return None
    from sourcebook.providers.cached_embedder import CachedEmbedder

    kind, _, model = chosen.partition(":")
    if kind in ("openai", "ollama"):
        return CachedEmbedder(_served_embedder(kind, model, settings), _embedding_cache(settings))
    return CachedEmbedder(_local_embedder(kind, model, settings))


def make_embedder_for(model: EmbeddingModel, settings: Settings) -> Embedder | None:
    """An embedder that makes vectors of exactly this model, if the settings are enough to have one."""
    kind, _, _ = model.name.partition(":")
    names = {"use-multilingual-v3": "default", "all-minilm-l6-v2-int8": "minilm"}
    name = model.name if kind in ("openai", "ollama") else names.get(model.name, settings.embedder)
    if kind in ("openai", "ollama"):
        settings = settings.model_copy(update={"embedder_dimensions": model.dimensions})
    embedder = make_embedder(settings, name)
    try:
        return embedder if embedder is not None and embedder.model == model else None
    except (BadSetting, ProviderMissing):
        return None  # it is not there, or it is not known what it makes


def _local_embedder(kind: str, model: str, settings: Settings) -> Embedder:
    if kind == "default":
        from sourcebook.providers.universal_sentence_encoder import UniversalSentenceEncoder

        return UniversalSentenceEncoder()
    from sourcebook.providers.onnx_embedder import OnnxEmbedder

    if kind == "minilm":
        from sourcebook.providers.minilm import find_minilm

        return OnnxEmbedder(find_minilm)
    from sourcebook.providers.onnx_folder import read_folder

    folder = Path(model).expanduser()
    return OnnxEmbedder(lambda: read_folder(folder, _prefixes(folder.name, settings)))


def _served_embedder(kind: str, model: str, settings: Settings) -> Embedder:
    from sourcebook.providers import ollama, openai_embedder
    from sourcebook.providers.remote_model import Address, Patience, RemoteModel

    made, url = (
        (openai_embedder.OpenAIEmbedder, openai_embedder.DEFAULT_URL)
        if kind == "openai"
        else (ollama.OllamaEmbedder, ollama.DEFAULT_URL)
    )
    key = settings.embedder_api_key
    address = Address(settings.embedder_base_url or url, key.get_secret_value() if key else None)
    return made(
        RemoteModel(address, Patience(settings.embedder_timeout)),
        model,
        dimensions=settings.embedder_dimensions,
        prefixes=_prefixes(model, settings),
        batch=settings.embedder_batch,
    )


def _prefixes(model: str, settings: Settings) -> Prefixes | None:
    """The prefixes of the settings; those that a model of this name has, if they say only one; None if neither."""
    from sourcebook.providers.known_models import Prefixes, prefixes_of

    question, passage = settings.embedder_question_prefix, settings.embedder_passage_prefix
    if question is None and passage is None:
        return None
    known = prefixes_of(model)
    return Prefixes(
        known.question if question is None else question, known.passage if passage is None else passage
    )


def _embedding_cache(settings: Settings) -> EmbeddingCache | None:
    from sourcebook.storage.sqlite.embedding_cache import SqliteEmbeddingCache

    match settings.embedding_cache:
        case "none":
            return None
        case "auto" if "://" in settings.db:
            path = Path("~/.cache/sourcebook/embeddings.db").expanduser()
        case "auto":
            path = Path(f"{settings.db}.derived") / "embeddings.db"
        case named:
            path = Path(named).expanduser()
    return SqliteEmbeddingCache(path, most_bytes=settings.embedding_cache_mb * 1_000_000)


def make_reindex(
    stores: Stores, embedders: Embedders, model: str | Embedder | None, scope: ReindexScope
) -> Reindex:
    """With the model that is named or given; without one, each collection with its own."""
    from sourcebook.ingest.index.reindex import Reindex

    chosen = embedders.named(model) if isinstance(model, str) else model
    if chosen is None and model is not None:
        raise UsageError("A collection cannot be reindexed with no model.", hint="Name one with `--model`.")
    return Reindex(
        store=stores.reindexing,
        vector_store=stores.vectors,
        embedder=chosen,
        embedder_of=embedders.choose,
        scope=scope,
    )


def make_ingest(stores: Stores, embedder: Embedder | None, settings: Settings) -> Ingest:
    from sourcebook.ingest.service import Ingest

    return Ingest(_ingest_tools(stores, embedder, settings))


def _ingest_tools(stores: Stores, embedder: Embedder | None, settings: Settings) -> Tools:
    from sourcebook.ingest.folder.scan import ScanLimits
    from sourcebook.ingest.parsers.pool import ParserPool
    from sourcebook.ingest.tools import IngestConfig, Tools
    from sourcebook.model.documents import ChunkStrategy

    if embedder is None:
        raise NoEmbedder("adding documents needs an embedder", hint="Set `embedder` to `default`.")
    own = () if "://" in settings.db else own_files(settings.db)
    limits = ScanLimits(int(settings.max_file_mb * 1_000_000), (*own, str(files_of(settings))))
    return Tools(
        library=stores.library,
        writer=stores.writer,
        sources=stores.sources,
        embedder=embedder,
        clock=SystemClock(),
        parsers=ParserPool,
        claims=make_claims(settings),
        config=IngestConfig(limits, settings.type_rules, ChunkStrategy(settings.chunking)),
    )


def make_claims(settings: Settings) -> Callable[[], AbstractAsyncContextManager[Claims]]:
    """What divides the work of an `add` among the processes that add to the same base."""
    if settings.db.startswith(_SERVERS):
        from sourcebook.storage.postgres.server_claims import server_claims

        return partial(server_claims, settings.db)
    from sourcebook.storage.sqlite.file_claims import file_claims

    return partial(file_claims, Path(settings.db))


def make_uploads(stores: Stores, embedder: Embedder | None, settings: Settings) -> Uploads:
    from sourcebook.ingest.uploads.service import Uploads

    return Uploads(_ingest_tools(stores, embedder, settings), make_stored_files(settings), stores.jobs)


def make_pictures(stores: Stores, settings: Settings) -> PagePictures:
    from sourcebook.ingest.uploads.page_pictures import PagePictures

    return PagePictures(stores, make_stored_files(settings), int(settings.max_file_mb * 1_000_000))


def make_stored_files(settings: Settings) -> StoredFiles:
    from sourcebook.ingest.uploads.stored_files import StoredFiles

    return StoredFiles(files_of(settings))


def files_of(settings: Settings) -> Path:
    """The folder in which uploaded files are kept."""
    if settings.files is not None:
        return Path(settings.files).expanduser()
    return Path("data/files") if "://" in settings.db else Path(f"{settings.db}.files")


def own_files(db: str) -> tuple[str, ...]:
    """What lies beside a base in a file and belongs to it. Adding the folder around it must not add these."""
    return tuple(f"{db}{ending}" for ending in ("", "-wal", "-shm", ".derived", ".files"))


class Embedders:
    """The embedders of one base: the main one, and one for each other model that its collections hold."""

    def __init__(self, settings: Settings, given: Embedder | None = None) -> None:
        self.main = make_embedder(settings) if given is None else given
        self._settings = settings
        self._given = given
        self._others: dict[EmbeddingModel, Embedder | None] = {}
        self._named: dict[str, Embedder | None] = {}

    async def choose(self, model: EmbeddingModel) -> Embedder | None:
        """The embedder for this model. Only one that the caller gave can be for vectors that the caller brought."""
        if self.main is None or model.is_callers:
            return self._given
        with suppress(ProviderError):
            if await known_model(self.main) == model:
                return self.main
        if model not in self._others:
            self._others[model] = make_embedder_for(model, self._settings)
        return self._others[model]

    def named(self, name: str) -> Embedder | None:
        """The embedder that the settings could name so."""
        if name not in self._named:
            self._named[name] = make_embedder(self._settings.with_embedder(name))
        return self._named[name]

    async def close(self) -> None:
        """Let go of connections, except for those of an embedder that the caller gave."""
        for embedder in (self.main, *self._others.values(), *self._named.values()):
            if embedder is not self._given and isinstance(embedder, Closing):
                await embedder.close()


class Rerankers:
    """The rerankers of one base, each made when it is first wanted."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._made: dict[RerankProvider, Reranker | None] = {}

    def choose(self, provider: RerankProvider) -> Reranker | None:
        if provider not in self._made:
            self._made[provider] = make_reranker(provider, self._settings)
        return self._made[provider]

    async def close(self) -> None:
        for reranker in self._made.values():
            if isinstance(reranker, Closing):
                await reranker.close()


def make_reranker(provider: RerankProvider, settings: Settings) -> Reranker | None:
    """The reranker of this kind; None for one of a server that the settings do not name."""
    if provider is RerankProvider.LOCAL:
        from sourcebook.retrieve.rerankers import LocalReranker

        return LocalReranker()
    if settings.rerank_base_url is None or settings.rerank_model is None:
        return None
    from sourcebook.providers.api_reranker import ApiReranker
    from sourcebook.providers.remote_model import Patience

    key = settings.rerank_api_key
    return ApiReranker(
        settings.rerank_base_url,
        settings.rerank_model,
        api_key=key.get_secret_value() if key else None,
        patience=Patience(settings.rerank_timeout),
    )


def make_retriever(
    stores: Stores, embedders: Embedders, rerankers: Rerankers, settings: Settings
) -> DefaultRetriever:
    """A retriever that prefers an answer by words to none."""
    from sourcebook.retrieve.service import DefaultRetriever

    return DefaultRetriever(
        vector_store=stores.vectors,
        fts_store=stores.fts,
        embedders=embedders.choose,
        rerankers=rerankers.choose,
        on_missing_embedder=OnMissingEmbedder.WORDS,
        on_rerank_failure=OnRerankFailure(settings.rerank_on_failure),
    )


def make_chat_model(settings: Settings) -> ChatModel | None:
    kind, _, name = settings.chat_model.partition(":")
    if kind == "none":
        return None
    from sourcebook.providers.openai_chat import OLLAMA_URL, OPENAI_URL, OpenAIChat, Writing
    from sourcebook.providers.remote_model import Address, Patience

    urls = {"openai": OPENAI_URL, "ollama": OLLAMA_URL}
    if kind not in urls or not name:
        raise BadSetting(
            f"chat_model cannot be {settings.chat_model!r}",
            hint="It is `none`, `openai:MODEL` or `ollama:MODEL`.",
        )
    url = settings.chat_base_url or urls[kind]
    key = None if settings.chat_api_key is None else settings.chat_api_key.get_secret_value()
    patience = Patience(seconds=settings.chat_timeout, attempts=3)
    return OpenAIChat(name, Address(url, key), patience, Writing(most_tokens=settings.chat_tokens))


def make_entries(stores: Stores, embedders: Embedders) -> CuratedEntries:
    from sourcebook.consult.curated.entries import CuratedEntries

    return CuratedEntries(stores, embedders.main, embedders.choose)


def make_moderation(
    base: OpenBase,
    retriever: Retrieval,
    embedders: Embedders,
    chat_model: ChatModel | None,
    settings: Settings,
) -> Moderation:
    from sourcebook.consult.answer.source_binding import SourceBinder
    from sourcebook.curate.service import Helpers, Moderation
    from sourcebook.curate.states import DraftAnswers, DraftPolicy
    from sourcebook.model.search import RetrievalConfig, SearchResult
    from sourcebook.ports.chat import PromptMessage
    from sourcebook.ports.moderation import Embedded
    from sourcebook.ports.providers import TextRole

    async def search(
        collections: Sequence[str], query: str, config: RetrievalConfig
    ) -> Sequence[SearchResult]:
        return (await retriever.report(collections, query, config)).results

    async def embed(collection_id: str, text: str) -> Embedded:
        collection = await base.stores.vectors.get_collection(collection_id)
        model = None if collection is None else collection.model
        embedder = None if model is None else await embedders.choose(model)
        if model is None or embedder is None:
            raise NoEmbedder(f"the model of the collection {collection_id!r} is not available here")
        return Embedded((await embedder.embed([text], TextRole.QUESTION))[0], model)

    async def choose(text: str) -> str:
        assert chat_model is not None  # noqa: S101 - else nobody calls this
        return "".join([piece async for piece in chat_model.stream([PromptMessage("user", text)])])

    return Moderation(
        base.stores,
        Helpers(SourceBinder(base.stores.library, search), embed, choose if chat_model else None),
        base.clock,
        collection_id=settings.collection,
        policy=DraftPolicy(DraftAnswers(settings.draft_answers), settings.draft_share),
    )


def make_people(stores: Stores, settings: Settings, face: str) -> People:
    from sourcebook.people.service import People

    return People(
        users=stores.users,
        topics=stores.topics,
        messages=stores.messages,
        ledger=stores.ledger,
        prices=_prices(settings),
        reservation_seconds=settings.reservation_seconds,
        face=face,
    )


def make_reception(
    stores: Stores,
    people: People,
    consultation: Consultation,
    moderation: Moderation,
    settings: Settings,
    face: str,
) -> Reception:
    from sourcebook.consult.reception.attendant import ReceptionPolicy
    from sourcebook.consult.reception.service import Reception

    policy = ReceptionPolicy(_prices(settings), settings.reservation_seconds, face, (settings.collection,))
    return Reception(
        stores=stores, people=people, consultation=consultation, drafting=moderation, policy=policy
    )


def _prices(settings: Settings) -> Prices:
    from sourcebook.model.people import Prices

    return Prices(
        welcome_tokens=settings.welcome_tokens,
        new_topic=settings.price_new_topic,
        follow_ups_included=settings.follow_ups_included,
        more_questions=settings.price_more_questions,
        questions_in_a_purchase=settings.more_questions,
    )


def make_help_retrieval(retriever: Retrieval) -> Retrieval:
    """Searches the base and the manual."""
    from sourcebook.consult.help import HelpRetrieval

    return HelpRetrieval(retriever, make_manual)


@cache
def make_manual() -> Manual:
    """The manual: inside the installed package, or beside the source of an editable install."""
    from sourcebook.consult.help import Manual

    package = Path(__file__).parent
    folders = (package / "_manual", package.parent.parent / "docs")
    return Manual(next((folder for folder in folders if folder.is_dir()), None))


def make_consultation(
    stores: Stores,
    retriever: Retrieval,
    embedders: Embedders,
    chat_model: ChatModel | None,
    settings: Settings,
) -> Consultation:
    from sourcebook.consult.service import AnswerPolicy, Consultation

    return Consultation(
        stores=stores,
        retrieval=retriever,
        grounds=make_grounds(stores, embedders),
        chat_model=chat_model,
        policy=AnswerPolicy(passages=settings.answer_passages),
    )


def make_calibrator(
    stores: Stores, retriever: Retrieval, embedders: Embedders, settings: Settings
) -> Calibrator:
    from sourcebook.consult.calibration.service import Calibrator

    return Calibrator(stores, retriever, make_grounds(stores, embedders), settings.answer_passages)


def make_grounds(stores: Stores, embedders: Embedders) -> Grounds:
    from sourcebook.consult.grounds import Grounds

    return Grounds(stores.vectors, stores.library, embedders.choose)


def make_absences(stores: Stores, retriever: DefaultRetriever) -> MissingDocuments:
    from sourcebook.retrieve.why_missing import MissingDocuments

    return MissingDocuments(stores.library, stores.vectors, retriever)
