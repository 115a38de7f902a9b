"""Files divided among the processes that add the same folder, so that none is read and embedded twice."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import anyio

if TYPE_CHECKING:
    from sourcebook.ingest.folder.plan import Indexing
    from sourcebook.ports.clock_and_jobs import Claims

MOST_CLAIMED = 48
"""Files that one process has claimed at a time: enough for full calls of the embedder, and the rest is for others."""
_LOOK_SECONDS = 0.2


class ClaimedFiles(Protocol):
    @property
    def indexing(self) -> Indexing: ...


W = TypeVar("W", bound=ClaimedFiles)


class SharedWork(Generic[W]):
    """One process's part of the work. What another has claimed is left for the end, when it mostly is done.

    Then it is waited for: the other finishes it, and it is found done, or ends, and it is done here.
    """

    def __init__(self, works: Sequence[W], claims: Claims, collection_id: str) -> None:
        self._works = works
        self._claims = claims
        self._collection_id = collection_id
        self._left = deque[W]()
        self._is_last_round = False
        self._room = anyio.Semaphore(MOST_CLAIMED)

    def in_turn(self) -> Iterator[W]:
        yield from self._works
        self._is_last_round = True
        while self._left:
            yield self._left.popleft()

    async def take(self, work: W) -> bool:
        """Claim a piece of work. False: it is another's, and comes again later."""
        await self._room.acquire()
        while not await self._claims.take(self._key(work)):
            if not self._is_last_round:
                self._room.release()
                self._left.append(work)
                return False
            await anyio.sleep(_LOOK_SECONDS)
        return True

    async def give_back(self, work: W) -> None:
        await self._claims.give_back(self._key(work))
        self._room.release()

    def _key(self, work: W) -> str:
        return f"{self._collection_id}/{work.indexing.file_hash}"
