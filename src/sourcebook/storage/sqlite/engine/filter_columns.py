"""Filters on columns in memory. A column is made when a filter first asks for its field."""

from __future__ import annotations

import json
import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

import numpy as np

from sourcebook.model.search import And, Between, Equals, GreaterThan, In, LessThan, MetadataFilter, Not, Or
from sourcebook.retrieve.filters.filter_meaning import Field, FieldScope, parse_field
from sourcebook.retrieve.filters.time_fields import also_in_seconds
from sourcebook.text.case_and_accents import normal_form

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.storage.sqlite.engine.segment import Segment
    from sourcebook.storage.sqlite.worker_session import SqliteSession

# A segment of few documents asks for theirs by id; beyond that, reading the whole collection is faster.
_FEW_DOCUMENTS = 500
# Whoever asks may name any field, so that only so many columns are kept: the latest.
_FIELDS_REMEMBERED = 64
# A stretch is joined with the one before it unless that one is at least so many times larger.
_GROWTH = 4
_MISSING, _FALSE, _TRUE, _FIRST_NUMBER = 0, 1, 2, 3
# The columns of these statements, behind the ids.
_DOCUMENT_COLUMNS = ("type", "category", "subcategory", "language", "title", "document_path", "mtime")
_CHUNK_COLUMNS = ("page", "section")


class _Statements(NamedTuple):
    document_columns: str
    chunk_columns: str
    document_metadata: str
    chunk_metadata: str


_OF_ALL = _Statements("all_document_columns", "all_chunk_columns", "all_document_values", "all_chunk_values")
_OF_SOME = _Statements(
    "some_document_columns", "some_chunk_columns", "some_document_values", "some_chunk_values"
)

_Leaf: TypeAlias = Equals | In | GreaterThan | LessThan | Between


@dataclass(frozen=True, slots=True)
class Column:
    """The values of one field as codes: 0 for none, then false, true, the numbers in order, the texts in order.

    Because codes are in the order of the values, every comparison is a range of codes. A row whose value is a list has
    a pair in `list_rows` and `list_codes` for each element.
    """

    codes: NDArray[np.int32]
    numbers: Sequence[int | float]
    texts: Sequence[str]
    list_rows: NDArray[np.int32]
    list_codes: NDArray[np.int32]

    def rows(self, leaf: _Leaf) -> NDArray[np.bool_]:
        accepted = self._accepted(leaf)
        mask = accepted[self.codes]
        mask[self.list_rows[accepted[self.list_codes]]] = True
        return mask

    def _accepted(self, leaf: _Leaf) -> NDArray[np.bool_]:
        accepted = np.zeros(_FIRST_NUMBER + len(self.numbers) + len(self.texts), dtype=np.bool_)
        for low, high in self._ranges(leaf):
            accepted[low:high] = True
        return accepted

    def _ranges(self, leaf: _Leaf) -> Iterator[tuple[int, int]]:
        match leaf:
            case Equals(value=wanted):
                yield self._between(wanted, wanted)
            case In(values=values):
                yield from (self._between(wanted, wanted) for wanted in values)
            case GreaterThan(value=wanted):
                first, values = self._ordered(wanted)
                yield first + bisect_right(values, wanted), first + len(values)
            case LessThan(value=wanted):
                first, values = self._ordered(wanted)
                yield first, first + bisect_left(values, wanted)
            case Between(low=low, high=high):
                yield self._between(low, high)

    def _between(self, low: object, high: object) -> tuple[int, int]:
        if isinstance(low, bool):
            code = _TRUE if low else _FALSE
            return code, code + 1
        first, values = self._ordered(low)
        return first + bisect_left(values, low), first + bisect_right(values, high)

    def _ordered(self, wanted: object) -> tuple[int, Sequence[Any]]:
        if isinstance(wanted, str):
            return _FIRST_NUMBER + len(self.numbers), self.texts
        return _FIRST_NUMBER, self.numbers


class Columns:
    """The columns of one segment.

    A column is made from what the base holds at some change, so it knows the rows that lived then. Rows only die: it is
    right for every later state of the segment, and an earlier state makes its own.
    """

    def __init__(self, segment: Segment, collection_id: str) -> None:
        self._segment = segment
        self._collection_id = collection_id
        self._known: dict[Field, tuple[int, Column]] = {}
        self._lock = Lock()

    def grown(self, segment: Segment) -> GrownColumns:
        """Those of the same rows and of others behind them."""
        return GrownColumns.of(self._segment, self._collection_id).grown(segment)

    def rows(self, tree: MetadataFilter, session: SqliteSession, seq: int) -> NDArray[np.bool_]:
        """Which rows a checked filter lets through; what it says of dead rows means nothing.

        The session sees the base after change number `seq`.
        """
        match tree:
            case And(filters):
                mask = np.ones(len(self._segment), dtype=np.bool_)
                for inner in filters:
                    mask &= self.rows(inner, session, seq)
                return mask
            case Or(filters):
                mask = np.zeros(len(self._segment), dtype=np.bool_)
                for inner in filters:
                    mask |= self.rows(inner, session, seq)
                return mask
            case Not(inner):
                return ~self.rows(inner, session, seq)
            case _:
                column = self._column(parse_field(tree.field), session, seq)
                mask = column.rows(tree)
                for also in also_in_seconds(tree):
                    mask |= column.rows(also)
                return mask

    def _column(self, field: Field, session: SqliteSession, seq: int) -> Column:
        with self._lock:
            known = self._known.get(field)
            if known is None or known[0] > seq:
                known = seq, _Maker(self._segment, self._collection_id, field, session).column()
                if field not in self._known and len(self._known) >= _FIELDS_REMEMBERED:
                    del self._known[next(iter(self._known))]
                self._known[field] = known
            return known[1]


class _Stretch(NamedTuple):
    """Documents between two numbers. Their columns are made when a filter first asks for them."""

    first: int
    end: int
    rows: int
    made: list[Columns]


@dataclass(frozen=True, slots=True)
class GrownColumns:
    """The columns of a segment to which documents are appended: a new stretch each time, joined as they pile up."""

    segment: Segment
    collection_id: str
    stretches: tuple[_Stretch, ...]

    @classmethod
    def of(cls, segment: Segment, collection_id: str) -> GrownColumns:
        return cls(segment, collection_id, (_Stretch(0, len(segment.documents), len(segment), []),))

    def grown(self, segment: Segment) -> GrownColumns:
        """The same for a segment that has other documents behind those of this one."""
        kept, first = list(self.stretches), len(self.segment.documents)
        rows = len(segment) - len(self.segment)
        while kept and kept[-1].rows < _GROWTH * rows:
            last = kept.pop()
            first, rows = last.first, rows + last.rows
        added = _Stretch(first, len(segment.documents), rows, [])
        return GrownColumns(segment, self.collection_id, (*kept, added))

    def rows(self, tree: MetadataFilter, session: SqliteSession, seq: int) -> NDArray[np.bool_]:
        """As for other columns."""
        return np.concatenate([self._columns(one).rows(tree, session, seq) for one in self.stretches])

    def _columns(self, stretch: _Stretch) -> Columns:
        if not stretch.made:
            own = self.segment.stretch(stretch.first, stretch.end)
            stretch.made.append(Columns(own, self.collection_id))
        return stretch.made[0]


class _Maker:
    """Makes a column: the lowest place first, so that a higher one overwrites it."""

    def __init__(self, segment: Segment, collection_id: str, field: Field, session: SqliteSession) -> None:
        self._segment = segment
        self._field = field
        self._session = session
        self._scope: dict[str, object] = {"collection_id": collection_id}
        self._statements = _OF_ALL
        if len(segment.documents) <= _FEW_DOCUMENTS:
            self._scope["document_ids"] = list(segment.documents)
            self._statements = _OF_SOME
        self._path = "$" + "".join(f'."{name}"' for name in field.segments)

    def column(self) -> Column:
        by_document: dict[int, object] = {}
        by_row: dict[int, object] = {}
        if self._field.column in _CHUNK_COLUMNS:
            by_row.update(self._chunk_column(self._field.column))
        elif self._field.column is not None:
            by_document.update(self._document_column(self._field.column))
        if self._field.scope is not FieldScope.CHUNK:
            above = dict(self._document_metadata())
            by_document.update(above)
            by_row = {
                row: value for row, value in by_row.items() if self._segment.document_of[row] not in above
            }
        if self._field.scope is not FieldScope.DOCUMENT:
            by_row.update(self._chunk_metadata())
        return self._coded(by_document, by_row)

    def _document_column(self, name: str) -> Iterator[tuple[int, object]]:
        place = 1 + _DOCUMENT_COLUMNS.index(name)
        for row in self._session.stream(self._statements.document_columns, **self._scope):
            number = self._segment.number_of(row[0])
            if number is not None and row[place] is not None:
                yield number, row[place]

    def _chunk_column(self, name: str) -> Iterator[tuple[int, object]]:
        place = 2 + _CHUNK_COLUMNS.index(name)
        rows = self._session.stream(self._statements.chunk_columns, **self._scope)
        yield from self._aligned((row[0], row[1], row[place]) for row in rows if row[place] is not None)

    def _document_metadata(self) -> Iterator[tuple[int, object]]:
        rows = self._session.stream(self._statements.document_metadata, **self._scope, path=self._path)
        for document_id, type_, value in rows:
            number = self._segment.number_of(document_id)
            if number is not None:
                yield number, _restored(type_, value)

    def _chunk_metadata(self) -> Iterator[tuple[int, object]]:
        rows = self._session.stream(self._statements.chunk_metadata, **self._scope, path=self._path)
        yield from self._aligned((d, c, _restored(type_, value)) for d, c, type_, value in rows)

    def _aligned(self, rows: Iterator[tuple[Any, ...]]) -> Iterator[tuple[int, object]]:
        """Values with the rows they belong to. The segment need not hold every chunk of a document."""
        for document_id, group in groupby(rows, key=lambda row: row[0]):
            own = self._segment.rows_of(document_id)
            place = dict(zip(self._segment.chunk_ids[own.start : own.stop], own, strict=True))
            yield from ((place[row[1]], row[2]) for row in group if row[1] in place)

    def _coded(self, by_document: dict[int, object], by_row: dict[int, object]) -> Column:
        code = _Coder(self._field.in_normal_form, [*by_document.values(), *by_row.values()])
        codes = np.zeros(max(len(self._segment.documents), 1), dtype=np.int32)
        for number, value in by_document.items():
            codes[number] = code.single(value)
        of_rows = codes[self._segment.document_of]
        lists = {
            row: _parts(value)
            for number, value in by_document.items()
            if _is_list(value)
            for row in range(int(self._segment.starts[number]), int(self._segment.starts[number + 1]))
        }
        for row, value in by_row.items():
            of_rows[row] = code.single(value)
            lists.pop(row, None)
            if _is_list(value):
                lists[row] = _parts(value)
        pairs = [(row, c) for row, value in sorted(lists.items()) for c in code.elements(value)]
        return Column(
            of_rows,
            code.numbers,
            code.texts,
            np.array([row for row, _ in pairs], dtype=np.int32),
            np.array([c for _, c in pairs], dtype=np.int32),
        )


class _Coder:
    def __init__(self, in_normal_form: bool, values: Sequence[object]) -> None:
        self._in_normal_form = in_normal_form
        scalars = [s for value in values for s in _parts(value)]
        self.texts = sorted({self._text(s) for s in scalars if isinstance(s, str)})
        self.numbers = sorted({s for s in scalars if isinstance(s, (int, float)) and not isinstance(s, bool)})
        first_text = _FIRST_NUMBER + len(self.numbers)
        self._text_codes = {text: first_text + i for i, text in enumerate(self.texts)}
        self._number_codes = {number: _FIRST_NUMBER + i for i, number in enumerate(self.numbers)}

    def single(self, value: object) -> int:
        match value:
            case bool():
                return _TRUE if value else _FALSE
            case int() | float():
                return self._number_codes[value]
            case str():
                return self._text_codes[self._text(value)]
            case _:
                return _MISSING

    def elements(self, value: Sequence[object]) -> list[int]:
        return [c for c in map(self.single, value) if c != _MISSING]

    def _text(self, value: str) -> str:
        return normal_form(value) if self._in_normal_form else value


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def _parts(value: object) -> Sequence[object]:
    return cast("list[object]", value) if _is_list(value) else (value,)


def _restored(type_: str, value: object) -> object:
    """A value as JSON means it: SQLite gives booleans as numbers, lists and objects as text."""
    match type_:
        case "true" | "false":
            return type_ == "true"
        case "array":
            return [_stored(element) for element in json.loads(str(value))]
        case "object":
            return {}
        case _:
            return value


def _stored(element: object) -> object:
    """An element of a list as SQLite compares it: integers beyond 64 bits are floats."""
    if isinstance(element, int) and not isinstance(element, bool) and not -(2**63) <= element < 2**63:
        try:
            return float(element)
        except OverflowError:
            return math.inf if element > 0 else -math.inf
    return element
