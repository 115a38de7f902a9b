"""Questions that a base can answer, and questions whose documents were taken out of it."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sourcebook.retrieve.evaluation.question_sets import QuestionRecord, read_queries, read_records

CHOSEN_ON = ("squad-pt-sample", "xquad-es", "scifact-train", "rurag-para-dev")
"""The sets on which the point was chosen."""
MEASURED_ON = ("xquad-en", "xquad-ru", "faquad-pt")
REGISTER = "docx-ru"
"""A long document with questions that it answers, and questions that it does not."""
_SEED = 20


@dataclass(frozen=True, slots=True)
class Case:
    """A question, whether the base holds what answers it, and the words of the answer if they are known."""

    question: str
    is_answerable: bool
    answers: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class CaseSet:
    """Texts, or one file, and questions about them."""

    name: str
    records: Sequence[QuestionRecord]
    cases: Sequence[Case]
    file: Path | None = None


def of_retrieval_set(folder: Path, questions: int, documents: int) -> CaseSet:
    """Half of the documents that answer something are taken out; questions that lost all of theirs have no answer.

    A question that lost only some is not asked. Of a large set, documents that answer nothing are left out at random.
    """
    chance = random.Random(_SEED)  # noqa: S311 - a benchmark wants the same questions every time
    judged = [(q, {d for d, grade in q.judgements.items() if grade > 0}) for q in read_queries(folder)]
    gold = sorted({document for _, documents in judged for document in documents})
    removed = set(chance.sample(gold, len(gold) // 2))
    cases = [
        Case(question.text, not wanted & removed, tuple(question.answers))
        for question, wanted in judged
        if wanted and (wanted <= removed or not wanted & removed)
    ]
    chance.shuffle(cases)
    halves = [[case for case in cases if case.is_answerable is side] for side in (True, False)]
    return CaseSet(
        folder.name,
        _kept(list(read_records(folder)), removed, set(gold), documents, chance),
        [case for half in halves for case in half[: questions // 2]],
    )


def _kept(
    records: Sequence[QuestionRecord], removed: set[str], gold: set[str], most: int, chance: random.Random
) -> list[QuestionRecord]:
    needed = [record for record in records if record.id in gold - removed]
    others = [record for record in records if record.id not in gold]
    room = max(0, most - len(needed))
    return needed + (others if len(others) <= room else chance.sample(others, room))


def of_register(folder: Path) -> CaseSet:
    """Ten questions that the register answers and ten that it does not, as its authors wrote them."""
    answered = _read(folder / "transneft_benchmark.json")["questions"]
    unanswered = _read(folder / "transneft_negative_samples.json")
    cases = [Case(row["question"], is_answerable=True) for row in answered]
    cases += [Case(row["question"], is_answerable=False) for row in unanswered]
    return CaseSet(REGISTER, (), cases, folder / "PAO_Transneft_reestr.docx")


def _read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))
