"""An ingest with its tools on a real base: an embedder that counts, parsers in this process."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sourcebook.assembly import OpenBase, own_files
from sourcebook.ingest.add import Ingest
from sourcebook.ingest.add_request import AddRequest, Labels
from sourcebook.ingest.add_tools import IngestConfig, Tools
from sourcebook.ingest.folder.scan import ScanLimits
from sourcebook.testing.contract.material import require_sound
from sourcebook.testing.fakes import FakeEmbedder, FixedClock, InlineParser

if TYPE_CHECKING:
    from pathlib import Path

    from sourcebook.model.add_reports import AddPlan, AddReport
    from sourcebook.model.documents import Document, WriteReport

COLLECTION = "default"
OLD = 1_700_000_000
"""A time long ago."""


class Desk:
    def __init__(
        self,
        base: OpenBase,
        clock: FixedClock,
        config: IngestConfig | None = None,
        embedder: FakeEmbedder | None = None,
    ) -> None:
        self.base = base
        self.clock = clock
        # Files are made now: a clock that is ahead of them would take all of them for old.
        clock.wait(int(time.time()) - clock.now())
        self.embedder = embedder or FakeEmbedder(dimensions=8)
        self.parser = InlineParser()
        self.tools = Tools(
            library=base.stores.library,
            writer=base.stores.writer,
            sources=base.stores.sources,
            embedder=self.embedder,
            clock=clock,
            parsers=lambda: self.parser,
            vectors=base.stores.vectors,
            config=_leaving_alone(base, config or IngestConfig()),
        )
        self.ingest = Ingest(self.tools)

    async def add(self, *paths: Path | str, **options: Any) -> AddReport:
        return await self.ingest.add(self._request(paths, options))

    async def plan(self, *paths: Path | str, **options: Any) -> AddPlan:
        return await self.ingest.plan(self._request(paths, options))

    def _request(self, paths: tuple[Path | str, ...], options: dict[str, Any]) -> AddRequest:
        labels = Labels(options.pop("category", None), options.pop("subcategory", None))
        return AddRequest(paths, COLLECTION, labels, **options)

    async def add_text(self, text: str, **options: Any) -> WriteReport:
        return await self.ingest.add_text(text, **options)

    def embedded(self) -> int:
        """How many texts were embedded since this was last asked."""
        count, self.embedder.embedded = self.embedder.embedded, 0
        return count

    async def documents(self) -> dict[str, Document]:
        """The documents with their text, by the path that people are shown."""
        listed = await self.base.stores.library.list_documents(COLLECTION)
        found = [await self.base.stores.library.get_document(COLLECTION, d.id) for d in listed]
        return {document.file_path: document for document in found if document}

    async def only(self) -> Document:
        (document,) = (await self.documents()).values()
        return document

    async def paths(self) -> dict[str, str]:
        """The path inside its source of each known file, and the id of its document."""
        sources = await self.base.stores.sources.list_sources(COLLECTION)
        known = [await self.base.stores.sources.known_paths(COLLECTION, source.id) for source in sources]
        return {state.path: state.document_id for states in known for state in states}

    async def require_sound(self) -> None:
        await require_sound(self.base)


def _leaving_alone(base: OpenBase, config: IngestConfig) -> IngestConfig:
    """Tests make files beside the base, which is not to be added with them."""
    path = getattr(base.database, "path", None)
    own = own_files(str(path)) if path else ()
    return replace(config, limits=replace(config.limits, excluded=(*config.limits.excluded, *own)))


def small_files(largest: int) -> IngestConfig:
    return IngestConfig(ScanLimits(largest_file=largest))


def touch(path: Path, seconds: int) -> None:
    """Give a file another time."""
    os.utime(path, (seconds, seconds))


def written(folder: Path, **texts: str) -> Path:
    """The folder with these texts as files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text)
    return folder


def note_of(folder: Path, name: str = "note.txt") -> Path:
    return folder / "documents" / "малина_ремонтантная" / name
