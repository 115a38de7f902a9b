"""The weights of the judge, from the readable file beside this one."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

WEIGHTS_FILE = Path(__file__).with_name("judge_weights.toml")


@dataclass(frozen=True, slots=True)
class JudgeWeights:
    """One field for each table of the file, whose comments say what each number is."""

    question: Mapping[str, float]
    usual: Mapping[str, float]
    passage: Mapping[str, float]
    prior: Mapping[str, float]
    across: Mapping[str, float]


@cache
def judge_weights() -> JudgeWeights:
    return JudgeWeights(**tomllib.loads(WEIGHTS_FILE.read_text("utf-8")))
