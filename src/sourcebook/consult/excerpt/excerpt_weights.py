"""The weights of what is quoted, from the readable file beside this one."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

WEIGHTS_FILE = Path(__file__).with_name("excerpt_weights.toml")


@dataclass(frozen=True, slots=True)
class ExcerptWeights:
    """One field for each table of the file, whose comments say what each number is."""

    unit: Mapping[str, float]
    stretch: Mapping[str, float]


@cache
def excerpt_weights() -> ExcerptWeights:
    return ExcerptWeights(**tomllib.loads(WEIGHTS_FILE.read_text("utf-8")))
