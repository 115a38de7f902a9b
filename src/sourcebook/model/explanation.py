"""How a search ranked its results, and why a document is not among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class ArmName(StrEnum):
    """The two ways of searching that a hybrid search combines."""

    SEMANTIC = "semantic"
    KEYWORD = "keyword"


class ScanMethod(StrEnum):
    """EXACT scores every row that matches the filter; INDEX scores the candidates of an index."""

    EXACT = "exact"
    INDEX = "index"


@dataclass(frozen=True, slots=True)
class TermCount:
    """A term of the question, and how many passages of the collection contain it."""

    term: str
    passages: int


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """How a store searches one arm: `allowed` of `rows` match the filter, and `scored` of them get a score.

    None stands for what the store does not count.
    """

    method: ScanMethod
    rows: int
    allowed: int | None
    scored: int | None
    terms: Sequence[TermCount] = ()


@dataclass(frozen=True, slots=True)
class ArmExplanation:
    """One arm in one collection: its weight, the candidates requested and found, and its plan.

    An arm that took no part found None; a store need not tell its plan.
    """

    arm: ArmName
    weight: float
    asked: int
    found: int | None
    plan: SearchPlan | None = None


@dataclass(frozen=True, slots=True)
class CollectionExplanation:
    """How one collection was searched. `fusion` is None if only one arm was used."""

    collection_id: str
    filter: str | None = None
    model: str | None = None
    fusion: str | None = None
    arms: Sequence[ArmExplanation] = ()


@dataclass(frozen=True, slots=True)
class ArmPlace:
    """A result's rank in one arm, and what the arm added to the fused score. No rank: the arm did not find it."""

    rank: int | None
    score: float | None
    term: float


@dataclass(frozen=True, slots=True)
class ResultExplanation:
    """How one passage was ranked. Ranks are counted from 1.

    `fused_rank` and `fused_score` are those in its own collection. `rank_before_rerank` is None where nothing was
    reranked. `is_general`: it comes from the general entries behind a chosen subcategory.
    """

    chunk_id: str
    collection_id: str
    rank: int
    fused_rank: int | None = None
    fused_score: float | None = None
    semantic: ArmPlace | None = None
    keyword: ArmPlace | None = None
    rank_before_rerank: int | None = None
    rerank_score: float | None = None
    is_general: bool = False


@dataclass(frozen=True, slots=True)
class Demotion:
    """A passage that was moved down, and the result that it repeats."""

    chunk_id: str
    reason: str
    because_of: str | None = None


@dataclass(frozen=True, slots=True)
class StageTime:
    """How long a stage took. The two arms run at the same time, so the sum may exceed the whole."""

    stage: str
    milliseconds: float
    collection_id: str | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a search ranked its results. `question` is the text that was searched, cut to the length limit."""

    question: str
    collections: Sequence[CollectionExplanation] = ()
    results: Sequence[ResultExplanation] = ()
    demoted: Sequence[Demotion] = ()
    stages: Sequence[StageTime] = ()
    milliseconds: float = 0.0


class AbsenceCode(StrEnum):
    UNKNOWN_DOCUMENT = "unknown_document"
    NOT_INDEXED = "not_indexed"
    HIDDEN = "hidden"
    NO_PASSAGES = "no_passages"
    FILTERED_OUT = "filtered_out"
    NO_MATCHING_WORDS = "no_matching_words"
    NO_VECTORS = "no_vectors"
    NOT_A_CANDIDATE = "not_a_candidate"
    BELOW_THE_CUT = "below_the_cut"


@dataclass(frozen=True, slots=True)
class AbsenceReason:
    code: AbsenceCode
    message: str


@dataclass(frozen=True, slots=True)
class DocumentPlace:
    """Where a document ranks in a search or, if it is not among the results, every reason why.

    The ranks are those of its best passage in each arm, however far down; None where the arm does not find it.
    """

    document: str
    document_id: str | None = None
    document_path: str | None = None
    collection_id: str | None = None
    rank: int | None = None
    semantic_rank: int | None = None
    keyword_rank: int | None = None
    reasons: Sequence[AbsenceReason] = field(default_factory=tuple[AbsenceReason, ...])

    @property
    def is_found(self) -> bool:
        """Whether the document is among the results."""
        return self.rank is not None
