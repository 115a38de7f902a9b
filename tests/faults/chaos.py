"""What the processes of a chaos run do. Each is killed at any moment, and another takes its place."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import numpy as np
from tests.faults.server_workers import COLLECTION, opened, write

from sourcebook import AsyncSourcebook, OnExisting, Settings
from sourcebook.errors import BaseBusy, BaseUnreachable, Conflict
from sourcebook.model.reindexing import ReindexScope
from sourcebook.testing.crash import embedding_model, prepared_document, vector_of, word_of

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tests.faults.processes import Line

    from sourcebook.assembly import OpenBase
    from sourcebook.model.documents import EmbeddedChunk, EmbeddingModel
    from sourcebook.ports.providers import TextRole

NUMBERS_OF_A_WRITER = 20

# What may come of others being killed, of their locks, and of a server that goes away.
EXPECTED = (BaseBusy, BaseUnreachable, Conflict)
_REVISION = re.compile(r"note\d+x(\d+)r")


class ChaosEmbedder:
    """Vectors of texts, always the same."""

    @property
    def model(self) -> EmbeddingModel:
        return embedding_model()

    async def embed(self, texts: Sequence[str], role: TextRole) -> NDArray[np.float32]:
        return np.array([vector_of(text) for text in texts])


def write_and_remove(line: Line, address: str, first: int, seed: str) -> None:
    """Write new revisions of documents and remove some, saying before each what is begun and after it what is done."""

    async def work() -> None:
        chance = random.Random(seed)
        async with opened(address) as base:
            while True:
                number = first + chance.randrange(NUMBERS_OF_A_WRITER)
                revision = chance.randrange(10**6) if chance.random() < 0.8 else None
                line.send(("begun", number, revision))
                try:
                    await _put(base, number, revision)
                except EXPECTED:
                    continue  # it may have been done or not
                line.send(("done", number, revision))

    _until_killed(line, work)


async def _put(base: OpenBase, number: int, revision: int | None) -> None:
    if revision is None:
        await base.stores.writer.remove_document(COLLECTION, prepared_document(number).document.id)
    else:
        await write(base, number, revision)


def search(line: Line, address: str, seed: str) -> None:
    """Search, and look whether what is found is whole."""

    async def work() -> None:
        chance = random.Random(seed)
        async with opened(address) as base:
            while True:
                number = chance.randrange(2 * NUMBERS_OF_A_WRITER)
                try:
                    await base.stores.fts.search(COLLECTION, word_of(number), 5)
                    near = await base.stores.vectors.search_semantic(COLLECTION, vector_of(seed), 3)
                    for found in near:
                        document_id = found.chunk.document_id
                        require_whole(await base.stores.vectors.get_by_document(COLLECTION, document_id))
                except EXPECTED:
                    continue
                line.send(("done",))

    _until_killed(line, work)


def require_whole(chunks: Sequence[EmbeddedChunk]) -> None:
    """The chunks of a document are those of one revision of it, or there are none any more."""
    if not chunks:
        return
    text = " ".join(chunk.chunk.content for chunk in chunks)
    revisions = {int(found) for found in _REVISION.findall(text)}
    number = int(text.partition("note")[2].partition("x")[0])
    assert len(revisions) == 1, revisions
    expected = prepared_document(number, revisions.pop()).chunks
    assert [c.chunk.content for c in chunks] == [c.chunk.content for c in expected]


def keep(line: Line, address: str, folder: Path, seed: str) -> None:
    """Back up, repair and make the index anew, in any order."""

    async def work() -> None:
        chance = random.Random(seed)
        settings = Settings(db=address, embedding_cache="none")
        on_disk = "://" not in address
        async with AsyncSourcebook(settings=settings, embedder=ChaosEmbedder()) as book:
            while True:
                actions: dict[str, Callable[[], Awaitable[object]]] = {
                    "repair": book.repair,
                    "words": lambda: book.reindex(scope=ReindexScope.WORDS),
                    "everything": lambda: book.reindex(scope=ReindexScope.EVERYTHING),
                }
                if on_disk:
                    actions["backup"] = lambda: book.backup(folder / "kept", on_existing=OnExisting.REPLACE)
                name = chance.choice(sorted(actions))
                # A repair that is cut off may leave the client closed, so what fails here begins with a new one.
                await actions[name]()
                line.send(("done", name))

    _until_killed(line, work)


def _until_killed(line: Line, work: Callable[[], Awaitable[None]]) -> None:
    while True:
        try:
            anyio.run(work)
        except EXPECTED:
            time.sleep(0.05)  # the base could not even be opened
        except BaseException as error:
            line.send(("failed", f"{type(error).__name__}: {error}", repr(error.__cause__)))
            raise
