"""Is there an approved answer to this very question?

A near question is not the same question: for an embedding model, raspberries and blueberries are nearer to each other
than two ways of asking one thing. So nearness is only the first test, and the words must agree too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sourcebook.consult.answer.source_link import source_link
from sourcebook.consult.question.sameness import difference
from sourcebook.model.chat import Citation, SourceState

if TYPE_CHECKING:
    from sourcebook.consult.answer.terminology import TermIndex
    from sourcebook.consult.grounds import Grounds
    from sourcebook.consult.question.inquiry import Inquiry
    from sourcebook.model.curation import CuratedAnswer, CuratedMatch
    from sourcebook.model.documents import JsonValue
    from sourcebook.ports.chat import CuratedAnswers

_LOOKED_AT = 5


class CuratedLookup:
    def __init__(self, curated: CuratedAnswers, grounds: Grounds) -> None:
        self._curated = curated
        self._grounds = grounds

    async def find(
        self, question: str, inquiry: Inquiry, terms: TermIndex, details: dict[str, JsonValue]
    ) -> int | None:
        """The id of the answer to this question, if there is one. What was looked at goes to the details."""
        looked_at: list[JsonValue] = []
        chosen: int | None = None
        for match in await self._near(question, inquiry):
            languages = await self._grounds.languages(match.entry.collection_id)
            reason = why_not(match.entry, question, terms, languages)
            looked_at.append(
                {"id": match.entry.id, "distance": match.distance, "taken": reason is None, "reason": reason}
            )
            if reason is None:
                chosen = match.entry.id
                break
        details["curated"] = looked_at
        return chosen

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
                facts.curation.distance,
                collection_id=collection_id,
            )
        return sorted(near, key=lambda match: (match.distance, match.entry.id))


def why_not(
    entry: CuratedAnswer, question: str, terms: TermIndex, languages: Sequence[str] = ()
) -> str | None:
    """Why the answer is not taken, None if it is. A term and its preferred phrase are one."""
    known = entry.question or entry.answer
    asked, asked_before = terms.in_preferred_words(question), terms.in_preferred_words(known)
    found = difference(asked, asked_before, (terms.language, entry.language, *languages))
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
