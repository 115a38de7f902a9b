"""What is in memory, kept equal to the base.

An image is the state of one collection at one moment of the change log. It consists of parts that never change; a
document that changes dies in the part that holds it and comes back in a new one. Small parts are joined as they pile
up, so that catching up costs in proportion to what changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

import numpy as np

from sourcebook.storage.sqlite.engine.filter_columns import Columns

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

# A part is joined with the one before it unless that one is at least so many times larger.
_GROWTH = 4
# Everything is made one part again when this share of the rows is dead, or out of date in the file,
SHARE_TO_REBUILD = 0.3
# or, while somebody goes on writing, this share lies outside the first part: it takes a core for a while, and each
# time twice as long as the last.
_SHARE_OUTSIDE = 0.5
_TOO_SMALL_TO_REBUILD = 5_000
_FILTERS_REMEMBERED = 32


@dataclass(frozen=True)
class LivePart(Generic[P]):
    """A part with the rows of it that are still true."""

    part: P
    alive: NDArray[np.bool_]
    columns: Columns
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
        return sum(int(np.count_nonzero(part.alive)) for part in self.parts)

    def begins_like(self, other: Image[P]) -> bool:
        """Whether the first parts, which hold most of the rows, are one and the same."""
        return bool(self.parts and other.parts) and self.parts[0].part is other.parts[0].part

    def changed(self, session: SqliteSession) -> list[str]:
        """The documents that are others, or no more, at the session's state."""

        def read() -> list[str]:
            rows = session.fetch("changed_documents", collection_id=self.collection_id, seq=self.seq)
            return [row["document_id"] for row in rows]

        # Words and vectors are mostly of the same moment, and ask the same.
        return session.remembered(("changed", self.collection_id, self.seq), read)

    def rows_to_follow(self, session: SqliteSession) -> int:
        """How many rows are read and moved, at most, to catch up with the session's state."""

        def read() -> int:
            scope = {"collection_id": self.collection_id, "document_ids": self.changed(session)}
            row = session.fetch_one("chunks_of_documents", **scope)
            return int(row["chunks"]) if row else 0

        added = session.remembered(("chunks changed", self.collection_id, self.seq), read)
        return sum(_to_join([len(part.alive) for part in self.parts[1:]], added))

    def caught_up(self, session: SqliteSession, seq: int, load: Loader[P], join: Joiner[P]) -> Image[P]:
        """The image at the session's state, which is at change number `seq`."""
        changed = self.changed(session)
        if not changed:
            return replace(self, seq=seq)
        first, *others = [part.without(changed) for part in self.parts]
        added = fully_alive(load(session, changed), self.collection_id)
        parts = self._joined(first, [part for part in others if part.alive.any()], added, join)
        return replace(self, seq=seq, parts=tuple(parts), is_whole=False, is_worn=_is_worn(parts))

    def one_part(self, join: Joiner[P]) -> P:
        """Everything that lives in it, as one part."""
        if self.is_whole:
            return self.parts[0].part
        return join([(live.part, live.alive) for live in self.parts])

    def as_whole(self, join: Joiner[P]) -> Image[P]:
        """The same state in one part."""
        part = self.one_part(join)
        return _whole(self.collection_id, self.seq, part, replaces=self.token or self.replaces)

    def _joined(
        self, first: LivePart[P], others: list[LivePart[P]], added: LivePart[P], join: Joiner[P]
    ) -> list[LivePart[P]]:
        if not len(added.part.segment):
            return [first, *others]
        kept = len(others) + 1 - len(_to_join([len(part.alive) for part in others], len(added.alive)))
        if kept < len(others):
            some = [*others[kept:], added]
            added = fully_alive(join([(live.part, live.alive) for live in some]), self.collection_id)
        return [first, *others[:kept], added]


def _to_join(sizes: Sequence[int], added: int) -> list[int]:
    """The sizes of the last parts, and of what is added, that become one part together."""
    joined = [added]
    for size in reversed(sizes):
        if size >= _GROWTH * sum(joined):
            break
        joined.append(size)
    return joined


def read_whole(session: SqliteSession, collection_id: str, seq: int, load: Loader[P]) -> Image[P]:
    """The image of everything that the base holds of a collection."""
    return _whole(collection_id, seq, load(session, None))


def _whole(collection_id: str, seq: int, part: P, replaces: str = "") -> Image[P]:
    return Image(collection_id, seq, (fully_alive(part, collection_id),), replaces=replaces, is_whole=True)


def _is_worn(parts: Sequence[LivePart[P]]) -> bool:
    total = sum(len(part.alive) for part in parts)
    if total < _TOO_SMALL_TO_REBUILD:
        return False
    dead = sum(len(part.alive) - int(np.count_nonzero(part.alive)) for part in parts)
    later = sum(len(part.alive) for part in parts[1:])
    return dead > SHARE_TO_REBUILD * total or later > _SHARE_OUTSIDE * total
