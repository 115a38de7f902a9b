"""From a question to the passages that come close enough to answer it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from sourcebook.consult.evidence.acceptance import Judgement, judged, term_weights
from sourcebook.model.chat import MANUAL_COLLECTION
from sourcebook.model.search import RetrievalConfig, SearchReport, SearchResult
from sourcebook.ports.storage import WordPlanning

if TYPE_CHECKING:
    from sourcebook.consult.grounds import Grounds
    from sourcebook.model.search import SearchWarning
    from sourcebook.ports.stores import Stores


class Retrieval(Protocol):
    """What finds passages."""

    async def report(
        self, collections: str | Sequence[str], query: str, config: RetrievalConfig | None = None
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
    def __init__(self, stores: Stores, retrieval: Retrieval, grounds: Grounds) -> None:
        self._stores = stores
        self._retrieval = retrieval
        self._grounds = grounds

    async def judge(self, wanted: PassageQuery) -> JudgedPassages:
        """Search, and weigh each passage against the question with the numbers of its collection's model."""
        report = await self._retrieval.report(list(wanted.collections), wanted.query, wanted.config)
        held = [name for c in wanted.collections for name in await self._grounds.languages(c)]
        language = wanted.language if wanted.language in held else None
        weights = await self._weights(wanted, [language] if language else list(dict.fromkeys(held)))
        passages: list[tuple[SearchResult, Judgement]] = []
        for passage in report.results:
            facts = await self._grounds.facts(passage.collection_id)
            passages.append((passage, judged(weights, passage, language, facts.acceptance)))
        return JudgedPassages(passages, weights, report.warnings, language)

    async def sound(self, passages: Sequence[SearchResult]) -> list[SearchResult]:
        """Those whose text is what was written. What a disk changed is never cited; `doctor` finds it too."""
        damaged: set[tuple[str, str]] = set()
        for collection_id in dict.fromkeys(p.collection_id for p in passages):
            if collection_id != MANUAL_COLLECTION:
                ids = [p.chunk.id for p in passages if p.collection_id == collection_id]
                found = await self._stores.library.damaged_chunks(collection_id, ids)
                damaged |= {(collection_id, chunk_id) for chunk_id in found}
        return [p for p in passages if (p.collection_id, p.chunk.id) not in damaged]

    async def _weights(self, wanted: PassageQuery, languages: Sequence[str | None]) -> dict[str, float]:
        """What each word of the question tells, over all collections that are searched."""
        counts: dict[str, int] = {}
        rows = 0
        for collection_id in wanted.collections:
            if isinstance(self._stores.fts, WordPlanning):
                plan = await self._stores.fts.plan_words(collection_id, wanted.query)
                if plan is not None:
                    rows += plan.rows
                    for term in plan.terms:
                        counts[term.term] = counts.get(term.term, 0) + term.passages
        return term_weights(wanted.question, languages or [wanted.language], counts, rows)
