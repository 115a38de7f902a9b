"""Is there an approved answer to this very question?

A near question is not the same question: for an embedding model, raspberries and blueberries are nearer to each other
than two ways of asking one thing. So nearness is only the first test, and the words must agree too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sourcebook.consult.citations.source_link import source_link
from sourcebook.consult.curated.similar_questions import MOST_OFFERED, similar_questions
from sourcebook.consult.question.same_question import difference
from sourcebook.model.chat import Citation, SourceState, SupportGrade

if TYPE_CHECKING:
    from sourcebook.consult.answer.terminology import TermIndex
    from sourcebook.consult.question.inquiry import Inquiry
    from sourcebook.model.curation import CuratedAnswer, CuratedMatch, SimilarQuestion
    from sourcebook.model.documents import JsonValue
    from sourcebook.ports.chat import CuratedAnswers
    from sourcebook.retrieve.question_context import QuestionContext

_LOOKED_AT = 5


@dataclass(frozen=True, slots=True)
class CuratedFinding:
    """The approved answer to a question; without one, the approved questions that may be meant."""

    entry: CuratedAnswer | None
    similar: Sequence[SimilarQuestion] = ()


class CuratedLookup:
    def __init__(self, curated: CuratedAnswers) -> None:
        self._curated = curated

    async def find(
        self,
        question: str,
        inquiry: Inquiry,
        context: QuestionContext,
        terms: TermIndex,
        details: dict[str, JsonValue],
    ) -> CuratedFinding:
        """The approved answer, or the questions that may be meant. What was compared is noted in `details`."""
        looked_at: list[JsonValue] = []
        details["curated"] = looked_at
        near = await self._near(question, inquiry, context)
        for match in near:
            reason = _why_not(match, question, context, terms)
            looked_at.append(
                {"id": match.entry.id, "distance": match.distance, "taken": reason is None, "reason": reason}
            )
            if reason is None:
                return CuratedFinding(match.entry)
        return CuratedFinding(None, tuple(_similar(question, near, context, terms)))

    async def _near(self, question: str, inquiry: Inquiry, context: QuestionContext) -> list[CuratedMatch]:
        near: list[CuratedMatch] = []
        for collection_id in inquiry.collections:
            if not context.has_curated(collection_id):
                continue
            vector = await context.vector_for(collection_id, question)
            if vector is None:
                continue
            facts = context.facts(collection_id).curation
            near += await self._curated.kb_search(
                inquiry.category,
                vector,
                inquiry.subcategory,
                _LOOKED_AT,
                max(facts.distance, facts.similar),
                collection_id=collection_id,
            )
        return sorted(near, key=lambda match: (match.distance, match.entry.id))


def _why_not(match: CuratedMatch, question: str, context: QuestionContext, terms: TermIndex) -> str | None:
    collection_id = match.entry.collection_id
    if match.distance >= context.facts(collection_id).curation.distance:
        return "far"
    languages = context.languages(collection_id) or ()
    return why_not(match.entry, question, terms, languages, match.distance, match.wording)


def _similar(
    question: str, near: Sequence[CuratedMatch], context: QuestionContext, terms: TermIndex
) -> list[SimilarQuestion]:
    offered: list[SimilarQuestion] = []
    for collection_id in dict.fromkeys(match.entry.collection_id for match in near):
        here = [match for match in near if match.entry.collection_id == collection_id]
        languages = (terms.language, *(context.languages(collection_id) or ()))
        offered += similar_questions(question, here, languages, context.facts(collection_id).curation.similar)
    return sorted(offered, key=lambda found: (-found.score, found.id))[:MOST_OFFERED]


def why_not(
    entry: CuratedAnswer,
    question: str,
    terms: TermIndex,
    languages: Sequence[str] = (),
    distance: float | None = None,
    wording: str | None = None,
) -> str | None:
    """Why the answer is not taken; None if it is.

    The question is compared with the entry's question, or with its nearest wording. A term and its preferred phrase
    count as the same.
    """
    known = wording or entry.question or entry.answer
    asked, asked_before = terms.in_preferred_words(question), terms.in_preferred_words(known)
    found = difference(asked, asked_before, (terms.language, entry.language, *languages), distance)
    return None if found is None else found.value


def curated_citations(entry: CuratedAnswer, language: str | None) -> list[Citation]:
    return [
        Citation(
            number=number,
            text=source_link(source.document_path, source.document_title, source.page, language),
            collection_id=source.collection_id,
            document_id=source.document_id,
            document_path=source.document_path,
            document_title=source.document_title,
            chunk_id=source.chunk_id or "",
            page=source.page,
            start=source.start or 0,
            end=source.end or 0,
            quote=source.quote,
            verified=True,
            # An expert vouches for it, perhaps in other words than the source's.
            support=SupportGrade.CLOSE,
            file_hash=source.file_hash,
            state=source.state or SourceState.CURRENT,
            section=source.section,
        )
        for number, source in enumerate(entry.sources, start=1)
    ]
