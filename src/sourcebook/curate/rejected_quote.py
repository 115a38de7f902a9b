"""Whether a changed document still says much the same as a rejected quote, so that the rejection still holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcebook.curate.source_changes import nearest_stretch
from sourcebook.model.chat import SourceState
from sourcebook.text.analysis import distinct_terms

if TYPE_CHECKING:
    from sourcebook.model.chat import Citation
    from sourcebook.model.moderation import Draft
    from sourcebook.ports.stores import Stores

_MOST = 0.5
"""Two texts are much the same if they share this much of the words of the shorter one."""


def shares_most_words(rejected: str, now: str, language: str | None) -> bool:
    """Whether a new text is much the same as the rejected one, a changed number or two aside."""
    before, after = distinct_terms(rejected, language), distinct_terms(now, language)
    shorter = min(len(before), len(after))
    return shorter > 0 and len(before & after) >= _MOST * shorter


def still_said(rejected: str, text: str, language: str | None) -> bool:
    """Whether the sentences of a text that are most like the rejected quote share most of its words."""
    stretch = nearest_stretch(rejected, text)
    return stretch is not None and shares_most_words(rejected, stretch, language)


async def quotes_still_said(draft: Draft, stores: Stores) -> list[bool]:
    """For each citation of a draft, whether its quote, or most of its words, are still in its document."""
    states = await stores.sessions.source_states(draft.citations)
    return [
        state is SourceState.CURRENT or await _is_still_said(citation, draft.language, stores)
        for citation, state in zip(draft.citations, states, strict=True)
    ]


async def _is_still_said(citation: Citation, language: str | None, stores: Stores) -> bool:
    document = await stores.library.get_document(citation.collection_id, citation.document_id)
    if document is None or not document.is_active:
        return False
    return still_said(citation.quote, document.content, language)
