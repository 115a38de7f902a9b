"""The numbered passages shown with a draft. An expert whose answer uses other words names some as its sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from sourcebook.errors import UsageError
from sourcebook.model.chat import Citation
from sourcebook.model.curation import CuratedSource
from sourcebook.model.moderation import DraftKind, DraftStatus

if TYPE_CHECKING:
    from sourcebook.model.curation import CuratedAnswer
    from sourcebook.model.documents import Document, JsonValue
    from sourcebook.model.moderation import Draft
    from sourcebook.ports.stores import Stores


def offered_sources(draft: Draft) -> list[Citation]:
    """The citations of an answer, or the passages closest to an unanswered question, numbered as every face shows them.

    A passage without a quote gets one when it is bound: the words most like the answer.
    """
    if draft.kind is not DraftKind.DECLINED:
        return list(draft.citations)
    rows = draft.details.get("nearest")
    places = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return [_of_place(number, place) for number, place in enumerate(places, start=1)]


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
        replace(
            _citation(number, each.collection_id, each.document_id, each.document_path, {}),
            document_title=each.document_title,
            quote=each.quote,
            start=each.start or 0,
            end=each.end or 0,
            page=each.page,
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
    """The drafts with what has become of their sources since: the state of each citation."""
    states = iter(await stores.sessions.source_states([c for draft in drafts for c in draft.citations]))
    return [
        replace(draft, citations=tuple(replace(each, state=next(states)) for each in draft.citations))
        for draft in drafts
    ]


def whole_document(number: int, collection_id: str, document: Document) -> Citation:
    """A document that an expert named. Its quote is chosen when it is bound: the words most like the answer."""
    return _citation(
        number,
        collection_id,
        document.id,
        document.file_path,
        {"title": document.title, "end_index": len(document.content)},
    )


def _of_place(number: int, place: Mapping[str, JsonValue]) -> Citation:
    return _citation(
        number,
        str(place.get("collection_id")),
        str(place.get("document_id")),
        str(place.get("document_path")),
        place,
    )


def _citation(
    number: int, collection_id: str, document_id: str, path: str, place: Mapping[str, JsonValue]
) -> Citation:
    # Older bases have the words as they were shown, not as they are in the document.
    quote = place.get("quote") or place.get("excerpt") or ""
    start = place.get("quote_start")
    return Citation(
        number=number,
        text="",
        collection_id=collection_id,
        document_id=document_id,
        document_path=path,
        document_title=cast("str | None", place.get("title")),
        chunk_id="",
        page=cast("int | None", place.get("page")),
        start=start if isinstance(start, int) else cast("int", place.get("start_index") or 0),
        end=start + len(str(quote)) if isinstance(start, int) else cast("int", place.get("end_index") or 0),
        quote=str(quote),
        verified=False,
        section=cast("str | None", place.get("section")),
    )
