"""All the sockets of one open base, in one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sourcebook.ports.storage import DocumentTracker, FtsStore, IndexWriter, Library, VectorStore
    from sourcebook.ports.work import Jobs


@dataclass(frozen=True, slots=True)
class Stores:
    vectors: VectorStore
    fts: FtsStore
    tracker: DocumentTracker
    writer: IndexWriter
    library: Library
    jobs: Jobs
