"""A filter as one JSON path, which is a value of a statement and never a part of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sourcebook.model.search import And, Between, Equals, GreaterThan, In, LessThan, MetadataFilter, Not, Or
from sourcebook.retrieve.filters.time_fields import also_in_seconds
from sourcebook.storage.postgres.filter_facts import number

if TYPE_CHECKING:
    from sourcebook.retrieve.filters.filter_meaning import Condition

_ALWAYS = "(1 == 1)"
_NEVER = "(1 == 0)"


@dataclass(frozen=True, slots=True)
class CompiledFilter:
    """`path` is true of the facts that match. `has_index`: the index over facts can name the rows, or nearly."""

    path: str
    has_index: bool


def compiled(tree: MetadataFilter) -> CompiledFilter:
    """A checked filter for `facts @@ path`."""
    if isinstance(tree, (And, Or, Not)):
        return _combined(tree)
    meant = [_condition(tree), *map(_condition, also_in_seconds(tree))]
    return CompiledFilter(
        _joined([one.path for one in meant], "||", _NEVER), all(one.has_index for one in meant)
    )


def _combined(tree: And | Or | Not) -> CompiledFilter:
    match tree:
        case And(filters):
            parts = [compiled(inner) for inner in filters]
            return CompiledFilter(
                _joined([p.path for p in parts], "&&", _ALWAYS), any(p.has_index for p in parts)
            )
        case Or(filters):
            parts = [compiled(inner) for inner in filters]
            return CompiledFilter(
                _joined([p.path for p in parts], "||", _NEVER),
                bool(parts) and all(p.has_index for p in parts),
            )
        case Not(inner):
            return CompiledFilter(f"!({compiled(inner).path})", has_index=False)


def _condition(condition: Condition) -> CompiledFilter:
    match condition:
        case Equals(field, value):
            return CompiledFilter(_compared(field, "==", value), has_index=True)
        case In(field, values):
            return CompiledFilter(
                _joined([_compared(field, "==", v) for v in values], "||", _NEVER), has_index=True
            )
        case GreaterThan(field, value):
            return CompiledFilter(_compared(field, ">", value), has_index=False)
        case LessThan(field, value):
            return CompiledFilter(_compared(field, "<", value), has_index=False)
        case Between(field, low, high):
            return CompiledFilter(_between(field, low, high), has_index=False)


def _compared(field: str, how: str, value: object) -> str:
    return f"({_place(field, value)} {how} {_literal(value)})"


def _between(field: str, low: object, high: object) -> str:
    # Of a list, one and the same element must lie between the two.
    bounds = f"@ >= {_literal(low)} && @ <= {_literal(high)}"
    return f"(exists({_place(field, low)} ? ({bounds})))"


def _place(field: str, value: object) -> str:
    """Where the values of the field lie that are of this value's type: others never compare."""
    return f"$.{json.dumps(field)}.{_kind(value)}[*]"


def _kind(value: object) -> str:
    match value:
        case bool():
            return "b"
        case int() | float():
            return "n"
        case _:
            return "t"


def _literal(value: object) -> str:
    match value:
        case bool() | str():
            return json.dumps(value)
        case int() | float():
            return json.dumps(number(value))
        case _:
            raise TypeError(f"a checked filter holds a {type(value).__name__}")


def _joined(parts: Sequence[str], how: str, of_none: str) -> str:
    """All parts, halved again and again: a chain of a hundred thousand would be too deep to be read."""
    if not parts:
        return of_none
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    return f"({_joined(parts[:middle], how, of_none)} {how} {_joined(parts[middle:], how, of_none)})"
