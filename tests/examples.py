"""How many examples a property is tried with: some in the usual run, very many in a long one (`make soak`)."""

from __future__ import annotations

import os

import pytest
from hypothesis import is_hypothesis_test, settings

IS_LONG = bool(os.environ.get("SOURCEBOOK_SOAK"))
_USUAL = 50
_MORE = 20


def examples(usual: int = _USUAL, more: int = _MORE) -> int:
    """As many as usual, or so many times more in a long run."""
    return usual * more if IS_LONG else usual


def prepare() -> None:
    """What holds for every property that says nothing else. No example has a time limit: the machine may be busy."""
    settings.register_profile("sourcebook", max_examples=examples(), deadline=None)
    settings.load_profile("sourcebook")


def join_the_long_run(items: list[pytest.Item]) -> None:
    """Every property is part of a long run."""
    for item in items:
        if IS_LONG and is_hypothesis_test(getattr(item, "obj", None)):
            item.add_marker(pytest.mark.soak)
