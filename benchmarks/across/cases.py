"""Bases and what is asked of them: pages of an office with questions in other languages, and a public set."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.judge.cases import AskedOf, of_set
from sourcebook.retrieve.evaluation.question_sets import QuestionRecord, read_queries, read_records

TEXTS = Path(__file__).with_name("texts")
SIZES = (2, 5, 20)
_SEED = 20
_TAUGHT = 600
"""So many questions of the public set taught the weights; the others are asked here."""


@dataclass(frozen=True, slots=True)
class AcrossCase:
    """A base, the questions that it answers, and those that it does not."""

    records: Sequence[QuestionRecord]
    questions: Sequence[AskedOf]


def _lines(name: str) -> list[Mapping[str, Any]]:
    return [json.loads(line) for line in (TEXTS / name).read_text("utf-8").splitlines()]


def small_bases(size: int) -> Iterator[AcrossCase]:
    """The pages in bases of this size. Each is also asked what no page answers, and about other pages."""
    pages = [QuestionRecord(page["id"], page["title"], page["text"]) for page in _lines("pages.jsonl")]
    questions = _lines("questions.jsonl")
    nowhere = [AskedOf(q["question"], False) for q in questions if q["page"] is None]
    about = [(q["question"], q["page"]) for q in questions if q["page"] is not None]
    for start in range(0, len(pages), size):
        held = pages[start : start + size]
        names = {page.id for page in held}
        own = [AskedOf(text, True, [page]) for text, page in about if page in names]
        others = [AskedOf(text, False) for text, page in about if page not in names]
        # As many strangers as own questions: those about the pages that come next.
        yield AcrossCase(held, [*own, *nowhere, *others[start : start + len(own)]])


def public_set(folder: Path, questions: int, documents: int) -> AcrossCase:
    """The questions of `xquad-ru2en` that taught nothing, half of which lost the document that answers them."""
    taught = {asked.text for asked in of_set(folder, _TAUGHT, documents).questions}
    cases = of_set(folder, questions, documents)
    return AcrossCase(cases.records, [asked for asked in cases.questions if asked.text not in taught])


def mixed_base(data: Path, questions: int) -> AcrossCase:
    """Texts in English and in Russian, asked in Russian: about the English ones, and about texts that are in neither.

    The public sets hold the same texts in both languages; a third is here in English, a third in Russian, a third not.
    """
    english = sorted(read_records(data / "xquad-ru2en"), key=lambda record: record.id)
    russian = {record.id: record for record in read_records(data / "xquad-ru")}
    chance = random.Random(_SEED)  # noqa: S311 - a benchmark wants the same questions every time
    chance.shuffle(english)
    third = len(english) // 3
    foreign, gone = {r.id for r in english[:third]}, {r.id for r in english[2 * third :]}
    asked = [(q.text, next(iter(q.judgements))) for q in read_queries(data / "xquad-ru")]
    chance.shuffle(asked)
    yes = [AskedOf(text, True, [gold]) for text, gold in asked if gold in foreign]
    no = [AskedOf(text, False) for text, gold in asked if gold in gone]
    records = [*english[:third], *(russian[r.id] for r in english[third : 2 * third])]
    return AcrossCase(records, [*yes[:questions], *no[:questions]])
