"""Plans how to bring a base up to date with a folder. Nothing is read or written here.

Bytes decide: whatever document holds the bytes that were found at a path lies at that path. So a renamed file moves,
two files that change places change places, and a copy is one more path of the same document. Only bytes that no
document holds are read and embedded, in the place of the document that lay at their path, if its own bytes are nowhere
any more. Bytes that a document could not be read from are no text: where a readable document lay, they are read again,
and if that fails, it keeps its text and its path.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from sourcebook.model.documents import DocumentStatus

if TYPE_CHECKING:
    from sourcebook.model.sources import DocumentState, PathState

FEW = 3
"""That many files may vanish from any folder without a question."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the base remembers of the place that is looked at.

    `owners` are documents that hold some of the found bytes and lie elsewhere, by the hash, and `unread` those of them
    that have no text; `elsewhere` are documents that lie here and also where nobody looked.
    """

    paths: Mapping[str, PathState]
    documents: Mapping[str, DocumentState]
    owners: Mapping[str, str] = field(default_factory=dict[str, str])
    elsewhere: frozenset[str] = frozenset()
    unread: Mapping[str, DocumentState] = field(default_factory=dict[str, "DocumentState"])


class Move(NamedTuple):
    document_id: str
    old: str
    new: str


class AnotherPath(NamedTuple):
    """A document lies at a path where it did not lie before, and left none for it."""

    document_id: str
    path: str


class Endangered(NamedTuple):
    """A document that is replaced if new bytes can be read, and otherwise keeps its text and these paths."""

    document: DocumentState
    paths: Sequence[str]


class Indexing(NamedTuple):
    """Bytes to be read. They become a new document, or take the place of what a document holds.

    `endangered` are further documents with a text that lay at some of the paths.
    """

    file_hash: str
    paths: Sequence[str]
    document: DocumentState | None
    endangered: Sequence[Endangered] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that has to be done, each list in the order of the paths."""

    unchanged: Sequence[str] = ()
    moves: Sequence[Move] = ()
    another: Sequence[AnotherPath] = ()
    indexings: Sequence[Indexing] = ()
    gone: Sequence[str] = ()
    accepted: Sequence[str] = ()
    """Documents of which the newest bytes could not be read, and whose file is again what it was before."""


def diff(known: Known, found: Mapping[str, str], retried: Iterable[str] = ()) -> Plan:
    """The plan that makes the base agree with what was found (path → hash).

    `retried` are documents whose bytes could not be read and are to be read again.
    """
    planning = _Planning(known, found, frozenset(retried))
    return planning.plan()


class _Planning:
    def __init__(self, known: Known, found: Mapping[str, str], retried: frozenset[str]) -> None:
        self.known = known
        self.found = found
        self.retried = retried
        self.holders = _holders(known, frozenset(found.values()))
        self.hashes = frozenset(found.values())
        self.wanted = {path: self._wanted(path, file_hash) for path, file_hash in found.items()}
        self.gained: defaultdict[str, list[str]] = defaultdict(list)
        self.lost: defaultdict[str, list[str]] = defaultdict(list)
        self.kept: set[str] = set()

    def plan(self) -> Plan:
        self._compare()
        moves, another, left = self._moved()
        gone = [p for p in sorted(self.known.paths) if p not in self.found and p not in left]
        return Plan(
            unchanged=tuple(sorted(self._unchanged())),
            moves=tuple(moves),
            another=tuple(another),
            indexings=tuple(self._indexings()),
            gone=tuple(gone),
            accepted=tuple(sorted(self._accepted())),
        )

    def _wanted(self, path: str, file_hash: str) -> str | None:
        """The document that is to lie at the path. None: the bytes have to be read first."""
        holder = self.holders.get(file_hash)
        state = self._lay_at(path)
        if state is None or state.id == holder or not self._would_lose_its_text(state):
            return holder
        if holder is None or self._unread(holder, file_hash) is None:
            return holder
        return state.id if state.refused and state.refused.file_hash == file_hash else None

    def _would_lose_its_text(self, state: DocumentState) -> bool:
        is_found = state.file_hash in self.hashes or state.id in self.known.elsewhere
        return has_text(state) and not is_found

    def _unread(self, holder: str, file_hash: str) -> DocumentState | None:
        """The document, if these bytes of it could not be read."""
        state = self.known.documents.get(holder) or self.known.unread.get(holder)
        is_text = state is not None and has_text(state) and state.file_hash == file_hash
        return state if state and could_not_be_read(state) and not is_text else None

    def _compare(self) -> None:
        for path in sorted(self.found.keys() | self.known.paths.keys()):
            before = self.known.paths.get(path)
            after = self.wanted.get(path)
            if before is not None and before.document_id != after:
                self.lost[before.document_id].append(path)
            if after is not None:
                self.kept.add(after)
                if before is None or before.document_id != after:
                    self.gained[after].append(path)

    def _unchanged(self) -> Iterable[str]:
        for path, document_id in self.wanted.items():
            before = self.known.paths.get(path)
            if before is not None and before.document_id == document_id and document_id not in self.retried:
                yield path

    def _moved(self) -> tuple[list[Move], list[AnotherPath], set[str]]:
        """Each path that a document gained is paired with one that it lost, as long as there are any."""
        moves: list[Move] = []
        another: list[AnotherPath] = []
        for document_id, paths in sorted(self.gained.items()):
            lost = iter(self.lost.get(document_id, ()))
            for path in paths:
                old = next(lost, None)
                if old is None:
                    another.append(AnotherPath(document_id, path))
                else:
                    moves.append(Move(document_id, old, path))
        return sorted(moves, key=lambda move: move.new), another, {move.old for move in moves}

    def _indexings(self) -> Iterable[Indexing]:
        new = list(self._new_bytes())
        read = {indexing.document.id for indexing in new if indexing.document}
        return [*new, *self._again(read)]

    def _new_bytes(self) -> Iterable[Indexing]:
        by_hash: defaultdict[str, list[str]] = defaultdict(list)
        for path in sorted(self.found):
            if self.wanted[path] is None:
                by_hash[self.found[path]].append(path)
        taken: set[str] = set()
        for file_hash, paths in by_hash.items():
            old = {d.id: d for d in self._replaceable(paths) if d.id not in taken}
            replaced = self._tried_before(file_hash) or next(iter(old.values()), None)
            endangered = [
                Endangered(d, [p for p in paths if self._lay_at(p) is d])
                for d in old.values()
                if d is not replaced and has_text(d)
            ]
            if replaced is not None:
                taken |= {replaced.id, *(one.document.id for one in endangered)}
                if replaced.id in self.retried:
                    paths = [*paths, *(p for p in sorted(self.found) if self.wanted[p] == replaced.id)]
            yield Indexing(file_hash, paths, replaced, endangered)

    def _tried_before(self, file_hash: str) -> DocumentState | None:
        """The document without a text that these bytes are known by."""
        holder = self.holders.get(file_hash)
        state = self._unread(holder, file_hash) if holder else None
        return state if state and not has_text(state) else None

    def _lay_at(self, path: str) -> DocumentState | None:
        before = self.known.paths.get(path)
        return self.known.documents.get(before.document_id) if before else None

    def _replaceable(self, paths: Iterable[str]) -> Iterable[DocumentState]:
        """The documents that lay at these paths and whose bytes are nowhere any more."""
        for path in paths:
            state = self._lay_at(path)
            if state and state.id not in self.kept and state.id not in self.known.elsewhere:
                yield state

    def _again(self, besides: Collection[str]) -> Iterable[Indexing]:
        by_document: defaultdict[str, list[str]] = defaultdict(list)
        for path in sorted(self.found):
            document_id = self.wanted[path]
            if (
                document_id in self.retried
                and document_id in self.known.documents
                and document_id not in besides
            ):
                by_document[document_id].append(path)
        for document_id, paths in by_document.items():
            yield Indexing(self.found[paths[0]], paths, self.known.documents[document_id])

    def _accepted(self) -> Iterable[str]:
        current: defaultdict[str, set[str]] = defaultdict(set)
        for path, document_id in self.wanted.items():
            if document_id is not None:
                current[document_id].add(self.found[path])
        for document_id, hashes in current.items():
            state = self.known.documents.get(document_id)
            if state and _keeps_an_older_text(state) and hashes == {state.file_hash}:
                yield document_id


def _holders(known: Known, found: frozenset[str]) -> dict[str, str]:
    """Which document holds which bytes. Those that could not be read are its own if its text has no file any more."""
    holders: dict[str, str] = {}
    for state in known.documents.values():
        if state.refused is not None and state.file_hash not in found:
            holders[state.refused.file_hash] = state.id
    holders |= known.owners
    holders |= {state.file_hash: state.id for state in known.documents.values() if state.file_hash}
    return holders


def believed_hash(state: DocumentState) -> str | None:
    """The bytes that a file of this document holds if nothing about it changed."""
    return state.refused.file_hash if state.refused else state.file_hash


def could_not_be_read(state: DocumentState) -> bool:
    return state.status in (DocumentStatus.FAILED, DocumentStatus.NEEDS_OCR)


def is_waiting(state: DocumentState) -> bool:
    """Whether its bytes are known and nobody has read them yet."""
    return state.status in (DocumentStatus.PENDING, DocumentStatus.PROCESSING)


def has_text(state: DocumentState) -> bool:
    """Whether the document can be found, be it by an older text."""
    return state.status is DocumentStatus.COMPLETED or _keeps_an_older_text(state)


def _keeps_an_older_text(state: DocumentState) -> bool:
    return state.refused is not None and state.refused.file_hash != state.file_hash


def with_text(known: Known) -> frozenset[str]:
    """The paths at which the base has a text."""
    ids = {document.id for document in known.documents.values() if has_text(document)}
    return frozenset(path for path, state in known.paths.items() if state.document_id in ids)


class Loss(NamedTuple):
    """The paths whose texts would be removed, and how many paths have a text."""

    gone: Sequence[str]
    known: int


def excessive_loss(known: Known, found: Mapping[str, str], plan: Plan) -> Loss | None:
    """What would vanish, if it is so much that it is more likely a mistake: a disk that is not there, a mistyped path.

    A file that was never read is no loss: the base has nothing of it.
    """
    readable = with_text(known)
    gone = [path for path in plan.gone if path in readable]
    is_much = not found or (len(gone) > FEW and 2 * len(gone) > len(readable))
    return Loss(gone, len(readable)) if gone and is_much else None
