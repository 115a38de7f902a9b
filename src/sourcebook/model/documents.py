"""The contents of a base: collections, documents, chunks, and the models of their vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector: TypeAlias = Sequence[float] | NDArray[np.floating]

JsonValue: TypeAlias = "str | int | float | bool | Sequence[JsonValue] | Mapping[str, JsonValue] | None"
Metadata: TypeAlias = Mapping[str, JsonValue]


class DistanceMetric(StrEnum):
    """How two vectors are compared. Closer vectors always have a higher score.

    cosine: the cosine itself; dot: the inner product; euclidean: 1 / (1 + distance).
    """

    COSINE = "cosine"
    DOT = "dot"
    EUCLIDEAN = "euclidean"


class ChunkLevel(StrEnum):
    """PARENT is a passage: shown, cited, found by words. CHILD is matched by vectors and points to its passage."""

    PARENT = "PARENT"
    CHILD = "CHILD"


class ChunkStrategy(StrEnum):
    """How a text is split into passages.

    parent_child: whole sentences of one section, about 800 characters with up to 200 of the passage before, and
    children of one or two sentences, which are matched; fixed: exactly 800 characters, 200 of them from the passage
    before, wherever words end; sentence: whole sentences up to 800 characters, each in one passage only; markdown: one
    passage for each section, and for each part of a long one, cut between paragraphs.
    """

    PARENT_CHILD = "parent_child"
    FIXED = "fixed"
    SENTENCE = "sentence"
    MARKDOWN = "markdown"


class DocumentStatus(StrEnum):
    PENDING = "pending"
    PROCESSING = "processing"
    COMPLETED = "completed"
    FAILED = "failed"
    NEEDS_OCR = "needs_ocr"


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """What makes vectors. Two vectors can be compared only if all five fields agree."""

    name: str
    dimensions: int
    version: str = ""
    recipe: str = ""
    tokenizer_hash: str = ""

    @classmethod
    def of_caller(cls, dimensions: int) -> EmbeddingModel:
        """The model of a collection whose vectors the caller supplies."""
        return cls(name=f"caller:{dimensions}", dimensions=dimensions)

    @property
    def is_callers(self) -> bool:
        """Whether the vectors were brought by the caller, so that nobody here can make more of them."""
        return self.name == f"caller:{self.dimensions}"


@dataclass(frozen=True, slots=True)
class Collection:
    """A named set of documents with one active embedding model and one metric.

    `document_count` counts the documents that have chunks; both counts are the base's, never the caller's.
    """

    id: str
    embedding_dimensions: int
    name: str = ""
    description: str | None = None
    distance_metric: DistanceMetric = DistanceMetric.COSINE
    model: EmbeddingModel | None = None
    document_count: int = 0
    chunk_count: int = 0
    created_at: int = 0
    updated_at: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """One file, page or note. `file_hash` is the SHA-256 of its bytes, `mtime` in Unix seconds.

    Of a file that is too large to be read, `file_hash` is `over-limit:` and a hash of its path, size and time; of one
    that cannot be opened, `unreadable:` and such a hash.
    `layout` says where its pages begin; `stored_file` is the name under which uploaded bytes are kept beside the base.
    """

    id: str
    content: str
    title: str | None = None
    file_path: str = ""
    file_hash: str | None = None
    file_size_bytes: int | None = None
    mtime: int | None = None
    type: str | None = None
    category: str | None = None
    subcategory: str | None = None
    language: str | None = None
    metadata: Metadata = field(default_factory=dict[str, JsonValue])
    status: DocumentStatus = DocumentStatus.COMPLETED
    processing_error: str | None = None
    is_active: bool = True
    chunk_count: int = 0
    indexed_at: int = 0
    layout: Metadata = field(default_factory=dict[str, JsonValue], compare=False)
    stored_file: str | None = None

    def page_at(self, index: int) -> int | None:
        """The page of a character of the text, or None if the document has no pages."""
        pages = self.layout.get("pages")
        found: int | None = None
        for page in pages if isinstance(pages, list) else []:
            match page:
                case [int() as number, int() as start, *_] if found is None or start <= index:
                    found = number
                case _:
                    break
        return found

    def section_at(self, index: int) -> str | None:
        """The headings above a character of the text, as `Care > Pruning`, if the document remembers them."""
        sections = self.layout.get("sections")
        found: str | None = None
        for section in sections if isinstance(sections, list) else []:
            match section:
                case [int() as start, str() as path] if start <= index:
                    found = path
                case _:
                    break
        return found or None


@dataclass(frozen=True, slots=True)
class DocumentPath:
    """One path of a document, relative to the root of its source.

    `seen_at` is when the bytes were read there, in Unix seconds; without it, when this is written.
    """

    source_id: str
    path: str
    subcategory: str | None = None
    mtime: int | None = None
    size: int | None = None
    seen_at: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class DocumentDetails:
    """A document with its text, all its paths, and its number of passages.

    `held_by` names the folders and files that were added and hold it: what is removed comes back with the next `add`
    of these.
    """

    document: Document
    paths: Sequence[DocumentPath] = ()
    passages: int = 0
    held_by: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class DocumentListing:
    """Which documents to list, in the order of their paths. A field that is not set limits nothing.

    `after` is the last document of the previous page; `text` must occur in the path or the title.
    """

    limit: int = 100
    after: tuple[str, str] | None = None
    """Its path and its id."""
    status: DocumentStatus | None = None
    category: str | None = None
    subcategory: str | None = None
    type: str | None = None
    language: str | None = None
    is_active: bool | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class TrackedDocument:
    """What a tracker remembers about a document."""

    document_id: str
    content_hash: str
    file_path: str | None
    file_modified_at: int | None
    indexed_at: int
    chunk_count: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A span of a document's text, in code points: `document.content[start_index:end_index] == content`."""

    id: str
    document_id: str
    content: str
    chunk_index: int = 0
    start_index: int = 0
    end_index: int = 0
    level: ChunkLevel = ChunkLevel.PARENT
    parent_id: str | None = None
    section: str | None = None
    page: int | None = None
    token_count: int = 0
    metadata: Metadata = field(default_factory=dict[str, JsonValue])
    created_at: int = 0

    @classmethod
    def outline(cls, id: str) -> Chunk:
        """A chunk with only its id: what a ranking contains before texts are looked up."""
        return cls(id=id, document_id="", content="")

    @property
    def is_outline(self) -> bool:
        """Whether the text was left out, as `outline` does."""
        return not self.document_id


@dataclass(frozen=True, slots=True)
class EmbeddedChunk:
    """A chunk with its vector, or without one if it is found only by words."""

    chunk: Chunk
    embedding: Vector | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class PreparedDocument:
    """A document ready to be written: parsed, split and embedded before any transaction opens.

    `expected_hash` is the hash that the base held when the work was planned (None: no such document). The writer
    refuses to overwrite anything else, so that two processes never undo each other's work.
    """

    document: Document
    chunks: Sequence[EmbeddedChunk]
    model: EmbeddingModel
    paths: Sequence[DocumentPath] = ()
    expected_hash: str | None = None


class WriteOutcome(StrEnum):
    WRITTEN = "written"
    UNCHANGED = "unchanged"
    DUPLICATE = "duplicate"


@dataclass(frozen=True, slots=True)
class WriteReport:
    """The outcome of a write, and the id of the document that now has these bytes."""

    outcome: WriteOutcome
    document_id: str
    replaced: bool = False
    """An upload replaced an earlier one with the same name."""
