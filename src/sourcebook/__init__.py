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
    from sourcebook.consult.context.context_builder import Context, ContextBuilder, ContextChunk, ContextOrder
    from sourcebook.consult.question.inquiry import OnReadOnly
    from sourcebook.consult.reception.reception import Reception
    from sourcebook.curate.moderation import Moderation
    from sourcebook.doors.conversations import ConversationsDoor
    from sourcebook.doors.curated import CuratedDoor
    from sourcebook.doors.library import LibraryDoor
    from sourcebook.doors.maintenance import MaintenanceDoor
    from sourcebook.doors.quality import QualityDoor
    from sourcebook.doors.terminology import TerminologyDoor
    from sourcebook.errors import SourcebookError
    from sourcebook.ingest.add_request import OnArchives, OnFailed, OnRemoval
    from sourcebook.ingest.stop_signal import StopSignal
    from sourcebook.model.add_reports import AddPlan, AddReport, NewText, Progress, WatchRound
    from sourcebook.model.answer_thresholds import Thresholds
    from sourcebook.model.backup import BackupReport, OnExisting, RestoreReport
    from sourcebook.model.calibration import Calibration, QuestionPair
    from sourcebook.model.chat import (
        Answer,
        AnswerEvent,
        ChatMessage,
        ChatSession,
        Citation,
        Conversation,
        Role,
        SourceState,
        SupportGrade,
        Tier,
    )
    from sourcebook.model.consultations import Direction, LoggedMessage, Reply, Topic, TopicStatus, Visit
    from sourcebook.model.curation import (
        ContextChange,
        CuratedAnswer,
        CuratedMatch,
        CuratedSource,
        SourceChange,
        SourceType,
        Term,
        WordChange,
        Wording,
        WordingStatus,
    )
    from sourcebook.model.documents import (
        Chunk,
        ChunkLevel,
        Collection,
        DistanceMetric,
        Document,
        DocumentDetails,
        DocumentPath,
        DocumentStatus,
        EmbeddedChunk,
        EmbeddingModel,
        PreparedDocument,
        TrackedDocument,
        WriteOutcome,
        WriteReport,
    )
    from sourcebook.model.explanation import DocumentPlace, Explanation
    from sourcebook.model.health import Finding, HealthReport, OptionalPart, Repair, Weight
    from sourcebook.model.jobs import Job, JobStatus
    from sourcebook.model.moderation import (
        Digest,
        Draft,
        DraftKind,
        DraftStatus,
        Gap,
        Keep,
        LostSupport,
        NewDraft,
    )
    from sourcebook.model.people import ForgetReport, User, UserRole
    from sourcebook.model.reindexing import (
        ReindexPlan,
        ReindexProgress,
        ReindexReport,
        ReindexScope,
        ReindexWay,
    )
    from sourcebook.model.search import (
        And,
        Between,
        DiversityConfig,
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
        OnMissingEmbedder,
        OnRerankFailure,
        Or,
        RerankConfig,
        RerankProvider,
        RetrievalConfig,
        RetrievalMode,
        ReturnLevel,
        ScoreBreakdown,
        SearchReport,
        SearchResult,
        SearchWarning,
    )
    from sourcebook.model.token_ledger import OperationType, Reservation, ReservationStatus, TokenTransaction
    from sourcebook.model.token_prices import Prices
    from sourcebook.people.users import People
    from sourcebook.ports.chat import ChatModel, PromptMessage
    from sourcebook.ports.providers import Embedder, Reranker, TextRole
    from sourcebook.ports.stores import Stores
    from sourcebook.providers.api_reranker import ApiReranker
    from sourcebook.retrieve.evaluation.evaluate import (
        Evaluation,
        Figures,
        JudgedQuestion,
        Outcome,
        Replayed,
        SearchSetting,
    )
    from sourcebook.retrieve.rerank.local_rerankers import LocalReranker, SimpleReranker
    from sourcebook.retrieve.search import DefaultRetriever
    from sourcebook.settings import Settings
    from sourcebook.storage.jsonl.bundle_report import BundleReport
    from sourcebook.storage.jsonl.embedding_store import EmbeddingStore
    from sourcebook.storage.jsonl.embedding_store_cache import cached_embedding_store, get_manifest_hash
    from sourcebook.storage.maintenance.base_copy import CopyReport
    from sourcebook.sync import Sourcebook

_HOMES = {
    "sourcebook.client": ("AsyncSourcebook",),
    "sourcebook.consult.context.context_builder": (
        "Context",
        "ContextBuilder",
        "ContextChunk",
        "ContextOrder",
    ),
    "sourcebook.consult.question.inquiry": ("OnReadOnly",),
    "sourcebook.consult.reception.reception": ("Reception",),
    "sourcebook.curate.moderation": ("Moderation",),
    "sourcebook.doors.conversations": ("ConversationsDoor",),
    "sourcebook.doors.curated": ("CuratedDoor",),
    "sourcebook.doors.library": ("LibraryDoor",),
    "sourcebook.doors.maintenance": ("MaintenanceDoor",),
    "sourcebook.doors.quality": ("QualityDoor",),
    "sourcebook.doors.terminology": ("TerminologyDoor",),
    "sourcebook.errors": ("SourcebookError",),
    "sourcebook.ingest.add_request": ("OnArchives", "OnFailed", "OnRemoval"),
    "sourcebook.ingest.stop_signal": ("StopSignal",),
    "sourcebook.model.add_reports": ("AddPlan", "AddReport", "NewText", "Progress", "WatchRound"),
    "sourcebook.model.backup": ("BackupReport", "OnExisting", "RestoreReport"),
    "sourcebook.model.calibration": ("Calibration", "QuestionPair"),
    "sourcebook.model.chat": (
        "Answer",
        "AnswerEvent",
        "ChatMessage",
        "ChatSession",
        "Citation",
        "Conversation",
        "Role",
        "SourceState",
        "SupportGrade",
        "Tier",
    ),
    "sourcebook.model.curation": (
        "ContextChange",
        "CuratedAnswer",
        "CuratedMatch",
        "CuratedSource",
        "SourceChange",
        "SourceType",
        "Term",
        "WordChange",
        "Wording",
        "WordingStatus",
    ),
    "sourcebook.model.documents": (
        "Chunk",
        "ChunkLevel",
        "Collection",
        "DistanceMetric",
        "Document",
        "DocumentDetails",
        "DocumentPath",
        "DocumentStatus",
        "EmbeddedChunk",
        "EmbeddingModel",
        "PreparedDocument",
        "TrackedDocument",
        "WriteOutcome",
        "WriteReport",
    ),
    "sourcebook.model.explanation": ("DocumentPlace", "Explanation"),
    "sourcebook.model.health": ("Finding", "HealthReport", "OptionalPart", "Repair", "Weight"),
    "sourcebook.model.jobs": ("Job", "JobStatus"),
    "sourcebook.model.answer_thresholds": ("Thresholds",),
    "sourcebook.model.moderation": (
        "Digest",
        "Draft",
        "DraftKind",
        "DraftStatus",
        "Gap",
        "Keep",
        "LostSupport",
        "NewDraft",
    ),
    "sourcebook.model.consultations": (
        "Direction",
        "LoggedMessage",
        "Reply",
        "Topic",
        "TopicStatus",
        "Visit",
    ),
    "sourcebook.model.people": ("ForgetReport", "User", "UserRole"),
    "sourcebook.model.token_ledger": (
        "OperationType",
        "Reservation",
        "ReservationStatus",
        "TokenTransaction",
    ),
    "sourcebook.model.token_prices": ("Prices",),
    "sourcebook.model.reindexing": (
        "ReindexPlan",
        "ReindexProgress",
        "ReindexReport",
        "ReindexScope",
        "ReindexWay",
    ),
    "sourcebook.model.search": (
        "And",
        "Between",
        "DiversityConfig",
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
        "OnMissingEmbedder",
        "OnRerankFailure",
        "Or",
        "RerankConfig",
        "RerankProvider",
        "RetrievalConfig",
        "RetrievalMode",
        "ReturnLevel",
        "ScoreBreakdown",
        "SearchReport",
        "SearchResult",
        "SearchWarning",
    ),
    "sourcebook.people.users": ("People",),
    "sourcebook.ports.chat": ("ChatModel", "PromptMessage"),
    "sourcebook.ports.providers": ("Embedder", "Reranker", "TextRole"),
    "sourcebook.ports.stores": ("Stores",),
    "sourcebook.providers.api_reranker": ("ApiReranker",),
    "sourcebook.retrieve.evaluation.evaluate": (
        "Evaluation",
        "Figures",
        "JudgedQuestion",
        "Outcome",
        "Replayed",
        "SearchSetting",
    ),
    "sourcebook.retrieve.rerank.local_rerankers": ("LocalReranker", "SimpleReranker"),
    "sourcebook.retrieve.search": ("DefaultRetriever",),
    "sourcebook.settings": ("Settings",),
    "sourcebook.storage.jsonl.embedding_store_cache": ("cached_embedding_store", "get_manifest_hash"),
    "sourcebook.storage.jsonl.embedding_store": ("EmbeddingStore",),
    "sourcebook.storage.jsonl.bundle_report": ("BundleReport",),
    "sourcebook.storage.maintenance.base_copy": ("CopyReport",),
    "sourcebook.sync": ("Sourcebook",),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "AddPlan",
    "AddReport",
    "And",
    "Answer",
    "AnswerEvent",
    "ApiReranker",
    "AsyncSourcebook",
    "BackupReport",
    "Between",
    "BundleReport",
    "Calibration",
    "ChatMessage",
    "ChatModel",
    "ChatSession",
    "Chunk",
    "ChunkLevel",
    "Citation",
    "Collection",
    "Context",
    "ContextBuilder",
    "ContextChange",
    "ContextChunk",
    "ContextOrder",
    "Conversation",
    "ConversationsDoor",
    "CopyReport",
    "CuratedAnswer",
    "CuratedDoor",
    "CuratedMatch",
    "CuratedSource",
    "DefaultRetriever",
    "Digest",
    "Direction",
    "DistanceMetric",
    "DiversityConfig",
    "Document",
    "DocumentDetails",
    "DocumentPath",
    "DocumentPlace",
    "DocumentStatus",
    "Draft",
    "DraftKind",
    "DraftStatus",
    "EmbeddedChunk",
    "Embedder",
    "EmbeddingModel",
    "EmbeddingStore",
    "Equals",
    "Evaluation",
    "Explanation",
    "Figures",
    "Finding",
    "ForgetReport",
    "FtsSearchResult",
    "FusionMethod",
    "Gap",
    "GreaterThan",
    "HealthReport",
    "HybridConfig",
    "In",
    "Job",
    "JobStatus",
    "JudgedQuestion",
    "Keep",
    "LessThan",
    "LibraryDoor",
    "LocalReranker",
    "LoggedMessage",
    "LostSupport",
    "MaintenanceDoor",
    "Match",
    "MetadataFilter",
    "Moderation",
    "NewDraft",
    "NewText",
    "Not",
    "OnArchives",
    "OnExisting",
    "OnFailed",
    "OnMissingEmbedder",
    "OnReadOnly",
    "OnRemoval",
    "OnRerankFailure",
    "OperationType",
    "OptionalPart",
    "Or",
    "Outcome",
    "People",
    "PreparedDocument",
    "Prices",
    "Progress",
    "PromptMessage",
    "QualityDoor",
    "QuestionPair",
    "Reception",
    "ReindexPlan",
    "ReindexProgress",
    "ReindexReport",
    "ReindexScope",
    "ReindexWay",
    "Repair",
    "Replayed",
    "Reply",
    "RerankConfig",
    "RerankProvider",
    "Reranker",
    "Reservation",
    "ReservationStatus",
    "RestoreReport",
    "RetrievalConfig",
    "RetrievalMode",
    "ReturnLevel",
    "Role",
    "ScoreBreakdown",
    "SearchReport",
    "SearchResult",
    "SearchSetting",
    "SearchWarning",
    "Settings",
    "SimpleReranker",
    "SourceChange",
    "SourceState",
    "SourceType",
    "Sourcebook",
    "SourcebookError",
    "StopSignal",
    "Stores",
    "SupportGrade",
    "Term",
    "TerminologyDoor",
    "TextRole",
    "Thresholds",
    "Tier",
    "TokenTransaction",
    "Topic",
    "TopicStatus",
    "TrackedDocument",
    "User",
    "UserRole",
    "Visit",
    "WatchRound",
    "Weight",
    "WordChange",
    "Wording",
    "WordingStatus",
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
