"""What a base can do, cut into the pieces that its users need."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from sourcebook.model.asked_collection import AskedCollection, CitableDocuments
    from sourcebook.model.documents import (
        Chunk,
        Collection,
        Document,
        DocumentDetails,
        DocumentListing,
        DocumentPath,
        DocumentStatus,
        EmbeddedChunk,
        EmbeddingModel,
        JsonValue,
        PreparedDocument,
        TrackedDocument,
        Vector,
        WriteReport,
    )
    from sourcebook.model.explanation import SearchPlan
    from sourcebook.model.search import FtsSearchResult, MetadataFilter, RankedWords, SearchResult
    from sourcebook.model.sources import (
        Absorbed,
        DocumentState,
        Labelling,
        PathState,
        Placement,
        Rearrangement,
        Refusal,
        Source,
    )


class VectorStore(Protocol):
    """Chunks with vectors, in collections. Chunk ids are the caller's, unique in a collection."""

    async def create_collection(self, collection: Collection) -> Collection:
        """Make the collection. One that exists with the same size and metric stays as it is; else a conflict."""
        ...

    async def delete_collection(self, collection_id: str) -> None:
        """Remove the collection with all it holds. One that does not exist is fine."""
        ...

    async def get_collection(self, collection_id: str) -> Collection | None: ...

    async def list_collections(self) -> list[Collection]: ...

    async def add(self, collection_id: str, chunks: Sequence[EmbeddedChunk]) -> None:
        """Store the chunks, replacing those whose id exists. All of them or, on any error, none."""
        ...

    async def update(self, collection_id: str, chunks: Sequence[EmbeddedChunk]) -> None:
        """Replace chunks that exist. If one does not, nothing is changed."""
        ...

    async def delete(self, collection_id: str, chunk_ids: Sequence[str]) -> None:
        """Remove the chunks with their vectors and words. Unknown ids are fine."""
        ...

    async def delete_by_document(self, collection_id: str, document_id: str) -> None: ...

    async def get(self, collection_id: str, chunk_id: str) -> EmbeddedChunk | None: ...

    async def get_by_document(self, collection_id: str, document_id: str) -> list[EmbeddedChunk]:
        """The chunks of a document in the order of their index."""
        ...

    async def search_semantic(
        self, collection_id: str, query: Vector, top_k: int, filter: MetadataFilter | None = None
    ) -> list[SearchResult]:
        """The nearest chunks, best first, ties by id. `top_k` of them whenever `top_k` match the filter."""
        ...


@runtime_checkable
class PassageSearch(Protocol):
    """Vector search that answers in passages."""

    async def search_passages(
        self, collection_id: str, query: Vector, top_k: int, filter: MetadataFilter | None = None
    ) -> list[SearchResult]:
        """One result for each passage, scored by the mean of its own vector and its best child's.

        The filter speaks of the passage and its document; `matched` holds the children, best first.
        """
        ...


@runtime_checkable
class PassageRanking(Protocol):
    """Passage search that can do without showing what it found."""

    async def rank_passages(
        self, collection_id: str, query: Vector, top_k: int, filter: MetadataFilter | None = None
    ) -> Sequence[SearchResult]:
        """What `search_passages` finds, with outlines for chunks."""
        ...


@runtime_checkable
class PassagePlanning(Protocol):
    """A store that can tell how it searches passages."""

    async def plan_passages(
        self, collection_id: str, top_k: int, filter: MetadataFilter | None = None
    ) -> SearchPlan | None:
        """How such a search goes, counted in vectors. None if its database does not tell."""
        ...


@runtime_checkable
class ResultLookup(Protocol):
    """A store that knows where its chunks come from, and reads many of them at once."""

    async def look_up(self, collection_id: str, chunk_ids: Sequence[str]) -> list[SearchResult]:
        """The chunks that exist, in any order, with the path and title of their documents, and no score."""
        ...


@runtime_checkable
class Preparing(Protocol):
    """A store whose first search after much writing is slow, unless it may get ready before."""

    async def prepare(self, collection_id: str, on_share: Callable[[float], None] | None = None) -> None:
        """Get ready for searches. When little was written since the last time, this does nothing.

        `on_share` is told how much of it is done, from 0 to 1, if it takes long.
        """
        ...


class FtsStore(Protocol):
    """Chunks found by their words."""

    async def index(self, collection_id: str, chunks: Sequence[Chunk]) -> None:
        """Make the chunks findable by words. All of them or, on any error, none."""
        ...

    async def delete(self, collection_id: str, chunk_ids: Sequence[str]) -> None: ...

    async def delete_by_document(self, collection_id: str, document_id: str) -> None: ...

    async def search(
        self, collection_id: str, query: str, top_k: int, filter: MetadataFilter | None = None
    ) -> list[FtsSearchResult]:
        """The best chunks by BM25. Any string is safe; one without words finds nothing."""
        ...


@runtime_checkable
class WordRanking(Protocol):
    """A word index that can do without showing what it found."""

    async def rank_words(
        self,
        collection_id: str,
        query: str,
        top_k: int,
        filter: MetadataFilter | None = None,
        *,
        languages: Sequence[str] | None = None,
    ) -> RankedWords:
        """What `FtsStore.search` finds, without highlights. `languages` are the collection's, if they are known."""
        ...


@runtime_checkable
class WordPlanning(Protocol):
    """A word index that can tell how it searches."""

    async def plan_words(
        self, collection_id: str, query: str, filter: MetadataFilter | None = None
    ) -> SearchPlan | None:
        """How such a search goes, counted in passages, with the terms that it looks for. None if it does not tell."""
        ...


class DocumentTracker(Protocol):
    """Remembers what was indexed, so that only changes are indexed again. The content's hash decides."""

    async def is_modified(self, document: Document, collection_id: str) -> bool: ...

    async def track(self, document: Document, collection_id: str, chunk_count: int) -> None: ...

    async def untrack(self, document_id: str, collection_id: str) -> None: ...

    async def tracked(self, collection_id: str) -> list[TrackedDocument]: ...


@runtime_checkable
class BulkWriter(Protocol):
    """An index writer that can write many documents in one transaction."""

    async def replace_documents(
        self, collection_id: str, prepared: Sequence[PreparedDocument]
    ) -> list[WriteReport]:
        """Write the documents, all or none, as `replace_document` would one after the other. All ids differ."""
        ...


class IndexWriter(Protocol):
    """Whole documents, written or removed in one transaction each: text, chunks, words, vectors, counts, change log."""

    async def replace_document(
        self, collection_id: str, prepared: PreparedDocument, *, successor: PreparedDocument | None = None
    ) -> WriteReport:
        """Write the document. Raises a Conflict if the base no longer is what the work was planned on.

        `successor` takes over the text that the document gives up, and those of its paths that keep it.
        """
        ...

    async def add_path(self, collection_id: str, file_hash: str, path: DocumentPath) -> str | None:
        """Record that a document's bytes also exist at this path. Returns its id, or None if no document has them."""
        ...

    async def move_document(
        self, collection_id: str, document_id: str, old: DocumentPath, new: DocumentPath, file_path: str
    ) -> None:
        """Record that the document has moved. Nothing is embedded again."""
        ...

    async def rearrange(self, collection_id: str, wanted: Rearrangement) -> list[Placement]:
        """Put documents at other paths, all in one transaction. Nothing is embedded again.

        A document that lies nowhere any more is removed. Placements whose document is no longer what it was are left
        out and come back.
        """
        ...

    async def forget_path(
        self, collection_id: str, source_id: str, path: str, *, unless_seen_since: PathState | None = None
    ) -> bool:
        """Record that a path is gone; a document without any path goes too. True if there was such a path.

        With `unless_seen_since`, a path that somebody saw since then stays.
        """
        ...

    async def refuse(self, collection_id: str, refusal: Refusal) -> None:
        """Record that the newest bytes of a document cannot be read. Its text, and the hash of that, stay."""
        ...

    async def accept(self, collection_id: str, document_ids: Sequence[str]) -> None:
        """Take back what `refuse` recorded: the file is again what was read."""
        ...

    async def set_status(self, collection_id: str, document_id: str, status: DocumentStatus) -> bool:
        """Say how far a document that has no text yet is. False if there is none, or it has one."""
        ...

    async def label(
        self, collection_id: str, labellings: Sequence[Labelling], paths: Sequence[DocumentPath] = ()
    ) -> None:
        """Give documents another type, category and subcategory, and paths another subcategory."""
        ...

    async def remove_document(
        self, collection_id: str, document_id: str, *, successor: PreparedDocument | None = None
    ) -> bool:
        """Remove the document and everything that belongs to it. True if there was one.

        `successor` takes over its text, and those of its paths that keep it. Raises a Conflict if the document no
        longer has that text, or other paths.
        """
        ...

    async def set_active(self, collection_id: str, document_id: str, *, active: bool) -> None:
        """Hide a document from every search, or show it again. Nothing is embedded again."""
        ...


class Sources(Protocol):
    """Where documents come from, and what is remembered of their files."""

    async def list_sources(self, collection_id: str) -> list[Source]: ...

    async def put_source(
        self, collection_id: str, source: Source, absorbed: Sequence[Absorbed], expected: Sequence[str]
    ) -> None:
        """Write the source, and make others a part of it. A conflict if there are other sources than expected."""
        ...

    async def set_scanned(self, collection_id: str, source_id: str) -> None:
        """Record that the source was looked through to the end, now."""
        ...

    async def known_paths(self, collection_id: str, source_id: str) -> list[PathState]: ...

    async def known_documents(
        self, collection_id: str, source_ids: Sequence[str], document_ids: Sequence[str]
    ) -> list[DocumentState]:
        """Those of the documents that exist. `is_elsewhere` is said as seen from these sources."""
        ...

    async def owner_of_path(self, collection_id: str, source_id: str, path: str) -> str | None:
        """The document at this path."""
        ...

    async def stored_files(self, job_kind: str, *, besides: int = 0) -> set[str]:
        """The names of all files that documents speak of, or the jobs of this kind that are not done yet.

        `besides` is the number of a job that does not count.
        """
        ...

    async def owners(self, collection_id: str, file_hashes: Sequence[str]) -> dict[str, str]:
        """The documents that hold these bytes, by their hash."""
        ...

    async def heads(self, collection_id: str, document_ids: Sequence[str]) -> list[Document]:
        """Those of the documents that exist, without their text."""
        ...


class Library(Protocol):
    """Looking documents up, and making collections for a known model."""

    async def open_collection(self, collection_id: str, model: EmbeddingModel) -> Collection:
        """The collection, made for this model if it does not exist."""
        ...

    async def get_document(self, collection_id: str, document_id: str) -> Document | None: ...

    async def get_document_by_hash(self, collection_id: str, file_hash: str) -> Document | None: ...

    async def list_documents(self, collection_id: str) -> list[Document]:
        """All documents without their text, by path."""
        ...

    async def list_part(self, collection_id: str, listing: DocumentListing) -> list[Document]:
        """A part of the documents without their text, by path."""
        ...

    async def status_counts(self, collection_id: str) -> dict[DocumentStatus, int]:
        """How many documents have each status; nothing if the collection does not exist."""
        ...

    async def find_document(self, collection_id: str, name: str) -> DocumentDetails:
        """The document of this id, or whose path is this or ends so. An error if there is none, or several."""
        ...

    async def get_details(self, collection_id: str, document_id: str) -> DocumentDetails | None: ...

    async def shown_paths(self, collection_id: str, status: DocumentStatus) -> dict[str, list[str]]:
        """All paths of each document of this status, by its id, as people are shown them."""
        ...

    async def languages(self, collection_id: str) -> list[str]:
        """The languages of a collection's documents, '' among them if some document's is unknown."""
        ...

    async def labels(self, collection_id: str) -> list[tuple[str | None, str | None]]:
        """The pairs of category and subcategory that the documents that can be found have, in order."""
        ...

    async def metadata_names(self, collection_id: str) -> set[str]:
        """The names at the top of the metadata of a collection's documents and chunks."""
        ...

    async def collection_settings(self, collection_id: str) -> dict[str, JsonValue]:
        """What was chosen for this collection alone; nothing if it does not exist."""
        ...

    async def change_collection_settings(
        self, collection_id: str, changes: Mapping[str, JsonValue]
    ) -> dict[str, JsonValue]:
        """Put these beside the others, or in their place; null removes one. All that is set then."""
        ...

    async def asked_collection(self, collection_id: str) -> AskedCollection | None:
        """All that a question must know of a collection, from one state of the base; None if it does not exist."""
        ...

    async def citable_documents(self, collection_id: str, chunks: Sequence[Chunk]) -> CitableDocuments:
        """The documents of these chunks with their text, and which of the chunks must not be cited."""
        ...
