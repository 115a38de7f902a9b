"""Gaps and the digest: what to write next, and a summary of the last days."""

from __future__ import annotations

import time

from fastapi import Response

from sourcebook.faces.web.page_frame import Page, Reviewing
from sourcebook.faces.web.page_routes import page_router
from sourcebook.faces.web.review_queue import pending_drafts
from sourcebook.model.moderation import Draft, Gap

router = page_router()


@router.get("/inbox/gaps")
async def gaps(page: Reviewing) -> Response:
    """What to write next."""
    seen = {draft.id: draft for draft in await pending_drafts(page)}
    found = [
        gap
        for gap in await page.book.moderation.gaps(limit=50, collections=page.caller.collections)
        if _is_seen(page, gap, seen)
    ]
    return await page.show("gaps.html", "inbox", gaps=found)


@router.get("/inbox/digest")
async def digest(page: Reviewing, days: int = 7) -> Response:
    """A summary of the last days, for those who may see all of the base."""
    if page.caller.collections is not None:
        return page.go("/inbox")
    days = days if days in (1, 7, 30, 365) else 7
    now = int(time.time())
    told = await page.book.moderation.digest(now - days * 24 * 3600)
    return await page.show("digest.html", "inbox", digest=told, days=days)


def _is_seen(page: Page, gap: Gap, drafts: dict[int, Draft]) -> bool:
    """Who is bound to collections is shown only gaps whose questions they may see."""
    return page.caller.collections is None or any(each in drafts for each in gap.draft_ids)
