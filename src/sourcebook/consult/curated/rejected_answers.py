"""Answers that experts rejected: not given again to the same question while what they quoted stands.

Nor is a changed quote that shares most of its words: a new number does not undo the rejection. An expert who approves
an answer from other passages also rejects what the draft quoted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sourcebook.consult.excerpt.joined_passages import joined
from sourcebook.consult.question.same_question import ask_the_same
from sourcebook.curate.question_groups import same_words
from sourcebook.curate.rejected_quote import shares_most_words, still_said
from sourcebook.model.chat import SourceState

if TYPE_CHECKING:
    from sourcebook.consult.question.inquiry import Inquiry
    from sourcebook.model.chat import Citation
    from sourcebook.model.curation import CuratedAnswer, CuratedSource
    from sourcebook.model.documents import JsonValue
    from sourcebook.model.moderation import Draft
    from sourcebook.model.search import SearchResult
    from sourcebook.ports.stores import Stores
    from sourcebook.retrieve.question_context import QuestionContext


@dataclass(frozen=True, slots=True)
class RejectedAnswers:
    """The answers to one question that experts rejected."""

    drafts: Sequence[Draft] = ()

    @classmethod
    async def read(
        cls,
        stores: Stores,
        inquiry: Inquiry,
        searched: str,
        context: QuestionContext,
        outdated: CuratedAnswer | None = None,
    ) -> RejectedAnswers:
        """The rejected answers to the same question, and what the `outdated` approved answer replaced.

        Collections without rejected answers are not read.
        """
        known = [
            draft
            for collection_id in inquiry.collections
            if context.has_rejected(collection_id)
            for draft in await stores.moderation.rejected_answers(collection_id)
        ]
        same = [draft for draft in known if _asks_the_same(draft, inquiry, searched)]
        if outdated is not None and (replaced := await _replaced_by(outdated, stores)) is not None:
            same.append(replaced)
        return cls([await _as_it_stands(draft, stores) for draft in same])

    def quoting(self, citations: Sequence[Citation]) -> Draft | None:
        """The draft that quoted what these citations quote."""
        return next(
            (
                draft
                for draft in self.drafts
                if any(_is_rejected(old, new, draft.language) for old in draft.citations for new in citations)
            ),
            None,
        )

    def others(self, passages: Sequence[SearchResult]) -> list[SearchResult]:
        """The passages without rejected quotes."""
        return [
            passage
            for passage in passages
            if not any(
                old.document_id == passage.chunk.document_id
                and _stands_in(old, passage.chunk.content, draft.language)
                for draft in self.drafts
                for old in draft.citations
            )
        ]

    def from_first(self, passages: Sequence[SearchResult]) -> Draft | None:
        """The draft whose quote is in the first passage, which a chat model would read again."""
        if not self.drafts or not passages:
            return None
        first = joined(passages)[0].whole
        said = first.chunk.content
        return next(
            (
                draft
                for draft in self.drafts
                for old in draft.citations
                if old.document_id == first.chunk.document_id and _stands_in(old, said, draft.language)
            ),
            None,
        )


def rejected_details(draft: Draft) -> dict[str, JsonValue]:
    """The details of an answer that is not given because an expert rejected it."""
    return {
        "draft_id": draft.id,
        "reason": draft.reason,
        "at": draft.decided_at,
        "collection_id": draft.collection_id,
    }


def _asks_the_same(draft: Draft, inquiry: Inquiry, searched: str) -> bool:
    """Whether a draft asks the same. Follow-ups such as "and in autumn?" are compared as they were searched."""
    before = draft.details.get("searched")
    known = before if isinstance(before, str) and before.strip() else draft.question
    return same_words(searched, known) or ask_the_same(searched, known, (inquiry.language, draft.language))


async def _replaced_by(entry: CuratedAnswer, stores: Stores) -> Draft | None:
    """The answer from documents that an expert replaced by one with none of its quotes."""
    draft = await stores.moderation.before_approval(entry.id)
    if draft is None or not entry.sources:
        return None
    is_kept = any(
        _document(source) == _document(old)
        and (_plain(source.quote) in _plain(old.quote) or _plain(old.quote) in _plain(source.quote))
        for source in entry.sources
        for old in draft.citations
    )
    return None if is_kept else draft


async def _as_it_stands(draft: Draft, stores: Stores) -> Draft:
    """The draft with the present state of its citations."""
    states = await stores.sessions.source_states(draft.citations)
    pairs = zip(draft.citations, states, strict=True)
    return replace(draft, citations=tuple(replace(citation, state=state) for citation, state in pairs))


def _is_rejected(old: Citation, new: Citation, language: str | None) -> bool:
    return _overlap(old, new) or _took_its_place(old, new, language)


def _took_its_place(old: Citation, new: Citation, language: str | None) -> bool:
    """Whether a quote replaced the rejected one. While that one still stands, it did not."""
    is_same_place = (
        _document(old) == _document(new)
        and old.state is SourceState.CHANGED
        and old.section in (None, new.section)
    )
    return is_same_place and shares_most_words(old.quote, new.quote, language)


def _stands_in(old: Citation, text: str, language: str | None) -> bool:
    if _plain(old.quote) in _plain(text):
        return True
    return old.state is SourceState.CHANGED and still_said(old.quote, text, language)


def _overlap(one: Citation, other: Citation) -> bool:
    """Whether two citations quote the same, at least in part; by their texts if the document has changed."""
    if _document(one) != _document(other):
        return False
    if one.file_hash is not None and one.file_hash == other.file_hash:
        return one.start < other.end and other.start < one.end
    before, now = _plain(one.quote), _plain(other.quote)
    return before in now or now in before


def _document(place: Citation | CuratedSource) -> tuple[str, str]:
    return place.collection_id, place.document_id


def _plain(text: str) -> str:
    return " ".join(text.split())
