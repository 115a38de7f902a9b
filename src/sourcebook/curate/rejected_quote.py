"""Whether what took the place of a rejected quote still says much the same: then the expert's no holds for it too."""

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
"""With such a share of the words of the shorter one in common, a text is the rejected one in a new form."""


def shares_most_words(rejected: str, now: str, language: str | None) -> bool:
    """Whether a new text is much the same as the rejected one. A changed number or two do not make it another."""
    before, after = distinct_terms(rejected, language), distinct_terms(now, language)
    shorter = min(len(before), len(after))
    return shorter > 0 and len(before & after) >= _MOST * shorter


def still_said(rejected: str, text: str, language: str | None) -> bool:
    """Whether a text has sentences in the place of the rejected quote that share most of its words."""
    stretch = nearest_stretch(rejected, text)
    return stretch is not None and shares_most_words(rejected, stretch, language)


async def quotes_still_said(draft: Draft, stores: Stores) -> list[bool]:
    """For each citation of a draft, whether its quote, or most of its words, still stand in its document."""
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
