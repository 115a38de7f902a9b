"""Reading an index of lines that something else wrote: each row with a vector becomes a chunk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from sourcebook.errors import SourcebookError
from sourcebook.model.add_reports import Progress
from sourcebook.model.documents import Chunk, Collection, EmbeddedChunk, EmbeddingModel
from sourcebook.storage.argument_checks import require_sane_chunks
from sourcebook.storage.index import vector_encoding
from sourcebook.storage.jsonl.bundle_import import open_collections
from sourcebook.storage.jsonl.bundle_report import BundleReport
from sourcebook.storage.jsonl.json_lines import JsonLinesFile, as_vector

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sourcebook.ports.stores import Stores
    from sourcebook.storage.jsonl.json_lines import JsonObject

TEXT_FIELDS = ("text", "content", "body", "snippet")

_BATCH = 500


@dataclass(slots=True)
class _Survey:
    """What an index holds: how often each size of vector occurs in each collection."""

    rows: int = 0
    sizes: dict[str, Counter[int]] = field(default_factory=dict[str, Counter[int]])

    def collections(self, model: str | None) -> dict[str, Collection]:
        """The collections to make. One of several sizes takes the most frequent one."""
        chosen = {name: counts.most_common(1)[0][0] for name, counts in self.sizes.items()}
        return {
            name: Collection(
                id=name,
                embedding_dimensions=size,
                model=EmbeddingModel.of_caller(size) if model is None else EmbeddingModel(model, size),
            )
            for name, size in sorted(chosen.items())
        }


class ForeignImport:
    """One import: the file is read twice, first to know its collections and then to write them."""

    def __init__(self, stores: Stores, on_progress: Callable[[Progress], None] | None = None) -> None:
        self._stores = stores
        self._on_progress = on_progress

    async def run(
        self, file: Path, *, collection: str | None, model: str | None, otherwise: str
    ) -> BundleReport:
        """Read the index. A row goes to `collection`, else to the one that it names, else to `otherwise`."""
        rows = _Rows(file, collection, otherwise)
        survey = await anyio.to_thread.run_sync(_surveyed, rows)
        targets = survey.collections(model)
        await open_collections(self._stores.vectors, list(targets.values()))
        making = _Making(targets)
        chunks = making.chunks(rows)
        written = 0
        while batch := await anyio.to_thread.run_sync(_take, chunks):
            for name, group in groupby(batch, key=lambda pair: pair[0]):
                embedded = [chunk for _, chunk in group]
                await self._stores.vectors.add(name, embedded)
                await self._stores.fts.index(name, [e.chunk for e in embedded])
            written += len(batch)
            if self._on_progress is not None:
                self._on_progress(Progress(written, survey.rows, file.name))
        return BundleReport(
            collections=list(targets),
            documents=len(making.documents),
            chunks=written,
            vectors=written,
            skipped=rows.broken + survey.rows - written,
        )


class _Rows:
    """The rows of an index, each with its line, its collection and its vector, if it has one."""

    def __init__(self, file: Path, collection: str | None, otherwise: str) -> None:
        self._file = file
        self._collection = collection
        self._otherwise = otherwise
        self.broken = 0

    def __iter__(self) -> Iterator[tuple[int, JsonObject, str, NDArray[np.float64] | None]]:
        lines = JsonLinesFile(self._file)
        for number, row in lines:
            named = _name(row, "collection") or self._otherwise
            yield number, row, self._collection or named, as_vector(row.get("embedding"))
        self.broken = lines.skipped


def _surveyed(rows: _Rows) -> _Survey:
    survey = _Survey()
    for _, _, name, vector in rows:
        survey.rows += 1
        if vector is not None:
            survey.sizes.setdefault(name, Counter())[vector.size] += 1
    return survey


class _Making:
    """Chunks out of rows, with ids that no other row of their collection has."""

    def __init__(self, targets: Mapping[str, Collection]) -> None:
        self._targets = targets
        self._ids: set[tuple[str, str]] = set()
        self.documents: Counter[tuple[str, str]] = Counter()

    def chunks(self, rows: _Rows) -> Iterator[tuple[str, EmbeddedChunk]]:
        """Those of the rows that can be stored, each with the name of its collection."""
        for number, row, name, vector in rows:
            chunk = self._chunk(number, row, name)
            if vector is not None and _fits(chunk, vector, self._targets[name]):
                self._ids.add((name, chunk.id))
                self.documents[name, chunk.document_id] += 1
                yield name, EmbeddedChunk(chunk, vector)

    def _chunk(self, number: int, row: JsonObject, collection: str) -> Chunk:
        own = _name(row, "chunk_id") or _name(row, "id") or f"line-{number}"
        document = _name(row, "doc_id") or own
        names = [own, f"{document}/{own}", f"{document}/{own}/line-{number}"]
        text_field = next((name for name in TEXT_FIELDS if isinstance(row.get(name), str) and row[name]), "")
        content = row.get(text_field, "")
        used = {"embedding", "doc_id", "chunk_id", "collection", text_field}
        return Chunk(
            id=next((name for name in names if (collection, name) not in self._ids), names[-1]),
            document_id=document,
            content=content,
            chunk_index=self.documents[collection, document],
            end_index=len(content),
            metadata={key: value for key, value in row.items() if key not in used},
        )


def _fits(chunk: Chunk, vector: NDArray[np.float64], collection: Collection) -> bool:
    try:
        require_sane_chunks([chunk])
        vector_encoding.checked(vector, collection.embedding_dimensions, chunk.id)
    except SourcebookError:
        return False
    return True


def _take(chunks: Iterator[tuple[str, EmbeddedChunk]]) -> list[tuple[str, EmbeddedChunk]]:
    """The next chunks, in the order of their collections so that each is written at once."""
    return sorted(islice(chunks, _BATCH), key=lambda pair: pair[0])


def _name(row: Mapping[str, Any], field: str) -> str | None:
    """A name from a row; numbers are names too."""
    value = row.get(field)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) and value else None
