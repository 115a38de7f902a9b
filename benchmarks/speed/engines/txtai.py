"""txtai with its defaults: a Faiss index, and texts with their fields in SQLite (`content`). Vectors are handed in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.speed.engine import Condition, Equal, Question, Range, VectorBlock

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ASKED = "?"


class TxtaiVectors:
    """With a condition, txtai chooses among `candidates` nearest entries; of its own accord, among ten times k."""

    def __init__(self, candidates: int | None = None) -> None:
        self._make = import_module("txtai").Embeddings
        self._candidates = candidates
        self._known: dict[str, NDArray[np.float32]] = {}
        self._base: Any = None

    def _empty(self) -> Any:
        def vectors_of(texts: Sequence[str]) -> NDArray[np.float32]:
            return np.stack([self._known[text] for text in texts])

        return self._make({"method": "external", "transform": vectors_of, "content": True})

    async def build(self, folder: Path, blocks: Iterable[VectorBlock]) -> None:
        base = self._empty()
        base.index(self._entries(blocks))
        base.save(str(folder / "base"))
        base.close()
        self._known.clear()

    def _entries(self, blocks: Iterable[VectorBlock]) -> Iterator[tuple[int, dict[str, Any], None]]:
        for block in blocks:
            for place, number in enumerate(block.numbers):
                text = f"entry {number}"
                self._known[text] = block.vectors[place]
                fields = {"tag": block.tags[place], "year": block.years[place], "lang": block.langs[place]}
                yield number, {"text": text, **fields}, None

    async def open(self, folder: Path) -> None:
        # The function cannot be stored with the index, so it is named again.
        self._base = self._empty()
        self._base.load(str(folder / "base"), config={"transform": self._empty().config["transform"]})

    async def search(self, question: Question, k: int) -> list[int]:
        self._known[_ASKED] = question.point
        similar = f"similar(:asked, {self._candidates})" if self._candidates else "similar(:asked)"
        conditions = " and ".join([similar, *map(_condition, question.where)])
        query = f"select id, score, tag, year, lang from txtai where {conditions} limit {k}"  # noqa: S608 - own words
        return [int(found["id"]) for found in self._base.search(query, parameters={"asked": _ASKED})]

    async def close(self) -> None:
        self._base.close()


def _condition(condition: Condition) -> str:
    match condition:
        case Equal(field, value):
            return f"{field} = '{value}'"
        case Range(field, low, high):
            return f"{field} >= {low} and {field} <= {high}"
