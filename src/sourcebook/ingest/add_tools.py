"""What an `add` works with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from sourcebook.ingest.folder.scan import ScanLimits
from sourcebook.ingest.folder.type_rules import DEFAULT_RULES_TEXT
from sourcebook.ingest.web.crawl import WebLimits
from sourcebook.model.documents import ChunkStrategy
from sourcebook.ports.clock_and_jobs import Claims, alone

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.archive.limits import Member
    from sourcebook.ingest.parsers.page_progress import OnPage, OnText
    from sourcebook.ingest.parsers.parsed_text import ParsedText
    from sourcebook.ingest.parsers.text.subtitles import Cue
    from sourcebook.ports.clock_and_jobs import Clock
    from sourcebook.ports.page_fetcher import PageFetcher
    from sourcebook.ports.providers import Embedder
    from sourcebook.ports.storage import IndexWriter, Library, Sources, VectorStore


class Parser(Protocol):
    """Turns the bytes of files into text, until it is closed."""

    async def parse(self, data: bytes, name: str) -> ParsedText: ...

    async def close(self) -> None: ...


@runtime_checkable
class PageByPage(Protocol):
    """A parser that tells of pages and shows its text while it reads them; the text in another thread."""

    async def parse_by_page(
        self, data: bytes, name: str, on_page: OnPage | None, on_text: OnText | None = None
    ) -> ParsedText: ...


@runtime_checkable
class Unpacker(Protocol):
    """A parser that can take files out of letters and archives."""

    async def members(self, data: bytes, name: str) -> Sequence[Member]: ...

    async def parse_archive(self, data: bytes, name: str) -> ParsedText: ...


@runtime_checkable
class PictureReader(Protocol):
    """A parser that reads the letters in pictures."""

    def expect(self, languages: Sequence[str]) -> None:
        """The languages that the letters are expected to be in, as `ru`."""
        ...


class Transcriber(Protocol):
    """Writes down what is said in a recording."""

    async def transcribe(self, data: bytes, name: str) -> Sequence[Cue]:
        """What is said, piece by piece, each with its time."""
        ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class IngestConfig:
    """`rules` give documents their type by their path, as the setting says them."""

    limits: ScanLimits = field(default_factory=ScanLimits)
    rules: str = DEFAULT_RULES_TEXT
    strategy: ChunkStrategy = ChunkStrategy.PARENT_CHILD
    web: WebLimits = field(default_factory=WebLimits)


@dataclass(frozen=True, slots=True)
class Tools:
    """`parsers` starts what parses: only when there is something to parse. `fetchers` starts what fetches pages, given
    the hosts that may be private.

    `claims` divides the work among the processes that do the same.
    """

    library: Library
    writer: IndexWriter
    sources: Sources
    embedder: Embedder
    clock: Clock
    parsers: Callable[[], Parser]
    vectors: VectorStore
    config: IngestConfig = field(default_factory=IngestConfig)
    claims: Callable[[], AbstractAsyncContextManager[Claims]] = alone
    fetchers: Callable[[Sequence[str]], PageFetcher] | None = None
    transcribers: Callable[[], Transcriber | None] = lambda: None
