"""Folders of real files, and processes that add them: each function without a leading line is run in one of its own."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
from tests.faults.bases import COLLECTION

from sourcebook.assembly import OpenBase, SystemClock, open_base
from sourcebook.ingest.add import Ingest
from sourcebook.ingest.add_request import AddRequest, Labels, OnProgress, OnRemoval
from sourcebook.ingest.add_tools import Tools
from sourcebook.ingest.chunking.passages import chunk_document
from sourcebook.ingest.parsers.parse import parse
from sourcebook.ingest.uploads.incoming_file import IncomingFile
from sourcebook.ingest.uploads.stored_files import StoredFiles
from sourcebook.ingest.uploads.uploads import Uploads
from sourcebook.settings import Settings
from sourcebook.storage.maintenance.base_checksum import base_checksum
from sourcebook.testing.crash import arm, word_of
from sourcebook.testing.fakes import FakeEmbedder, InlineParser

if TYPE_CHECKING:
    from tests.faults.processes import Line

    from sourcebook.ingest.crash_points import IngestCrashPoint
    from sourcebook.model.add_reports import AddReport, Progress
    from sourcebook.storage.crash_points import CrashPoint

_WORDS = (
    "autumn",
    "berry",
    "cane",
    "drip",
    "frost",
    "graft",
    "harvest",
    "leaf",
    "mulch",
    "orchard",
    "prune",
    "root",
)


def name_of(number: int) -> str:
    return f"part{number % 3}/note-{number:03d}.md"


def text_of(number: int, revision: int) -> str:
    """A note of a few passages: two words stand in no other note, one of them in no other revision."""
    chance = random.Random(f"{number} {revision}")
    paragraphs = (" ".join(chance.choices(_WORDS, k=60)).capitalize() + "." for _ in range(4))
    own = f"{word_of(number)} {word_of(number, revision)}"
    return f"# Note {number}\n\n{own}.\n\n" + "\n\n".join(paragraphs) + "\n"


def lay_out(root: Path, notes: Mapping[int, int]) -> Path:
    """Make the folder hold exactly these notes (number → revision), each with the time of its revision."""
    root.mkdir(parents=True, exist_ok=True)
    wanted = {name_of(number): (number, revision) for number, revision in notes.items()}
    for file in list(root.rglob("*.md")):
        if file.relative_to(root).as_posix() not in wanted:
            file.unlink()
    for name, (number, revision) in wanted.items():
        file, text = root / name, text_of(number, revision)
        file.parent.mkdir(exist_ok=True)
        if not file.exists() or file.read_text() != text:
            file.write_text(text)
        os.utime(file, (1_700_000_000 + revision, 1_700_000_000 + revision))
    return root


@dataclass(frozen=True)
class Library:
    """A base with an ingest that embeds without a model and parses in this process."""

    base: OpenBase
    embedder: FakeEmbedder
    ingest: Ingest
    uploads: Uploads

    async def add(self, root: Path, on_progress: OnProgress | None = None) -> AddReport:
        """Also if the folder lost most of what it held."""
        request = AddRequest([root], COLLECTION, on_removal=OnRemoval.ALLOW, on_progress=on_progress)
        return await self.ingest.add(request)

    async def digest(self) -> str:
        return await base_checksum(self.base.database)

    async def faults(self) -> list[str]:
        return [finding.message for finding in (await self.base.examine()).findings]

    async def notes(self) -> dict[int, int]:
        """The notes in the base by their numbers. Each must have exactly the text and the chunks of one revision."""
        held: dict[int, int] = {}
        for listed in await self.base.stores.library.list_documents(COLLECTION):
            document = await self.base.stores.library.get_document(COLLECTION, listed.id)
            assert document is not None
            number = int(Path(document.file_path).stem.removeprefix("note-"))
            revision = (document.mtime or 0) - 1_700_000_000
            assert document.content == text_of(number, revision)
            parsed = parse(document.content.encode(), "a.md")
            expected = chunk_document(document.id, parsed.text, parsed.sections, parsed.pages)
            chunks = await self.base.stores.vectors.get_by_document(COLLECTION, document.id)
            assert [c.chunk.id for c in chunks] == [c.id for c in expected]
            assert all(c.embedding is not None for c in chunks)
            held[number] = revision
        return held

    async def found(self, question: str) -> set[str]:
        """The documents that words, vectors and passages find for a question, at once."""
        vector = (await self.embedder.embed([question], "question"))[0]  # pyright: ignore[reportArgumentType]
        words = await self.base.stores.fts.search(COLLECTION, question, 1000)
        passages = await self.base.stores.vectors.search_semantic(COLLECTION, vector, 1000)
        by_words = [await self.base.stores.vectors.get(COLLECTION, r.chunk_id) for r in words]
        return {c.chunk.document_id for c in by_words if c} | {
            r.chunk.document_id for r in passages if question in r.chunk.content
        }


@asynccontextmanager
async def opened_library(path: Path | str) -> AsyncGenerator[Library]:
    """The base at this path, or at the address of a server."""
    base = await open_base(Settings(db=str(path), embedder="none"))
    stores, embedder = base.stores, FakeEmbedder(dimensions=16)
    tools = Tools(
        stores.library, stores.writer, stores.sources, embedder, SystemClock(), InlineParser, stores.vectors
    )
    files = StoredFiles(Path(f"{path}.files"))
    try:
        yield Library(base, embedder, Ingest(tools), Uploads(tools, files, stores.jobs))
    finally:
        await base.close()


async def digest_of_folder(path: Path, root: Path) -> str:
    """The digest of a base into which the folder was added without a disturbance."""
    async with opened_library(path) as library:
        await library.add(root)
        assert await library.faults() == []
        return await library.digest()


def kept_files(path: Path) -> list[bytes]:
    """What is kept beside a base, in files that are whole."""
    files = sorted(Path(f"{path}.files").glob("??/*"))
    return [file.read_bytes() for file in files if not file.name.endswith(".unfinished")]


def copied(source: Path, target: Path) -> Path:
    shutil.copytree(source, target, dirs_exist_ok=True)
    return target


def follow_folder(line: Line, path: Path | str, root: Path) -> None:
    """Add a folder, and acknowledge each file after it was committed."""

    def acknowledge(progress: Progress) -> None:
        if progress.stage == "adding":
            line.send(progress.path)

    async def work() -> None:
        async with opened_library(path) as library:
            line.send("ready")
            await library.add(root, acknowledge)
        line.send("done")

    anyio.run(work)


def stop_adding_at(step: CrashPoint | IngestCrashPoint, nth: int, path: Path, root: Path) -> None:
    """Add a folder up to the step."""

    async def work() -> None:
        async with opened_library(path) as library:
            arm(step, nth)
            await library.add(root)

    anyio.run(work)


def add_folder(path: Path | str, root: Path) -> None:
    """Add a folder that others add at the same time. Nobody fails."""

    async def work() -> None:
        async with opened_library(path) as library:
            report = await library.add(root)
            assert not report.failed, report.failed

    anyio.run(work)


def upload_up_to(step: CrashPoint | IngestCrashPoint, path: Path, name: str, data: bytes) -> None:
    """Leave bytes to a worker, up to the step."""

    async def work() -> None:
        async with opened_library(path) as library:
            arm(step)
            await library.uploads.upload(COLLECTION, IncomingFile(name, data, labels=Labels("uploads")))

    anyio.run(work)


def process_up_to(step: CrashPoint | IngestCrashPoint, path: Path) -> None:
    """Work uploads off, up to the step."""

    async def work() -> None:
        async with opened_library(path) as library:
            arm(step)
            await library.uploads.process("dies")

    anyio.run(work)


def answer_for_ever(line: Line, path: Path) -> None:
    """Keep a base open and say how many documents each question finds, until the line is closed."""

    async def work() -> None:
        async with opened_library(path) as library:
            while question := line.recv():
                line.send(len(await library.found(question)))

    anyio.run(work)
