"""Calibrates the thresholds of a collection on questions whose outcome is known.

Questions are searched and judged as `ask` does it, but no answer is written and nothing is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sourcebook.consult.answer.terminology import TermIndex
from sourcebook.consult.calibration.suggestions import (
    TriedPair,
    TriedQuestion,
    calibrate_pairs,
    calibrate_passages,
)
from sourcebook.consult.evidence.passages import PassageJudge, PassageQuery
from sourcebook.consult.evidence.question_judge import JUDGED_BY_WORDS
from sourcebook.consult.question.asking_part import asking_part
from sourcebook.consult.question.same_question import difference
from sourcebook.errors import CollectionNotFound, NoEmbedder
from sourcebook.model.answer_thresholds import Thresholds, thresholds_from
from sourcebook.model.calibration import Calibration
from sourcebook.model.documents import DistanceMetric
from sourcebook.model.search import RetrievalConfig
from sourcebook.retrieve.passages.parent_passages import nearness_to
from sourcebook.retrieve.question_context import QuestionContext
from sourcebook.text.languages import detect_language

if TYPE_CHECKING:
    from sourcebook.consult.evidence.passages import JudgedPassages
    from sourcebook.model.answer_thresholds import ModelFacts
    from sourcebook.model.calibration import CuratedCalibration, PassageCalibration, QuestionPair
    from sourcebook.model.curation import Term
    from sourcebook.ports.stores import Stores
    from sourcebook.retrieve.evaluation.evaluate import JudgedQuestion
    from sourcebook.retrieve.question_context import EmbedderChoice
    from sourcebook.retrieve.search import Retrieval


@dataclass(frozen=True, slots=True)
class Calibrator:
    """Calibrates one collection at a time. `passages`: how many are searched for a question."""

    stores: Stores
    retrieval: Retrieval
    embedder_for: EmbedderChoice
    passages: int

    async def run(
        self,
        collection_id: str,
        questions: Sequence[JudgedQuestion],
        pairs: Sequence[QuestionPair],
        on_asked: Callable[[int, int], None] | None = None,
    ) -> Calibration:
        """How the thresholds of a collection do on these, and which would do better. Nothing is changed."""
        model = await self._model(collection_id)
        context = await self._context(collection_id)
        facts, terms = context.facts(collection_id), await self.stores.terms.get_all_terms()
        return Calibration(
            collection_id,
            model,
            await self._on_passages(collection_id, questions, terms, facts, on_asked) if questions else None,
            await self._on_pairs(collection_id, pairs, terms, facts) if pairs else None,
        )

    async def apply(self, calibration: Calibration) -> Thresholds:
        """Use the suggested thresholds for the collection. One without a suggestion keeps its value."""
        settings = await self.stores.library.collection_settings(calibration.collection_id)
        known = thresholds_from(settings)
        kept = known if known is not None and known.model == calibration.model else None
        passages, curated = calibration.passages, calibration.curated
        chosen = Thresholds(
            calibration.model,
            _suggested(passages) if _suggested(passages) is not None else kept and kept.needed,
            _suggested(curated) if _suggested(curated) is not None else kept and kept.distance,
        )
        await self.stores.library.change_collection_settings(
            calibration.collection_id, {"thresholds": chosen.as_settings()}
        )
        return chosen

    async def _model(self, collection_id: str) -> str:
        collection = await self.stores.vectors.get_collection(collection_id)
        if collection is None:
            raise CollectionNotFound.named(collection_id)
        return collection.model.name if collection.model else ""

    async def _on_passages(
        self,
        collection_id: str,
        questions: Sequence[JudgedQuestion],
        terms: Sequence[Term],
        facts: ModelFacts,
        on_asked: Callable[[int, int], None] | None,
    ) -> PassageCalibration:
        judge = PassageJudge(self.stores, self.retrieval)
        tried: list[TriedQuestion] = []
        for question in questions:
            wanted = self._search(collection_id, question, terms)
            found = await judge.judge(wanted, await self._context(collection_id))
            tried.append(tried_question(question, found))
            if on_asked is not None:
                on_asked(len(tried), len(questions))
        return calibrate_passages(tried, facts.acceptance.needed)

    def _search(self, collection_id: str, question: JudgedQuestion, terms: Sequence[Term]) -> PassageQuery:
        language = question.language or detect_language(question.text)
        asked = asking_part(question.text)
        query = " ".join([asked, *TermIndex.of(terms, language).expansions(asked)])
        return PassageQuery(asked, query, (collection_id,), language, RetrievalConfig(top_k=self.passages))

    async def _on_pairs(
        self, collection_id: str, pairs: Sequence[QuestionPair], terms: Sequence[Term], facts: ModelFacts
    ) -> CuratedCalibration:
        context = await self._context(collection_id)
        held = context.languages(collection_id) or ()
        tried: list[TriedPair] = []
        for pair in pairs:
            language = detect_language(pair.other)
            index = TermIndex.of(terms, language)
            asked, known = index.in_preferred_words(pair.other), index.in_preferred_words(pair.question)
            distance = await _distance(context, collection_id, pair)
            spoken = (language, detect_language(pair.question), *held)
            agree = difference(asked, known, spoken, distance) is None
            tried.append(TriedPair(distance, agree, pair.is_same))
        return calibrate_pairs(tried, facts.curation.distance)

    async def _context(self, collection_id: str) -> QuestionContext:
        return await QuestionContext.read(self.stores.library, self.embedder_for, [collection_id])


def tried_question(question: JudgedQuestion, found: JudgedPassages) -> TriedQuestion:
    """The outcome of a question, for trying thresholds on it."""
    expected = any(question.judgements.get(p.chunk.document_id, 0) > 0 for p, _ in found.passages)
    # A question that vectors alone declined is accepted by no threshold of words.
    is_of_words = found.verdict.by == JUDGED_BY_WORDS or found.verdict.is_accepted
    score = found.verdict.score if found.passages and is_of_words else None
    return TriedQuestion(question.has_answer, score, found.verdict.is_sure, expected)


async def _distance(context: QuestionContext, collection_id: str, pair: QuestionPair) -> float:
    one = await context.vector_for(collection_id, pair.question)
    other = await context.vector_for(collection_id, pair.other)
    if one is None or other is None:
        raise NoEmbedder(f"The model of {collection_id!r} is not available here")
    return 1.0 - nearness_to(one, DistanceMetric.COSINE)(other)


def _suggested(part: PassageCalibration | CuratedCalibration | None) -> float | None:
    return None if part is None else part.suggested
