"""Dates in a filter on a field that a base holds as Unix seconds.

A date means the whole of its day, in UTC: `mtime>2024-01-31` begins with the first of February, and
`mtime=2024-01-31` is any time on that day. A date with a time means that second.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from sourcebook.model.search import Between, Equals, GreaterThan, In, LessThan

if TYPE_CHECKING:
    from sourcebook.retrieve.filters.filter_meaning import Condition

TIME_COLUMNS = ("mtime",)


class Period(NamedTuple):
    """Its first and last second."""

    first: int
    last: int


def also_in_seconds(condition: Condition) -> Iterator[Condition]:
    """What a checked condition means of a field in seconds; nothing if it is not on such a field, or has no dates."""
    name = condition.field
    if name not in TIME_COLUMNS:
        return
    match condition:
        case Equals(value=value):
            yield from _on(name, value)
        case In(values=values):
            for value in values:
                yield from _on(name, value)
        case GreaterThan(value=value):
            if period := period_of(value):
                yield GreaterThan(name, period.last)
        case LessThan(value=value):
            if period := period_of(value):
                yield LessThan(name, period.first)
        case Between(low=low, high=high):
            first, last = period_of(low), period_of(high)
            if first and last:
                yield Between(name, first.first, last.last)


def _on(name: str, value: object) -> Iterator[Condition]:
    if period := period_of(value):
        yield Between(name, *period)


def period_of(value: object) -> Period | None:
    """The seconds that an ISO date, with or without a time, stands for. A time without a zone is in UTC."""
    if not isinstance(value, str) or "W" in value:
        return None  # weeks are not dates of a calendar
    try:
        written = datetime.fromisoformat(value)
    except ValueError:
        return None
    begun = written if written.tzinfo else written.replace(tzinfo=UTC)
    try:
        first = int(begun.timestamp() // 1)
    except OverflowError:
        return None  # a zone that leads out of the years that there are
    is_day = len(value) <= len("2024-01-31")
    return Period(first, first + int(timedelta(days=1).total_seconds()) - 1 if is_day else first)
