"""Holds models against each other on a sample of a base: each gets the same documents and the same questions."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread

from sourcebook.assembly.embedders import Embedders
from sourcebook.assembly.ingest import make_ingest
from sourcebook.assembly.open_base import open_base
from sourcebook.assembly.retrieve import Rerankers, make_retriever
from sourcebook.errors import UsageError
from sourcebook.model.model_listing import ComparedModel

if TYPE_CHECKING:
    from sourcebook.assembly.open_base import OpenBase
    from sourcebook.model.documents import Document
    from sourcebook.retrieve.evaluation.evaluate import JudgedQuestion
    from sourcebook.settings import Settings

OnComparison = Callable[[str, int, int], None]
_SAMPLE = "sample"
_BYTES_PER_MB = 1_000_000


async def compare_models(
    base: OpenBase,
    settings: Settings,
    models: Sequence[str],
    questions: Sequence[JudgedQuestion],
    *,
    collection: str,
    documents: int,
    k: int,
    on_progress: OnComparison | None = None,
) -> list[ComparedModel]:
    """Each model in a temporary base of its own, in the order in which they were named."""
    if not models or not questions:
        raise UsageError(
            "There is nothing to compare.", hint="Name models, and questions with known documents."
        )
    for name in models:
        # A name that nobody could set is an error before an hour of work, not after it.
        settings.with_embedder(name)
    listed = await base.stores.library.list_documents(collection)
    sample = await _with_text(base, collection, sample_of(listed, questions, documents))
    return [await _measured(settings, name, sample, questions, k, on_progress) for name in models]


async def _with_text(base: OpenBase, collection: str, listed: Sequence[Document]) -> list[Document]:
    whole = [await base.stores.library.get_document(collection, document.id) for document in listed]
    return [document for document in whole if document is not None]


def sample_of(
    documents: Sequence[Document], questions: Sequence[JudgedQuestion], most: int
) -> list[Document]:
    """Every document that answers a question, filled up to `most` with others, evenly spread."""
    wanted = {name for question in questions for name in question.judgements}
    answering = [document for document in documents if document.id in wanted and document.is_active]
    others = [document for document in documents if document.id not in wanted and document.is_active]
    room = max(0, min(len(others), most - len(answering)))
    spread = [others[place * len(others) // room] for place in range(room)]
    return [*answering, *spread]


async def _measured(
    settings: Settings,
    name: str,
    sample: Sequence[Document],
    questions: Sequence[JudgedQuestion],
    k: int,
    on_progress: OnComparison | None,
) -> ComparedModel:
    from sourcebook.retrieve.evaluation.evaluate import SearchSetting, evaluate

    with tempfile.TemporaryDirectory(prefix="sourcebook-compare-") as place:
        own = settings.at(str(Path(place) / "base.db")).with_embedder(name)
        embedders, rerankers = Embedders(own), Rerankers(own)
        made = await open_base(own)
        async with aclosing(_Closing(made, embedders, rerankers)):
            took = await _filled(made, embedders, own, name, sample, on_progress)
            collection = await made.stores.vectors.get_collection(_SAMPLE)
            retriever = make_retriever(made.stores, embedders, rerankers, own)
            search = partial(retriever.retrieve, _SAMPLE)
            setting = SearchSetting.of("hybrid")
            asked = partial(on_progress, f"{name}: asking") if on_progress else None
            found = await evaluate(search, questions, setting, k=k, on_asked=asked)
        size = await anyio.to_thread.run_sync(_size_of, Path(place))
        passages, dimensions = (
            (collection.chunk_count, collection.embedding_dimensions) if collection else (0, 0)
        )
        return ComparedModel(name, len(sample), passages, dimensions, took, size / _BYTES_PER_MB, found)


def _size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


async def _filled(
    made: OpenBase,
    embedders: Embedders,
    settings: Settings,
    name: str,
    sample: Sequence[Document],
    on_progress: OnComparison | None,
) -> float:
    """Add the documents, and say how many seconds that took."""
    ingest = make_ingest(made.stores, embedders.main, settings)
    began = time.monotonic()
    for number, document in enumerate(sample, start=1):
        await ingest.add_text(
            document.content,
            id=document.id,
            title=document.title,
            # Texts that come twice stay two documents.
            metadata={"sample": document.id},
            collection_id=_SAMPLE,
        )
        if on_progress:
            on_progress(f"{name}: adding", number, len(sample))
    return time.monotonic() - began


class _Closing:
    def __init__(self, base: OpenBase, embedders: Embedders, rerankers: Rerankers) -> None:
        self._all = (base, embedders, rerankers)

    async def aclose(self) -> None:
        for one in self._all:
            await one.close()
