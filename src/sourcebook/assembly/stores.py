"""The stores of an open base."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

from sourcebook.ports.stores import Stores
from sourcebook.storage.database import reads_at_once

if TYPE_CHECKING:
    from sourcebook.ports.clock_and_jobs import Clock
    from sourcebook.storage.database import Database, Executor, ReadsAtOnce
    from sourcebook.storage.index.engines import VectorEngine, WordEngine


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Together:
    """Stores whose every lookup is part of one read."""

    database: ReadsAtOnce
    vectors: VectorEngine
    words: WordEngine
    clock: Clock

    async def read(self, work: Callable[[Stores], Coroutine[Any, Any, T]], /) -> T:
        def begun(reader: Executor) -> Coroutine[Any, Any, T]:
            # A lookup uses no more of a base than an executor has.
            return work(make_stores(cast("Database", reader), self.vectors, self.words, self.clock))

        return await self.database.read_at_once(begun)


def make_stores(
    database: Database,
    vectors: VectorEngine,
    words: WordEngine,
    clock: Clock,
    reader: Database | None = None,
) -> Stores:
    """The stores of a base. Those that searches and conversations read from read with the `reader`, if there is one."""
    from sourcebook.storage.chat.sessions import SqlSessions
    from sourcebook.storage.curation.curated_answers import SqlCuratedAnswers
    from sourcebook.storage.curation.moderation_queue import SqlModerationQueue
    from sourcebook.storage.curation.terminology import SqlTerminology
    from sourcebook.storage.index.document_tracker import SqlDocumentTracker
    from sourcebook.storage.index.fts_store import SqlFtsStore
    from sourcebook.storage.index.index_writer import SqlIndexWriter
    from sourcebook.storage.index.library import SqlLibrary
    from sourcebook.storage.index.reindexing import SqlReindexing
    from sourcebook.storage.index.sources import SqlSources
    from sourcebook.storage.index.vector_store import SqlVectorStore
    from sourcebook.storage.job_queue import SqlJobs
    from sourcebook.storage.people.accounts import SqlAccounts
    from sourcebook.storage.people.api_keys import SqlApiKeys
    from sourcebook.storage.people.messages import SqlMessages
    from sourcebook.storage.people.token_ledger import SqlLedger
    from sourcebook.storage.people.topics import SqlTopics
    from sourcebook.storage.people.users import SqlUsers
    from sourcebook.storage.people.visits import SqlVisits

    reader = reader or database
    together = _Together(database, vectors, words, clock) if reads_at_once(database) else None
    return Stores(
        reader=together,
        vectors=SqlVectorStore(reader, vectors, words, clock),
        fts=SqlFtsStore(reader, words, clock),
        tracker=SqlDocumentTracker(database, clock),
        writer=SqlIndexWriter(database, clock),
        library=SqlLibrary(reader, clock),
        sources=SqlSources(database, clock),
        jobs=SqlJobs(database, clock),
        reindexing=SqlReindexing(database, vectors, words, clock),
        sessions=SqlSessions(reader, clock),
        curated=SqlCuratedAnswers(reader, clock),
        terms=SqlTerminology(reader, clock),
        users=SqlUsers(database, clock),
        topics=SqlTopics(database, clock),
        messages=SqlMessages(database, clock),
        ledger=SqlLedger(database, clock),
        visits=SqlVisits(database, clock),
        accounts=SqlAccounts(database, clock),
        keys=SqlApiKeys(database, clock),
        moderation=SqlModerationQueue(database, clock),
    )
