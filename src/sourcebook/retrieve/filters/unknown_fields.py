"""What is mistaken about a filter that finds nothing: a name that no document has, or a value of another type."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from sourcebook.model.search import (
    And,
    Between,
    Equals,
    GreaterThan,
    In,
    LessThan,
    Not,
    Or,
    SearchWarning,
    WarningCode,
)
from sourcebook.retrieve.filters.filter_meaning import NAMED_COLUMNS, parse_field
from sourcebook.retrieve.filters.time_fields import TIME_COLUMNS, period_of

if TYPE_CHECKING:
    from sourcebook.model.search import MetadataFilter
    from sourcebook.ports.storage import Library
    from sourcebook.retrieve.filters.filter_meaning import Condition

_NUMBERS = ("page", *TIME_COLUMNS)


async def mistakes_in(
    tree: MetadataFilter, library: Library, collections: Sequence[str]
) -> list[SearchWarning]:
    """`unknown_fields` for these collections. It reads the metadata of every document."""
    names: set[str] = set()
    for collection_id in collections:
        names |= await library.metadata_names(collection_id)
    return unknown_fields(tree, names)


def unknown_fields(tree: MetadataFilter, metadata_names: Collection[str]) -> list[SearchWarning]:
    """A warning for each field that is neither a named column nor in any metadata, with the nearest name.

    And one for each value that a named column can never have, unless metadata has a field of that name.
    """
    found: dict[str, SearchWarning] = {}
    for condition in _conditions(tree):
        field = parse_field(condition.field)
        if field.segments[0] in metadata_names:
            continue
        if field.column is None:
            found.setdefault(condition.field, _unknown(condition.field, field.segments[0], metadata_names))
        elif problem := _never_equal(field.column, condition):
            found.setdefault(condition.field, SearchWarning(WarningCode.WRONG_TYPE, problem))
    return list(found.values())


def _conditions(tree: MetadataFilter) -> Iterator[Condition]:
    match tree:
        case And() | Or():
            for part in tree.filters:
                yield from _conditions(part)
        case Not():
            yield from _conditions(tree.filter)
        case _:
            yield tree


def _unknown(name: str, first: str, metadata_names: Collection[str]) -> SearchWarning:
    nearest = get_close_matches(first, [*NAMED_COLUMNS, *sorted(metadata_names)], n=1)
    meant = f"; did you mean `{nearest[0]}`?" if nearest else "."
    return SearchWarning(WarningCode.UNKNOWN_FIELD, f"No document has a field `{name}`{meant}")


def _never_equal(column: str, condition: Condition) -> str | None:
    """Why none of the values compares with what the column holds."""
    values = _values(condition)
    wrong = [value for value in values if not _may_hold(column, value)]
    # One end of a range that never compares is enough.
    if not wrong or (len(wrong) < len(values) and not isinstance(condition, Between)):
        return None
    if column in TIME_COLUMNS:
        return f"`{column}` is a time, and {wrong[0]!r} is not one. Write a date such as 2024-01-31."
    if column in _NUMBERS:
        return f"`{column}` is a number, and {wrong[0]!r} is not one."
    written = str(wrong[0]).lower() if isinstance(wrong[0], bool) else wrong[0]
    return f'`{column}` is text. Put the value in quotes: {column}="{written}".'


def _may_hold(column: str, value: object) -> bool:
    if column not in _NUMBERS:
        return isinstance(value, str)
    return _is_number(value) or (column in TIME_COLUMNS and period_of(value) is not None)


def _values(condition: Condition) -> list[object]:
    match condition:
        case Equals(value=value) | GreaterThan(value=value) | LessThan(value=value):
            return [value]
        case In(values=values):
            return list(values)
        case Between(low=low, high=high):
            return [low, high]


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
