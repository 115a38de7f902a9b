"""Questions in other words and questions that only look alike: our own, and those of a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

OWN = Path(__file__).with_name("pairs")
"""A file for each language, written before anything was measured; `build` was looked at, `held-out` was not."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A question that was asked, the curated one that it belongs to, and whether both ask the same."""

    language: str
    part: str
    asked: str
    known: str
    is_same: bool
    contradicts: bool = False
    """A denial, an opposite, another number, name or time, by what a reader would say."""


def own_pairs(folder: Path = OWN) -> list[Pair]:
    return [pair for path in sorted(folder.glob("*.txt")) for pair in _read(path)]


def _read(path: Path) -> Iterator[Pair]:
    """`?` is a curated question; `=` asks the same, `!` does not, `!!` contradicts it; `# part:` names what follows."""
    part = known = ""
    for line in path.read_text("utf-8").splitlines():
        sign, _, text = line.partition(" ")
        if line.startswith("# part: "):
            part = line.removeprefix("# part: ")
        elif sign == "?":
            known = text
        elif sign in ("=", "!", "!!"):
            yield Pair(path.stem, part, text, known, sign == "=", sign == "!!")


def pairs_of_a_file(path: Path) -> list[Pair]:
    """Paraphrases, one JSON object a line: `set`, `language`, `question`, `other`."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    return [Pair(row["language"], row["set"], row["other"], row["question"], is_same=True) for row in rows]
