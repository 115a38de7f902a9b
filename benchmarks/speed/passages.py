"""Seeded documents of synthetic prose whose words are as unequal as those of a language, and questions about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from benchmarks.speed.data import Mixture, unit
from benchmarks.speed.engine import DocumentBlock, Passage, Question

if TYPE_CHECKING:
    from numpy.typing import NDArray

VOCABULARY = 60_000
FREQUENT = 50
TOPICS = 3_000
TOPIC_WORDS = 60
TOPIC_SHARE = 0.15
DOCUMENTS_AT_ONCE = 25
CHILDREN = 6

_ONSETS = [*"bcdfghklmnprstvw", "st", "tr", "pl", "gr", "ch", "sh", "th", "br"]
_VOWELS = [*"aeiou", "ai", "ea", "ou", "io"]
_ENDS = ["", "", "n", "r", "s", "t", "l", "m", "nd", "st", "ng", "ck"]


class Documents(Protocol):
    """Documents that come in groups, any of which can be had without the others."""

    @property
    def groups(self) -> int: ...

    def group(self, number: int) -> Sequence[DocumentBlock]: ...


def vocabulary(size: int, seed: int) -> NDArray[np.object_]:
    """Different words, the frequent ones short."""
    chance = np.random.default_rng([seed, 1])
    found: dict[str, None] = {}
    while len(found) < size:
        syllables = 1 if len(found) < 60 else 2 if len(found) < 3_000 else int(chance.integers(2, 5))
        parts = (
            _ONSETS[chance.integers(len(_ONSETS))]
            + _VOWELS[chance.integers(len(_VOWELS))]
            + _ENDS[chance.integers(len(_ENDS))]
            for _ in range(syllables)
        )
        found["".join(parts)] = None
    return np.array(list(found), dtype=object)


@dataclass(frozen=True)
class Prose:
    """Documents of twenty passages of 60–180 words, each document with words of its topic among the common ones."""

    passages: int
    per_document: int = 20
    seed: int = 3

    @property
    def groups(self) -> int:
        return -(-self.passages // (self.per_document * DOCUMENTS_AT_ONCE))

    @cached_property
    def frequent(self) -> frozenset[str]:
        return frozenset(self._words[:FREQUENT].tolist())

    @cached_property
    def _words(self) -> NDArray[np.object_]:
        return vocabulary(VOCABULARY, self.seed)

    @cached_property
    def _cumulated(self) -> NDArray[np.float64]:
        shares = 1 / (np.arange(VOCABULARY) + 2.7) ** 1.05
        return np.cumsum(shares / shares.sum())

    @cached_property
    def _topics(self) -> NDArray[np.int64]:
        return np.random.default_rng([self.seed, 2]).integers(300, VOCABULARY, (TOPICS, TOPIC_WORDS))

    def group(self, number: int) -> list[DocumentBlock]:
        chance = np.random.default_rng([self.seed, 3, number])
        first = number * DOCUMENTS_AT_ONCE * self.per_document
        count = min(DOCUMENTS_AT_ONCE * self.per_document, self.passages - first)
        texts = self._texts(count, chance)
        return [
            self._document(
                (first + start) // self.per_document, first + start, texts[start:][: self.per_document]
            )
            for start in range(0, count, self.per_document)
        ]

    def __iter__(self) -> Iterator[DocumentBlock]:
        for number in range(self.groups):
            yield from self.group(number)

    def _texts(self, count: int, chance: np.random.Generator) -> list[str]:
        lengths = chance.integers(60, 180, count)
        total = int(lengths.sum())
        chosen = np.searchsorted(self._cumulated, chance.random(total)).clip(0, VOCABULARY - 1)
        topics = np.repeat(chance.integers(0, TOPICS, -(-count // self.per_document)), self.per_document)[
            :count
        ]
        topical = np.flatnonzero(chance.random(total) < TOPIC_SHARE)
        which = (chance.random(len(topical)) ** 2 * TOPIC_WORDS).astype(np.int64)
        chosen[topical] = self._topics[np.repeat(topics, lengths)[topical], which]
        pieces = np.split(self._words[chosen], np.cumsum(lengths)[:-1])
        return [" ".join(piece.tolist()) for piece in pieces]

    def _document(self, number: int, first: int, texts: Sequence[str]) -> DocumentBlock:
        title = " ".join(texts[0].split()[:5])
        passages = [Passage(first + offset, text) for offset, text in enumerate(texts)]
        return DocumentBlock(number, title, "en", passages)


@dataclass(frozen=True)
class Families:
    """The same prose, each passage with six children: vectors near each other, the passage's the mean of theirs."""

    prose: Prose
    mixture: Mixture

    @property
    def groups(self) -> int:
        return self.prose.groups

    def group(self, number: int) -> list[DocumentBlock]:
        chance = np.random.default_rng([self.mixture.seed, 5, number])
        return [self._with_vectors(document, chance) for document in self.prose.group(number)]

    def __iter__(self) -> Iterator[DocumentBlock]:
        for number in range(self.groups):
            yield from self.group(number)

    def _with_vectors(self, document: DocumentBlock, chance: np.random.Generator) -> DocumentBlock:
        centres = self.mixture.draw(len(document.passages), chance)
        children = self.mixture.near(np.repeat(centres, CHILDREN, axis=0), chance, distance=0.4)
        children = children.reshape(len(centres), CHILDREN, -1)
        own = self.mixture.near(unit(children.mean(axis=1)), chance, distance=0.1)
        passages = [
            replace(passage, vector=own[place], children=children[place])
            for place, passage in enumerate(document.passages)
        ]
        return replace(document, passages=passages)


def sampled(documents: Documents, count: int, least_words: int, seed: int) -> list[Passage]:
    """Passages from all over the documents, with enough different words to ask for."""
    chance = np.random.default_rng(seed)
    groups = chance.choice(documents.groups, min(count, documents.groups), replace=False)
    known = [[p for block in documents.group(int(g)) for p in block.passages] for g in groups]
    found: list[Passage] = []
    while len(found) < count:
        group = known[int(chance.integers(len(known)))]
        passage = group[int(chance.integers(len(group)))]
        if len(set(passage.text.split())) >= least_words:
            found.append(passage)
    return found


def words_of(passage: Passage, count: int, avoided: frozenset[str], chance: np.random.Generator) -> str:
    """Some different words of a passage, in any order; with fewer than asked for if it has no more."""
    distinct = list(
        dict.fromkeys(w for w in passage.text.casefold().split() if w.isalpha() and w not in avoided)
    )
    chosen = chance.choice(len(distinct), min(count, len(distinct)), replace=False)
    return " ".join(distinct[int(place)] for place in chosen)


def hybrid_questions(families: Families, count: int, words: int = 6) -> tuple[list[Question], list[int]]:
    """Questions in words and near the vector of a passage, and the numbers of those passages."""
    chance = np.random.default_rng(17)
    passages = sampled(families, count, 2 * words, seed=19)
    points = families.mixture.near(np.stack([p.vector for p in passages if p.vector is not None]), chance)
    texts = [words_of(passage, words, frozenset(), chance) for passage in passages]
    asked = [Question(text=text, vector=point) for text, point in zip(texts, points, strict=True)]
    return asked, [passage.number for passage in passages]
