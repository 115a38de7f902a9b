"""What the details of an answer say about the passages that were found."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from sourcebook.text.languages import detect_language

if TYPE_CHECKING:
    from sourcebook.consult.answer.composer import ComposedAnswer
    from sourcebook.consult.evidence.acceptance import Judgement
    from sourcebook.model.documents import JsonValue
    from sourcebook.model.search import SearchResult


def with_quoted(passages: JsonValue, composed: ComposedAnswer | None) -> JsonValue:
    """The details of the passages, with `quoted` and `taken` set for those that are quoted."""
    quoted = {citation.chunk_id for citation in composed.citations} if composed else set[str]()
    rows = [row for row in passages if isinstance(row, dict)] if isinstance(passages, list) else []
    return [
        row | ({"taken": True, "quoted": True} if row.get("chunk_id") in quoted else {"quoted": False})
        for row in rows
    ]


def quoted_language(
    composed: ComposedAnswer,
    passages: Sequence[SearchResult],
    asked: str | None,
    held: Collection[str | None],
) -> str | None:
    """The language of the first quote, if it is not that of the question; else None.

    If it cannot be told, as for a table, it is that of the base, unless the base also has the question's language.
    """
    if not asked or not composed.citations:
        return None
    first = composed.citations[0]
    content = next((p.chunk.content for p in passages if p.chunk.id == first.chunk_id), first.quote)
    if asked in held:
        # Listings and names tell little: the passage around the quote must be in that language, too.
        seen = {detect_language(content), detect_language(first.quote)} - {None}
        found = next(iter(seen)) if len(seen) == 1 and seen <= set(held) else None
    else:
        found = detect_language(content) or next(iter(held), None)
    return None if found == asked else found


def passages_language(
    passages: Sequence[SearchResult], asked: str | None, held: Collection[str | None]
) -> str | None:
    """The language of the first passage, if the base has nothing in that of the question; else None."""
    if not passages or not asked or asked in held:
        return None
    # If it cannot be told, as for a table, it is that of the base.
    found = detect_language(passages[0].chunk.content) or next(iter(held), None)
    return None if found == asked else found


def passage_details(
    passage: SearchResult, judgement: Judgement, chosen: set[str], damaged: set[str]
) -> dict[str, JsonValue]:
    """The details of a passage: how close it came, and whether it was taken."""
    row: dict[str, JsonValue] = {
        "chunk_id": passage.chunk.id,
        "collection_id": passage.collection_id,
        "document_path": passage.document_path,
        "title": passage.document_title,
        "score": passage.score,
        "similarity": judgement.similarity,
        "share": judgement.share,
        "sentence_share": judgement.sentence_share,
        "bare_share": judgement.bare_share,
        "closeness": judgement.score,
        "taken": passage.chunk.id in chosen,
    }
    return row | {"damaged": True} if passage.chunk.id in damaged else row
