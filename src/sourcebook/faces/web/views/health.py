"""Health: what is wrong with the base, if anything, and what it runs on."""

from __future__ import annotations

from fastapi import Response

from sourcebook.faces.web.page import Overseeing
from sourcebook.faces.web.routes import page_router

router = page_router()
_LARGE = 5_000
"""A base with more documents is examined when somebody asks, not whenever the page is opened."""


@router.get("/health")
async def health(page: Overseeing, check: bool = False) -> Response:
    documents = sum(each.document_count for each in await page.book.library.collections())
    report = await page.book.maintenance.doctor() if check or documents <= _LARGE else None
    return await page.show(
        "health.html",
        "health",
        report=report,
        overdue=await page.book.stores.jobs.overdue(60),
        collections=await page.collections(),
    )
