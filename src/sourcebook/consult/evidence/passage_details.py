"""What is told about the passages that a question found: in the details of its answer, and to who reviews it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sourcebook.consult.answer.composer import ComposedAnswer
    from sourcebook.consult.evidence.acceptance import Judgement
    from sourcebook.model.documents import JsonValue
    from sourcebook.model.search import SearchResult


def with_quoted(passages: JsonValue, composed: ComposedAnswer | None) -> JsonValue:
    """What is told about the passages, with those taken that are quoted."""
    quoted = {citation.chunk_id for citation in composed.citations} if composed else set[str]()
    rows = [row for row in passages if isinstance(row, dict)] if isinstance(passages, list) else []
    return [row | {"taken": True} if row.get("chunk_id") in quoted else row for row in rows]


def told(
    passage: SearchResult, judgement: Judgement, chosen: set[str], damaged: set[str]
) -> dict[str, JsonValue]:
    """A passage as it is told of: how close it came, and whether it was taken."""
    row: dict[str, JsonValue] = {
        "chunk_id": passage.chunk.id,
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
