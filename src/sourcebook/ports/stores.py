"""All the sockets of one open base, in one place."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from sourcebook.ports.accounts import Accounts, ApiKeys
    from sourcebook.ports.chat import CuratedAnswers, Sessions, Terminology
    from sourcebook.ports.clock_and_jobs import Jobs
    from sourcebook.ports.moderation import ModerationQueue
    from sourcebook.ports.people import Ledger, Messages, Topics, Users, Visits
    from sourcebook.ports.reindexing import Reindexing
    from sourcebook.ports.storage import DocumentTracker, FtsStore, IndexWriter, Library, Sources, VectorStore


T = TypeVar("T")


class ReadsTogether(Protocol):
    """A base that can do many reads for the price of one, as one that lives in this process can."""

    async def read(self, work: Callable[[Stores], Coroutine[Any, Any, T]], /) -> T:
        """Run `work` on one state of the base. It may wait for nothing but the stores that it is given."""
        ...


@dataclass(frozen=True, slots=True)
class Stores:
    """The stores of one open base, for those who build on them directly."""

    vectors: VectorStore
    fts: FtsStore
    tracker: DocumentTracker
    writer: IndexWriter
    library: Library
    sources: Sources
    jobs: Jobs
    reindexing: Reindexing
    sessions: Sessions
    curated: CuratedAnswers
    terms: Terminology
    moderation: ModerationQueue
    users: Users
    topics: Topics
    messages: Messages
    ledger: Ledger
    visits: Visits
    accounts: Accounts
    keys: ApiKeys
    reader: ReadsTogether | None = None

    async def read_together(self, work: Callable[[Stores], Coroutine[Any, Any, T]]) -> T:
        """Several lookups at once, which searches are not. `work` may wait for nothing but the stores it is given."""
        return await (work(self) if self.reader is None else self.reader.read(work))
