"""Sourcebook: answers that name their source, and know when they are no longer true.

Everything that is public is listed here. Names are loaded when they are first used, so that importing the package
costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from sourcebook._version import __version__

if TYPE_CHECKING:
    from sourcebook.client import AsyncSourcebook
    from sourcebook.errors import SourcebookError
    from sourcebook.ingest.report import AddReport
    from sourcebook.model.documents import (
        Chunk,
        ChunkLevel,
        Collection,
        DistanceMetric,
        Document,
        DocumentPath,
        DocumentStatus,
        EmbeddedChunk,
        EmbeddingModel,
        PreparedDocument,
        TrackedDocument,
        WriteOutcome,
        WriteReport,
    )
    from sourcebook.model.health import Finding, HealthReport
    from sourcebook.model.jobs import Job, JobStatus
    from sourcebook.model.search import (
        And,
        Between,
        Equals,
        FtsSearchResult,
        FusionMethod,
        GreaterThan,
        HybridConfig,
        In,
        LessThan,
        Match,
        MetadataFilter,
        Not,
        Or,
        RerankConfig,
        RerankProvider,
        RetrievalConfig,
        RetrievalMode,
        ScoreBreakdown,
        SearchResult,
    )
    from sourcebook.retrieve.service import DefaultRetriever
    from sourcebook.settings import Settings
    from sourcebook.storage.jsonl.cache import cached_embedding_store, get_manifest_hash
    from sourcebook.storage.jsonl.embedding_store import EmbeddingStore
    from sourcebook.storage.jsonl.report import BundleReport, OnExisting
    from sourcebook.sync import Sourcebook

_HOMES = {
    "sourcebook.client": ("AsyncSourcebook",),
    "sourcebook.errors": ("SourcebookError",),
    "sourcebook.ingest.report": ("AddReport",),
    "sourcebook.model.documents": (
        "Chunk",
        "ChunkLevel",
        "Collection",
        "DistanceMetric",
        "Document",
        "DocumentPath",
        "DocumentStatus",
        "EmbeddedChunk",
        "EmbeddingModel",
        "PreparedDocument",
        "TrackedDocument",
        "WriteOutcome",
        "WriteReport",
    ),
    "sourcebook.model.health": ("Finding", "HealthReport"),
    "sourcebook.model.jobs": ("Job", "JobStatus"),
    "sourcebook.model.search": (
        "And",
        "Between",
        "Equals",
        "FtsSearchResult",
        "FusionMethod",
        "GreaterThan",
        "HybridConfig",
        "In",
        "LessThan",
        "Match",
        "MetadataFilter",
        "Not",
        "Or",
        "RerankConfig",
        "RerankProvider",
        "RetrievalConfig",
        "RetrievalMode",
        "ScoreBreakdown",
        "SearchResult",
    ),
    "sourcebook.retrieve.service": ("DefaultRetriever",),
    "sourcebook.settings": ("Settings",),
    "sourcebook.storage.jsonl.cache": ("cached_embedding_store", "get_manifest_hash"),
    "sourcebook.storage.jsonl.embedding_store": ("EmbeddingStore",),
    "sourcebook.storage.jsonl.report": ("BundleReport", "OnExisting"),
    "sourcebook.sync": ("Sourcebook",),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "AddReport",
    "And",
    "AsyncSourcebook",
    "Between",
    "BundleReport",
    "Chunk",
    "ChunkLevel",
    "Collection",
    "DefaultRetriever",
    "DistanceMetric",
    "Document",
    "DocumentPath",
    "DocumentStatus",
    "EmbeddedChunk",
    "EmbeddingModel",
    "EmbeddingStore",
    "Equals",
    "Finding",
    "FtsSearchResult",
    "FusionMethod",
    "GreaterThan",
    "HealthReport",
    "HybridConfig",
    "In",
    "Job",
    "JobStatus",
    "LessThan",
    "Match",
    "MetadataFilter",
    "Not",
    "OnExisting",
    "Or",
    "PreparedDocument",
    "RerankConfig",
    "RerankProvider",
    "RetrievalConfig",
    "RetrievalMode",
    "ScoreBreakdown",
    "SearchResult",
    "Settings",
    "Sourcebook",
    "SourcebookError",
    "TrackedDocument",
    "WriteOutcome",
    "WriteReport",
    "__version__",
    "cached_embedding_store",
    "get_manifest_hash",
]


def __getattr__(name: str) -> object:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
