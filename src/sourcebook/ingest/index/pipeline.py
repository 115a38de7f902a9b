"""Reading, embedding and writing at the same time, with little in memory.

Several files are read at once, in the order in which they come. Their texts are embedded together, so that many small
files keep the embedder as busy as one large one. The beginning of a long file is embedded while its rest is still
read. Documents that are ready at the same time are written together. What is on its way is bounded by its size:
however many files there are, and whatever is slowest, memory stays the same. So nobody who waits for the next piece of
work still holds the last one, which may be a very large document.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar, cast

import anyio
from anyio import (
    BrokenResourceError,
    CancelScope,
    ClosedResourceError,
    Condition,
    EndOfStream,
    Lock,
    WouldBlock,
    create_memory_object_stream,
)

from sourcebook.errors import ProviderError
from sourcebook.ingest.crash_points import IngestCrashPoint, reached
from sourcebook.ingest.index.embedding import EmbeddingWork
from sourcebook.ports.providers import LoadsAhead, TextRole

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

    from sourcebook.ingest.index.document_reader import ReadDocument
    from sourcebook.ingest.stop_signal import StopSignal
    from sourcebook.model.documents import EmbeddedChunk
    from sourcebook.ports.providers import Embedder

W = TypeVar("W")

READERS = 3
"""Files that are read at the same time: one more than are parsed, so that the next is at hand."""
EMBEDDING_CALLS = 2
"""One is computed while the texts of the next are collected."""
TEXTS_OF_A_CALL = 512
TEXT_ON_THE_WAY = 2_000_000
"""Characters of text between reading and writing. With their vectors they take some twenty times that in bytes."""
TEXT_BEGUN = 200_000
"""Characters of files whose rest is still read that are embedded however much else is on its way: enough to keep an
embedder busy while that is written."""
FILES_ON_THE_WAY = 64
WRITTEN_TOGETHER = 32
TEXT_WRITTEN_TOGETHER = 200_000
"""Documents, and characters of text, that are written at once: few enough that other writers hardly wait."""
MOST_FAILURES = 3
"""After so many calls in a row that failed, the provider is taken to be down."""
STOP_SECONDS = 1.5
"""How long an `add` may still take when somebody wants to stop."""
POLL_SECONDS = 0.1


Admission: TypeAlias = Callable[[int], Awaitable[None]]
"""Waits until a text of so many characters may be on its way."""


class Budget:
    """A weight that may be out at the same time. What is heavier than all of it goes alone."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._free = limit
        self._returned = Condition()

    @property
    def free(self) -> int:
        return self._free

    async def take(self, weight: int) -> int:
        taken = min(weight, self._limit)
        async with self._returned:
            while self._free < taken:
                await self._returned.wait()
            self._free -= taken
        return taken

    async def give_back(self, taken: int) -> None:
        async with self._returned:
            self._free += taken
            self._returned.notify_all()


@dataclass(slots=True)
class Item(Generic[W]):
    """A piece of work on its way: a document that was read, or the reason why there is none."""

    work: W
    read: ReadDocument | None
    error: Exception | None = None
    embedding: EmbeddingWork | None = None
    weight: int = 0
    is_read: bool = True
    """As long as it is not, only the beginning of its texts is known."""
    is_sent: bool = False
    """Whether it is on its way to be written."""

    def embedded(self) -> list[EmbeddedChunk]:
        return self.embedding.embedded() if self.embedding is not None else []


class Pipeline(Generic[W]):
    """Carries work from `read` over the embedder to `write`, which gets all that is ready at a time."""

    def __init__(
        self,
        *,
        read: Callable[[W, Admission], Awaitable[Item[W] | None]],
        write: Callable[[Sequence[Item[W]]], Awaitable[None]],
        embedder: Embedder,
        stop: StopSignal | None = None,
        on_embedded: Callable[[W, float], None] | None = None,
    ) -> None:
        """`read` waits until its text is admitted before it makes more of it.

        `on_embedded` is told of each piece of work which share of it has just been embedded.
        """
        self._read = read
        self._write = write
        self._embedder = embedder
        self._stop = stop
        self._on_embedded = on_embedded
        self._texts = Budget(TEXT_ON_THE_WAY)
        self._forming = Lock()
        self._open: deque[Item[W]] = deque()
        self._begun: dict[int, Item[W]] = {}
        self._ahead: MemoryObjectSendStream[Item[W]] | None = None
        self._has_embedded = False
        self._last_error: ProviderError | None = None
        self._failures = 0

    async def run(self, works: Iterable[W]) -> None:
        """Do all of it, or, once stopped, what was embedded by then. An error if nothing could be embedded at all."""
        remaining = iter(works)
        read_in, read_out = create_memory_object_stream[Item[W]](FILES_ON_THE_WAY)
        done_in, done_out = create_memory_object_stream[Item[W]](FILES_ON_THE_WAY)
        producing = CancelScope()
        self._ahead = read_in
        async with one_error(), anyio.create_task_group() as watching:
            watching.start_soon(self._watch, producing)
            watching.start_soon(self._load)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._write_all, done_out)
                with producing:
                    async with done_in, read_out, anyio.create_task_group() as producers:
                        for _ in range(EMBEDDING_CALLS):
                            producers.start_soon(self._embed_all, read_out, done_in)
                        async with read_in, anyio.create_task_group() as readers:
                            for _ in range(READERS):
                                readers.start_soon(self._read_all, remaining, read_in)
            watching.cancel_scope.cancel()
        if self._last_error is not None and not self._has_embedded:
            raise self._last_error

    async def _watch(self, producing: CancelScope) -> None:
        """Once stopped, nothing new is read or embedded; what is embedded is still written."""
        if self._stop is None:
            return
        while not self._stop.is_set():  # noqa: ASYNC110 - a handler of signals can set no event of a loop
            await anyio.sleep(POLL_SECONDS)
        producing.cancel()

    async def _load(self) -> None:
        """Make the embedder ready while the first files are read."""
        if isinstance(self._embedder, LoadsAhead):
            # Whatever keeps it from being ready keeps it from embedding too, which is told then.
            with suppress(Exception):
                await self._embedder.load_ahead()

    async def _read_all(self, works: Iterator[W], out: MemoryObjectSendStream[Item[W]]) -> None:
        for work in works:
            await self._read_one(work, out)

    async def _read_one(self, work: W, out: MemoryObjectSendStream[Item[W]]) -> None:
        taken = 0

        async def admitted(size: int) -> None:
            nonlocal taken
            taken += await self._texts.take(size)

        item = self._continued(work, await self._read(work, admitted))
        if item is None:
            await self._texts.give_back(taken)
            return
        item.weight = taken
        _complete(item)
        await out.send(item)

    def embed_ahead(self, work: W, texts: Sequence[str]) -> None:
        """Embed texts of a piece of work that is still read. If it does not hold them in the end, nothing is lost."""
        begun = self._begun.get(id(work)) or Item(work, None, embedding=EmbeddingWork(), is_read=False)
        held = sum(one.weight for one in self._begun.values())
        if self._ahead is None or begun.embedding is None or held > max(self._texts.free, TEXT_BEGUN):
            return
        self._begun[id(work)] = begun
        begun.weight += sum(map(len, texts))
        begun.embedding.add(texts)
        # Who has enough to do already looks at it when all of it is read.
        with suppress(WouldBlock, ClosedResourceError, BrokenResourceError):
            self._ahead.send_nowait(begun)

    def _continued(self, work: W, item: Item[W] | None) -> Item[W] | None:
        """The piece of work as it was read, with what was embedded of it already."""
        begun = self._begun.pop(id(work), None)
        if begun is None or begun.embedding is None:
            return item
        if item is None or item.read is None:
            begun.embedding.give_up()
            return item
        begun.read, begun.error = item.read, item.error or begun.error
        return begun

    async def _embed_all(
        self, items: MemoryObjectReceiveStream[Item[W]], out: MemoryObjectSendStream[Item[W]]
    ) -> None:
        while await self._embed_next(items, out):
            pass

    async def _embed_next(
        self, items: MemoryObjectReceiveStream[Item[W]], out: MemoryObjectSendStream[Item[W]]
    ) -> bool:
        """Embed the texts of one call. False when there will be no more."""
        async with self._forming:
            pieces = await self._next_pieces(items, out)
        if pieces is None:
            return False
        await self._embed(pieces, out)
        return True

    async def _next_pieces(
        self, items: MemoryObjectReceiveStream[Item[W]], out: MemoryObjectSendStream[Item[W]]
    ) -> list[_Piece[W]] | None:
        """Texts for one call, from as many documents as are at hand; None when there will be no more."""
        pieces: list[_Piece[W]] = []
        room = TEXTS_OF_A_CALL
        while room:
            if not self._open:
                try:
                    item = items.receive_nowait() if pieces else await items.receive()
                except WouldBlock:
                    break
                except EndOfStream:
                    return pieces or None
                if item.embedding is None:
                    await self._send(item, out)
                    continue
                self._open.append(item)
                # Perhaps all of it was embedded while it was read.
                await self._send_complete(item, out)
            if self._open[0].embedding is None or self._open[0].embedding.is_given_out:
                self._open.popleft()
                continue
            piece = _piece_of(self._open[0], room)
            room -= len(piece.texts)
            pieces.append(piece)
        return pieces

    async def _embed(self, pieces: list[_Piece[W]], out: MemoryObjectSendStream[Item[W]]) -> None:
        texts = [text for piece in pieces for text in piece.texts]
        try:
            vectors = await self._embedder.embed(texts, TextRole.PASSAGE)
        except ProviderError as error:
            if len(pieces) == 1:
                self._give_up(pieces[0], error)
                await self._send_complete(pieces[0].item, out)
                return
            # Perhaps it is one text that the provider does not take: the others must not fail with it.
            for piece in pieces:
                await self._embed([piece], out)
            return
        self._has_embedded, self._failures = True, 0
        start = 0
        for piece in pieces:
            piece.work.put(piece.start, vectors[start : start + len(piece.texts)])
            start += len(piece.texts)
            await self._send_complete(piece.item, out)

    async def _send_complete(self, item: Item[W], out: MemoryObjectSendStream[Item[W]]) -> None:
        """Send on what is embedded."""
        if item.embedding is None or not item.is_read:
            return
        if self._on_embedded is not None:
            self._on_embedded(item.work, item.embedding.share_to_tell())
        if item.embedding.is_complete:
            reached(IngestCrashPoint.EMBEDDED)
            await self._send(item, out)

    async def _send(self, item: Item[W], out: MemoryObjectSendStream[Item[W]]) -> None:
        """Send it to be written, once: what was begun early comes by several times."""
        if not item.is_sent:
            item.is_sent = True
            await out.send(item)

    def _give_up(self, piece: _Piece[W], error: ProviderError) -> None:
        """The document fails. If one after the other does, the provider is down, and with it everything."""
        self._failures += 1
        self._last_error = error
        if self._failures >= MOST_FAILURES:
            raise error
        piece.item.error = error
        piece.work.skip(len(piece.texts))

    async def _write_all(self, items: MemoryObjectReceiveStream[Item[W]]) -> None:
        async with items:
            async for first in items:
                await self._write_ready(first, items)
                # Who waits for the next document must not hold the last one.
                del first

    async def _write_ready(self, first: Item[W], items: MemoryObjectReceiveStream[Item[W]]) -> None:
        ready = _with_others(first, items)
        await self._write(ready)
        for item in ready:
            await self._texts.give_back(item.weight)
            reached(IngestCrashPoint.ACKNOWLEDGED)


@dataclass(frozen=True, slots=True)
class _Piece(Generic[W]):
    """Some texts of one document, on their way to the embedder."""

    item: Item[W]
    work: EmbeddingWork
    start: int
    texts: list[str]


def _with_others(first: Item[W], items: MemoryObjectReceiveStream[Item[W]]) -> list[Item[W]]:
    """An item and those that wait behind it, as far as they may be written together. Nobody is waited for."""
    ready = [first]
    with suppress(WouldBlock, EndOfStream):
        while len(ready) < WRITTEN_TOGETHER and sum(i.weight for i in ready) < TEXT_WRITTEN_TOGETHER:
            ready.append(items.receive_nowait())
    return ready


def _complete(item: Item[W]) -> None:
    """All texts of it are known now."""
    if item.read is None or not item.read.chunks:
        item.embedding = None
    else:
        item.embedding = item.embedding or EmbeddingWork()
        item.embedding.complete(item.read.chunks, item.read.document.title)
    item.is_read = True


def _piece_of(item: Item[W], most: int) -> _Piece[W]:
    assert item.embedding is not None  # noqa: S101 - it is open
    start, texts = item.embedding.take(most)
    return _Piece(item, item.embedding, start, texts)


@asynccontextmanager
async def one_error() -> AsyncGenerator[None]:
    """Of the errors of several tasks the first by itself, as if there were no tasks."""
    try:
        yield
    except BaseExceptionGroup as group:
        raise _first(group) from None


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    first = group.exceptions[0]
    if isinstance(first, BaseExceptionGroup):
        return _first(cast("BaseExceptionGroup[BaseException]", first))
    return first
