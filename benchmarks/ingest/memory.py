"""`python -m benchmarks.ingest.memory`: the most memory that adding very large documents takes, with the index file.

The embedder is a stand-in with vectors of the usual size, which it makes of each text anew and holds nowhere. What a
model holds comes on top: the default takes 70 MB.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import anyio
import numpy as np

from benchmarks.ingest.large import large_sheet
from benchmarks.ingest.many import Watch
from benchmarks.speed.meters import memory, now
from sourcebook import AsyncSourcebook
from sourcebook.model.documents import EmbeddingModel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.ports.providers import TextRole

ROWS = 30_000
DIMENSIONS = 512


class StandIn:
    """Unit vectors that hang on nothing but the text."""

    model = EmbeddingModel(name="stand-in", dimensions=DIMENSIONS, version="1")

    def __init__(self) -> None:
        self.embedded = 0

    async def embed(self, texts: Sequence[str], role: TextRole) -> NDArray[np.float32]:
        self.embedded += len(texts)
        vectors = np.stack([_numbers(text) for text in texts])
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _numbers(text: str) -> NDArray[np.float32]:
    return np.random.default_rng(crc32(text.encode())).standard_normal(DIMENSIONS, dtype=np.float32)


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ingest.memory", description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS, help="how many rows a sheet has")
    parser.add_argument("--sheets", type=int, default=1, help="how many sheets there are")
    given = parser.parse_args(words)
    print(json.dumps(anyio.run(measure, given.rows, given.sheets)))
    return 0


async def measure(rows: int, sheets: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="sourcebook-ingest-") as name:
        place = Path(name)
        folder = place / "sheets"
        folder.mkdir()
        for number in range(sheets):
            (folder / f"beds-{number}.xlsx").write_bytes(large_sheet(rows, seed=number))
        stand_in = StandIn()
        async with AsyncSourcebook(place / "base.db", embedder=stand_in) as book:
            before, began = memory().rss, now()
            with Watch() as adding:
                report = await book.add(folder)
            spent = now() - began
        if report.added != sheets:
            raise AssertionError(f"the sheets were not added: {report.failed}")
    return {
        "rows": rows,
        "sheets": sheets,
        "texts": stand_in.embedded,
        "cpu_s": round(spent.cpu, 1),
        "mb_before": round(before / 1e6, 1),
        "mb_at_most": round(adding.most / 1e6, 1),
    }


if __name__ == "__main__":
    raise SystemExit(main())
