"""A smaller size of the load that `python -m benchmarks.speed.bot` measures."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.speed.bot import Load, measure

pytestmark = pytest.mark.anyio


async def test_nothing_is_lost_or_doubled_when_many_ask_at_once(tmp_path: Path) -> None:
    outcome = await measure(Load(users=12, questions=4, at_once=12, repeated=0.2), tmp_path)
    assert (outcome.asked, outcome.delivered_twice) == (48, 9)
    assert (outcome.lost, outcome.doubled, outcome.wrong_balances) == (0, 0, 0)
