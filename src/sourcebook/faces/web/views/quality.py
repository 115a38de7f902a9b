"""Quality: how the base does over time, as plots, and measurements that are made when somebody asks."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from fastapi import Response
from markupsafe import Markup

from sourcebook.errors import TooLittleData
from sourcebook.faces.web.answer_view import rows
from sourcebook.faces.web.moments import short_day
from sourcebook.faces.web.page import Overseeing, Page
from sourcebook.faces.web.plots import Curve, PlotColumn, columns, curves
from sourcebook.faces.web.routes import page_router
from sourcebook.model.calibration import Calibration
from sourcebook.retrieve.evaluation import SearchSetting

router = page_router()
_WEEK = 7 * 24 * 3600
_WEEKS = 8
_KEPT = 50
_MEASURED = "measured"
"""The collection's setting that keeps what was measured, so that it can be drawn over time."""


@dataclass(frozen=True, slots=True)
class LoopFigures:
    """What became of the questions of the last weeks."""

    plot: Markup
    questions: int
    curated: int
    declined: int
    waiting: int


@router.get("/quality")
async def quality(page: Overseeing) -> Response:
    collection = page.default_collection()
    decided = await page.book.quality.decided_questions(collection=collection)
    history = await _history(page, collection)
    return await page.show(
        "quality.html",
        "quality",
        loop=await _loop(page),
        decided=len(decided),
        measured=_plotted(page, history),
        last=next(iter(history[-1:]), None),
        calibration=None,
        too_few=None,
    )


@router.post("/quality/measure")
async def measure(page: Overseeing) -> Response:
    """Search with every decided question, and remember how well their documents were found."""
    collection = page.default_collection()
    judged = [each for each in await page.book.moderation.judged_questions(collection) if each.has_answer]
    if not judged:
        return page.go("/quality?done=nothing_to_measure")
    figures: dict[str, Any] = {"at": int(time.time()), "questions": len(judged)}
    for mode in ("hybrid", "keyword"):
        done = await page.book.quality.evaluate(judged, SearchSetting.of(mode), collection=collection)
        figures[mode] = round(done.figures.ndcg, 4)
        figures[f"{mode}_recall"] = round(done.figures.recall, 4)
    kept = [*await _history(page, collection), figures][-_KEPT:]
    await page.book.stores.library.change_collection_settings(collection, {_MEASURED: cast("Any", kept)})
    return page.go("/quality?done=measured")


@router.post("/quality/calibrate")
async def calibrate(page: Overseeing) -> Response:
    """What the thresholds do to the questions that were decided, and what better ones would do."""
    collection = page.default_collection()
    decided = await page.book.quality.decided_questions(collection=collection)
    calibration: Calibration | None = None
    too_few: str | None = None
    try:
        calibration = await page.book.quality.calibrate(decided, collection=collection)
    except TooLittleData as error:
        too_few = error.message
    history = await _history(page, collection)
    return await page.show(
        "quality.html",
        "quality",
        loop=await _loop(page),
        decided=len(decided),
        measured=_plotted(page, history),
        last=next(iter(history[-1:]), None),
        calibration=calibration,
        too_few=too_few,
    )


async def _loop(page: Page) -> LoopFigures:
    now = int(time.time())
    weeks: list[PlotColumn] = []
    questions = curated = declined = 0
    for back in range(_WEEKS, 0, -1):
        told = await page.book.moderation.digest(now - back * _WEEK, now - (back - 1) * _WEEK + 1)
        tiers = told.tiers
        parts = [(f"col-{name}", tiers.get(name, 0)) for name in ("curated", "documents", "none")]
        weeks.append(PlotColumn(short_day(page.texts, now - (back - 1) * _WEEK), parts))
        questions += told.questions
        curated += tiers.get("curated", 0)
        declined += told.declined
    waiting = sum((await page.book.moderation.count_pending()).values())
    return LoopFigures(columns(weeks, page.texts("loop_plot")), questions, curated, declined, waiting)


async def _history(page: Page, collection: str) -> list[dict[str, Any]]:
    settings = await page.book.stores.library.collection_settings(collection)
    return rows(settings.get(_MEASURED))


def _plotted(page: Page, history: Sequence[dict[str, Any]]) -> Markup | None:
    if len(history) < 2:
        return None
    labels = [short_day(page.texts, each["at"]) for each in history]
    lines = [
        Curve("first", [float(each.get("hybrid", 0)) for each in history]),
        Curve("second", [float(each.get("keyword", 0)) for each in history]),
    ]
    return curves(labels, lines, page.texts("measured_plot"))
