"""`python -m benchmarks.judge`: learns the weights of the judge and measures them with every set left out in turn."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.judge.cases import ACROSS, ACROSS_SMALL, LEARNT_FROM, READING, SMALL_FROM
from benchmarks.judge.learning import (
    Sample,
    answered,
    common_threshold,
    declining,
    learnt,
    separation,
)
from benchmarks.judge.rows import load, results
from benchmarks.judge.weights_file import put
from sourcebook.consult.evidence.acceptance import judged, term_weights
from sourcebook.consult.evidence.judge_weights import WEIGHTS_FILE
from sourcebook.consult.evidence.missing.missing_form import about_the_thing
from sourcebook.consult.evidence.question_judge import meaning_of, nearness, numbers_of
from sourcebook.consult.evidence.weighed_question import WeighedQuestion
from sourcebook.model.asked_collection import WordCounts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from benchmarks.judge.learning import Numbers, Weights
    from sourcebook.consult.evidence.question_judge import JudgedPassage

DECLINED = 0.85
DECLINED_SMALL = 0.9
"""What small bases should decline of questions in another language: few questions set that line, so a little more."""
SIZES = {"size-2": SMALL_FROM, "size-20": SMALL_FROM, "size-5000": ("rurag-para-dev",)}
"""Bases of so many documents, and the sets that they are made from. Nothing is learnt from them, and they are judged by
what the other sets taught: their questions are those of their sets."""
NAMES = (
    "share",
    "sentence_share",
    "bare_share",
    "similarity",
    "gap",
    "names_found",
    "number_missing",
    "score",
    "agreement",
    "unknown",
    "name_unknown",
)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m benchmarks.judge", description=__doc__)
    made.add_argument(
        "--work", type=Path, required=True, help="where `benchmarks.judge.collect` kept its rows"
    )
    made.add_argument("--out", type=Path, help="a file for the figures, as JSON")
    made.add_argument("--write", action="store_true", help="put the weights into the product's file")
    return made


def judged_row(row: Mapping[str, Any]) -> tuple[WeighedQuestion, list[JudgedPassage]]:
    """The question of a row and its passages, judged as the product does."""
    language = row["language"] if row["language"] in row["held"] else None
    languages = [language] if language else row["held"]
    weights = term_weights(row["question"], languages, row["counts"], row["rows"])
    counts = WordCounts(row["counts"], row["rows"])
    question = WeighedQuestion(row["question"], weights, counts, language, languages)
    asked = about_the_thing(row["question"], weights, language)
    return question, [(result, judged(asked, result, language)) for result in results(dict(row))]


def sample_of(rows: Sequence[Mapping[str, Any]]) -> Sample:
    numbers: list[list[float]] = []
    for row in rows:
        question, passages = judged_row(row)
        found = numbers_of(question, passages) if passages else {}
        numbers.append([found.get(name, 0.0) for name in NAMES])
    return Sample(np.array(numbers), np.array([bool(row["answerable"]) for row in rows]))


def across_sample(rows: Sequence[Mapping[str, Any]]) -> Sample:
    numbers = [list(meaning_of(row["question"], judged_row(row)[1]).values()) for row in rows]
    return Sample(np.array(numbers), np.array([bool(row["answerable"]) for row in rows]))


def measured(samples: Mapping[str, Sample]) -> dict[str, Any]:
    """Every set judged by what the others taught."""
    sets = {name: sample for name, sample in samples.items() if name not in SIZES}
    sizes = {name: sample for name, sample in samples.items() if name in SIZES}
    scored = {name: _scored(sample, _without(sets, (name,))) for name, sample in sets.items()}
    common, spread = common_threshold(scored, DECLINED)
    rows = {name: _row(*found, common) for name, found in scored.items()}
    return {
        "sets": rows,
        "sizes": {name: _row(*_scored(s, _without(sets, SIZES[name])), common) for name, s in sizes.items()},
        "mean": {
            key: round(fmean(row[key] for row in rows.values()), 4) for key in next(iter(rows.values()))
        },
        "common_threshold": round(common, 4),
        "declined_spread": round(spread, 4),
        "weights": _named(learnt(list(sets.values())), NAMES),
    }


def _without(sets: Mapping[str, Sample], left_out: Sequence[str]) -> list[Sample]:
    return [sample for name, sample in sets.items() if name not in left_out]


def _scored(sample: Sample, teachers: Sequence[Sample]) -> tuple[Numbers, NDArray[np.bool_]]:
    return learnt(teachers).score(sample.numbers), sample.answerable


def _row(scores: Numbers, answerable: NDArray[np.bool_], common: float) -> dict[str, float]:
    at_common = answered(scores, answerable, common)
    at_own = answered(scores, answerable, declining(scores, answerable, DECLINED))
    return {
        "separation": round(separation(scores, answerable), 4),
        "answered_at_85": round(at_own[0], 4),
        "answered": round(at_common[0], 4),
        "declined": round(at_common[1], 4),
    }


def _named(found: Weights, names: Sequence[str]) -> dict[str, float]:
    named = {name: round(float(weight), 4) for name, weight in zip(names, found.weights, strict=True)}
    return {"intercept": round(found.intercept, 4)} | named


def across(
    rows: Sequence[Mapping[str, Any]], small: Mapping[str, Sequence[Mapping[str, Any]]]
) -> dict[str, Any]:
    """A language that the base does not hold: weights from one half of the questions, figures from the other.

    What is needed in a small base is a line over the logarithm of its passages, up to what any base needs.
    """
    sample = across_sample(rows)
    right = np.array([_first_is_right(row) for row in rows])
    halves = [np.arange(len(rows)) % 2 == half for half in (0, 1)]
    figures: list[dict[str, float]] = []
    for mine, other in (halves, halves[::-1]):
        found = learnt([Sample(sample.numbers[mine], sample.answerable[mine])])
        scores, yes = found.score(sample.numbers), sample.answerable
        threshold = declining(scores[mine], yes[mine], DECLINED)
        reached = scores >= threshold
        figures.append(
            {
                "separation": separation(scores[other], yes[other]),
                "answered": float(reached[other & yes].mean()),
                "answered_from_the_right_document": float((reached & right)[other & yes].mean()),
                "declined": float((~reached)[other & ~yes].mean()),
            }
        )
    of_all = learnt([sample])
    threshold = declining(of_all.score(sample.numbers), sample.answerable, DECLINED)
    weights = _named(of_all, ("similarity", "gap", "names_met")) | {"needed": round(threshold, 4)}
    return {
        "figures": {key: round(fmean(f[key] for f in figures), 4) for key in figures[0]},
        "weights": weights | (_line_of_small_bases(of_all, small.values()) if small else {}),
    }


def _line_of_small_bases(found: Weights, small: Iterable[Sequence[Mapping[str, Any]]]) -> dict[str, float]:
    points: list[tuple[float, float]] = []
    for rows in small:
        sample = across_sample(rows)
        needed = declining(found.score(sample.numbers), sample.answerable, DECLINED_SMALL)
        points.append((fmean(math.log(max(1, row["rows"])) for row in rows), needed))
    slope, start = np.polyfit([size for size, _ in points], [needed for _, needed in points], 1)
    return {"needed_of_one": round(float(start), 4), "needed_more": round(float(slope), 4)}


def _first_is_right(row: Mapping[str, Any]) -> bool:
    """Whether the passage that comes first for the judge is of a document that answers."""
    near = nearness(row["question"], judged_row(row)[1])
    first = max(range(len(near)), key=lambda place: near[place], default=None)
    return first is not None and row["passages"][first]["document"] in row["gold"]


def main() -> int:
    given = parser().parse_args()
    kept = {
        path.stem: list(load(path))
        for name in (*LEARNT_FROM, READING, *SIZES, ACROSS, *ACROSS_SMALL)
        if (path := given.work / f"{name}.jsonl").exists()
    }
    of_words = {name: rows for name, rows in kept.items() if name not in (ACROSS, *ACROSS_SMALL)}
    report = measured({name: sample_of(rows) for name, rows in of_words.items()})
    if ACROSS in kept:
        small = {name: kept[name] for name in ACROSS_SMALL if name in kept}
        report["across"] = across(kept[ACROSS], small)
    told = json.dumps(report, indent=2)
    print(told)
    if given.out is not None:
        given.out.write_text(told + "\n", "utf-8")
    if given.write:
        learnt_across = {"across": report["across"]["weights"]} if "across" in report else {}
        put(WEIGHTS_FILE, {"question": report["weights"]} | learnt_across)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
