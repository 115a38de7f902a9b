"""An answer that was given before, told again: the same, as far as its documents still say it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from sourcebook.curate.told_places import NEAREST, SEE_ALSO, rows_of, told_places, with_states
from sourcebook.model.chat import SourceState, Tier
from sourcebook.model.search import SearchResult

if TYPE_CHECKING:
    from sourcebook.model.chat import Answer
    from sourcebook.model.documents import JsonValue
    from sourcebook.ports.stores import Stores


async def answer_again(answer: Answer, stores: Stores) -> Answer:
    """The answer with the present state of its citations, and the passages beside it that still stand."""
    told = [*answer.citations, *told_places(answer.details)]
    states = iter(await stores.sessions.source_states(told))
    citations = tuple(replace(c, state=next(states)) for c in answer.citations)
    details = with_states(answer.details, states)
    nearest = await _passages(rows_of(details, NEAREST), stores)
    see_also = await _passages(rows_of(details, SEE_ALSO), stores)
    for key, found in ((NEAREST, nearest), (SEE_ALSO, see_also)):
        if key in details:
            # All of them stand, so their states would say nothing that the first answer did not.
            details[key] = [{name: told for name, told in row.items() if name != "state"} for row, _ in found]
    if NEAREST in details:
        details["nearest_excerpt"] = nearest[0][0].get("excerpt") if nearest else None
    # Beside an outdated answer, places without words would say nothing.
    shows_nearest = answer.tier is Tier.NONE or bool(details.get("nearest_excerpt"))
    return replace(
        answer,
        citations=citations,
        details=details,
        nearest=tuple(passage for _, passage in nearest) if shows_nearest else (),
        see_also=tuple(passage for _, passage in see_also),
    )


async def _passages(
    rows: Sequence[dict[str, JsonValue]], stores: Stores
) -> list[tuple[dict[str, JsonValue], SearchResult]]:
    """The rows whose passage is as it was, each with that passage."""
    found = [(row, await _passage(row, stores)) for row in rows]
    return [(row, passage) for row, passage in found if passage is not None]


async def _passage(row: dict[str, JsonValue], stores: Stores) -> SearchResult | None:
    chunk_id, collection_id, score = row.get("chunk_id"), str(row.get("collection_id")), row.get("score")
    if not isinstance(chunk_id, str) or row.get("state") == SourceState.REMOVED.value:
        return None
    held = await stores.vectors.get(collection_id, chunk_id)
    if held is None:
        return None
    chunk = replace(
        held.chunk,
        section=cast("str | None", row.get("section")),
        page=cast("int | None", row.get("page")),
    )
    return SearchResult(
        chunk,
        float(score) if isinstance(score, int | float) else 0.0,
        document_path=str(row.get("document_path")),
        document_title=cast("str | None", row.get("title")),
        collection_id=collection_id,
    )
