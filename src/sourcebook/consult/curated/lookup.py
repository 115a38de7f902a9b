"""Is there an approved answer to this very question?

A near question is not the same question: for an embedding model, raspberries and blueberries are nearer to each other
than two ways of asking one thing. So nearness is only the first test, and the words must agree too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sourcebook.consult.question.sameness import difference
from sourcebook.consult.wording import source_link
from sourcebook.model.chat import Citation, SourceState

if TYPE_CHECKING:
    from sourcebook.consult.answer.terminology import TermIndex
    from sourcebook.consult.question.inquiry import Inquiry
    from sourcebook.model.curation import CuratedAnswer, CuratedMatch
    from sourcebook.model.documents import JsonValue
    from sourcebook.ports.chat import CuratedAnswers
    from sourcebook.retrieve.context import QuestionContext

_LOOKED_AT = 5


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
    ) -> CuratedAnswer | None:
        """The approved answer to this question, if there is one. What was looked at goes to the details."""
        looked_at: list[JsonValue] = []
        chosen: CuratedAnswer | None = None
        for match in await self._near(question, inquiry, context):
            languages = context.languages(match.entry.collection_id) or ()
            reason = why_not(match.entry, question, terms, languages)
            looked_at.append(
                {"id": match.entry.id, "distance": match.distance, "taken": reason is None, "reason": reason}
            )
            if reason is None:
                chosen = match.entry
                break
        details["curated"] = looked_at
        return chosen

    async def _near(self, question: str, inquiry: Inquiry, context: QuestionContext) -> list[CuratedMatch]:
        near: list[CuratedMatch] = []
        for collection_id in inquiry.collections:
            vector = await context.vector_for(collection_id, question)
            if vector is None:
                continue
            near += await self._curated.kb_search(
                inquiry.category,
                vector,
                inquiry.subcategory,
                _LOOKED_AT,
                context.facts(collection_id).curation.distance,
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
