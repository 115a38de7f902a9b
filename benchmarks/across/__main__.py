"""`python -m benchmarks.across`: are questions in another language than the texts answered, and from the right one?

Everything goes through `ask`, without a chat model. Bases of 2, 5 and 20 English pages are asked in Russian and
Portuguese; with `--data`, also the questions of `xquad-ru2en` that taught the weights nothing, and a base in both
languages.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import anyio

from benchmarks.across.cases import SIZES, AcrossCase, mixed_base, public_set, small_bases
from benchmarks.quality.run import Bench
from benchmarks.speed.machine import ROOT, commit, machine
from sourcebook import AsyncSourcebook, Settings, Tier

if TYPE_CHECKING:
    from sourcebook.ports.providers import Embedder

RESULTS = ROOT / "benchmarks" / "results"
_PUBLIC = "xquad-ru2en"
_QUESTIONS, _DOCUMENTS = 1100, 600
_OF_A_SIDE = 100
DECLINED = 0.85


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m benchmarks.across", description=__doc__)
    made.add_argument(
        "--data", type=Path, help=f"the folder with retrieval/{_PUBLIC}; without it, small bases alone"
    )
    made.add_argument(
        "--work", type=Path, help="where vectors are kept between runs, and where the answers go"
    )
    made.add_argument(
        "--sizes", type=int, nargs="+", choices=SIZES, default=SIZES, help="pages of a small base"
    )
    made.add_argument(
        "--out", type=Path, default=RESULTS, help="a file for the figures, as JSON, or a folder for it"
    )
    return made


def tell(message: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {message}", file=sys.stderr, flush=True)


async def asked_of(case: AcrossCase, embedder: Embedder) -> list[dict[str, Any]]:
    """What became of every question: answered or not, and whether its first citation is from the right document."""
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="sourcebook-across-") as place:
        settings = Settings(db=str(Path(place) / "base.db"), chat_model="none")
        async with AsyncSourcebook(settings=settings, embedder=embedder) as book:
            for record in case.records:
                await book.add_text(record.text, id=record.id, title=record.title)
            for asked in case.questions:
                answer = await book.ask(asked.text)
                judgement = cast("dict[str, float] | None", answer.details.get("judgement"))
                closest = [result.chunk.document_id for result in answer.nearest[:1]]
                rows.append(
                    {
                        "question": asked.text,
                        "answerable": asked.is_answerable,
                        "answered": answer.tier is not Tier.NONE,
                        "right": bool(answer.citations) and answer.citations[0].document_id in asked.gold,
                        "closest_is_right": any(document in asked.gold for document in closest),
                        "above": judgement["score"] - judgement["needed"] if judgement else -math.inf,
                        "answer": answer.answer,
                        "judgement": judgement,
                    }
                )
    return rows


def figures(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    yes = [row for row in rows if row["answerable"]]
    no = [row for row in rows if not row["answerable"]]
    return {
        "answerable": len(yes),
        "answered": _share(row["answered"] for row in yes),
        "answered_from_the_right_document": _share(row["answered"] and row["right"] for row in yes),
        "unanswerable": len(no),
        "declined": _share(not row["answered"] for row in no),
    } | _at_share(yes, no)


def _at_share(yes: Sequence[dict[str, Any]], no: Sequence[dict[str, Any]]) -> dict[str, float]:
    """The same if so much more or less were needed that `DECLINED` of the questions without an answer are declined.

    What is declined today counts as answered from the document that came closest.
    """
    above = sorted(row["above"] for row in no)
    least = above[min(len(above) - 1, math.ceil(DECLINED * len(above)))]
    reached = [row for row in yes if row["above"] >= least]
    right = sum(row["right"] if row["answered"] else row["closest_is_right"] for row in reached)
    return {
        "declined_there": _share(row["above"] < least for row in no),
        "answered_there": round(len(reached) / len(yes), 4),
        "answered_there_from_the_right_document": round(right / len(yes), 4),
    }


def _share(hits: Iterable[bool]) -> float:
    counted = list(hits)
    return round(sum(counted) / len(counted), 4) if counted else 0.0


async def _measured(given: argparse.Namespace, work: Path) -> dict[str, Any]:
    embedder = Bench(work, None, tell).embedder("default")
    bases = {f"size-{size}": list(small_bases(size)) for size in given.sizes}
    if given.data is not None:
        bases[_PUBLIC] = [public_set(given.data / "retrieval" / _PUBLIC, _QUESTIONS, _DOCUMENTS)]
        bases["both-languages"] = [mixed_base(given.data / "retrieval", _OF_A_SIDE)]
    found: dict[str, Any] = {}
    for name, cases in bases.items():
        rows = [row for case in cases for row in await asked_of(case, embedder)]
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (work / f"across-{name}.jsonl").write_text(text, "utf-8")
        found[name] = figures(rows)
        tell(f"{name}: {found[name]}")
    return found


def main(words: Sequence[str] | None = None) -> int:
    given = parser().parse_args(words)
    work = given.work or Path(tempfile.gettempdir()) / "sourcebook-across"
    work.mkdir(parents=True, exist_ok=True)
    date = datetime.now(UTC).date().isoformat()
    report = {
        "date": date,
        "commit": commit(),
        "machine": machine(),
        "command": "python -m benchmarks.across" + (" --data FOLDER" if given.data else ""),
        "bases": anyio.run(_measured, given, work.resolve()),
    }
    out = given.out / f"across-{date}.json" if given.out.is_dir() else given.out
    out.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", "utf-8")
    tell(f"written to {out}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
