"""What is in memory, kept equal to the base.

An image is the state of one collection at one moment of the change log. It consists of parts that never change; a
document that changes dies in the part that holds it and comes back in the last one. The rows of that lie behind those
of the last part before, in the same memory, so that catching up costs in proportion to what changed and a search looks
at two parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np

from sourcebook.storage.sqlite.engine.filter_columns import Columns, GrownColumns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.model.search import MetadataFilter
    from sourcebook.storage.sqlite.engine.segment import Segment
    from sourcebook.storage.sqlite.worker_session import SqliteSession


class IndexPart(Protocol):
    @property
    def segment(self) -> Segment: ...


P = TypeVar("P", bound=IndexPart)
T = TypeVar("T")

# Everything is made one part again when this share of the rows is dead, or out of date in the file,
SHARE_TO_REBUILD = 0.3
# or, while somebody goes on writing, this share lies outside the first part: it takes a core for a while, and each
# time twice as long as the last.
_SHARE_OUTSIDE = 0.5
_TOO_SMALL_TO_REBUILD = 5_000
# Dead rows among so few cost a search next to nothing.
_UNTIDY = 1_000
_FILTERS_REMEMBERED = 32
# So many documents are looked for in every part of an image in a millisecond or two.
_FEW_DOCUMENTS = 200
# Moving a row from a part to another takes at most a quarter of the time in which it is read from the base.
_MOVED_AS_FAST = 4


@dataclass(frozen=True)
class LivePart(Generic[P]):
    """A part with the rows of it that are still true."""

    part: P
    alive: NDArray[np.bool_]
    columns: Columns | GrownColumns
    # What recent filters let through, for as long as the same rows live.
    recent: dict[object, Any] = field(default_factory=dict[object, Any])

    def remembered(self, key: object, make: Callable[[], T]) -> T:
        """What was made under this key before, or is made now. Another thread may forget all of it at any moment."""
        made = self.recent.get(key)
        if made is None:
            made = make()
            if len(self.recent) >= _FILTERS_REMEMBERED:
                self.recent.clear()
            self.recent[key] = made
        return made

    def recalled(self, key: object) -> Any | None:
        """What was made under this key before, if anything was."""
        return self.recent.get(key)

    def without(self, document_ids: Iterable[str]) -> LivePart[P]:
        alive = self.part.segment.without(self.alive, document_ids)
        return self if alive is self.alive else LivePart(self.part, alive, self.columns)

    def grown(self, part: P) -> LivePart[P]:
        """The same with the rows that this part has in addition."""
        alive = np.ones(len(part.segment), dtype=np.bool_)
        alive[: len(self.alive)] = self.alive
        return LivePart(part, alive, self.columns.grown(part.segment))

    def rows(self, tree: MetadataFilter | None, session: SqliteSession, seq: int) -> NDArray[np.bool_]:
        """The living rows that a checked filter lets through."""
        return self.alive if tree is None else self.alive & self.columns.rows(tree, session, seq)


def fully_alive(part: P, collection_id: str) -> LivePart[P]:
    alive = np.ones(len(part.segment), dtype=np.bool_)
    return LivePart(part, alive, Columns(part.segment, collection_id))


# Reads a part from the base: of some documents, or (None) of all.
Loader: TypeAlias = "Callable[[SqliteSession, Sequence[str] | None], P]"
# Makes one part of what lives in several.
Joiner: TypeAlias = "Callable[[Sequence[tuple[P, NDArray[np.bool_]]]], P]"


class Growing(Protocol[P]):
    """How rows are added to parts of one kind."""

    def size(self, part: P) -> Size: ...

    def join(self, old: Sequence[tuple[P, NDArray[np.bool_]]]) -> P: ...

    def growing(self, added: P, first: P) -> P:
        """The same rows, with room for others behind them; `first` is the first part of the image."""
        ...

    def appended(self, part: P, added: P) -> P | None:
        """The part with these rows behind its own; None if there is no such room, or others came there already."""
        ...

    def has_room(self, part: P, rows: int) -> bool:
        """Whether so many rows can be appended without moving those that are there."""
        ...


@dataclass(frozen=True)
class Image(Generic[P]):
    """The state of a collection after change number `seq`.

    `token` names the shared file that its first part lies in, `replaces` one that it was found better than. `is_whole`:
    it has one part with everything in it, which could become such a file. `is_worn`: so much of it is dead, or outside
    the first part, that it should be made one part again.
    """

    collection_id: str
    seq: int
    parts: tuple[LivePart[P], ...] = ()
    token: str = ""
    replaces: str = ""
    is_whole: bool = False
    is_worn: bool = False

    @property
    def rows(self) -> int:
        return sum(len(part.alive) for part in self.parts)

    @property
    def living(self) -> int:
        """How many of its rows are true."""
        return sum(_living(part) for part in self.parts)

    def begins_like(self, other: Image[P]) -> bool:
        """Whether the first parts, which hold most of the rows, are one and the same."""
        return bool(self.parts and other.parts) and self.parts[0].part is other.parts[0].part

    def changed(self, session: SqliteSession) -> list[str]:
        """The documents that are others, or no more, at the session's state."""
        few = self.few_changed(session)
        if few is not None:
            return few
        rows = session.fetch("changed_documents", collection_id=self.collection_id, seq=self.seq)
        return [row["document_id"] for row in rows]

    def few_changed(self, session: SqliteSession) -> list[str] | None:
        """The same, if few documents of the base changed; no more of the log is read than it takes to tell."""

        def read() -> list[str] | None:
            rows = session.fetch("next_changes", seq=self.seq, limit=_FEW_DOCUMENTS + 1)
            if len(rows) > _FEW_DOCUMENTS:
                return None
            return sorted(row["document_id"] for row in rows if row["collection_id"] == self.collection_id)

        # Words and vectors are mostly of the same moment, and ask the same.
        return session.remembered(("changed", self.collection_id, self.seq), read)

    def without(self, document_ids: Iterable[str]) -> Remains[P]:
        """What is left of it when these documents are gone."""
        first, *others = [part.without(document_ids) for part in self.parts]
        return Remains(self, first, tuple(part for part in others if part.alive.any()))

    def caught_up(self, session: SqliteSession, seq: int, load: Loader[P], growing: Growing[P]) -> Image[P]:
        """The image at the session's state, which is at change number `seq`."""
        changed = self.changed(session)
        if not changed:
            return replace(self, seq=seq)
        return self.without(changed).with_added(load(session, changed), seq, growing)

    def one_part(self, join: Joiner[P]) -> P:
        """Everything that lives in it, as one part."""
        if self.is_whole:
            return self.parts[0].part
        return join([(live.part, live.alive) for live in self.parts])

    def as_whole(self, join: Joiner[P]) -> Image[P]:
        """The same state in one part."""
        part = self.one_part(join)
        return _whole(self.collection_id, self.seq, part, replaces=self.token or self.replaces)


class Size(NamedTuple):
    """How many rows, and how much there is in them: postings of words, or bytes of vectors."""

    rows: int
    content: int

    def is_within(self, other: Size) -> bool:
        return self.rows <= other.rows and self.content <= other.content


class Outlook(NamedTuple):
    """What will be true of an image that catches up, and what that takes."""

    living: int
    is_worn: bool
    takes: Size
    is_whole: bool = False


@dataclass(frozen=True)
class Remains(Generic[P]):
    """What is left of an image without the documents that changed. Nothing was read or moved for it yet."""

    image: Image[P]
    first: LivePart[P]
    others: tuple[LivePart[P], ...]

    def outlook(self, added: Size, growing: Growing[P]) -> Outlook:
        """What comes of it with so much added."""
        takes, last = added, self.others[-1] if self.others else None
        if last is not None and (self._is_tidied or not growing.has_room(last.part, added.rows)):
            moved = growing.size(last.part)
            takes = Size(
                added.rows + moved.rows // _MOVED_AS_FAST, added.content + moved.content // _MOVED_AS_FAST
            )
        rows, living = self._counts
        return Outlook(living + added.rows, _is_worn([*rows, added.rows], living + added.rows), takes)

    def with_added(self, part: P, seq: int, growing: Growing[P]) -> Image[P]:
        """The image at change number `seq`, when the part holds what the documents are now."""
        others = self.others
        if self._is_tidied:
            tidied = growing.join([(others[-1].part, others[-1].alive)])
            others = (*others[:-1], self._growing(tidied, growing))
        if len(part.segment):
            grown = growing.appended(others[-1].part, part) if others else None
            if grown is None:
                others = (*others, self._growing(part, growing))
            else:
                others = (*others[:-1], others[-1].grown(grown))
        parts = (self.first, *others)
        is_worn = _is_worn([len(part.alive) for part in parts], sum(_living(part) for part in parts))
        return replace(self.image, seq=seq, parts=parts, is_whole=False, is_worn=is_worn)

    @property
    def _is_tidied(self) -> bool:
        """Whether the last part is made anew without its dead rows: most of it is dead."""
        last = self.others[-1] if self.others else None
        return last is not None and len(last.alive) > _UNTIDY and 2 * _living(last) < len(last.alive)

    @property
    def _counts(self) -> tuple[list[int], int]:
        """The rows of each part, and how many live in all of them."""
        parts = (self.first, *self.others)
        return [len(part.alive) for part in parts], sum(_living(part) for part in parts)

    def _growing(self, part: P, growing: Growing[P]) -> LivePart[P]:
        grown, collection_id = growing.growing(part, self.first.part), self.image.collection_id
        alive = np.ones(len(grown.segment), dtype=np.bool_)
        return LivePart(grown, alive, GrownColumns.of(grown.segment, collection_id))


def _living(part: LivePart[Any]) -> int:
    return int(np.count_nonzero(part.alive))


def read_whole(session: SqliteSession, collection_id: str, seq: int, load: Loader[P]) -> Image[P]:
    """The image of everything that the base holds of a collection."""
    return _whole(collection_id, seq, load(session, None))


def _whole(collection_id: str, seq: int, part: P, replaces: str = "") -> Image[P]:
    return Image(collection_id, seq, (fully_alive(part, collection_id),), replaces=replaces, is_whole=True)


def _is_worn(rows: Sequence[int], living: int) -> bool:
    """Of parts with so many rows, of which so many live."""
    total = sum(rows)
    if total < _TOO_SMALL_TO_REBUILD:
        return False
    return total - living > SHARE_TO_REBUILD * total or sum(rows[1:]) > _SHARE_OUTSIDE * total
