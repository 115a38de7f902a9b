"""Measures how well a base finds documents, with questions whose documents are known.

Searches return passages, and people judge documents: the rank of a document is that of its best passage.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import fmean
from typing import TYPE_CHECKING, TypeAlias

from sourcebook.errors import UsageError
from sourcebook.model.search import RerankConfig, RerankProvider, RetrievalConfig, RetrievalMode
from sourcebook.retrieve.evaluation.metrics import (
    chance_of_difference,
    ndcg,
    percentile,
    recall,
    reciprocal_rank,
)

if TYPE_CHECKING:
    from sourcebook.model.search import SearchResult
    from sourcebook.retrieve.evaluation.metrics import Judgements

Search: TypeAlias = "Callable[[str, RetrievalConfig], Awaitable[Sequence[SearchResult]]]"
OnAsked: TypeAlias = Callable[[int, int], None]
"""Called with how many of how many questions were asked."""

PASSAGES_FOR_A_DOCUMENT = 5
"""Passages searched for each wanted document, because several may come from the same one."""
_RERANKED = "+rerank"


@dataclass(frozen=True, slots=True)
class JudgedQuestion:
    """A question, the grade of each document that answers it, and the words of the answer if known.

    Without such a document, the question should not be answered.
    """

    id: str
    text: str
    judgements: Judgements = field(default_factory=dict[str, int])
    answers: Sequence[str] = ()
    language: str | None = None

    @property
    def has_answer(self) -> bool:
        """Whether some document answers it."""
        return any(grade > 0 for grade in self.judgements.values())


@dataclass(frozen=True, slots=True)
class SearchSetting:
    """A named way to search, for comparisons."""

    name: str
    config: RetrievalConfig

    @classmethod
    def of(cls, name: str, provider: RerankProvider = RerankProvider.LOCAL) -> SearchSetting:
        """From a mode such as `keyword`, or one with a reranker, such as `hybrid+rerank`."""
        mode = name.replace(" ", "").removesuffix(_RERANKED)
        if mode not in set(RetrievalMode):
            known = ", ".join(f"{mode}, {mode}{_RERANKED}" for mode in RetrievalMode)
            raise UsageError(f"There is no search setting called {name!r}.", hint=f"Choose one of {known}.")
        rerank = RerankConfig(provider=provider) if name.endswith(_RERANKED) else None
        return cls(name, RetrievalConfig(mode=RetrievalMode(mode), rerank_config=rerank))

    def for_documents(self, count: int) -> RetrievalConfig:
        """The configuration that finds enough passages for so many documents."""
        return replace(self.config, top_k=PASSAGES_FOR_A_DOCUMENT * count)


COMPARED = ("hybrid", "hybrid+rerank", "semantic", "keyword")
"""The settings compared by default: the others with the first."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The documents that a question found, best first, and how long that took.

    `answer_rank` is the rank of the first passage of a right document that contains the words of an answer.
    """

    question: JudgedQuestion
    documents: Sequence[str]
    milliseconds: float
    answer_rank: int | None = None
    similarity: float | None = None


@dataclass(frozen=True, slots=True)
class Figures:
    """The means over all questions with an answer. `answer_at_…` is None if the words of no answer are known."""

    questions: int
    ndcg: float
    recall: float
    mrr: float
    p50_ms: float
    p95_ms: float
    answer_at_1: float | None = None
    answer_at_3: float | None = None

    def as_dict(self) -> dict[str, float | int | None]:
        """The shape in which `eval --json` prints it."""
        return {name: getattr(self, name) for name in Figures.__dataclass_fields__}


@dataclass(frozen=True)
class Evaluation:
    """All outcomes of one setting."""

    setting: str
    k: int
    outcomes: Sequence[Outcome]

    @cached_property
    def answerable(self) -> list[Outcome]:
        return [outcome for outcome in self.outcomes if outcome.question.has_answer]

    @cached_property
    def gains(self) -> list[float]:
        """The nDCG of each question that has an answer, in their order."""
        return [ndcg(o.documents, o.question.judgements, self.k) for o in self.answerable]

    @cached_property
    def figures(self) -> Figures:
        asked = self.answerable
        judged = [(o.documents, o.question.judgements, self.k) for o in asked]
        times = [o.milliseconds for o in self.outcomes]
        return Figures(
            questions=len(asked),
            ndcg=_mean(self.gains),
            recall=_mean([recall(*one) for one in judged]),
            mrr=_mean([reciprocal_rank(*one) for one in judged]),
            p50_ms=percentile(times, 0.5),
            p95_ms=percentile(times, 0.95),
            answer_at_1=_share_answered(asked, 1),
            answer_at_3=_share_answered(asked, 3),
        )

    @property
    def missed(self) -> list[Outcome]:
        """The questions none of whose documents is among the first `k`."""
        return [o for o in self.answerable if not reciprocal_rank(o.documents, o.question.judgements, self.k)]

    @property
    def told_apart(self) -> float | None:
        """How often a question with an answer is nearer to what it finds than one without: 1.0 always, 0.5 by chance.

        None unless there are both kinds, compared by meaning.
        """
        near = [o.similarity for o in self.answerable if o.similarity is not None]
        far = [o.similarity for o in self.outcomes if not o.question.has_answer and o.similarity is not None]
        if not near or not far:
            return None
        won = sum((one > other) + 0.5 * (one == other) for one in near for other in far)
        return won / (len(near) * len(far))


@dataclass(frozen=True, slots=True)
class MetricDifference:
    """How much better a setting is than another, and how often chance alone would make such a difference."""

    setting: str
    against: str
    ndcg: float
    chance: float


def differences(evaluations: Sequence[Evaluation]) -> list[MetricDifference]:
    """Every other evaluation compared with the first. They must have asked the same questions."""
    first = evaluations[0]
    return [
        MetricDifference(
            one.setting,
            first.setting,
            one.figures.ndcg - first.figures.ndcg,
            chance_of_difference(one.gains, first.gains),
        )
        for one in evaluations[1:]
    ]


async def evaluate(
    search: Search,
    questions: Sequence[JudgedQuestion],
    setting: SearchSetting,
    *,
    k: int = 10,
    on_asked: OnAsked | None = None,
) -> Evaluation:
    """Ask every question and judge the results. One search before is not measured: it warms up."""
    config = setting.for_documents(k)
    outcomes: list[Outcome] = []
    if questions:
        await search(questions[0].text, config)
    for question in questions:
        started = time.perf_counter()
        found = await search(question.text, config)
        took = 1000 * (time.perf_counter() - started)
        outcomes.append(_outcome(question, found, took))
        if on_asked:
            on_asked(len(outcomes), len(questions))
    return Evaluation(setting.name, k, outcomes)


@dataclass(frozen=True, slots=True)
class Replayed:
    """What one question finds under two settings: the titles or paths of documents, best first."""

    question: str
    before: Sequence[str]
    after: Sequence[str]

    @property
    def overlap(self) -> float:
        """The share of documents that both found; 1.0 if neither found any."""
        either = set(self.before) | set(self.after)
        return len(set(self.before) & set(self.after)) / len(either) if either else 1.0

    @property
    def moved(self) -> dict[str, tuple[int | None, int | None]]:
        """The documents whose rank changed: before and after, None for not found."""
        ranks = {
            name: (_rank(self.before, name), _rank(self.after, name)) for name in (*self.before, *self.after)
        }
        return {name: both for name, both in ranks.items() if both[0] != both[1]}


async def replay(
    search: Search,
    questions: Sequence[str],
    before: SearchSetting,
    after: SearchSetting,
    *,
    k: int = 5,
    on_asked: OnAsked | None = None,
) -> list[Replayed]:
    """Ask each question under both settings, and return the first `k` documents of each."""
    replayed: list[Replayed] = []
    for question in questions:
        both = [await search(question, setting.for_documents(k)) for setting in (before, after)]
        named = [list(_by_document(found).values())[:k] for found in both]
        replayed.append(Replayed(question, *([_shown(result) for result in found] for found in named)))
        if on_asked:
            on_asked(len(replayed), len(questions))
    return replayed


def resolved(
    names: Sequence[str], documents: Mapping[str, str], titles: Mapping[str, str]
) -> tuple[dict[str, int], list[str]]:
    """The documents (id → path, id → title) that the names mean, each with grade 1, and the names that mean none.

    A name is an id, a path or the end of one, or a title. Of several documents that it could mean, any will do.
    """
    judgements: dict[str, int] = {}
    unknown: list[str] = []
    for name in names:
        wanted = name.strip().casefold()
        ids = [
            document_id
            for document_id, path in documents.items()
            if wanted in (document_id.casefold(), path.casefold(), titles.get(document_id, "").casefold())
            or path.casefold().endswith(f"/{wanted.lstrip('./')}")
        ]
        judgements |= dict.fromkeys(ids, 1)
        if not ids:
            unknown.append(name)
    return judgements, unknown


def _outcome(question: JudgedQuestion, found: Sequence[SearchResult], took: float) -> Outcome:
    similarities = [r.score_breakdown.semantic_score for r in found]
    return Outcome(
        question,
        list(_by_document(found)),
        took,
        _answer_rank(question, found),
        max((s for s in similarities if s is not None), default=None),
    )


def _by_document(found: Sequence[SearchResult]) -> dict[str, SearchResult]:
    """The best passage of each document, in their order."""
    best: dict[str, SearchResult] = {}
    for result in found:
        best.setdefault(result.chunk.document_id, result)
    return best


def _answer_rank(question: JudgedQuestion, found: Sequence[SearchResult]) -> int | None:
    answers = [answer.casefold() for answer in question.answers if answer.strip()]
    for rank, result in enumerate(found, start=1):
        content = result.chunk.content.casefold()
        is_right = question.judgements.get(result.chunk.document_id, 0) > 0
        if is_right and any(answer in content for answer in answers):
            return rank
    return None


def _share_answered(outcomes: Sequence[Outcome], first: int) -> float | None:
    known = [o for o in outcomes if any(answer.strip() for answer in o.question.answers)]
    if not known:
        return None
    return sum(o.answer_rank is not None and o.answer_rank <= first for o in known) / len(known)


def _shown(result: SearchResult) -> str:
    return result.document_path or result.document_title or result.chunk.document_id


def _rank(names: Sequence[str], name: str) -> int | None:
    return names.index(name) + 1 if name in names else None


def _mean(values: Sequence[float]) -> float:
    return fmean(values) if values else 0.0
