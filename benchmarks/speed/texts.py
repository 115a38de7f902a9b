"""Real texts: those of a folder of collections, or of the sample; and what the default model makes of them."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.data import RETRIEVAL
from benchmarks.speed.engine import DocumentBlock, Passage
from sourcebook.ports.providers import TextRole
from sourcebook.providers.universal_sentence_encoder import UniversalSentenceEncoder
from sourcebook.text.analysis import words
from sourcebook.text.languages import detect_language
from sourcebook.text.sentences import sentence_spans

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "sample" / "documents"
SHORTEST, LONGEST = 20, 250
DOCUMENTS_AT_ONCE = 50
_STEP = 2_000


@dataclass(frozen=True)
class Library:
    """Folders with a `corpus.jsonl.gz` of titles and texts and, if there is one, a `queries.jsonl`."""

    folder: Path | None

    @property
    def name(self) -> str:
        return self.folder.name if self.folder else "sample"

    @cached_property
    def texts(self) -> list[tuple[str, str]]:
        """Titles and texts, each text once, in the order of the folder."""
        if self.folder is None:
            return [
                (p.stem, p.read_text("utf-8"))
                for p in sorted(SAMPLE.rglob("*.*"))
                if p.suffix in {".md", ".txt"}
            ]
        titles: dict[str, str] = {}
        for path in sorted(self.folder.glob("*/corpus.jsonl.gz")):
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                for record in map(json.loads, lines):
                    titles.setdefault(str(record["text"]), str(record.get("title") or ""))
        return [(title, text) for text, title in titles.items() if text.strip()]

    @cached_property
    def sentences(self) -> list[str]:
        cut = (text[a:b] for _, text in self.texts for a, b in sentence_spans(text))
        return list(dict.fromkeys(s for s in cut if SHORTEST <= len(s) <= LONGEST))

    @cached_property
    def questions(self) -> list[str]:
        paths = sorted(self.folder.glob("*/queries.jsonl")) if self.folder else []
        lines = (line for path in paths for line in path.read_text("utf-8").splitlines())
        return list(dict.fromkeys(str(json.loads(line)["text"]) for line in lines if line.strip()))


def library(given: Path | None) -> Library:
    """The folder that was given; else the usual one, if it is there; else the sample."""
    if given is not None:
        if not any(given.glob("*/corpus.jsonl.gz")):
            raise FileNotFoundError(f"{given} holds no */corpus.jsonl.gz")
        return Library(given)
    return Library(RETRIEVAL if any(RETRIEVAL.glob("*/corpus.jsonl.gz")) else None)


def chosen_sentences(source: Library, count: int, seed: int = 23) -> list[str]:
    """So many different sentences. When there are too few, more are made of the halves of two."""
    chance = np.random.default_rng(seed)
    found = source.sentences
    if len(found) >= count:
        return [found[int(i)] for i in chance.permutation(len(found))[:count]]
    made = dict.fromkeys(found)
    while len(made) < count:
        first, second = (found[int(i)].split() for i in chance.integers(0, len(found), 2))
        made[" ".join([*first[: -(-len(first) // 2)], *second[len(second) // 2 :], str(len(made))])] = None
    return list(made)


@dataclass(frozen=True, slots=True)
class ModelVectors:
    """What the default model makes of sentences, and of questions that are not among them."""

    vectors: NDArray[np.float32]
    points: NDArray[np.float32]


def model_vectors(
    source: Library, count: int, asked: int, cache: Path, tell: Callable[[str], None]
) -> ModelVectors:
    questions = source.questions
    sentences = chosen_sentences(source, count + max(0, asked - len(questions)))
    chance = np.random.default_rng(29)
    own = [questions[int(i)] for i in chance.permutation(len(questions))[:asked]]
    # In two files: another number of questions needs no other sentences.
    points = _embedded([*own, *sentences[count:]], cache, tell)
    return ModelVectors(_embedded(sentences[:count], cache, tell), points)


def _embedded(texts: Sequence[str], cache: Path, tell: Callable[[str], None]) -> NDArray[np.float32]:
    encoder = UniversalSentenceEncoder()
    key = hashlib.sha256("\n".join([repr(encoder.model), *texts]).encode()).hexdigest()[:16]
    path = cache / f"model-{len(texts)}-{key}.npy"
    if not path.exists():
        parts: list[NDArray[np.float32]] = []
        for start in range(0, len(texts), _STEP):
            parts.append(asyncio.run(encoder.embed(texts[start : start + _STEP], TextRole.PASSAGE)))
            tell(f"embedded {min(start + _STEP, len(texts)):,} of {len(texts):,} texts")
        np.save(path, np.concatenate(parts))
    return np.load(path)


@dataclass(frozen=True)
class RealPassages:
    """The texts of a library as documents of one passage."""

    source: Library
    passages: int

    @property
    def groups(self) -> int:
        return -(-len(self._texts) // DOCUMENTS_AT_ONCE)

    @cached_property
    def frequent(self) -> frozenset[str]:
        """The words that stand in most texts, a few for each language."""
        counts: dict[str, int] = {}
        for _, text in self._texts:
            for word in set(words(text)):
                counts[word] = counts.get(word, 0) + 1
        return frozenset(sorted(counts, key=lambda word: (-counts[word], word))[:150])

    @cached_property
    def _texts(self) -> list[tuple[str, str]]:
        return self.source.texts[: self.passages]

    def group(self, number: int) -> list[DocumentBlock]:
        here = range(number * DOCUMENTS_AT_ONCE, min((number + 1) * DOCUMENTS_AT_ONCE, len(self._texts)))
        return [self._document(place, *self._texts[place]) for place in here]

    def __iter__(self) -> Iterator[DocumentBlock]:
        for number in range(self.groups):
            yield from self.group(number)

    def _document(self, number: int, title: str, text: str) -> DocumentBlock:
        return DocumentBlock(number, title, detect_language(text), [Passage(number, text)])
