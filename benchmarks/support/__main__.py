"""`python -m benchmarks.support`: how many false sentences are caught, and how many true ones are doubted.

Sentences are taken from the texts of retrieval sets in three languages. Each is said a little differently (true), and
altered by a script (false): another number, another unit, another name, a denial more or less, or cited from another
sentence of the same document. Sentences that the thresholds were chosen on are not measured.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.speed.machine import ROOT
from benchmarks.support.altering import denied, other_name, other_number, other_unit, said_differently
from sourcebook.consult.answer.support import check_support, names, share_of_terms
from sourcebook.text.sentences import sentence_spans

SETS = {
    "en": ("xquad-en", "scifact-train"),
    "ru": ("xquad-ru", "rurag-para-dev"),
    "pt": ("faquad-pt", "squad-pt-sample"),
}
PER_LANGUAGE = 1_500


def documents(folder: Path, language: str, limit: int) -> Iterator[tuple[str, list[str]]]:
    """The title and the sentences of documents, sets in turn."""
    for name in SETS[language]:
        with gzip.open(folder / name / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines):
                if number >= limit:
                    break
                record = json.loads(line)
                text = record["text"]
                cut = [text[start:end] for start, end in sentence_spans(text)]
                yield record.get("title") or "", [s for s in cut if 40 <= len(s) <= 400]


def measure(folder: Path, language: str, seed: int, *, tuning: bool) -> dict[str, tuple[int, int]]:
    """For each kind: how many sentences, and how many of them were doubted."""
    chance = random.Random(seed)  # noqa: S311 - a benchmark wants the same sentences every time
    found = list(documents(folder, language, 700))
    strangers = sorted(
        {name for _, sentences in found[::7] for s in sentences for name in names(s) if len(name) > 4}
    )
    alterations = {
        "number": other_number,
        "unit": other_unit,
        "name": other_name(strangers),
        "negation": denied,
    }
    counted: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    cases = [(title, s, sentences) for title, sentences in found for s in sentences]
    chance.shuffle(cases)
    half = cases[::2] if tuning else cases[1::2]
    for title, sentence, siblings in half[:PER_LANGUAGE]:
        true = said_differently(sentence, language, chance)
        _count(counted["true"], true, sentence, language, title)
        for kind, alter in alterations.items():
            false = alter(true, language, chance)
            if false is not None and false != true:
                _count(counted[kind], false, sentence, language, title)
        others = [s for s in siblings if s != sentence]
        if others:
            nearest = max(others, key=lambda other: share_of_terms(sentence, other, language))
            _count(counted["swapped source"], true, nearest, language, title)
    return {kind: (total, doubted) for kind, (total, doubted) in counted.items()}


def _count(tally: list[int], sentence: str, quote: str, language: str, title: str) -> None:
    tally[0] += 1
    tally[1] += not check_support(sentence, quote, language, title).is_enough


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.support", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT.parent / "shared" / "data" / "retrieval")
    parser.add_argument(
        "--tuning", action="store_true", help="the sentences that the thresholds were chosen on"
    )
    given = parser.parse_args()
    result: dict[str, dict[str, dict[str, float]]] = {}
    for language in SETS:
        measured = measure(given.folder, language, seed=11, tuning=given.tuning)
        result[language] = {
            kind: {"sentences": total, "doubted": round(doubted / total, 4)}
            for kind, (total, doubted) in measured.items()
        }
        false = [(total, doubted) for kind, (total, doubted) in measured.items() if kind != "true"]
        caught = sum(doubted for _, doubted in false) / sum(total for total, _ in false)
        print(
            f"{language}: false alarms {result[language]['true']['doubted']:.1%}, caught {caught:.1%}  ",
            end="",
        )
        print(
            ", ".join(
                f"{kind} {about['doubted']:.1%} of {about['sentences']}"
                for kind, about in result[language].items()
            )
        )
    if not given.tuning:
        date = datetime.now(UTC).date().isoformat()
        text = json.dumps({"date": date, "languages": result}, indent=2) + "\n"
        (ROOT / "benchmarks" / "results" / f"support-{date}.json").write_text(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
