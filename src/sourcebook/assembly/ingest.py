"""What adds documents, and where the files of a base lie."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sourcebook.assembly.open_base import SystemClock
from sourcebook.errors import NoEmbedder
from sourcebook.storage.base_address import is_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from contextlib import AbstractAsyncContextManager

    from sourcebook.ingest.add import Ingest
    from sourcebook.ingest.add_tools import Tools, Transcriber
    from sourcebook.ingest.parsers.process.pool import ParserPool
    from sourcebook.ingest.uploads.page_pictures import PagePictures
    from sourcebook.ingest.uploads.stored_files import StoredFiles
    from sourcebook.ingest.uploads.uploads import Uploads
    from sourcebook.model.add_reports import NewText
    from sourcebook.model.documents import Collection
    from sourcebook.ports.clock_and_jobs import Claims
    from sourcebook.ports.page_fetcher import PageFetcher
    from sourcebook.ports.providers import Embedder
    from sourcebook.ports.stores import Stores
    from sourcebook.settings import Settings
    from sourcebook.storage.database import Database


def make_ingest(stores: Stores, embedder: Embedder | None, settings: Settings) -> Ingest:
    from sourcebook.ingest.add import Ingest

    return Ingest(_ingest_tools(stores, embedder, settings))


def make_ingest_of_texts(
    stores: Stores,
    embedder: Embedder | None,
    settings: Settings,
    texts: Iterable[str | NewText],
    held: Collection | None,
) -> tuple[Ingest, list[NewText]]:
    """For texts whose vectors may be the caller's own, as may be those that the collection holds; and the texts,
    checked.
    """
    from sourcebook.ingest.texts.notes_in_bulk import GivenVectors
    from sourcebook.ingest.texts.text_checks import checked_texts

    checked = checked_texts(texts)
    given = GivenVectors.for_texts(checked, held, has_embedder=embedder is not None)
    return make_ingest(stores, given or embedder, settings), checked


def _ingest_tools(stores: Stores, embedder: Embedder | None, settings: Settings) -> Tools:
    from sourcebook.ingest.add_tools import IngestConfig, Tools
    from sourcebook.ingest.folder.scan import ScanLimits
    from sourcebook.ingest.parsers.process.pool import ParserPool
    from sourcebook.ingest.web.crawl import WebLimits
    from sourcebook.model.documents import ChunkStrategy

    if embedder is None:
        raise NoEmbedder("Adding documents needs an embedder", hint="Set `embedder` to `default`.")
    own = () if "://" in settings.db else own_files(settings.db)
    limits = ScanLimits(int(settings.max_file_mb * 1_000_000), (*own, str(files_of(settings))))
    return Tools(
        library=stores.library,
        writer=stores.writer,
        sources=stores.sources,
        embedder=embedder,
        clock=SystemClock(),
        parsers=ParserPool,
        vectors=stores.vectors,
        claims=make_claims(settings),
        config=IngestConfig(
            limits,
            settings.type_rules,
            ChunkStrategy(settings.chunking),
            WebLimits(settings.web_pages, settings.web_pause),
        ),
        fetchers=partial(_make_fetcher, settings),
        transcribers=partial(_make_transcriber, settings),
    )


def _make_fetcher(settings: Settings, allowed: Sequence[str]) -> PageFetcher:
    from sourcebook.providers.page_fetcher import WebPageFetcher

    named = [host.strip() for host in settings.web_allow_hosts.split(",") if host.strip()]
    return WebPageFetcher(int(settings.max_file_mb * 1_000_000), [*named, *allowed])


def _make_transcriber(settings: Settings) -> Transcriber | None:
    if settings.transcription_model is None:
        return None
    from sourcebook.providers.model_server_address import Address
    from sourcebook.providers.openai_transcriber import OPENAI_URL, OpenAITranscriber

    key = settings.transcription_api_key
    address = Address(settings.transcription_base_url or OPENAI_URL, key.get_secret_value() if key else None)
    return OpenAITranscriber(settings.transcription_model, address, settings.transcription_timeout)


def make_claims(settings: Settings) -> Callable[[], AbstractAsyncContextManager[Claims]]:
    """What divides the work of an `add` among the processes that add to the same base."""
    if is_server(settings.db):
        from sourcebook.storage.postgres.server_claims import server_claims

        return partial(server_claims, settings.db_direct or settings.db)
    from sourcebook.storage.sqlite.file_claims import file_claims

    return partial(file_claims, Path(settings.db))


def make_parsers() -> ParserPool:
    """What reads files in child processes. Close it."""
    from sourcebook.ingest.parsers.process.pool import ParserPool

    return ParserPool()


def make_uploads(
    stores: Stores, embedder: Embedder | None, settings: Settings, files: StoredFiles
) -> Uploads:
    from sourcebook.ingest.uploads.uploads import Uploads

    return Uploads(_ingest_tools(stores, embedder, settings), files, stores.jobs)


def make_pictures(stores: Stores, settings: Settings, files: StoredFiles) -> PagePictures:
    from sourcebook.ingest.uploads.page_pictures import PagePictures

    return PagePictures(stores, files, int(settings.max_file_mb * 1_000_000))


async def make_stored_files(database: Database, settings: Settings) -> StoredFiles:
    """The uploads of this base. In a folder that others may use, too, it has one of its own."""
    from sourcebook.ingest.uploads.stored_files import StoredFiles
    from sourcebook.ingest.uploads.upload_folder import UploadFolder

    if settings.files is None and "://" not in settings.db:
        return StoredFiles(files_of(settings))
    fact = await database.fetch_one("info", key="base_id")
    return StoredFiles(UploadFolder.within(files_of(settings), "" if fact is None else fact["value"]))


def files_of(settings: Settings) -> Path:
    """The folder in which uploaded files are kept, perhaps those of several bases."""
    if settings.files is not None:
        return Path(settings.files).expanduser()
    return Path("data/files") if "://" in settings.db else Path(f"{settings.db}.files")


def own_files(db: str) -> tuple[str, ...]:
    """What lies beside a base in a file and belongs to it. Adding the folder around it must not add these."""
    return tuple(f"{db}{ending}" for ending in ("", "-wal", "-shm", ".derived", ".files"))
