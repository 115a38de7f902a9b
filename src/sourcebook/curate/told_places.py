"""The passages told beside an answer: what came closest to the question, and what may answer as well."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, cast

from sourcebook.model.chat import Citation, SourceState

if TYPE_CHECKING:
    from sourcebook.model.documents import JsonValue

NEAREST, SEE_ALSO = "nearest", "see_also"


def rows_of(details: Mapping[str, JsonValue], key: str) -> list[dict[str, JsonValue]]:
    """The passages that the details of an answer list under this key, as they were stored."""
    rows = details.get(key)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def told_places(details: Mapping[str, JsonValue]) -> list[Citation]:
    """All passages told beside an answer, as citations in the order in which `with_states` expects their states."""
    return [
        place_cited(number, row)
        for key in (NEAREST, SEE_ALSO)
        for number, row in enumerate(rows_of(details, key), start=1)
    ]


def with_states(details: Mapping[str, JsonValue], states: Iterator[SourceState]) -> dict[str, JsonValue]:
    """The details with the state of each passage. Of what was removed or hidden, they no longer have the words."""
    told = dict(details)
    for key in (NEAREST, SEE_ALSO):
        if rows := rows_of(details, key):
            told[key] = [_with_state(row, next(states)) for row in rows]
    if (nearest := rows_of(told, NEAREST)) and nearest[0]["state"] == SourceState.REMOVED.value:
        told["nearest_excerpt"] = None
    return told


def _with_state(row: Mapping[str, JsonValue], state: SourceState) -> dict[str, JsonValue]:
    gone: dict[str, JsonValue] = {"excerpt": None, "quote": None} if state is SourceState.REMOVED else {}
    return {**row, "state": state.value, **gone}


def place_cited(number: int, row: Mapping[str, JsonValue]) -> Citation:
    """Such a passage as a citation. Without a quote, one is chosen when it is bound: the words most like the answer."""
    # Older bases have the words as they were shown, not as they are in the document.
    quote = str(row.get("quote") or row.get("excerpt") or "")
    start = row.get("quote_start")
    return Citation(
        number=number,
        text="",
        collection_id=str(row.get("collection_id")),
        document_id=str(row.get("document_id")),
        document_path=str(row.get("document_path")),
        document_title=cast("str | None", row.get("title")),
        chunk_id="",
        page=cast("int | None", row.get("page")),
        start=start if isinstance(start, int) else cast("int", row.get("start_index") or 0),
        end=start + len(quote) if isinstance(start, int) else cast("int", row.get("end_index") or 0),
        quote=quote,
        verified=False,
        file_hash=cast("str | None", row.get("file_hash")),
        state=SourceState(row.get("state") or SourceState.CURRENT.value),
        section=cast("str | None", row.get("section")),
    )
