"""Searches passages for a question, and decides whether they answer it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sourcebook.consult.evidence.acceptance import Judgement, judged, term_weights
from sourcebook.consult.evidence.judge_weights import judge_weights
from sourcebook.consult.evidence.missing.missing_form import about_the_thing
from sourcebook.consult.evidence.question_judge import (
    JUDGED_BY_MEANING,
    NOTHING_FOUND,
    JudgedPassage,
    QuestionVerdict,
    nearness,
    verdict_on,
)
from sourcebook.consult.evidence.same_text import without_translations
from sourcebook.consult.evidence.subject_order import by_subject
from sourcebook.consult.evidence.weighed_question import WeighedQuestion
from sourcebook.model.asked_collection import WordCounts
from sourcebook.model.chat import MANUAL_COLLECTION
from sourcebook.model.search import And, Equals, Not, RetrievalConfig, SearchReport, SearchResult
from sourcebook.ports.storage import WordPlanning
from sourcebook.text.languages import detect_language
from sourcebook.text.layout.contents import is_contents

if TYPE_CHECKING:
    from sourcebook.model.answer_thresholds import AcceptanceFacts
    from sourcebook.model.search import SearchWarning
    from sourcebook.ports.stores import Stores
    from sourcebook.retrieve.question_context import QuestionContext
    from sourcebook.retrieve.search import Retrieval

_OVERLAP = 0.75
"""Passages that overlap more than this count as repetitions. Less would lose the last rows of short tables."""

_CANDIDATES = 6
"""So many times as many passages are searched as are used. Those whose heading names the subject come first."""

_WIDER = 3
"""If tables of contents were found, the search is repeated for so many times as many passages."""

_NEARLY = 0.4
"""How far below the threshold a passage in another language may be, to be quoted below a decline. Of those that were
found only by a search for them, too few hold the answer to give them as one."""

_RELATED = 0.3
"""A passage without a word of the question counts as related from this similarity on."""


@dataclass(frozen=True, slots=True)
class JudgedPassages:
    """The passages found, each with its judgement, and the weights of the question's words."""

    passages: Sequence[tuple[SearchResult, Judgement]]
    weights: Mapping[str, float]
    warnings: Sequence[SearchWarning] = ()
    language: str | None = None
    """The language in which words are compared: the question's, if the base has it; None for that of each passage."""
    verdict: QuestionVerdict = NOTHING_FOUND
    nearer: Sequence[JudgedPassage] = ()
    """If it is declined: the nearest passage in another language than the question's, if none in that is as near."""

    def accepted(self, most_characters: int, *, is_nearly_enough: bool = False) -> list[SearchResult]:
        """If the question is answered (or nearly): the passages, best first, as many as fit. Otherwise none.

        The first one always fits. Passages far behind the closest one are left out.
        """
        if not (self.verdict.is_nearly_accepted if is_nearly_enough else self.verdict.is_accepted):
            return []
        least = max(judgement.score for _, judgement in self.passages) - judge_weights().passage["far_behind"]
        taken: list[SearchResult] = []
        size = 0
        for passage, judgement in self.passages:
            size += len(passage.chunk.content)
            if not taken or (judgement.score >= least and size <= most_characters):
                taken.append(passage)
        return taken

    def nearest(self) -> list[SearchResult]:
        """The passages, closest first, without those that are unrelated to the question."""
        related = [
            (passage, judgement)
            for passage, judgement in self.passages
            if judgement.share > 0 or judgement.similarity >= _RELATED
        ]
        ordered = [passage for passage, _ in sorted(related, key=lambda found: -found[1].score)]
        found = {passage.chunk.id for passage in ordered}
        return [*ordered, *(passage for passage, _ in self.nearer if passage.chunk.id not in found)]


@dataclass(frozen=True, slots=True)
class PassageQuery:
    """A question, the query to search for, with expansions, and where to search."""

    question: str
    query: str
    collections: Sequence[str]
    language: str | None
    config: RetrievalConfig = field(default_factory=RetrievalConfig)
    follow_up: str | None = None
    """The follow-up alone, if the question is that with the one before it."""


@dataclass(frozen=True, slots=True)
class _Weighing:
    """How what was found is weighed, and how many are used. `words`: the weights by which passages are compared."""

    question: WeighedQuestion
    words: Mapping[str, float]
    held: Sequence[str]
    most: int

    @property
    def language(self) -> str | None:
        return self.question.language

    def all(self, found: Sequence[SearchResult]) -> list[JudgedPassage]:
        return [(each, judged(self.words, each, self.language)) for each in found]

    def first(self, found: Sequence[SearchResult]) -> list[JudgedPassage]:
        return self.all(found[: self.most])

    def in_own_language(self, found: Sequence[SearchResult]) -> list[SearchResult]:
        """In a base of several languages: what is in the asker's, or in none, if anything else was found too.

        An answer there is preferred, even if a translation is closer.
        """
        if self.language is None or len(self.held) == 1:
            return []
        own = [each for each in found if detect_language(each.chunk.content) in (None, self.language)]
        return own if len(own) < len(found) else []


class PassageJudge:
    """Searches, weighs each passage against the question, and decides once whether the question is answered."""

    def __init__(self, stores: Stores, retrieval: Retrieval) -> None:
        self._stores = stores
        self._retrieval = retrieval

    async def judge(self, wanted: PassageQuery, context: QuestionContext) -> JudgedPassages:
        config = replace(
            wanted.config,
            top_k=_CANDIDATES * wanted.config.top_k,
            diversity=replace(wanted.config.diversity, overlap=_OVERLAP),
        )
        report = await self._without_contents(wanted, config, context)
        weighing = await self._weighing(wanted, report, context)
        found = report.results
        # Entries of a chosen subcategory stay before the general ones.
        if wanted.config.subcategory is None:
            found = by_subject(found, wanted.question, weighing.words, weighing.language)
        own = weighing.in_own_language(found)
        passages = weighing.first(own)
        verdict = _by_words(weighing.question, passages, context)
        if not verdict.is_accepted:
            # Translations of what was declined say nothing else.
            found = without_translations(found, own)
            passages = weighing.first(found)
            verdict = _verdict(weighing.question, passages, wanted.language, context)
        nearer: Sequence[JudgedPassage] = ()
        if not verdict.is_accepted:
            nearer = await self._nearer_elsewhere(weighing, own or found, wanted, config, context)
        language = weighing.language
        if verdict.by == JUDGED_BY_MEANING and verdict.is_accepted:
            passages, language = _nearest_foreign(wanted, passages), None
        return JudgedPassages(passages, weighing.question.weights, report.warnings, language, verdict, nearer)

    async def _weighing(
        self, wanted: PassageQuery, report: SearchReport, context: QuestionContext
    ) -> _Weighing:
        held = context.all_languages()
        language = wanted.language if wanted.language in held else None
        counted = await self._word_counts(wanted, report)
        languages = [language] if language else held or [wanted.language]
        weights = term_weights(wanted.question, languages, counted.passages, counted.rows)
        question = WeighedQuestion(wanted.question, weights, counted, language, languages, wanted.follow_up)
        # Words that only ask for a value are left out: a price need not be called a price.
        words = about_the_thing(wanted.question, weights, language)
        return _Weighing(question, words, held, wanted.config.top_k)

    async def _nearer_elsewhere(
        self,
        weighing: _Weighing,
        found: Sequence[SearchResult],
        wanted: PassageQuery,
        config: RetrievalConfig,
        context: QuestionContext,
    ) -> Sequence[JudgedPassage]:
        """The nearest passage in another language, if it is nearer than all that was found in the asker's.

        None if it is far from an answer.
        """
        if weighing.language is None or len(weighing.held) == 1:
            return ()
        near = await self._in_other_languages(wanted, config, context)
        others = weighing.first(without_translations(near, found))
        verdict = _verdict_across(weighing.question, others, context)
        is_nearer = _similarity(others) > _similarity(weighing.all(found))
        return others[:1] if is_nearer and verdict.score >= verdict.needed - _NEARLY else ()

    async def _without_contents(
        self, wanted: PassageQuery, config: RetrievalConfig, context: QuestionContext
    ) -> SearchReport:
        """The search, with other passages in place of tables of contents, which name everything and answer nothing."""
        collections = list(wanted.collections)
        report = await self._retrieval.report(collections, wanted.query, config, context)
        if not any(map(_is_contents, report.results)):
            return report
        wider = replace(config, top_k=config.top_k * _WIDER)
        report = await self._retrieval.report(collections, wanted.query, wider, context)
        others = [result for result in report.results if not _is_contents(result)]
        return replace(report, results=(others or report.results)[: config.top_k])

    async def _in_other_languages(
        self, wanted: PassageQuery, config: RetrievalConfig, context: QuestionContext
    ) -> list[SearchResult]:
        """What is in other languages than the question's, nearest first.

        One search for all would not find it: texts in one language are nearer to each other, and share their words.
        """
        others = Not(Equals("language", str(wanted.language)))
        kept = others if config.filter is None else And([config.filter, others])
        report = await self._without_contents(wanted, replace(config, filter=kept), context)
        found = [each for each in report.results if detect_language(each.chunk.content) != wanted.language]
        near = nearness(wanted.question, [(each, judged({}, each, None)) for each in found])
        return [found[place] for place in sorted(range(len(found)), key=lambda place: -near[place])]

    async def undamaged(
        self, passages: Sequence[SearchResult], context: QuestionContext
    ) -> list[SearchResult]:
        """The passages whose text is undamaged; others are never cited. Their documents go to the context."""
        damaged: set[tuple[str, str]] = set()
        for collection_id in dict.fromkeys(p.collection_id for p in passages):
            if collection_id != MANUAL_COLLECTION:
                chunks = [p.chunk for p in passages if p.collection_id == collection_id]
                found = await self._stores.library.citable_documents(collection_id, chunks)
                damaged |= {(collection_id, chunk_id) for chunk_id in found.damaged}
                context.documents |= {(collection_id, each.id): each for each in found.documents.values()}
        return [p for p in passages if (p.collection_id, p.chunk.id) not in damaged]

    async def _word_counts(self, wanted: PassageQuery, report: SearchReport) -> WordCounts:
        """How many passages of the searched collections have each word of the question."""
        counts: dict[str, int] = {}
        rows = 0
        for collection_id in wanted.collections:
            known = report.word_counts.get(collection_id) or await self._counted(collection_id, wanted.query)
            if known is not None:
                rows += known.rows
                for term, passages in known.passages.items():
                    counts[term] = counts.get(term, 0) + passages
        return WordCounts(counts, rows)

    async def _counted(self, collection_id: str, query: str) -> WordCounts | None:
        """The counts of one collection, where the search did not report them."""
        if not isinstance(self._stores.fts, WordPlanning):
            return None
        plan = await self._stores.fts.plan_words(collection_id, query)
        return plan and WordCounts({term.term: term.passages for term in plan.terms}, plan.rows)


def _is_contents(passage: SearchResult) -> bool:
    return is_contents(passage.chunk.content)


def _nearest_foreign(wanted: PassageQuery, passages: Sequence[JudgedPassage]) -> Sequence[JudgedPassage]:
    """What was decided by vectors: the nearest first, without those in the asker's language, where words failed."""
    near = nearness(wanted.question, passages)
    ordered = [passages[place] for place in sorted(range(len(near)), key=lambda place: -near[place])]
    return [(p, j) for p, j in ordered if detect_language(p.chunk.content) != wanted.language] or ordered


def _by_words(
    question: WeighedQuestion, passages: Sequence[JudgedPassage], context: QuestionContext
) -> QuestionVerdict:
    return verdict_on(question, passages, _facts(passages, context)) if passages else NOTHING_FOUND


def _verdict(
    question: WeighedQuestion,
    passages: Sequence[JudgedPassage],
    asked_in: str | None,
    context: QuestionContext,
) -> QuestionVerdict:
    """Whether these passages answer, whatever their language."""
    by_words = _by_words(question, passages, context)
    held = context.all_languages()
    if by_words.is_accepted or not passages or not asked_in or not held:
        return by_words
    if asked_in not in held:
        return verdict_on(question, passages, _facts(passages, context), is_foreign=True)
    if not _is_nearest_foreign(asked_in, held, passages):
        return by_words
    by_meaning = _verdict_across(question, passages, context)
    return by_meaning if by_meaning.is_accepted else by_words


def _verdict_across(
    question: WeighedQuestion, passages: Sequence[JudgedPassage], context: QuestionContext
) -> QuestionVerdict:
    """Whether passages in other languages answer, although the base has that of the question."""
    if not passages:
        return NOTHING_FOUND
    return verdict_on(question, passages, _facts(passages, context), is_foreign=True, is_held=True)


def _similarity(passages: Sequence[JudgedPassage]) -> float:
    return max((judgement.similarity for _, judgement in passages), default=0.0)


def _facts(passages: Sequence[JudgedPassage], context: QuestionContext) -> AcceptanceFacts:
    """The thresholds for the model of the closest passage."""
    closest, _ = max(passages, key=lambda passage: passage[1].score)
    return context.facts(closest.collection_id).acceptance


def _is_nearest_foreign(asked_in: str, held: Sequence[str | None], passages: Sequence[JudgedPassage]) -> bool:
    """Whether the nearest passage is in another language, although the base has that of the question.

    That means something, because texts in one language are nearer to each other.
    """
    nearest, _ = max(passages, key=lambda passage: passage[1].similarity)
    language = detect_language(nearest.chunk.content)
    return language is not None and language != asked_in and language in held
