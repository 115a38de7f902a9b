"""One stack and one retrieval set: index it, ask it, weigh it."""

from __future__ import annotations

import math
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import anyio
import numpy as np

from benchmarks.speed.meters import bytes_on_disk, memory, now
from benchmarks.speed.worker import SILENT
from benchmarks.stacks.stacks import make_stack
from sourcebook import Settings
from sourcebook.assembly import make_embedder
from sourcebook.ports.providers import TextRole
from sourcebook.retrieve.evaluation.question_sets import read_queries, read_records

if TYPE_CHECKING:
    from sourcebook import JudgedQuestion

K = 10
_TEXTS_OF_A_QUESTION = 3


class StackFacts(TypedDict):
    documents: int
    questions: int
    pieces: int
    build_s: float
    build_cpu_s: float
    open_s: float
    p50_ms: float
    p95_ms: float
    ndcg: float
    found: float
    rss_mb: float
    disk_mb: float


def measure(name: str, data: Path, limit: int | None) -> StackFacts:
    """Index the texts of the set, open the base again, and ask the questions: all of them, or a few for a limit."""
    return anyio.run(_measure, name, data, limit)


async def _measure(name: str, data: Path, limit: int | None) -> StackFacts:
    os.environ.update(SILENT)
    embedder = make_embedder(Settings())
    if embedder is None:
        raise ValueError("there is no embedder")
    await embedder.embed(["."], TextRole.PASSAGE)
    records = list(read_records(data))[: None if limit is None else _TEXTS_OF_A_QUESTION * limit]
    questions = read_queries(data)[:limit]
    with tempfile.TemporaryDirectory(prefix="sourcebook-stacks-") as place:
        folder = Path(place)
        stack = make_stack(name, embedder)
        began = now()
        pieces = await stack.build(folder, records)
        built = now() - began
        began = now()
        await stack.open(folder)
        await stack.search(questions[0].text, K)
        opened = now() - began
        answers, walls = list[Sequence[str]](), list[float]()
        for question in questions:
            start = time.perf_counter()
            answers.append(await stack.search(question.text, K))
            walls.append(time.perf_counter() - start)
        weighed = memory()
        await stack.close()
        disk = bytes_on_disk(folder)
    return {
        "documents": len(records),
        "questions": len(questions),
        "pieces": pieces,
        "build_s": round(built.wall, 2),
        "build_cpu_s": round(built.cpu, 2),
        "open_s": round(opened.wall, 3),
        "p50_ms": round(float(np.percentile(walls, 50)) * 1000, 3),
        "p95_ms": round(float(np.percentile(walls, 95)) * 1000, 3),
        **_judged(questions, answers),
        "rss_mb": round(weighed.rss / 1e6, 1),
        "disk_mb": round(disk / 1e6, 1),
    }


class _Judged(TypedDict):
    ndcg: float
    found: float


def _judged(questions: Sequence[JudgedQuestion], answers: Sequence[Sequence[str]]) -> _Judged:
    """nDCG@10 over documents, and the share of questions with a relevant document among the ten."""
    judged = list(zip(questions, answers, strict=True))
    return {
        "ndcg": round(float(np.mean([ndcg(found, asked.judgements) for asked, found in judged])), 4),
        "found": round(
            float(
                np.mean([any(asked.judgements.get(name, 0) > 0 for name in found) for asked, found in judged])
            ),
            4,
        ),
    }


def ndcg(found: Sequence[str], grades: Mapping[str, float]) -> float:
    """The gain of a place falls with the logarithm of its number; 1.0 is the best order there could be."""
    best = sorted(grades.values(), reverse=True)[:K]
    ideal = sum(grade / math.log2(place + 2) for place, grade in enumerate(best))
    gained = sum(grades.get(name, 0) / math.log2(place + 2) for place, name in enumerate(found[:K]))
    return gained / ideal if ideal else 0.0
