"""Citations as they are stored: JSON with the keys of the spec, and ours beside them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sourcebook.curate.staleness import stands
from sourcebook.model.chat import Citation, SourceState, SupportGrade

if TYPE_CHECKING:
    from sourcebook.storage.database import Row


def citations_text(citations: Sequence[Citation]) -> str:
    return json.dumps([_as_json(citation) for citation in citations], ensure_ascii=False)


def citations_from(text: str | None) -> list[Citation]:
    return [_from_json(number, record) for number, record in enumerate(json.loads(text or "[]"), start=1)]


def _as_json(citation: Citation) -> dict[str, object]:
    return {
        "text": citation.text,
        "documentPath": citation.document_path,
        "documentTitle": citation.document_title,
        "chunkId": citation.chunk_id,
        "page": citation.page,
        "start": citation.start,
        "end": citation.end,
        "quote": citation.quote,
        "verified": citation.verified,
        "support": citation.support.value,
        "number": citation.number,
        "collection": citation.collection_id,
        "documentId": citation.document_id,
        "fileHash": citation.file_hash,
        "doubts": list(citation.doubts),
        "section": citation.section,
        "highlight": [list(span) for span in citation.highlight],
        "alsoIn": list(citation.also_in),
    }


def _from_json(number: int, record: dict[str, Any]) -> Citation:
    """Also of what older programs stored: four keys are certain, the others may be missing."""
    return Citation(
        number=record.get("number", number),
        text=record.get("text") or "",
        collection_id=record.get("collection") or "default",
        document_id=record.get("documentId") or "",
        document_path=record.get("documentPath") or "",
        document_title=record.get("documentTitle"),
        chunk_id=record.get("chunkId") or "",
        page=record.get("page"),
        start=record.get("start") or 0,
        end=record.get("end") or 0,
        quote=record.get("quote") or "",
        verified=bool(record.get("verified")),
        file_hash=record.get("fileHash"),
        doubts=tuple(record.get("doubts") or ()),
        support=_support(record),
        section=record.get("section"),
        highlight=tuple((start, end) for start, end in record.get("highlight") or ()),
        also_in=tuple(record.get("alsoIn") or ()),
    )


def _support(record: dict[str, Any]) -> SupportGrade:
    """Older programs knew no degrees: what they took for verified was at least close."""
    if "support" in record:
        return SupportGrade(record["support"])
    return SupportGrade.CLOSE if record.get("verified") else SupportGrade.DOUBTFUL


def state_of(quote: str, file_hash: str | None, document: Row | None, held: Row | None) -> SourceState:
    """Whether words that were quoted still stand in their document.

    A document that changed elsewhere supports them as before. One that is hidden is gone for its readers. `held` is
    its text, which is needed only if it has changed.
    """
    if document is None or not document["is_active"]:
        return SourceState.REMOVED
    if file_hash is not None and document["file_hash"] == file_hash:
        return SourceState.CURRENT
    is_standing = held is not None and stands(quote, held["content"])
    return SourceState.CURRENT if is_standing else SourceState.CHANGED
