"""An index in a file: rows with vectors, read once and searched in memory."""

from __future__ import annotations

import json
import logging
import os
from array import array
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from sourcebook.storage.jsonl.json_lines import EMBEDDINGS, JsonLinesFile, as_vector, cosines, margin

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.model.documents import Vector
    from sourcebook.storage.jsonl.json_lines import JsonObject

_BLOCK = 4096
_NO_COLLECTION = -1

_log = logging.getLogger("sourcebook")


class EmbeddingClient(Protocol):
    """Whatever makes vectors of texts by itself, such as a client of Ollama."""

    def embed(self, texts: list[str], /) -> Sequence[Sequence[float]]: ...


class EmbeddingStore:
    """The rows of an `embeddings.jsonl`, searched by the cosine of their `embedding` with a vector or a text.

    The file is read once, when the store is made; `cached_embedding_store` makes a new one when the file changes. Lines
    that are no JSON object are skipped: `skipped` counts them, `skipped_lines` has the numbers of the first few. A
    store never changes and may be used by several threads.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = index_file(path)
        lines = JsonLinesFile(self.path)
        # Everything but the vectors stays as text: it takes less room than objects, and every result is a fresh copy.
        self._texts: list[str] = []
        self._collections: dict[str, int] = {}
        self._collection_of = array("i")
        numbers: dict[int, array[float]] = {}
        places: dict[int, array[int]] = {}
        for _, row in lines:
            vector = as_vector(row.get("embedding"))
            if vector is not None:
                numbers.setdefault(vector.size, array("d")).frombytes(vector.tobytes())
                places.setdefault(vector.size, array("q")).append(len(self._texts))
                self._keep(row)
        self._groups = {
            size: _Group(
                np.frombuffer(numbers[size]).reshape(-1, size), np.frombuffer(places[size], dtype=np.int64)
            )
            for size in numbers
        }
        self._rows = lines.objects
        self.skipped = lines.skipped
        self.skipped_lines = tuple(lines.skipped_lines)
        self.digest = lines.digest

    def rows_with_vectors(self) -> list[dict[str, Any]]:
        """The rows that have a vector, complete and in the order of the file. As Python objects they take much room."""
        rows: list[dict[str, Any]] = [{}] * len(self._texts)
        for group in self._groups.values():
            for place, vector in zip(group.places.tolist(), group.vectors, strict=True):
                rows[place] = self._row(place, vector)
        return rows

    def search_by_vector(
        self,
        qvec: Vector,
        k: int = 5,
        min_score: float | None = None,
        collection: str | Sequence[str] | None = None,
    ) -> list[dict[str, Any]]:
        """The rows nearest to the vector, best first and those of equal score in the order of the file.

        Each has all fields of its row and `score`; a field of that name in the file is called `row_score`. Rows of
        another size have no score. A vector that is none finds nothing.
        """
        wanted = as_vector(qvec)
        group = None if wanted is None else self._groups.get(wanted.size)
        if wanted is None or group is None or k <= 0:
            return []
        found, scores = group.best(wanted, k, min_score, self._members(group, collection))
        return [
            _with_score(self._row(int(group.places[at]), group.vectors[at]), score)
            for at, score in zip(found, scores.tolist(), strict=True)
        ]

    def search_by_text(self, text: str, embedder: EmbeddingClient, k: int = 5) -> list[dict[str, Any]]:
        """The rows nearest to `embedder.embed([text])`. If that fails or gives no vector, nothing is found."""
        try:
            qvec = embedder.embed([text])[0]
        except Exception as error:
            _log.warning("The embedder failed, so nothing was found: %s", type(error).__name__)
            return []
        return self.search_by_vector(qvec, k=k)

    def metrics(self) -> dict[str, Any]:
        """What the index holds: rows, those with vectors, lines skipped, and rows by vector size and by collection."""
        held = Counter(self._collection_of)
        return {
            "rows": self._rows,
            "rows_with_vectors": len(self._texts),
            "skipped": self.skipped,
            "skipped_lines": list(self.skipped_lines),
            "sizes": {size: len(group.places) for size, group in sorted(self._groups.items())},
            "collections": {name: held[code] for name, code in sorted(self._collections.items())},
        }

    def score_distribution(
        self, qvec: Vector, collection: str | Sequence[str] | None = None
    ) -> dict[str, float]:
        """How all rows score for a vector: their number, least, mean and largest, and percentiles."""
        wanted = as_vector(qvec)
        group = None if wanted is None else self._groups.get(wanted.size)
        if wanted is None or group is None:
            return {"rows": 0}
        scores = group.scores(wanted, self._members(group, collection))
        if not scores.size:
            return {"rows": 0}
        middle = dict(zip(("p50", "p90", "p99"), np.percentile(scores, (50, 90, 99)).tolist(), strict=True))
        ends = {"min": float(scores.min()), "mean": float(scores.mean()), "max": float(scores.max())}
        return {"rows": scores.size, **ends, **middle}

    def _keep(self, row: JsonObject) -> None:
        name = row.get("collection")
        known = isinstance(name, str)
        code = self._collections.setdefault(name, len(self._collections)) if known else _NO_COLLECTION
        self._collection_of.append(code)
        row["embedding"] = None
        self._texts.append(json.dumps(row, ensure_ascii=False, separators=(",", ":")))

    def _row(self, place: int, vector: NDArray[np.float64]) -> dict[str, Any]:
        row = json.loads(self._texts[place])
        row["embedding"] = vector.tolist()
        return row

    def _members(
        self, group: _Group, collection: str | Sequence[str] | None
    ) -> NDArray[np.integer[Any]] | None:
        """Where in the group the rows of these collections are; None for all of them."""
        if collection is None:
            return None
        names = {collection} if isinstance(collection, str) else set(collection)
        codes = [code for name, code in self._collections.items() if name in names]
        all_codes = np.frombuffer(self._collection_of, dtype=np.intc)
        return np.flatnonzero(np.isin(all_codes[group.places], codes))


class _Group:
    """The vectors of one size, with the places of their rows."""

    def __init__(self, vectors: NDArray[np.float64], places: NDArray[np.int64]) -> None:
        self.vectors = vectors
        self.places = places
        self._units: NDArray[np.float32] | None = None
        self._building = Lock()

    def best(
        self,
        query: NDArray[np.float64],
        k: int,
        min_score: float | None,
        members: NDArray[np.integer[Any]] | None,
    ) -> tuple[NDArray[np.integer[Any]], NDArray[np.float64]]:
        """The best `k` and their scores. A quick look picks the candidates, which are then scored exactly."""
        candidates = self._candidates(query, k, min_score, members)
        scores = self.scores(query, candidates)
        if min_score is not None:
            enough = scores >= min_score
            candidates, scores = candidates[enough], scores[enough]
        order = np.lexsort((candidates, -scores))[:k]
        return candidates[order], scores[order]

    def scores(
        self, query: NDArray[np.float64], members: NDArray[np.integer[Any]] | None
    ) -> NDArray[np.float64]:
        chosen = np.arange(len(self.places)) if members is None else members
        parts = [
            cosines(self.vectors[chosen[start : start + _BLOCK]], query)
            for start in range(0, len(chosen), _BLOCK)
        ]
        return np.concatenate(parts) if parts else np.empty(0)

    def _candidates(
        self,
        query: NDArray[np.float64],
        k: int,
        min_score: float | None,
        members: NDArray[np.integer[Any]] | None,
    ) -> NDArray[np.integer[Any]]:
        """Everybody whose cosine in single precision leaves it open whether they belong to the best."""
        near = self._normalised() @ _units(query[np.newaxis])[0]
        near = near if members is None else near[members]
        doubt = margin(query.size)
        least = -np.inf if min_score is None else min_score - doubt
        if k < near.size:
            least = max(least, float(np.partition(near, near.size - k)[near.size - k]) - 2 * doubt)
        found = np.flatnonzero(near >= least)
        return found if members is None else members[found]

    def _normalised(self) -> NDArray[np.float32]:
        with self._building:
            if self._units is None:
                units = np.empty(self.vectors.shape, dtype=np.float32)
                for start in range(0, len(units), _BLOCK):
                    units[start : start + _BLOCK] = _units(self.vectors[start : start + _BLOCK])
                self._units = units
            return self._units


def index_file(path: str | os.PathLike[str]) -> Path:
    """The file of an index that is named by the file or by its folder."""
    given = Path(path)
    return given / EMBEDDINGS if given.is_dir() else given


def _units(rows: NDArray[np.float64]) -> NDArray[np.float32]:
    scaled = rows / np.abs(rows).max(axis=1, keepdims=True)
    return (scaled / np.sqrt((scaled * scaled).sum(axis=1, keepdims=True))).astype(np.float32)


def _with_score(row: dict[str, Any], score: float) -> dict[str, Any]:
    if "score" in row:
        row["row_score"] = row.pop("score")
    return {"score": score, **row}
