"""A base for hostile callers: one collection that they may search, and one that they must never see."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from anyio.from_thread import BlockingPortal, start_blocking_portal
from tests.faults.bases import COLLECTION, Base, opened

from sourcebook.model.documents import Chunk, Collection, EmbeddedChunk, JsonValue
from sourcebook.testing.crash import vector_of

if TYPE_CHECKING:
    from sourcebook.model.search import MetadataFilter

T = TypeVar("T")

SECRET = "secret"
QUESTION = vector_of("anything")
OPEN_IDS = ["open-1", "open-2", "open-3"]
TEXTS = [
    "Prune everbearing raspberries in late autumn, 100 % of the canes.",
    "Поливайте томаты утром, под корень: не чаще двух раз в неделю.",
    "As canetas azuis_escuras estão na gaveta da mesa.",
]
METADATA: list[dict[str, JsonValue]] = [
    {"tag": "public", "year": 2024, "flag": True},
    {"tag": "public", "year": 2025, "сорт": "черри"},
    {"tag": "internal", "year": 2024, "nested": {"a": ["x", "y"]}},
]


class Shelf:
    """The base, to be used without await."""

    def __init__(self, portal: BlockingPortal, base: Base, path: Path) -> None:
        self._portal = portal
        self.base = base
        self.path = path

    def wait(self, work: Callable[..., Awaitable[T]], *arguments: object) -> T:
        return self._portal.call(partial(work, *arguments))

    def digest(self) -> str:
        return self.wait(self.base.digest)

    def by_words(self, question: str, filter: MetadataFilter | None = None) -> list[str]:
        found = self.wait(self.base.stores.fts.search, COLLECTION, question, 100, filter)
        return [r.chunk_id for r in found]

    def by_vectors(self, filter: MetadataFilter | None = None) -> list[str]:
        found = self.wait(self.base.stores.vectors.search_semantic, COLLECTION, QUESTION, 100, filter)
        return sorted(r.chunk.id for r in found)


@contextmanager
def shelf(path: Path) -> Generator[Shelf]:
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(opened(path)) as base:
        made = Shelf(portal, base, path)
        made.wait(base.stores.vectors.create_collection, Collection(SECRET, 16))
        made.wait(fill, base, COLLECTION, OPEN_IDS, METADATA)
        made.wait(fill, base, SECRET, [f"secret-{n}" for n in range(3)], [{"tag": "secret"}] * 3)
        yield made


async def fill(
    base: Base, collection: str, ids: Sequence[str], metadata: Sequence[dict[str, JsonValue]]
) -> None:
    chunks = [
        Chunk(id=name, document_id=f"document of {name}", content=text, end_index=len(text), metadata=given)
        for name, text, given in zip(ids, TEXTS, metadata, strict=True)
    ]
    await base.stores.vectors.add(collection, [EmbeddedChunk(c, vector_of(c.id)) for c in chunks])
    await base.stores.fts.index(collection, chunks)
