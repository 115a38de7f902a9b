"""Bases and questions to learn from: sets whose answering documents were taken out, reading sets, very small bases."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.declining.cases import of_retrieval_set
from sourcebook.retrieve.evaluation.question_sets import QuestionRecord, read_queries, read_records

if TYPE_CHECKING:
    from benchmarks.declining.cases import CaseSet

LEARNT_FROM = (
    "xquad-en",
    "xquad-ru",
    "xquad-es",
    "faquad-pt",
    "squad-pt-sample",
    "rurag-para-dev",
    "scifact-train",
    "hotpotqa-hippo100",
)
READING = "squad2-es"
"""A set with questions of its own that look answerable and are not."""
ACROSS = "xquad-ru2en"
"""Questions in another language than the texts."""
ACROSS_SMALL = {"across-2": 2, "across-5": 5, "across-20": 20, "across-60": 60}
"""Bases of so few documents, made from it."""
SMALL_FROM = ("xquad-en", "xquad-ru", "faquad-pt")
_SEED = 20


@dataclass(frozen=True, slots=True)
class AskedOf:
    """A question, whether the base holds its answer, and the documents that do."""

    text: str
    is_answerable: bool
    gold: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class JudgeCases:
    """One base and what is asked of it."""

    records: Sequence[QuestionRecord]
    questions: Sequence[AskedOf]


def of_set(folder: Path, questions: int, documents: int) -> JudgeCases:
    """Half of the documents that answer something are taken out, as in the benchmark of declining."""
    cases: CaseSet = of_retrieval_set(folder, questions, documents)
    gold = {q.text: [d for d, grade in q.judgements.items() if grade > 0] for q in read_queries(folder)}
    asked = [AskedOf(case.question, case.is_answerable, gold[case.question]) for case in cases.cases]
    return JudgeCases(cases.records, asked)


def of_reading(path: Path, questions: int, documents: int) -> JudgeCases:
    """Questions that were written to look answerable beside those that are."""
    chance = random.Random(_SEED)  # noqa: S311 - a benchmark wants the same questions every time
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows: list[dict[str, Any]] = [json.loads(line) for line in lines]
    chance.shuffle(rows)
    sides = [[row for row in rows if row["answerable"] is side][: questions // 2] for side in (True, False)]
    chosen = [row for side in sides for row in side]
    titles = {row["context"]: row["title"] for row in (*chosen, *rows)}
    texts = list(dict.fromkeys(row["context"] for row in (*chosen, *rows)))[:documents]
    ids = {text: f"p{place}" for place, text in enumerate(texts)}
    records = [QuestionRecord(ids[text], titles[text].replace("_", " "), text) for text in texts]
    return JudgeCases(
        records, [AskedOf(row["question"], row["answerable"], [ids[row["context"]]]) for row in chosen]
    )


def small(folder: Path, documents: int, bases: int, each: int) -> Iterator[JudgeCases]:
    """Bases of so few documents, with `each` questions that they answer and as many about other documents."""
    chance = random.Random(_SEED)  # noqa: S311 - a benchmark wants the same questions every time
    records = {record.id: record for record in read_records(folder)}
    judged = [(q.text, [d for d, grade in q.judgements.items() if grade > 0]) for q in read_queries(folder)]
    judged = [(text, gold) for text, gold in judged if len(gold) == 1]
    for _ in range(bases):
        held = set(chance.sample(sorted({gold[0] for _, gold in judged}), documents))
        sides = [[pair for pair in judged if (pair[1][0] in held) is side] for side in (True, False)]
        yield JudgeCases(
            [records[name] for name in sorted(held)],
            [
                AskedOf(text, side is sides[0], gold)
                for side in sides
                for text, gold in chance.sample(side, min(each, len(side)))
            ],
        )
