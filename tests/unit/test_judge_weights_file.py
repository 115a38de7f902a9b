"""Learnt weights are put into the file of the product, which keeps its comments."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from benchmarks.judge.weights_file import put

FILE = """# Weights.
[question]
intercept = -4.2
share = 1.08              # of the weight
form_missing = -3.0       # (not learnt)

[across]
share = 2.0
"""


def test_only_what_was_learnt_changes(tmp_path: Path) -> None:
    file = tmp_path / "weights.toml"
    file.write_text(FILE, "utf-8")
    put(file, {"question": {"intercept": -4.0, "share": 1.5}})
    assert file.read_text("utf-8") == FILE.replace("-4.2", "-4.0").replace("1.08  ", "1.5   ")
    assert tomllib.loads(file.read_text("utf-8"))["across"] == {"share": 2.0}


def test_a_weight_that_the_file_does_not_have_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "weights.toml"
    file.write_text(FILE, "utf-8")
    with pytest.raises(ValueError, match=r"across\.gap"):
        put(file, {"across": {"gap": 1.0}})
    assert file.read_text("utf-8") == FILE
