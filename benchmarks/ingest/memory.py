"""`python -m benchmarks.ingest.memory`: the most memory that adding one very large document takes, stage by stage.

The embedder is a stand-in with vectors of the usual size. What a model holds comes on top: the default takes 70 MB.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

import anyio

from benchmarks.ingest.large import large_sheet
from benchmarks.ingest.many import Watch
from benchmarks.speed.meters import memory, now
from sourcebook import AsyncSourcebook
from sourcebook.testing.fakes import FakeEmbedder

ROWS = 30_000
DIMENSIONS = 512


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ingest.memory", description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS, help="how many rows the sheet has")
    given = parser.parse_args(words)
    print(json.dumps(anyio.run(measure, given.rows)))
    return 0


async def measure(rows: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="sourcebook-ingest-") as name:
        place = Path(name)
        sheet = place / "beds.xlsx"
        sheet.write_bytes(large_sheet(rows))
        async with AsyncSourcebook(place / "base.db", embedder=FakeEmbedder(dimensions=DIMENSIONS)) as book:
            before, began = memory().rss, now()
            with Watch() as adding:
                report = await book.add(sheet)
            spent = now() - began
        if report.added != 1:
            raise AssertionError(f"the sheet was not added: {report.failed}")
    return {
        "rows": rows,
        "cpu_s": round(spent.cpu, 1),
        "mb_before": round(before / 1e6, 1),
        "mb_at_most": round(adding.most / 1e6, 1),
    }


if __name__ == "__main__":
    raise SystemExit(main())
