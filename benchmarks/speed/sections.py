"""The benchmarks: each makes its task, has it run, and states what was found."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.speed import catalogue
from benchmarks.speed.bars import (
    CODE_BYTES_PER_DIMENSION,
    exactness_bars,
    hybrid_bars,
    vector_bars,
    word_bars,
)
from benchmarks.speed.bm25 import ExactWords
from benchmarks.speed.catalogue import OURS, chosen
from benchmarks.speed.data import (
    FILTERS,
    ExactNeighbours,
    Judged,
    Mixture,
    StoredVectors,
    asked,
    questions_near,
)
from benchmarks.speed.engine import Question
from benchmarks.speed.facts import EngineFacts, SectionFacts, engines_of
from benchmarks.speed.machine import commit
from benchmarks.speed.passages import CHILDREN, Families, Prose, hybrid_questions, sampled, words_of
from benchmarks.speed.run import Plan, Run, Task
from benchmarks.speed.texts import Library, RealPassages, model_vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from benchmarks.speed.engine import EngineSpec
    from benchmarks.speed.facts import BarFacts, Judge

WORD_COUNTS = (2, 6, 12)
HYBRID_CELL = "6 words and a vector"


@dataclass(frozen=True, slots=True)
class Bench:
    """What every benchmark is told: how to ask, which families of engines, and where there is room."""

    plan: Plan
    cache: Path
    tell: Callable[[str], None]
    families: Sequence[str] = ()
    left_out: Sequence[str] = ()

    @property
    def asked(self) -> int:
        return self.plan.warm_up + self.plan.queries + self.plan.untimed

    def room(self) -> tempfile.TemporaryDirectory[str]:
        return tempfile.TemporaryDirectory(prefix="speed-", dir=self.cache)

    def measure(
        self, folder: Path, specs: Sequence[EngineSpec], task: Task, judge: Judge, second: str | None = None
    ) -> dict[str, EngineFacts]:
        run = Run(self.plan, folder, self.tell, second)
        wanted = [spec for spec in chosen(specs, self.families) if spec.name not in self.left_out]
        return engines_of(run.measure(wanted, task), judge)


def clustered(bench: Bench, size: int) -> SectionFacts:
    """Vectors in clusters: every engine, every filter."""
    start, mixture = time.monotonic(), Mixture()
    with bench.room() as room:
        stored = StoredVectors.write_mixture(Path(room), mixture, size)
        points = questions_near(stored, mixture, bench.asked)
        engines = _searched(bench, stored, points, catalogue.VECTORS)
    title = f"{size:,} vectors × {mixture.dimensions} in clusters"
    return _section(
        bench, start, title, size, engines, vector_bars(engines, size, f"{size:,} vectors in clusters")
    )


def of_model(bench: Bench, size: int, source: Library) -> SectionFacts:
    """What the default model makes of real texts, with every filter."""
    start = time.monotonic()
    found = model_vectors(source, size, bench.asked, bench.cache, bench.tell)
    with bench.room() as room:
        stored = StoredVectors.write(Path(room), found.vectors)
        engines = _searched(bench, stored, found.points, catalogue.VECTORS)
    title = (
        f"{size:,} vectors × {found.vectors.shape[1]} of the default model, from real texts ({source.name})"
    )
    bars = vector_bars(engines, size, f"{size:,} vectors of the default model", aims=True)
    return _section(bench, start, title, size, engines, bars)


def million(bench: Bench, size: int) -> SectionFacts:
    """Many vectors in this engine alone: load, open, ask, and what a second process costs."""
    start, mixture = time.monotonic(), Mixture()
    with bench.room() as room:
        stored = StoredVectors.write_mixture(Path(room), mixture, size)
        points = questions_near(stored, mixture, bench.asked)
        engines = _searched(bench, stored, points, catalogue.MILLION, second=OURS)
    title = f"{size:,} vectors × {mixture.dimensions}, sourcebook alone"
    ours = engines.get(OURS)
    bars = exactness_bars(ours["cells"], f"{size:,} vectors") if ours and not ours["error"] else []
    return _section(bench, start, title, size, engines, bars)


def words(bench: Bench, documents: Prose | RealPassages) -> SectionFacts:
    """Passages found by words: short and long questions, with and without frequent words."""
    start = time.monotonic()
    cells = _word_questions(documents, bench.asked)
    texts = {name: [question.text for question in questions] for name, questions in cells.items()}
    exact = ExactWords(documents, [text for own in texts.values() for text in own], bench.plan.k)

    def judge(cell: str, number: int, answer: Sequence[int]) -> Judged:
        return exact.judge(texts[cell][bench.plan.warm_up + number], answer)

    with bench.room() as room:
        engines = bench.measure(Path(room), catalogue.WORDS, Task(documents, cells), judge)
    kind = "synthetic" if isinstance(documents, Prose) else "real"
    notes = [
        "The overlap is with an exact BM25 of sourcebook's own formula (passage plus document, stems, stop words): a "
        "check of sourcebook, not a verdict on the others, whose formulas differ."
    ]
    title = f"Words: {documents.passages:,} {kind} passages"
    bars = word_bars(engines, documents.passages)
    return _section(bench, start, title, documents.passages, engines, bars, notes, "overlap@10")


def hybrid(bench: Bench, passages: int) -> SectionFacts:
    """Words and vectors together, without the time for embedding the question."""
    start = time.monotonic()
    families = Families(Prose(passages), Mixture())
    questions, sources = hybrid_questions(families, bench.asked)

    def judge(cell: str, number: int, answer: Sequence[int]) -> Judged:
        right = sources[bench.plan.warm_up + number] in answer
        return Judged(int(right), 1, outside=0, short=len(answer) < bench.plan.k)

    with bench.room() as room:
        task = Task(families, {HYBRID_CELL: questions})
        engines = bench.measure(Path(room), catalogue.HYBRID, task, judge, second=OURS)
    vectors = passages * (1 + CHILDREN)
    codes = vectors * families.mixture.dimensions * CODE_BYTES_PER_DIMENSION
    notes = [
        "Found@10 is the share of questions whose own passage is among the answers. LanceDB holds the same vectors and "
        "texts in one table and returns rows, several of which may belong to one passage: an answer with fewer than k "
        "passages is short. In the configuration with 7 rows it is asked for seven times k."
    ]
    title = f"Hybrid: {passages:,} passages, {vectors:,} vectors"
    bars = hybrid_bars(engines, [HYBRID_CELL], passages, codes)
    return _section(bench, start, title, passages, engines, bars, notes, "found@10")


def _searched(
    bench: Bench,
    stored: StoredVectors,
    points: NDArray[np.float32],
    specs: Sequence[EngineSpec],
    second: str | None = None,
) -> dict[str, EngineFacts]:
    exact = ExactNeighbours(stored, points, FILTERS, bench.plan.k)
    cells = {name: asked(points, where) for name, where in FILTERS.items()}

    def judge(cell: str, number: int, answer: Sequence[int]) -> Judged:
        return exact.judge(cell, bench.plan.warm_up + number, answer)

    return bench.measure(stored.folder, specs, Task(stored, cells), judge, second)


def _word_questions(documents: Prose | RealPassages, count: int) -> dict[str, list[Question]]:
    cells: dict[str, list[Question]] = {}
    for number, length in enumerate(WORD_COUNTS):
        for kind, avoided in (("rarer", documents.frequent), ("any", frozenset[str]())):
            chance = np.random.default_rng([31, number, len(avoided)])
            passages = sampled(documents, count, 3 * length, seed=37 + number)
            texts = [words_of(passage, length, avoided, chance) for passage in passages]
            cells[f"{length} words, {kind}"] = [Question(text=text) for text in texts]
    return cells


def _section(
    bench: Bench,
    start: float,
    title: str,
    size: int,
    engines: dict[str, EngineFacts],
    bars: list[BarFacts],
    notes: Sequence[str] = (),
    measure: str = "recall@10",
) -> SectionFacts:
    return {
        "title": title,
        "size": size,
        "k": bench.plan.k,
        "taken_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": commit(),
        "seconds": round(time.monotonic() - start, 1),
        "notes": list(notes),
        "measure": measure,
        "engines": engines,
        "bars": bars,
    }
