"""The numbered passages shown with a draft. An expert whose answer uses other words names some as its sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sourcebook.curate.told_places import NEAREST, place_cited, rows_of, told_places, with_states
from sourcebook.errors import UsageError
from sourcebook.model.chat import Citation, SourceState
from sourcebook.model.curation import CuratedSource
from sourcebook.model.moderation import DraftKind, DraftStatus

if TYPE_CHECKING:
    from sourcebook.model.curation import CuratedAnswer
    from sourcebook.model.documents import Document
    from sourcebook.model.moderation import Draft
    from sourcebook.ports.stores import Stores


def offered_sources(draft: Draft) -> list[Citation]:
    """The citations of an answer, or the passages closest to an unanswered question, numbered as every face shows them.

    Nothing can be bound to a passage that is known to be removed.
    """
    if draft.kind is not DraftKind.DECLINED:
        return list(draft.citations)
    places = [place_cited(number, row) for number, row in enumerate(rows_of(draft.details, NEAREST), start=1)]
    return [each for each in places if each.state is not SourceState.REMOVED]


def named_sources(draft: Draft, numbers: Sequence[int]) -> list[Citation]:
    """The offered sources with these numbers, or UsageError."""
    offered = offered_sources(draft)
    known = {each.number for each in offered}
    for number in numbers:
        if number not in known:
            hint = f"Its sources are numbered {min(known)} to {max(known)}." if known else "Name a document."
            raise UsageError(f"Draft {draft.id} shows no source {number}", hint=hint)
    return [each for number in dict.fromkeys(numbers) for each in offered if each.number == number]


def sources_of(entry: CuratedAnswer) -> list[Citation]:
    """The sources of an approved answer as citations."""
    return [
        Citation(
            number=number,
            text="",
            collection_id=each.collection_id,
            document_id=each.document_id,
            document_path=each.document_path,
            document_title=each.document_title,
            chunk_id="",
            page=each.page,
            start=each.start or 0,
            end=each.end or 0,
            quote=each.quote,
            verified=False,
            section=each.section,
        )
        for number, each in enumerate(entry.sources, start=1)
    ]


def quoted_sources(draft: Draft) -> list[CuratedSource]:
    """What an answer from documents quotes, as sources in the state of its citations. None once it is decided."""
    if draft.kind is not DraftKind.ANSWER or draft.status is not DraftStatus.PENDING:
        return []
    found = (
        CuratedSource(
            collection_id=each.collection_id,
            document_id=each.document_id,
            document_path=each.document_path,
            quote=each.quote,
            document_title=each.document_title,
            chunk_id=each.chunk_id,
            page=each.page,
            start=each.start,
            end=each.end,
            file_hash=each.file_hash,
            state=each.state,
            section=each.section,
        )
        for each in draft.citations
    )
    return list({(each.collection_id, each.document_id, each.quote): each for each in found}.values())


async def with_source_states(drafts: Sequence[Draft], stores: Stores) -> list[Draft]:
    """The drafts with what has become since of their citations, and of the passages told beside them."""
    told = [c for draft in drafts for c in (*draft.citations, *told_places(draft.details))]
    states = iter(await stores.sessions.source_states(told))
    return [
        replace(
            draft,
            citations=tuple(replace(each, state=next(states)) for each in draft.citations),
            details=with_states(draft.details, states),
        )
        for draft in drafts
    ]


def whole_document(number: int, collection_id: str, document: Document) -> Citation:
    """A document that an expert named. Its quote is chosen when it is bound: the words most like the answer."""
    return Citation(
        number=number,
        text="",
        collection_id=collection_id,
        document_id=document.id,
        document_path=document.file_path,
        document_title=document.title,
        chunk_id="",
        page=None,
        start=0,
        end=len(document.content),
        quote="",
        verified=False,
    )
