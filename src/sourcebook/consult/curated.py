"""Is there an approved answer to this very question?

A near question is not the same question: for an embedding model, raspberries and blueberries are nearer to each other
than two ways of asking one thing. So nearness is only the first test, and the words must agree too.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from sourcebook.consult.sameness import compare_questions
from sourcebook.consult.wording import source_link
from sourcebook.model.chat import Citation
from sourcebook.model.facts import facts_of

if TYPE_CHECKING:
    from sourcebook.consult.service import Inquiry
    from sourcebook.model.curation import CuratedAnswer, CuratedMatch
    from sourcebook.model.documents import JsonValue, Vector
    from sourcebook.ports.chat import CuratedBase

_LOOKED_AT = 5


class CuratedLookup:
    def __init__(
        self,
        curated: CuratedBase,
        embed_question: Callable[[str, str], Awaitable[Vector | None]],
        model_names: Callable[[str], Awaitable[str]],
    ) -> None:
        self._curated = curated
        self._embed_question = embed_question
        self._model_names = model_names

    async def find(
        self,
        question: str,
        inquiry: Inquiry,
        language: str | None,
        details: dict[str, JsonValue],
    ) -> int | None:
        """The id of the answer to this question, if there is one. What was looked at goes to the details."""
        looked_at: list[JsonValue] = []
        chosen: int | None = None
        for match in await self._near(question, inquiry):
            reason = why_not(match.entry, question, language)
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
            vector = await self._embed_question(collection_id, question)
            if vector is None:
                continue
            facts = facts_of(await self._model_names(collection_id)).curation
            near += await self._curated.kb_search(
                inquiry.category,
                vector,
                inquiry.subcategory,
                _LOOKED_AT,
                facts.distance,
                collection_id=collection_id,
            )
        return sorted(near, key=lambda match: (match.distance, match.entry.id))


def why_not(entry: CuratedAnswer, question: str, language: str | None) -> str | None:
    """Why the answer is not taken, None if it is."""
    compared = compare_questions(question, entry.question or entry.answer, language)
    if compared.is_word_for_word:
        return None
    return compared.difference.value if compared.difference is not None else "other_words"


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
        )
        for number, source in enumerate(entry.sources, start=1)
    ]
