"""`python -m benchmarks.support`: how many false sentences are doubted, kind by kind, and how many true ones.

Sentences of real texts are altered by a script that shares neither code nor lists with the check; each is checked
against the passage that it was taken from. True ones are the same sentences retold by a script, and sentences that
people wrote from a source, if a file of such pairs is given. Run with the source of another version on PYTHONPATH, it
measures that version on the same sentences.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from zlib import crc32

from benchmarks.data import DATA, PLACE, how_to_give
from benchmarks.speed.machine import ROOT, commit
from benchmarks.support.alterations import ALTERATIONS, words
from benchmarks.support.texts import SETS, Part, Said, sentences
from benchmarks.support.true_sentences import RETELLINGS, Written, answered_questions, written_by_people
from sourcebook.consult.citations.marks_and_quotes import best_quote

PER_KIND = 150
TRUE_PER_KIND = 400
HUMAN_PER_ORIGIN = 1_000

Grades = Counter[str]


def grade(sentence: str, passage: str, language: str, title: str = "") -> str:
    """`doubtful`, or how well the passage supports the sentence; older versions know no degrees."""
    quote = best_quote(sentence, passage, language, title)
    return str(getattr(quote, "grade", "close")) if quote.is_enough else "doubtful"


def altered(said: list[Said], language: str, per_kind: int) -> Iterator[tuple[str, Said, str]]:
    """For each kind, altered sentences in an order that another kind or a new set does not change."""
    for kind, alter in ALTERATIONS.items():
        chance = random.Random(crc32(f"{language} {kind}".encode()))  # noqa: S311 - the same every time
        made = 0
        for case in chance.sample(said, len(said)):
            false = alter(case, words(language), chance)
            if false is not None and false != case.sentence and false not in case.passage:
                made += 1
                yield kind, case, false
            if made == per_kind:
                break


def retold(said: list[Said], language: str, per_kind: int) -> Iterator[tuple[str, Said, str]]:
    for kind, retell in RETELLINGS.items():
        chance = random.Random(crc32(f"{language} {kind}".encode()))  # noqa: S311 - the same every time
        cases = ((case, retell(case, language, chance)) for case in chance.sample(said, len(said)))
        true = ((kind, case, text) for case, text in cases if text is not None)
        yield from (found for found, _ in zip(true, range(per_kind), strict=False))


def human(given: argparse.Namespace, language: str) -> list[Written]:
    found = list(answered_questions(given.folder, language))
    if given.pairs is not None:
        found += [pair for pair in written_by_people(given.pairs) if pair.language == language]
    random.Random(11).shuffle(found)  # noqa: S311 - the same every time
    kept: list[Written] = []
    taken: Counter[tuple[str, bool]] = Counter()
    for pair in found:
        taken[pair.origin, pair.is_true] += 1
        if taken[pair.origin, pair.is_true] <= given.human:
            kept.append(pair)
    return kept


def measure(given: argparse.Namespace, language: str) -> dict[str, dict[str, Grades]]:
    said = list(sentences(given.folder, language, given.part))
    result: dict[str, dict[str, Grades]] = {
        part: defaultdict(Counter) for part in ("altered", "true", "human")
    }
    for part, cases in (
        ("altered", altered(said, language, given.per_kind)),
        ("true", retold(said, language, given.true)),
    ):
        for kind, case, text in cases:
            found = grade(text, case.passage, language, case.title)
            result[part][kind][found] += 1
            if given.show and kind.startswith(given.show) and (found == "doubtful") != (part == "altered"):
                print(f"{kind}: {text}\n    {case.sentence}", file=sys.stderr)
    for pair in human(given, language):
        kind = f"{pair.origin}, {'true' if pair.is_true else 'false'}"
        found = grade(pair.sentence, pair.quote, language)
        result["human"][kind][found] += 1
        if given.show and kind.startswith(given.show) and found == "doubtful":
            print(f"{kind}: {pair.sentence}\n    {pair.quote}", file=sys.stderr)
    return result


def _share(grades: Grades) -> dict[str, float]:
    total = grades.total()
    return {"sentences": total} | {
        name: round(grades[name] / total, 4) for name in ("doubtful", "close", "exact") if grades[name]
    }


def _sum(kinds: dict[str, Grades], ending: str = "") -> Grades:
    return sum((grades for kind, grades in kinds.items() if kind.endswith(ending)), Counter[str]())


def _table(measured: dict[str, dict[str, dict[str, Grades]]]) -> str:
    """Doubted sentences in per cent, and of how many."""
    languages = list(measured)
    lines = ["| doubted | " + " | ".join(languages) + " |", "|---" * (len(languages) + 1) + "|"]
    for part in ("altered", "true", "human"):
        kinds = list(dict.fromkeys(kind for language in languages for kind in measured[language][part]))
        rows = {kind: [measured[language][part].get(kind) for language in languages] for kind in kinds}
        for ending in (", true", ", false") if part == "human" else ("",):
            rows[f"**{part}{ending}, all**"] = [_sum(measured[name][part], ending) for name in languages]
        for kind, grades in rows.items():
            cells = [f"{g['doubtful'] / g.total():.1%} of {g.total()}" if g else "–" for g in grades]
            lines.append(f"| {kind} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m benchmarks.support", description=__doc__)
    made.add_argument(
        "folder", nargs="?", type=Path, default=DATA, help=f"the folder with the texts ({PLACE})"
    )
    made.add_argument("--part", type=Part, choices=list(Part), default=Part.HELD_OUT)
    made.add_argument("--pairs", type=Path, help="sentences that people wrote from a source, as JSON lines")
    made.add_argument("--languages", nargs="+", choices=list(SETS), default=list(SETS))
    made.add_argument("--per-kind", type=int, default=PER_KIND)
    made.add_argument("--true", type=int, default=TRUE_PER_KIND)
    made.add_argument("--human", type=int, default=HUMAN_PER_ORIGIN)
    made.add_argument("--show", help="print what went wrong for the kinds that begin so")
    made.add_argument(
        "--output", type=Path, help="where the result goes, a file or a folder; `-` keeps it nowhere"
    )
    return made


def main() -> int:
    given = parser().parse_args()
    if not given.folder.is_dir():
        print(f"There is no folder {given.folder}. {how_to_give('FOLDER')}", file=sys.stderr)
        return 2
    measured = {language: measure(given, language) for language in given.languages}
    print(_table(measured))
    if str(given.output) == "-" or given.part is Part.DEVELOPMENT:
        return 0
    date = datetime.now(UTC).date().isoformat()
    result = {
        "date": date,
        "commit": commit(),
        "part": given.part.value,
        "languages": {
            language: {part: {kind: _share(g) for kind, g in kinds.items()} for part, kinds in parts.items()}
            for language, parts in measured.items()
        },
    }
    output = given.output or ROOT / "benchmarks" / "results"
    if output.is_dir():
        output /= f"support-{date}.json"
    output.write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", "utf-8")
    print(f"Written to {output}.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
