"""Seeded vectors that lie in clusters, with metadata to filter by, and the exact answers to compare with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.speed.engine import Condition, Equal, Question, Range, VectorBlock, Where

if TYPE_CHECKING:
    from numpy.typing import NDArray

DIMENSIONS = 384
BLOCK = 5_000
CLUSTERS = 2_000
TOPICS = 60
QUESTION_DISTANCE = 0.35
SAME_SCORE = 1e-6
"""Two exact scores that differ by less are equal: real texts repeat themselves."""

TAGS = {"half": 0.5, "ten": 0.1, "one": 0.01, "rare": 0.001}
FILTERS: Mapping[str, Where] = {
    "no filter": (),
    "50 %": (Equal("tag", "half"),),
    "10 %": (Equal("tag", "ten"),),
    "1 %": (Equal("tag", "one"),),
    "0.1 %": (Equal("tag", "rare"),),
    "lang and years": (Equal("lang", "ru"), Range("year", 2000, 2012)),
}


def unit(vectors: NDArray[np.floating]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return (vectors / lengths).astype(np.float32)


@dataclass(frozen=True)
class Mixture:
    """Clusters of power-law sizes and unlike density around topics, stretched and off centre as embeddings are."""

    dimensions: int = DIMENSIONS
    seed: int = 7

    @cached_property
    def _spectrum(self) -> NDArray[np.float32]:
        falling = np.arange(1, self.dimensions + 1) ** -0.45
        return (falling / np.linalg.norm(falling)).astype(np.float32)

    @cached_property
    def _rotation(self) -> NDArray[np.float32]:
        square = np.random.default_rng([self.seed, 1]).standard_normal((self.dimensions, self.dimensions))
        return np.linalg.qr(square)[0].astype(np.float32)

    @cached_property
    def _centres(self) -> NDArray[np.float32]:
        chance = np.random.default_rng([self.seed, 2])
        topics = self._cloud(TOPICS, chance)
        around = topics[chance.integers(0, TOPICS, CLUSTERS)]
        return (0.9 * around + 0.8 * self._cloud(CLUSTERS, chance)).astype(np.float32)

    @cached_property
    def _shares(self) -> NDArray[np.float64]:
        sizes = np.arange(1, CLUSTERS + 1) ** -0.8
        return sizes / sizes.sum()

    @cached_property
    def _widths(self) -> NDArray[np.float32]:
        return np.random.default_rng([self.seed, 3]).uniform(0.3, 0.6, CLUSTERS).astype(np.float32)

    def draw(self, count: int, chance: np.random.Generator) -> NDArray[np.float32]:
        cluster = chance.choice(CLUSTERS, count, p=self._shares)
        inside = self._centres[cluster] + self._widths[cluster, None] * self._cloud(count, chance)
        return unit(inside @ self._rotation.T + np.float32(0.35) * self._rotation[:, 0])

    def near(
        self, points: NDArray[np.float32], chance: np.random.Generator, distance: float = QUESTION_DISTANCE
    ) -> NDArray[np.float32]:
        """Points a little away from these, in the directions in which the data vary."""
        step = self._cloud(len(points), chance) @ self._rotation.T
        return unit(points + np.float32(distance) * step)

    def _cloud(self, count: int, chance: np.random.Generator) -> NDArray[np.float32]:
        return chance.standard_normal((count, self.dimensions), dtype=np.float32) * self._spectrum


@dataclass(frozen=True, slots=True)
class Columns:
    """The metadata of a set of vectors."""

    tags: NDArray[np.str_]
    years: NDArray[np.int64]
    langs: NDArray[np.str_]

    @classmethod
    def draw(cls, count: int, seed: int = 11) -> Columns:
        """Tags in exact shares, in random places; years and languages by chance."""
        chance = np.random.default_rng(seed)
        tags = np.full(count, "other", dtype="U5")
        places = chance.permutation(count)
        start = 0
        for tag, share in TAGS.items():
            end = start + max(1, round(count * share))
            tags[places[start:end]] = tag
            start = end
        years = chance.integers(1990, 2030, count)
        langs = chance.choice(np.array(["en", "ru", "pt"]), count, p=[0.6, 0.3, 0.1])
        return cls(tags, years, langs)

    def matching(self, where: Where) -> NDArray[np.bool_]:
        mask = np.ones(len(self.tags), dtype=np.bool_)
        for condition in where:
            mask &= self._holds(condition)
        return mask

    def _holds(self, condition: Condition) -> NDArray[np.bool_]:
        match condition:
            case Equal(field, value):
                return {"tag": self.tags, "lang": self.langs}[field] == value
            case Range(field, low, high):
                column = {"year": self.years}[field]
                return (column >= low) & (column <= high)


@dataclass(frozen=True)
class StoredVectors:
    """Vectors in a folder, read block by block by whoever builds from them."""

    folder: Path

    @classmethod
    def write_mixture(cls, folder: Path, mixture: Mixture, count: int) -> StoredVectors:
        stored = np.lib.format.open_memmap(
            folder / "vectors.npy", "w+", np.float32, (count, mixture.dimensions)
        )
        step = 50_000
        for start in range(0, count, step):
            chance = np.random.default_rng([mixture.seed, 4, start])
            stored[start : start + step] = mixture.draw(min(step, count - start), chance)
        stored.flush()
        return cls._with_columns(folder, count)

    @classmethod
    def write(cls, folder: Path, vectors: NDArray[np.float32]) -> StoredVectors:
        np.save(folder / "vectors.npy", vectors)
        return cls._with_columns(folder, len(vectors))

    @classmethod
    def _with_columns(cls, folder: Path, count: int) -> StoredVectors:
        columns = Columns.draw(count)
        np.savez(folder / "columns.npz", tags=columns.tags, years=columns.years, langs=columns.langs)
        return cls(folder)

    @property
    def vectors(self) -> NDArray[np.float32]:
        return np.load(self.folder / "vectors.npy", mmap_mode="r")

    @property
    def columns(self) -> Columns:
        with np.load(self.folder / "columns.npz") as stored:
            return Columns(stored["tags"], stored["years"], stored["langs"])

    def __iter__(self) -> Iterator[VectorBlock]:
        vectors, columns = self.vectors, self.columns
        for start in range(0, len(vectors), BLOCK):
            here = slice(start, start + BLOCK)
            yield VectorBlock(
                first=start,
                vectors=np.array(vectors[here]),
                tags=columns.tags[here].tolist(),
                years=columns.years[here].tolist(),
                langs=columns.langs[here].tolist(),
            )


def questions_near(
    stored: StoredVectors, mixture: Mixture, count: int, seed: int = 13
) -> NDArray[np.float32]:
    """Points near stored ones, and equal to none."""
    chance = np.random.default_rng(seed)
    chosen = np.sort(chance.choice(len(stored.vectors), count, replace=count > len(stored.vectors)))
    points = mixture.near(np.array(stored.vectors[chosen]), chance)
    return points[chance.permutation(count)]


def asked(points: NDArray[np.float32], where: Where) -> list[Question]:
    return [Question(vector=point, where=where) for point in points]


@dataclass(frozen=True, slots=True)
class Judged:
    """An answer beside the exact one: how many were right, how many there should be, how many break the filter."""

    right: int
    expected: int
    outside: int
    short: bool

    @property
    def recall(self) -> float:
        return self.right / self.expected if self.expected else 1.0


class ExactNeighbours:
    """The best scores by brute force, with the same filters. An answer is right when its score is one of them."""

    def __init__(
        self, stored: StoredVectors, points: NDArray[np.float32], filters: Mapping[str, Where], k: int
    ) -> None:
        self._vectors = stored.vectors
        self._points = points
        columns = stored.columns
        self._masks = {name: columns.matching(where) for name, where in filters.items()}
        self._expected = {name: min(k, int(mask.sum())) for name, mask in self._masks.items()}
        self._worst = self._worst_scores(k)

    def judge(self, name: str, number: int, answer: Sequence[int]) -> Judged:
        """The answer to question `number` under the filter `name`."""
        distinct = np.array(sorted(set(answer)), dtype=np.int64)
        inside = distinct[self._masks[name][distinct]] if len(distinct) else distinct
        scores = np.array(self._vectors[inside]) @ self._points[number]
        right = int((scores >= self._worst[name][number] - SAME_SCORE).sum())
        expected = self._expected[name]
        return Judged(
            right=min(right, expected),
            expected=expected,
            outside=len(distinct) - len(inside),
            short=len(inside) < expected,
        )

    def _worst_scores(self, k: int) -> dict[str, NDArray[np.float32]]:
        """For each filter and question, the k-th best score."""
        best = {name: np.full((len(self._points), k), -np.inf, np.float32) for name in self._masks}
        step = 50_000
        for start in range(0, len(self._vectors), step):
            scores = self._points @ np.array(self._vectors[start : start + step]).T
            for name, mask in self._masks.items():
                inside = scores[:, mask[start : start + step]]
                joined = np.concatenate([best[name], inside], axis=1)
                best[name] = np.partition(joined, joined.shape[1] - k, axis=1)[:, -k:]
        # With fewer than k matches the rest is -inf, and every match is right.
        return {name: scores.min(axis=1) for name, scores in best.items()}
