"""A base copied to another, table by table, with the vectors that it has: from SQLite to PostgreSQL, back, or alike.

Rows travel in the form that both databases share, in the order of their keys. After each page the target remembers, in
the transaction that writes it, how far it is; so a copy that was interrupted goes on where it stopped. At the end every
row of both is read again and compared.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol, TypeAlias

from sourcebook.errors import Conflict, StorageError
from sourcebook.model.add_reports import Progress

Values: TypeAlias = dict[str, Any]
OnProgress: TypeAlias = Callable[[Progress], None]

MARK = "copy"
"""The key of `base_info` under which a target remembers how far its copy is."""

# What refers to a table comes after it. Tables that are not named come last.
_ORDER = (
    *("models", "collections", "collection_models", "collection_counters", "users", "sources", "documents"),
    *("document_hashes", "document_paths", "chunk_ids", "document_chunks", "vectors", "terms", "words"),
    *("document_words", "accounts", "api_keys", "chat_sessions", "chat_messages", "topics", "reservations"),
    *("knowledge_base", "knowledge_base_wordings"),
)
# The history of the shape and the facts of the base itself are each base's own.
_OWN = ("schema_migrations", "base_info")
_PAGE = 2_000


@dataclass(frozen=True, slots=True)
class Shape:
    """A table: its columns as both databases have them, and those of its primary key."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CopyReport:
    """How many rows of each table were copied, and how many had been there from an earlier attempt.

    `files` are the uploads beside the base; `missing_files` the names of those that were not there to be copied.
    """

    rows: Mapping[str, int]
    resumed: int = 0
    files: int = 0
    missing_files: Sequence[str] = ()

    def as_dict(self) -> dict[str, object]:
        """The shape in which `copy --json` prints it."""
        return {
            "rows": dict(self.rows),
            "resumed": self.resumed,
            "files": self.files,
            "missing_files": list(self.missing_files),
        }


class CopySource(Protocol):
    """One state of a base, to be read page by page."""

    async def hold(self) -> None:
        """From now on, read the base as it is at this moment, whatever others write."""
        ...

    async def facts(self) -> dict[str, str]:
        """What the base knows of itself: its id, and the version of the analyser that made its words."""
        ...

    async def last_change(self) -> int: ...

    async def shapes(self) -> list[Shape]: ...

    async def count(self, shape: Shape) -> int: ...

    async def page(self, shape: Shape, after: Sequence[object] | None, limit: int) -> list[Values]:
        """The rows behind this key, in the order of their keys."""
        ...


CopyFiles = Callable[[], Awaitable[tuple[int, list[str]]]]
"""Copies the uploads: how many, and the names of those that are missing."""


class CopyTarget(Protocol):
    """A base to be filled."""

    async def mark(self) -> str | None: ...

    async def begin(self, mark: str) -> None:
        """Make sure that the base is empty, and remember what is about to be copied."""
        ...

    async def put(self, shape: Shape, rows: Sequence[Values], mark: str) -> None: ...

    async def finish(self, facts: Mapping[str, str]) -> None:
        """Make what is derived from the rows, take over these facts, and forget the mark."""
        ...

    def reading(self) -> AbstractAsyncContextManager[CopySource]: ...


async def copy(
    source: CopySource, target: CopyTarget, copy_files: CopyFiles, on_progress: OnProgress | None = None
) -> CopyReport:
    """Copy everything, or the rest of it, and compare. Both bases then say the same.

    The uploads beside the base are there before the target counts as complete.
    """
    await source.hold()
    facts = await source.facts()
    shapes = ordered(await source.shapes())
    counts = {shape.name: await source.count(shape) for shape in shapes}
    bar = _Bar(sum(counts.values()), on_progress)
    done = await _resumed(target, facts["base_id"], await source.last_change())
    resumed = 0
    for shape in shapes:
        if shape.name in done.tables:
            bar.advance(shape.name, counts[shape.name])
            resumed += counts[shape.name]
            continue
        after = done.after if done.table == shape.name else None
        while rows := await source.page(shape, after, _PAGE):
            after = [rows[-1][column] for column in shape.key]
            await target.put(shape, rows, done.at(shape.name, after).as_text())
            bar.advance(shape.name, len(rows))
        done = done.past(shape.name)
    copied_files, missing_files = await copy_files()
    await target.finish({key: value for key, value in facts.items() if _travels(key)})
    async with target.reading() as copied:
        await _compare(source, copied, shapes, bar)
    return CopyReport(counts, resumed, copied_files, missing_files)


def ordered(shapes: Sequence[Shape]) -> list[Shape]:
    places = {name: place for place, name in enumerate(_ORDER)}
    copied = [shape for shape in shapes if shape.name not in _OWN]
    return sorted(copied, key=lambda shape: (places.get(shape.name, len(places)), shape.name))


def _travels(fact: str) -> bool:
    """Whether a fact of the base is one of its copy too. What is derived is made anew, and its id is its own."""
    return fact not in ("base_id", MARK) and not fact.startswith("derived:")


@dataclass(frozen=True, slots=True)
class _Done:
    """What a target remembers: whose copy it is and of when, the complete tables, and how far the next one is."""

    source: str
    change: int
    tables: tuple[str, ...] = ()
    table: str = ""
    after: Sequence[object] | None = None

    def at(self, table: str, after: Sequence[object]) -> _Done:
        return replace(self, table=table, after=after)

    def past(self, table: str) -> _Done:
        return replace(self, tables=(*self.tables, table), table="", after=None)

    def as_text(self) -> str:
        return json.dumps(asdict(self))


async def _resumed(target: CopyTarget, base_id: str, change: int) -> _Done:
    text = await target.mark()
    if text is None:
        done = _Done(base_id, change)
        await target.begin(done.as_text())
        return done
    known = json.loads(text)
    if known["source"] != base_id:
        raise Conflict(
            "The target contains part of a copy of another base",
            hint="Finish that copy, or choose an empty base.",
        )
    if known["change"] != change:
        raise _differs("the base has been written to since the copy began")
    return _Done(base_id, change, tuple(known["tables"]), known["table"], known["after"])


def _differs(message: str) -> StorageError:
    return StorageError(message, hint="Copy the base again to an empty one, while nobody writes to it.")


async def _compare(source: CopySource, copied: CopySource, shapes: Sequence[Shape], bar: _Bar) -> None:
    for shape in shapes:
        if await _digest(source, shape, bar) != await _digest(copied, shape, bar):
            raise _differs(f"the copy differs from the base in the table {shape.name}")


async def _digest(source: CopySource, shape: Shape, bar: _Bar) -> str:
    """One number for all rows of a table."""
    hashed = hashlib.sha256()
    after: Sequence[object] | None = None
    while rows := await source.page(shape, after, _PAGE):
        after = [rows[-1][column] for column in shape.key]
        for row in rows:
            hashed.update(repr([_plain(row[column]) for column in shape.columns]).encode())
        bar.compared(shape.name)
    return hashed.hexdigest()


def _plain(value: object) -> object:
    return bytes(value) if isinstance(value, bytes) else value


class _Bar:
    def __init__(self, total: int, on_progress: OnProgress | None) -> None:
        self._total = total
        self._on_progress = on_progress
        self._done = 0

    def advance(self, table: str, rows: int) -> None:
        self._done += rows
        if self._on_progress is not None:
            self._on_progress(Progress(min(self._done, self._total), self._total, table, stage="copying"))

    def compared(self, table: str) -> None:
        if self._on_progress is not None:
            self._on_progress(Progress(self._total, self._total, table, stage="comparing"))
