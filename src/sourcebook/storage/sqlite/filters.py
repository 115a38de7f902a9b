"""Filters as SQL over `document_chunks c` and `documents d`. What they mean is said in `retrieve.filters`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sourcebook.model.search import And, Between, Equals, GreaterThan, In, LessThan, MetadataFilter, Not, Or
from sourcebook.retrieve.filters import Field, FieldScope, check, parse_field
from sourcebook.storage.queries import EVERYTHING, Condition

_COLUMNS = {
    "type": "d.type",
    "category": "d.category_key",
    "subcategory": "d.subcategory_key",
    "language": "d.language",
    "title": "d.title",
    "page": "c.page_number",
    "section": "c.section",
    "document_path": "d.file_path",
    "mtime": "d.mtime",
}
_NUMBER_COLUMNS = {"page", "mtime"}

_Leaf: TypeAlias = Equals | In | GreaterThan | LessThan | Between


def compile_filter(tree: MetadataFilter | None) -> Condition:
    """The filter as a condition that is always true or false, never null, so that `Not` means not."""
    if tree is None:
        return EVERYTHING
    compiler = _Compiler()
    sql = compiler.compiled(check(tree))
    return Condition(sql, compiler.parameters)


@dataclass(frozen=True, slots=True)
class _Tested:
    """A value in SQL, and the test that it has the type of what it is compared with."""

    sql: str
    has_type: str


class _Compiler:
    def __init__(self) -> None:
        self.parameters: dict[str, object] = {}

    def bind(self, value: object) -> str:
        name = f"filter_{len(self.parameters)}"
        self.parameters[name] = value
        return f":{name}"

    def compiled(self, tree: MetadataFilter) -> str:
        match tree:
            case And(filters):
                return _joined([self.compiled(f) for f in filters], "and", "true")
            case Or(filters):
                return _joined([self.compiled(f) for f in filters], "or", "false")
            case Not(inner):
                return f"(not {self.compiled(inner)})"
            case _:
                return self._leaf(tree)

    def _leaf(self, leaf: _Leaf) -> str:
        field = parse_field(leaf.field)
        path = self.bind("$" + "".join(f'."{segment}"' for segment in field.segments))
        accepted = self._accepted(leaf, _element(field))
        places = {
            FieldScope.CHUNK: ["c.metadata"],
            FieldScope.DOCUMENT: ["d.metadata"],
            FieldScope.ANY: ["c.metadata", "d.metadata"],
        }[field.scope]
        branches = " ".join(_branch(place, path, accepted) for place in places)
        return f"(case {branches} else {self._column(leaf, field)} end)"

    def _column(self, leaf: _Leaf, field: Field) -> str:
        if field.column is None:
            return "false"
        column = _COLUMNS[field.column]
        held = "number" if field.column in _NUMBER_COLUMNS else "text"
        tested = {wanted: _Tested(column, "true" if wanted == held else "false") for wanted in _TYPES}
        return f"({column} is not null and {self._accepted(leaf, tested)})"

    def _accepted(self, leaf: _Leaf, tested: Mapping[str, _Tested]) -> str:
        """Whether one value is accepted; `tested` says, by the type of what is wanted, how to look at the value."""
        match leaf:
            case Equals(value=wanted):
                return self._among([wanted], tested)
            case In(values=wanted):
                return self._among(wanted, tested)
            case GreaterThan(value=wanted):
                return self._compared(">", wanted, tested)
            case LessThan(value=wanted):
                return self._compared("<", wanted, tested)
            case Between(low=low, high=high):
                return f"({self._compared('>=', low, tested)} and {self._compared('<=', high, tested)})"

    def _compared(self, operator: str, wanted: object, tested: Mapping[str, _Tested]) -> str:
        value = tested[_type(wanted)]
        return f"({value.has_type} and {value.sql} {operator} {self.bind(wanted)})"

    def _among(self, wanted: Sequence[object], tested: Mapping[str, _Tested]) -> str:
        tests: list[str] = []
        for type_ in ("text", "number"):
            of_type = [w for w in wanted if _type(w) == type_]
            if len(of_type) == 1:
                tests.append(self._compared("=", of_type[0], tested))
            elif of_type:
                values = self.bind(json.dumps(of_type, ensure_ascii=False))
                listed = f"in (select value from json_each({values}))"  # noqa: S608 - no caller's text
                tests.append(f"({tested[type_].has_type} and {tested[type_].sql} {listed})")
        tests += [
            tested[type_].has_type for type_ in ("true", "false") if any(_type(w) == type_ for w in wanted)
        ]
        return _joined(tests, "or", "false")


_TYPES = {
    "text": "e.type = 'text'",
    "number": "e.type in ('integer', 'real')",
    "true": "e.type = 'true'",
    "false": "e.type = 'false'",
}


def _element(field: Field) -> dict[str, _Tested]:
    """An element of JSON. Categories are compared in normal form, which only texts have."""
    tested = {wanted: _Tested("e.atom", has_type) for wanted, has_type in _TYPES.items()}
    if field.in_normal_form:
        tested["text"] = _Tested("normal_form(e.atom)", _TYPES["text"])
    return tested


def _branch(place: str, path: str, accepted: str) -> str:
    """Where the field is present, whether its value or one of its elements is accepted. An object has neither."""
    type_ = f"json_type({place}, {path})"
    found = f"exists (select 1 from json_each({place}, {path}) e where {accepted})"  # noqa: S608 - no caller's text
    return f"when coalesce({type_}, 'null') <> 'null' then {type_} <> 'object' and {found}"


def _type(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return "number"
        case _:
            return "text"


def _joined(parts: Sequence[str], operator: str, of_none: str) -> str:
    # Halved rather than chained: SQLite limits the depth of an expression, and a chain is as deep as it is long.
    match parts:
        case []:
            return of_none
        case [only]:
            return only
        case _:
            middle = len(parts) // 2
            left, right = (_joined(half, operator, of_none) for half in (parts[:middle], parts[middle:]))
            return f"({left} {operator} {right})"
