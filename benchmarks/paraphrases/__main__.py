"""`python -m benchmarks.paraphrases`: the same question in other words; writes a dated result and says where."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import numpy as np

from benchmarks.data import PLACE, RETRIEVAL, how_to_give
from benchmarks.paraphrases.measure import Base, measured, one_of_each_document, without_an_answer
from benchmarks.paraphrases.pairs import own_pairs, pairs_of_a_file
from benchmarks.paraphrases.report import Report, store
from benchmarks.quality.run import Bench
from benchmarks.speed.machine import ROOT, commit, machine
from sourcebook.model.answer_thresholds import facts_of
from sourcebook.ports.providers import TextRole

if TYPE_CHECKING:
    from benchmarks.paraphrases.measure import Row, Vectors, Without
    from benchmarks.paraphrases.pairs import Pair
    from sourcebook.ports.providers import Embedder

RESULTS = ROOT / "benchmarks" / "results"
SETS = {"en": "xquad-en", "es": "xquad-es", "pt": "faquad-pt", "ru": "xquad-ru"}


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m benchmarks.paraphrases", description=__doc__)
    made.add_argument(
        "--data",
        type=Path,
        default=RETRIEVAL,
        help=f"the folder with a folder for each retrieval set (retrieval in {PLACE})",
    )
    made.add_argument("--pairs", type=Path, help="further paraphrases, one JSON object a line")
    made.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "sourcebook-quality")
    made.add_argument("--out", type=Path, default=RESULTS, help="where the result goes")
    return made


def tell(message: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {message}", file=sys.stderr, flush=True)


def main(words: Sequence[str] | None = None) -> int:
    given = parser().parse_args(words)
    missing = [name for name in SETS.values() if not (given.data / name).is_dir()]
    if missing:
        tell(f"There is no set {missing[0]} in {given.data}. {how_to_give('--data')}")
        return 2
    given.cache.mkdir(parents=True, exist_ok=True)
    print(store(anyio.run(_report, given), given.out))
    return 0


async def _report(given: argparse.Namespace) -> Report:
    embedder = Bench(given.cache.resolve(), None, tell).embedder("default")
    pairs = own_pairs() + (pairs_of_a_file(given.pairs) if given.pairs else [])
    rows: list[Row] = []
    without: list[Without] = []
    for language, name in SETS.items():
        here = [pair for pair in pairs if pair.language == language]
        curated, asked = one_of_each_document(given.data / name)
        known = [*curated, *(pair.known for pair in here)]
        vectors = await _vectors([*known, *asked, *(pair.asked for pair in here)], embedder)
        base = Base(known, language, vectors, facts_of(embedder.model.name).curation)
        rows += [measured(part, base, name) for name, part in _by_part(here)]
        without.append(without_an_answer(asked, base, language))
        tell(f"{language}: {len(here)} pairs, {len(asked)} questions without an answer")
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit(),
        "machine": dict(machine()),
        "command": "python -m benchmarks.paraphrases" + (" --pairs FILE" if given.pairs else ""),
        "model": embedder.model.name,
        "pairs": rows,
        "without": without,
    }


def _by_part(pairs: Sequence[Pair]) -> list[tuple[str, list[Pair]]]:
    ordered = sorted(pairs, key=lambda pair: pair.part)
    return [(part, list(some)) for part, some in groupby(ordered, key=lambda pair: pair.part)]


async def _vectors(texts: Sequence[str], embedder: Embedder) -> Vectors:
    distinct = sorted(set(texts))
    made = await embedder.embed(distinct, TextRole.QUESTION)
    return dict(zip(distinct, made / np.linalg.norm(made, axis=1, keepdims=True), strict=True))


if __name__ == "__main__":
    raise SystemExit(main())
