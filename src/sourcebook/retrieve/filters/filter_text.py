"""Writes a filter in the language of `--where`."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from sourcebook.model.search import And, Between, Equals, GreaterThan, In, LessThan, Not, Or
from sourcebook.retrieve.filters.where_language import KEYWORDS

if TYPE_CHECKING:
    from sourcebook.model.search import FilterValue, MetadataFilter


def as_where(tree: MetadataFilter) -> str:
    """The text of a filter. An empty `And` or `Or` cannot be written there, and is put in words."""
    match tree:
        case And(filters):
            return " and ".join(_inner(part) for part in filters) or "(everything)"
        case Or(filters):
            return " or ".join(_inner(part) for part in filters) or "(nothing)"
        case Not(inner):
            return f"not {_inner(inner)}"
        case Equals(name, value):
            return f"{_name(name)} = {_value(value)}"
        case In(name, values):
            return f"{_name(name)} in ({', '.join(map(_value, values))})"
        case GreaterThan(name, value):
            return f"{_name(name)} > {_value(value)}"
        case LessThan(name, value):
            return f"{_name(name)} < {_value(value)}"
        case Between(name, low, high):
            return f"{_name(name)} between {_value(low)} and {_value(high)}"


def _inner(part: MetadataFilter) -> str:
    text = as_where(part)
    return f"({text})" if isinstance(part, (And, Or)) and part.filters else text


def _name(name: str) -> str:
    return _quoted(name) if name.lower() in KEYWORDS else name


def _value(value: FilterValue) -> str:
    match value:
        case bool():
            return str(value).lower()
        case int() | float():
            return repr(value)
        case date():
            return _quoted(value.isoformat())
        case _:
            return _quoted(value)


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
