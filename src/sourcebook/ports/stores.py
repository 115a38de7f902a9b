"""All the sockets of one open base, in one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sourcebook.ports.accounts import Accounts, ApiKeys
    from sourcebook.ports.chat import CuratedAnswers, Sessions, Terminology
    from sourcebook.ports.moderation import ModerationQueue
    from sourcebook.ports.people import Ledger, Messages, Topics, Users, Visits
    from sourcebook.ports.reindexing import Reindexing
    from sourcebook.ports.storage import DocumentTracker, FtsStore, IndexWriter, Library, Sources, VectorStore
    from sourcebook.ports.work import Jobs


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
