"""Gaps and the digest: what to write next, and a summary of a period."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query

from sourcebook.faces import draft_json_shapes
from sourcebook.faces.http.auth.caller import Book, Expert
from sourcebook.faces.http.auth.guarded_routes import guarded_router, require_whole_base
from sourcebook.faces.http.openapi import examples
from sourcebook.faces.http.routes.shared_parameters import MOST, Since

router = guarded_router("moderation")


@router.get("/gaps", summary="What to write next", responses=examples.shown({"gaps": [examples.GAP]}))
async def gaps(
    caller: Expert, book: Book, since: Since = None, limit: Annotated[int, Query(ge=1, le=200)] = 20
) -> dict[str, Any]:
    """Questions that were declined, rejected or weakly supported, put together."""
    found = await book.moderation.gaps(since, limit, collections=caller.collections)
    return {"gaps": [draft_json_shapes.gap(gap) for gap in found]}


@router.get("/digest", summary="Sum up a period", responses=examples.shown({"digest": examples.DIGEST}))
async def digest(
    caller: Expert,
    book: Book,
    since: Annotated[int, Query(ge=0, le=MOST, description="The beginning, in Unix seconds.")] = 0,
    until: Annotated[int | None, Query(ge=0, le=MOST, description="The end; without one, now.")] = None,
) -> dict[str, Any]:
    """Questions and how they were answered, stale answers, what to write, and tokens. It covers the whole base."""
    require_whole_base(caller)
    return {"digest": draft_json_shapes.digest(await book.moderation.digest(since, until))}
