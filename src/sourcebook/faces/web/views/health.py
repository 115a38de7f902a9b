"""Health: what is wrong with the base, if anything, and what it runs on."""

from __future__ import annotations

from fastapi import Response

from sourcebook.faces.web.page import Overseeing
from sourcebook.faces.web.routes import page_router
from sourcebook.model.health import HealthReport

router = page_router()
_LARGE = 5_000
"""A base with more documents is examined when somebody asks, not whenever the page is opened."""


@router.get("/health")
async def health(page: Overseeing, check: bool = False) -> Response:
    documents = sum(each.document_count for each in await page.book.library.collections())
    report = await page.book.maintenance.doctor() if check or documents <= _LARGE else None
    counts = {} if report is None else _counts(report, documents)
    return await page.show(
        "health.html",
        "health",
        report=report,
        counts=counts,
        overdue=await page.book.stores.jobs.overdue(60),
        collections=await page.collections(),
    )


def _counts(report: HealthReport, documents: int) -> dict[str, int]:
    """What the base holds. Documents are those that can be asked; the others are counted beside them."""
    counts: dict[str, int] = {}
    for name, number in report.counts.items():
        if name == "documents" and number > documents:
            counts |= {"documents": documents, "unread": number - documents}
        else:
            counts[name] = number
    return counts
