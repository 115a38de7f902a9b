"""What a metadata filter means.

Bases compile filters to SQL; `matches` is the definition that they must agree with. A field is looked up in
the chunk's metadata, then in its document's metadata, then among the named columns. The first place that
holds it decides; null counts as missing. `chunk.x` and `document.x` look into that one metadata only. Values
of different types never compare: a number is not a text and a bool is not a number. Only where a base holds a time in
seconds, a date compares with it.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from sourcebook.errors import BadFilter
from sourcebook.model.search import And, Between, Equals, GreaterThan, In, LessThan, MetadataFilter, Not, Or
from sourcebook.retrieve.filters.time_fields import also_in_seconds
from sourcebook.text.case_and_accents import normal_form, storable

if TYPE_CHECKING:
    from sourcebook.model.documents import JsonValue, Metadata

NAMED_COLUMNS = (
    "type",
    "category",
    "subcategory",
    "language",
    "title",
    "page",
    "section",
    "document_path",
    "mtime",
)
NORMAL_FORM_FIELDS = ("category", "subcategory")

MAX_SEGMENTS = 8
MAX_SEGMENT_LENGTH = 64
MAX_DEPTH = 64
MAX_NODES = 1000

Scalar: TypeAlias = str | int | float | bool
Condition: TypeAlias = Equals | In | GreaterThan | LessThan | Between


class FieldScope(StrEnum):
    """Where a field is looked up: everywhere in turn, or in one metadata only."""

    ANY = "any"
    CHUNK = "chunk"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class Field:
    """A parsed key: `document.a.b` is scope DOCUMENT with the segments a and b."""

    scope: FieldScope
    segments: tuple[str, ...]

    @property
    def column(self) -> str | None:
        """The named column that is asked when no metadata holds the field."""
        if self.scope is FieldScope.ANY and len(self.segments) == 1 and self.segments[0] in NAMED_COLUMNS:
            return self.segments[0]
        return None

    @property
    def in_normal_form(self) -> bool:
        """Whether its texts are compared in normal form."""
        return len(self.segments) == 1 and self.segments[0] in NORMAL_FORM_FIELDS


def parse_field(name: str) -> Field:
    """The field that a key names, or BadFilter. A scope counts only when something follows it."""
    if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BadFilter(f"A filter's key must be text, not {type(name).__name__}.")
    segments = tuple(name.split("."))
    scope = FieldScope.ANY
    if len(segments) > 1 and segments[0] in (FieldScope.CHUNK, FieldScope.DOCUMENT):
        scope, segments = FieldScope(segments[0]), segments[1:]
    if len(segments) > MAX_SEGMENTS or not all(map(_is_segment, segments)):
        raise BadFilter(f"The filter's key {_shown(name)} is not a valid name.")
    return Field(scope, segments)


def _is_segment(text: str) -> bool:
    return 1 <= len(text) <= MAX_SEGMENT_LENGTH and _starts_segment(text[0]) and all(map(_in_segment, text))


def _starts_segment(character: str) -> bool:
    return character.isalnum() or character in "_-"


def _in_segment(character: str) -> bool:
    # Many scripts write vowels as combining marks, so a name may hold them, though not begin with one.
    return _starts_segment(character) or unicodedata.category(character).startswith("M")


def _shown(value: object) -> str:
    """A value as a message can quote it: short, and printable whatever it holds."""
    text = ascii(value) if not isinstance(value, str) or not value.isprintable() else repr(value)
    return text if len(text) <= 80 else f"{text[:77]}…"


# Checking


def check(tree: MetadataFilter) -> MetadataFilter:
    """The filter with its values as they are compared, or BadFilter if any part makes no sense.

    Dates become ISO text, integers beyond 64 bits floats, categories their normal form. Checking what was
    checked changes nothing.
    """
    _check_size(tree)
    return _checked(tree)


def _check_size(tree: MetadataFilter) -> None:
    # A stack of our own: a filter that came over a network may nest deeper than Python can recurse.
    nodes = 0
    waiting: list[tuple[MetadataFilter, int]] = [(tree, 1)]
    while waiting:
        node, depth = waiting.pop()
        nodes += 1
        if depth > MAX_DEPTH:
            raise BadFilter(f"The filter nests more than {MAX_DEPTH} levels deep.")
        if nodes > MAX_NODES:
            raise BadFilter(f"The filter has more than {MAX_NODES} parts.")
        waiting.extend((inner, depth + 1) for inner in _inner(node))


def _inner(node: MetadataFilter) -> Sequence[MetadataFilter]:
    match node:
        case And(filters) | Or(filters):
            return filters
        case Not(inner):
            return (inner,)
        case Equals() | In() | GreaterThan() | LessThan() | Between():
            return ()
        case _:
            raise BadFilter(f"A filter cannot contain a {type(node).__name__}.")


def _checked(tree: MetadataFilter) -> MetadataFilter:
    match tree:
        case And(filters):
            return And(tuple(map(_checked, filters)))
        case Or(filters):
            return Or(tuple(map(_checked, filters)))
        case Not(inner):
            return Not(_checked(inner))
        case _:
            return _checked_condition(tree)


def _checked_condition(condition: Condition) -> Condition:
    name, field = condition.field, parse_field(condition.field)
    match condition:
        case Equals(value=value):
            return Equals(name, _scalar(field, name, value))
        case In(values=values):
            return In(name, tuple(_scalar(field, name, value) for value in values))
        case GreaterThan(value=value):
            return GreaterThan(name, _ordered(field, name, value))
        case LessThan(value=value):
            return LessThan(name, _ordered(field, name, value))
        case Between(low=low, high=high):
            return _checked_between(field, name, low, high)


def _checked_between(field: Field, name: str, low: object, high: object) -> Between:
    first, last = _ordered(field, name, low), _ordered(field, name, high)
    if isinstance(first, str) != isinstance(last, str):
        raise BadFilter(f"The filter on {_shown(name)} mixes a number and a text in one range.")
    return Between(name, first, last)


def _ordered(field: Field, name: str, value: object) -> str | int | float:
    if isinstance(value, bool):
        raise BadFilter(f"The filter on {_shown(name)} compares with {value}: true and false have no order.")
    return _scalar(field, name, value)


def _scalar(field: Field, name: str, value: object) -> Scalar:
    match value:
        case bool():
            return value
        case int() | float():
            return _number(name, value)
        case date():
            return value.isoformat()
        case str():
            return _text(field, name, value)
        case None:
            raise BadFilter(f"The filter on {_shown(name)} has no value: null is missing, use Not(...).")
        case _:
            raise BadFilter(f"The filter on {_shown(name)} cannot compare with a {type(value).__name__}.")


def _number(name: str, value: int | float) -> int | float:
    number = _stored_number(value)
    if not math.isfinite(number):
        raise BadFilter(f"The filter on {_shown(name)} compares with a number that is not finite.")
    return number


def _text(field: Field, name: str, value: str) -> str:
    if not storable(value):
        raise BadFilter(f"The filter on {_shown(name)} contains NUL characters or unpaired surrogates.")
    # Subclasses such as enum members become plain text, which every database driver accepts.
    return normal_form(value) if field.in_normal_form else str.__str__(value)


def _stored_number(value: int | float) -> int | float:
    """The number as a base holds it: a 64-bit integer or a float."""
    if isinstance(value, float):
        return float(value)
    if -(2**63) <= value < 2**63:
        return int(value)
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


# Matching


@dataclass(frozen=True, slots=True)
class FilterRecord:
    """What a filter sees of a chunk: its own metadata, its document's, and the named columns of both."""

    chunk_metadata: Metadata = field(default_factory=dict[str, "JsonValue"])
    document_metadata: Metadata = field(default_factory=dict[str, "JsonValue"])
    columns: Mapping[str, str | int | None] = field(default_factory=dict[str, str | int | None])


def matches(tree: MetadataFilter, record: FilterRecord) -> bool:
    """Whether a checked filter lets the record through."""
    match tree:
        case And(filters):
            return all(matches(inner, record) for inner in filters)
        case Or(filters):
            return any(matches(inner, record) for inner in filters)
        case Not(inner):
            return not matches(inner, record)
        case _:
            meant = (tree, *also_in_seconds(tree))
            found = _found_values(parse_field(tree.field), record)
            return any(_accepts(one, value) for value in found for one in meant)


def _found_values(field: Field, record: FilterRecord) -> Iterator[Scalar]:
    """The values that the field holds: of a list its elements, of an object or a missing field none."""
    found = _find(field, record)
    for value in cast("Sequence[object]", found) if isinstance(found, (list, tuple)) else (found,):
        match value:
            case bool():
                yield value
            case int() | float():
                yield _stored_number(value)
            case str():
                yield normal_form(value) if field.in_normal_form else value
            case _:
                continue


def _find(field: Field, record: FilterRecord) -> object:
    places: tuple[Metadata, ...]
    match field.scope:
        case FieldScope.CHUNK:
            places = (record.chunk_metadata,)
        case FieldScope.DOCUMENT:
            places = (record.document_metadata,)
        case FieldScope.ANY:
            places = (record.chunk_metadata, record.document_metadata)
    for metadata in places:
        found = _follow(metadata, field.segments)
        if found is not None:
            return found
    return record.columns.get(field.column) if field.column else None


def _follow(metadata: Metadata, segments: Sequence[str]) -> object:
    value: Any = metadata
    for segment in segments:
        if not isinstance(value, Mapping):
            return None
        value = cast("Mapping[str, object]", value).get(segment)
    return value


def _accepts(condition: Condition, found: Scalar) -> bool:
    match condition:
        case Equals(value=value):
            return _order(found, value) == 0
        case In(values=values):
            return any(_order(found, value) == 0 for value in values)
        case GreaterThan(value=value):
            return _order(found, value) == 1
        case LessThan(value=value):
            return _order(found, value) == -1
        case Between(low=low, high=high):
            return _order(found, low) in (0, 1) and _order(found, high) in (-1, 0)


def _order(found: Scalar, wanted: object) -> int | None:
    """-1, 0 or 1 as `found` lies below, on or above `wanted`; None when the two do not compare."""
    if isinstance(found, bool) or isinstance(wanted, bool):
        return 0 if found is wanted else None
    if isinstance(found, str) and isinstance(wanted, str):
        return (found > wanted) - (found < wanted)
    if isinstance(found, (int, float)) and isinstance(wanted, (int, float)) and not math.isnan(found):
        return (found > wanted) - (found < wanted)
    return None
