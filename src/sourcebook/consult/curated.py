"""Is there an approved answer to this very question?

A near question is not the same question: for an embedding model, raspberries and blueberries are nearer to each other
than two ways of asking one thing. So nearness is only the first test, and the words must agree too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sourcebook.consult.sameness import difference
from sourcebook.consult.similar_questions import MOST_OFFERED, similar_questions
from sourcebook.consult.wording import source_link
from sourcebook.model.chat import Citation, SourceState

if TYPE_CHECKING:
    from sourcebook.consult.grounds import Grounds
    from sourcebook.consult.inquiry import Inquiry
    from sourcebook.consult.terms import TermIndex
    from sourcebook.model.curation import CuratedAnswer, CuratedMatch, SimilarQuestion
    from sourcebook.model.documents import JsonValue
    from sourcebook.ports.chat import CuratedBase

_LOOKED_AT = 5


@dataclass(frozen=True, slots=True)
class CuratedFinding:
    """The id of the approved answer to a question; without one, the approved questions that may be meant."""

    entry_id: int | None
    similar: Sequence[SimilarQuestion] = ()


class CuratedLookup:
    def __init__(self, curated: CuratedBase, grounds: Grounds) -> None:
        self._curated = curated
        self._grounds = grounds

    async def find(
        self, question: str, inquiry: Inquiry, terms: TermIndex, details: dict[str, JsonValue]
    ) -> int | None:
        """The id of the answer to this question, if there is one. What was looked at goes to the details."""
        return (await self.look(question, inquiry, terms, details)).entry_id

    async def look(
        self, question: str, inquiry: Inquiry, terms: TermIndex, details: dict[str, JsonValue]
    ) -> CuratedFinding:
        """The answer to this question, or the questions that resemble it. What was looked at goes to the details."""
        looked_at: list[JsonValue] = []
        details["curated"] = looked_at
        near = await self._near(question, inquiry)
        for match in near:
            reason = await self._why_not(match, question, terms)
            looked_at.append(
                {"id": match.entry.id, "distance": match.distance, "taken": reason is None, "reason": reason}
            )
            if reason is None:
                return CuratedFinding(match.entry.id)
        return CuratedFinding(None, await self._similar(question, near, terms))

    async def _why_not(self, match: CuratedMatch, question: str, terms: TermIndex) -> str | None:
        collection_id = match.entry.collection_id
        if match.distance >= (await self._grounds.facts(collection_id)).curation.distance:
            return "far"
        languages = await self._grounds.languages(collection_id)
        return why_not(match.entry, question, terms, languages, match.distance)

    async def _similar(
        self, question: str, near: Sequence[CuratedMatch], terms: TermIndex
    ) -> list[SimilarQuestion]:
        offered: list[SimilarQuestion] = []
        for collection_id in dict.fromkeys(match.entry.collection_id for match in near):
            facts = await self._grounds.facts(collection_id)
            languages = (terms.language, *await self._grounds.languages(collection_id))
            here = [match for match in near if match.entry.collection_id == collection_id]
            offered += similar_questions(question, here, languages, facts.curation.similar)
        return sorted(offered, key=lambda found: (-found.score, found.id))[:MOST_OFFERED]

    async def _near(self, question: str, inquiry: Inquiry) -> list[CuratedMatch]:
        near: list[CuratedMatch] = []
        for collection_id in inquiry.collections:
            vector = await self._grounds.vector(collection_id, question)
            if vector is None:
                continue
            facts = await self._grounds.facts(collection_id)
            near += await self._curated.kb_search(
                inquiry.category,
                vector,
                inquiry.subcategory,
                _LOOKED_AT,
                max(facts.curation.distance, facts.curation.similar),
                collection_id=collection_id,
            )
        return sorted(near, key=lambda match: (match.distance, match.entry.id))


def why_not(
    entry: CuratedAnswer,
    question: str,
    terms: TermIndex,
    languages: Sequence[str] = (),
    distance: float | None = None,
) -> str | None:
    """Why the answer is not taken, None if it is. A term and its preferred phrase are one."""
    known = entry.question or entry.answer
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
            file_hash=source.file_hash,
            state=source.state or SourceState.CURRENT,
        )
        for number, source in enumerate(entry.sources, start=1)
    ]
