"""Search settings, filters and results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias, overload

from sourcebook.model.answer_thresholds import NEAR_IN_MEANING

if TYPE_CHECKING:
    from sourcebook.model.asked_collection import WordCounts
    from sourcebook.model.documents import Chunk
    from sourcebook.model.explanation import Explanation

FilterValue: TypeAlias = str | int | float | bool | date
OrderedValue: TypeAlias = str | int | float | date


@dataclass(frozen=True, slots=True)
class Equals:
    """The field has this value, or is a list that contains it."""

    field: str
    value: FilterValue


@dataclass(frozen=True, slots=True)
class In:
    """The field has one of these values."""

    field: str
    values: Sequence[FilterValue]

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(self.values))


@dataclass(frozen=True, slots=True)
class GreaterThan:
    """The value is greater than this one."""

    field: str
    value: OrderedValue


@dataclass(frozen=True, slots=True)
class LessThan:
    """The value is less than this one."""

    field: str
    value: OrderedValue


@dataclass(frozen=True, slots=True)
class Between:
    """The field is between the two values, inclusive."""

    field: str
    low: OrderedValue
    high: OrderedValue


@dataclass(frozen=True, slots=True)
class And:
    """Every filter matches. An empty list matches everything."""

    filters: Sequence[MetadataFilter]

    def __post_init__(self) -> None:
        object.__setattr__(self, "filters", tuple(self.filters))


@dataclass(frozen=True, slots=True)
class Or:
    """At least one filter matches. An empty list matches nothing."""

    filters: Sequence[MetadataFilter]

    def __post_init__(self) -> None:
        object.__setattr__(self, "filters", tuple(self.filters))


@dataclass(frozen=True, slots=True)
class Not:
    """The filter does not match: the field has another value or is missing."""

    filter: MetadataFilter


MetadataFilter: TypeAlias = Equals | In | GreaterThan | LessThan | Between | And | Or | Not


@dataclass(frozen=True, slots=True)
class ScoreBreakdown:
    """The score of a result from each stage."""

    semantic_score: float | None = None
    keyword_score: float | None = None
    rerank_score: float | None = None


@dataclass(frozen=True, slots=True)
class Match:
    """A child that matched inside a passage."""

    chunk_id: str
    start_index: int
    end_index: int
    score: float


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A chunk that was found. Results are always sorted by `score`.

    `parent_context` is the beginning of the passage that a child stands in.
    """

    chunk: Chunk
    score: float
    score_breakdown: ScoreBreakdown = field(default_factory=ScoreBreakdown)
    document_path: str = ""
    document_title: str | None = None
    matched: Sequence[Match] = ()
    collection_id: str = ""
    parent_context: str | None = None

    def with_score(self, score: float, breakdown: ScoreBreakdown, collection_id: str = "") -> SearchResult:
        # Spelled out, because this runs for every candidate of every search.
        """The same result with another score."""
        return SearchResult(
            self.chunk,
            score,
            breakdown,
            self.document_path,
            self.document_title,
            self.matched,
            collection_id or self.collection_id,
            self.parent_context,
        )


class Ranking(Sequence[SearchResult]):
    """A lazy list of results: most of a ranking is only counted and compared, so each is made when it is read."""

    def __init__(
        self, ids: Sequence[str], scores: Sequence[float], make: Callable[[int], SearchResult]
    ) -> None:
        """`make` gives the result at a place, whose chunk and score are already known."""
        self.ids = ids
        self.scores = scores
        self._make = make

    @classmethod
    def of(cls, results: Sequence[SearchResult]) -> Ranking:
        if isinstance(results, Ranking):
            return results
        return cls([r.chunk.id for r in results], [r.score for r in results], results.__getitem__)

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, index: int) -> SearchResult: ...
    @overload
    def __getitem__(self, index: slice) -> list[SearchResult]: ...
    def __getitem__(self, index: int | slice) -> SearchResult | list[SearchResult]:
        if isinstance(index, slice):
            return [self._make(place) for place in range(len(self))[index]]
        return self._make(range(len(self))[index])


@dataclass(frozen=True, slots=True)
class FtsSearchResult:
    """A chunk found by its words, with up to three sentences that contain them."""

    chunk_id: str
    score: float
    highlights: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class RankedWords:
    """The ids and scores of the chunks that words found, best first.

    `counts` is how common each word of the question is, if the index tells.
    """

    ids: Sequence[str]
    scores: Sequence[float]
    counts: WordCounts | None = None


class RetrievalMode(StrEnum):
    SEMANTIC = "semantic"
    KEYWORD = "keyword"
    HYBRID = "hybrid"


class FusionMethod(StrEnum):
    RRF = "rrf"
    WEIGHTED = "weighted"


@dataclass(frozen=True, slots=True)
class HybridConfig:
    """How the two arms are combined. None uses the default of the collection's embedding model."""

    semantic_weight: float | None = None
    keyword_weight: float | None = None
    fusion_method: FusionMethod | None = None


class RerankProvider(StrEnum):
    LOCAL = "local"
    API = "api"
    ONNX = "onnx"


class OnMissingEmbedder(StrEnum):
    """What a hybrid search does without an embedder: raise the error, or search words alone with a warning."""

    ERROR = "error"
    WORDS = "words"


class OnRerankFailure(StrEnum):
    """What a search does if the reranker fails: raise the error, or keep the fused order with a warning."""

    ERROR = "error"
    FUSED = "fused"


@dataclass(frozen=True, slots=True)
class RerankConfig:
    """`top_k` is how many candidates the reranker sees; never fewer than the search returns.

    Without `on_failure` the retriever's own rule holds.
    """

    enabled: bool = True
    top_k: int = 20
    provider: RerankProvider = RerankProvider.LOCAL
    on_failure: OnRerankFailure | None = None


class ReturnLevel(StrEnum):
    """What to return: whole passages, or the best child of each."""

    PASSAGE = "passage"
    CHILD = "child"


@dataclass(frozen=True, slots=True)
class DiversityConfig:
    """How to reduce repetition in a list of results.

    Of two passages of a document that share more than `overlap` of the shorter one's characters, the worse goes to the
    end; 1.0 leaves every passage where it is. `max_per_document` limits the passages of one document. `novelty`, from 0
    to 1, is how much a passage's difference from those before it counts against its score.
    """

    overlap: float = 0.5
    max_per_document: int | None = None
    novelty: float = 0.0


@dataclass(frozen=True, slots=True)
class RetrievalConfig:
    """How to search. Entries of `subcategory` come first, then general ones; a filter is exact."""

    top_k: int = 10
    mode: RetrievalMode = RetrievalMode.HYBRID
    hybrid_config: HybridConfig = field(default_factory=HybridConfig)
    rerank_config: RerankConfig | None = None
    filter: MetadataFilter | None = None
    include_parent_context: bool = True
    return_level: ReturnLevel = ReturnLevel.PASSAGE
    diversity: DiversityConfig = field(default_factory=DiversityConfig)
    subcategory: str | None = None
    explain: bool = False


class WarningCode(StrEnum):
    NOTHING_TO_SEARCH_FOR = "nothing_to_search_for"
    NO_WORDS = "no_words"
    NO_EMBEDDER = "no_embedder"
    RERANKER_FAILED = "reranker_failed"
    UNKNOWN_FIELD = "unknown_field"
    WRONG_TYPE = "wrong_type"


@dataclass(frozen=True, slots=True)
class SearchWarning:
    """Why a search did less than requested."""

    code: WarningCode
    message: str
    collection_id: str | None = None


@dataclass(frozen=True, slots=True)
class SearchReport:
    """The results of a search, its warnings and, if requested, its explanation."""

    results: Sequence[SearchResult]
    warnings: Sequence[SearchWarning] = ()
    explanation: Explanation | None = None
    word_counts: Mapping[str, WordCounts] = field(default_factory=dict[str, "WordCounts"])
    """By collection: how common the words of the question are, where a search by words found that out."""

    @property
    def is_weak(self) -> bool:
        """Whether nothing matches well: no result holds a word of the question, and none is near in meaning."""
        scores = [result.score_breakdown for result in self.results]
        return bool(scores) and all(
            score.keyword_score is None and (score.semantic_score or 0.0) < NEAR_IN_MEANING
            for score in scores
        )
