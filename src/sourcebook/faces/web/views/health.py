"""Health: what is wrong with the base, if anything, and what it runs on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import Response

from sourcebook.faces.web.page_frame import Overseeing, Page
from sourcebook.faces.web.page_routes import page_router
from sourcebook.ingest.uploads.uploads import UPLOADS
from sourcebook.locale import Texts
from sourcebook.model.health import Finding, HealthReport, OptionalPart, Weight

router = page_router()
_JOBS = (UPLOADS, "draft", "message")
_MINUTE = 60
_LARGE = 5_000
"""A base with more documents is examined when somebody asks, not whenever the page is opened."""


@dataclass(frozen=True, slots=True)
class ShownFinding:
    is_fault: bool
    said: str
    detail: str = ""


@router.get("/health")
async def health(page: Overseeing, check: bool = False) -> Response:
    documents = sum(each.document_count for each in await page.book.library.collections())
    report = await page.book.maintenance.doctor() if check or documents <= _LARGE else None
    waiting = {} if report is None else dict(report.open_jobs)
    late = await _late(page)
    unsent = 0
    if not page.settings.telegram_token:
        # Without a bot nobody fetches the messages for it, and nobody misses them.
        unsent = max(late.pop("message", 0), waiting.pop("message", 0))
    counts = {} if report is None else _counts(report, documents) | {"open_jobs": sum(waiting.values())}
    return await page.show(
        "health.html",
        "health",
        report=report,
        counts=counts,
        waiting=[_waiting(page.texts, kind, n) for kind, n in waiting.items()],
        findings=[] if report is None else [_shown(page.texts, each) for each in report.findings],
        parts={} if report is None else _parts(page.texts, report.optional_parts),
        late=late,
        unsent=unsent,
        collections=await page.collections(),
    )


async def _late(page: Page) -> dict[str, int]:
    """What has waited for more than a minute, by what it is."""
    jobs = page.book.stores.jobs
    return {kind: n for kind in _JOBS if (n := await jobs.overdue(_MINUTE, kind=kind))}


def _waiting(texts: Texts, kind: str, n: int) -> str:
    key = f"waits_{kind}"
    return texts(key, n=n) if key in texts.entries else f"{n} × {kind}"


def _shown(texts: Texts, finding: Finding) -> ShownFinding:
    """A finding in the words of the page. One that has none there keeps its own message as a detail."""
    is_fault = finding.weight is Weight.FAULT
    key = f"finding_{finding.code}"
    if key in texts.entries:
        return ShownFinding(is_fault, texts(key, n=finding.count))
    return ShownFinding(is_fault, texts("finding_other"), finding.message)


def _parts(texts: Texts, parts: Sequence[OptionalPart]) -> dict[str, str]:
    """Those that somebody may miss, each with what it lacks."""
    return {part.name: state_of_part(texts, part) for part in parts if part.is_needed}


def state_of_part(texts: Texts, part: OptionalPart) -> str:
    """What an optional part lacks, in the words of the page, with commands between backticks."""
    if part.is_installed:
        return texts("extra_installed")
    command = [] if part.command is None else [f"`{part.command}`"]
    programs = [texts("extra_program", name=name) for name in part.programs]
    return texts("extra_needs", wanted=", ".join([*command, *programs]))


# Rows that only a doctor needs; `sourcebook doctor` counts them.
_INTERNAL = ("vectors", "word_rows")


def _counts(report: HealthReport, documents: int) -> dict[str, int]:
    """What the base holds. Documents are those that can be asked; the others are counted beside them."""
    counts: dict[str, int] = {}
    for name, number in report.counts.items():
        if name == "documents" and number > documents:
            counts |= {"documents": documents, "unread": number - documents}
        elif name not in _INTERNAL:
            counts[name] = number
    return counts
