"""The stacks: how each cuts a text, where it keeps the pieces, and how it finds them again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from benchmarks.speed.engine import EngineSpec, Question, VectorBlock
from sourcebook import AsyncSourcebook, RetrievalConfig
from sourcebook.ports.providers import TextRole

if TYPE_CHECKING:
    from sourcebook.ports.providers import Embedder
    from sourcebook.retrieve.evaluation.question_sets import QuestionRecord

_BLOCK = 1_000


class Stack(Protocol):
    async def build(self, folder: Path, records: Sequence[QuestionRecord]) -> int:
        """Index every text in the empty folder, durably. Returns how many pieces there are."""
        ...

    async def open(self, folder: Path) -> None: ...

    async def search(self, question: str, k: int) -> Sequence[str]:
        """The documents of the best `k` pieces, best first, each once."""
        ...

    async def close(self) -> None: ...


class SourcebookStack:
    """The product as it is: `add_text` and the default search, by words and by meaning."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._book: AsyncSourcebook | None = None

    async def build(self, folder: Path, records: Sequence[QuestionRecord]) -> int:
        async with AsyncSourcebook(folder / "base.db", embedder=self._embedder) as book:
            for record in records:
                await book.add_text(
                    record.text, id=record.id, title=record.title, metadata={"record": record.id}
                )
            return (await book.collections())[0].chunk_count

    async def open(self, folder: Path) -> None:
        self._book = await AsyncSourcebook(folder / "base.db", embedder=self._embedder).open()

    async def search(self, question: str, k: int) -> list[str]:
        if self._book is None:
            raise RuntimeError("the stack is not open")
        return once(
            result.chunk.document_id for result in await self._book.search(question, RetrievalConfig(top_k=k))
        )

    async def close(self) -> None:
        if self._book is not None:
            await self._book.close()


@dataclass
class VectorStack:
    """A splitter, the embedder, and a store of vectors from the speed benchmark."""

    embedder: Embedder
    engine: EngineSpec
    splitter: str | None = None
    owners: list[str] = field(default_factory=list[str])
    """The document of each piece."""
    opened: Any = None

    async def build(self, folder: Path, records: Sequence[QuestionRecord]) -> int:
        pieces = [(record.id, piece) for record in records for piece in self._pieces(record)]
        (folder / "owners.txt").write_text("\n".join(owner for owner, _ in pieces), "utf-8")
        (folder / "store").mkdir()
        blocks = [await self._block(pieces, first) for first in range(0, len(pieces), _BLOCK)]
        await self.engine.make().build(folder / "store", blocks)
        return len(pieces)

    def _pieces(self, record: QuestionRecord) -> list[str]:
        text = f"{record.title}\n{record.text}" if record.title else record.text
        return SPLITTERS[self.splitter]().split_text(text) or [text] if self.splitter else [text]

    async def _block(self, pieces: Sequence[tuple[str, str]], first: int) -> VectorBlock:
        some = [text for _, text in pieces[first : first + _BLOCK]]
        vectors = await self.embedder.embed(some, TextRole.PASSAGE)
        return VectorBlock(first, vectors, ["t"] * len(some), [2000] * len(some), ["en"] * len(some))

    async def open(self, folder: Path) -> None:
        self.owners = (folder / "owners.txt").read_text("utf-8").split("\n")
        self.opened = self.engine.make()
        await self.opened.open(folder / "store")

    async def search(self, question: str, k: int) -> list[str]:
        (vector,) = await self.embedder.embed([question], TextRole.QUESTION)
        found = await self.opened.search(Question(text=question, vector=vector), k)
        return once(self.owners[int(number)] for number in found)

    async def close(self) -> None:
        await self.opened.close()


@cache
def _langchain() -> Any:
    # The sizes of its tutorial on retrieval.
    kind = import_module("langchain_text_splitters").RecursiveCharacterTextSplitter
    return kind(chunk_size=1000, chunk_overlap=200)


@cache
def _llama_index() -> Any:
    return import_module("llama_index.core.node_parser").SentenceSplitter()


SPLITTERS = {"langchain": _langchain, "llama-index": _llama_index}

ENGINES = {
    "chroma": EngineSpec("chroma", "chroma", "chroma:ChromaVectors"),
    "lancedb": EngineSpec("lancedb", "lancedb", "lance:LanceVectors", {"index": "flat"}),
    "txtai": EngineSpec("txtai", "txtai", "txtai:TxtaiVectors"),
    "milvus lite": EngineSpec("milvus lite", "milvus lite", "milvus:MilvusVectors", {"index": "BRUTE_FORCE"}),
    "qdrant local": EngineSpec("qdrant local", "qdrant local", "qdrant:QdrantLocalVectors"),
    "qdrant edge": EngineSpec("qdrant edge", "qdrant edge", "qdrant:QdrantEdgeVectors"),
    "langchain": EngineSpec("langchain", "langchain", "langchain:LangChainVectors"),
    "llama-index": EngineSpec("llama-index", "llama-index", "llama_index:LlamaIndexVectors"),
}
OURS = "sourcebook"
NAMES = (OURS, *ENGINES)


def make_stack(name: str, embedder: Embedder) -> Stack:
    if name == OURS:
        return SourcebookStack(embedder)
    return VectorStack(embedder, ENGINES[name], name if name in SPLITTERS else None)


def once(names: Iterator[str]) -> list[str]:
    return list(dict.fromkeys(names))
