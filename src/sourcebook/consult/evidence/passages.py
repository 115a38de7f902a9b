"""From a question to the passages that come close enough to answer it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from sourcebook.consult.evidence.acceptance import Judgement, judged, term_weights
from sourcebook.model.asked_collection import WordCounts
from sourcebook.model.chat import MANUAL_COLLECTION
from sourcebook.model.search import RetrievalConfig, SearchReport, SearchResult
from sourcebook.ports.storage import WordPlanning

if TYPE_CHECKING:
    from sourcebook.model.search import SearchWarning
    from sourcebook.ports.stores import Stores
    from sourcebook.retrieve.context import QuestionContext


class Retrieval(Protocol):
    """What finds passages."""

    async def report(
        self,
        collections: str | Sequence[str],
        query: str,
        config: RetrievalConfig | None = None,
        context: QuestionContext | None = None,
    ) -> SearchReport: ...


@dataclass(frozen=True, slots=True)
class JudgedPassages:
    """What was found, each with what speaks for it, and what the words of the question are worth."""

    passages: Sequence[tuple[SearchResult, Judgement]]
    weights: Mapping[str, float]
    warnings: Sequence[SearchWarning] = ()
    language: str | None = None
    """By which words are compared: that of the question, if the base holds it. None: each passage tells its own."""

    def accepted(self, most_characters: int) -> list[SearchResult]:
        """The passages that come close enough, best first, as many as fit; at least one if any does."""
        taken: list[SearchResult] = []
        size = 0
        for passage, judgement in self.passages:
            size += len(passage.chunk.content)
            if judgement.is_accepted and (not taken or size <= most_characters):
                taken.append(passage)
        return taken


@dataclass(frozen=True, slots=True)
class PassageQuery:
    """What is looked for: the question, the query with what it also means, and where."""

    question: str
    query: str
    collections: Sequence[str]
    language: str | None
    config: RetrievalConfig = field(default_factory=RetrievalConfig)


class PassageJudge:
    """Searches, and weighs each passage against the question with the numbers of its collection's model."""

    def __init__(self, stores: Stores, retrieval: Retrieval) -> None:
        self._stores = stores
        self._retrieval = retrieval

    async def judge(self, wanted: PassageQuery, context: QuestionContext) -> JudgedPassages:
        report = await self._retrieval.report(list(wanted.collections), wanted.query, wanted.config, context)
        held = context.all_languages()
        language = wanted.language if wanted.language in held else None
        weights = await self._weights(wanted, [language] if language else held, report)
        passages = [
            (passage, judged(weights, passage, language, context.facts(passage.collection_id).acceptance))
            for passage in report.results
        ]
        return JudgedPassages(passages, weights, report.warnings, language)

    async def sound(self, passages: Sequence[SearchResult], context: QuestionContext) -> list[SearchResult]:
        """Those whose text is what was written. What a disk changed is never cited. Their documents are remembered."""
        damaged: set[tuple[str, str]] = set()
        for collection_id in dict.fromkeys(p.collection_id for p in passages):
            if collection_id != MANUAL_COLLECTION:
                chunks = [p.chunk for p in passages if p.collection_id == collection_id]
                found = await self._stores.library.citable_documents(collection_id, chunks)
                damaged |= {(collection_id, chunk_id) for chunk_id in found.damaged}
                context.documents |= {(collection_id, each.id): each for each in found.documents.values()}
        return [p for p in passages if (p.collection_id, p.chunk.id) not in damaged]

    async def _weights(
        self, wanted: PassageQuery, languages: Sequence[str | None], report: SearchReport
    ) -> dict[str, float]:
        """What each word of the question tells, over all collections that are searched."""
        counts: dict[str, int] = {}
        rows = 0
        for collection_id in wanted.collections:
            known = report.word_counts.get(collection_id) or await self._counted(collection_id, wanted.query)
            if known is not None:
                rows += known.rows
                for term, passages in known.passages.items():
                    counts[term] = counts.get(term, 0) + passages
        return term_weights(wanted.question, languages or [wanted.language], counts, rows)

    async def _counted(self, collection_id: str, query: str) -> WordCounts | None:
        """How common the words are, asked for where the search itself did not find out."""
        if not isinstance(self._stores.fts, WordPlanning):
            return None
        plan = await self._stores.fts.plan_words(collection_id, query)
        return plan and WordCounts({term.term: term.passages for term in plan.terms}, plan.rows)
