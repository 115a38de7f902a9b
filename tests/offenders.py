"""For checks that look at all of something, such as every statement."""

from __future__ import annotations

from collections.abc import Iterable


def assert_none(offenders: Iterable[object]) -> None:
    """Fail with all of them, a line each. A comparison with an empty list would show only the first few."""
    found = [str(offender) for offender in offenders]
    assert not found, "\n".join([f"{len(found)} found:", *found])
