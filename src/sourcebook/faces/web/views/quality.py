"""Quality: how the base does over time, as plots, and measurements that are made when somebody asks."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Form, Response
from markupsafe import Markup

from sourcebook.consult.calibration.suggestions import FEWEST, has_enough
from sourcebook.errors import PathNotFound
from sourcebook.faces.sample_library import sample_folder
from sourcebook.faces.web.dates_and_numbers import short_day
from sourcebook.faces.web.error_words import Said, words_of
from sourcebook.faces.web.page_frame import Overseeing, Page
from sourcebook.faces.web.page_routes import page_router
from sourcebook.faces.web.plots import Curve, PlotColumn, ThresholdMark, columns, curves, thresholds
from sourcebook.faces.web.running_comparison import RunningComparison, running
from sourcebook.model.model_listing import ModelListing
from sourcebook.retrieve.evaluation.evaluate import JudgedQuestion, SearchSetting
from sourcebook.retrieve.evaluation.kept_measurements import KeptCalibration, Measurements
from sourcebook.retrieve.evaluation.known_questions import KnownQuestions, known_questions

router = page_router()
_WEEK = 7 * 24 * 3600
_WEEKS = 8


@dataclass(frozen=True, slots=True)
class LoopFigures:
    """What became of the questions of the last weeks."""

    plot: Markup
    questions: int
    curated: int
    declined: int
    waiting: int


@dataclass(frozen=True, slots=True)
class MissingDecisions:
    """How many answers experts approved and rejected so far, and how many of each are needed."""

    approved: int
    rejected: int
    needed: int


@router.get("/quality")
async def quality(page: Overseeing) -> Response:
    return await _shown(page)


@router.post("/quality/measure")
async def measure(page: Overseeing) -> Response:
    """Search with every known question, and remember how well their documents were found."""
    collection = page.default_collection()
    judged = (await _questions_for_search(page, collection)).answerable
    if not judged:
        return page.go("/quality#search")  # It says there what is missing.
    figures: dict[str, Any] = {"questions": len(judged)}
    for mode in ("hybrid", "keyword"):
        done = await page.book.quality.evaluate(judged, SearchSetting.of(mode), collection=collection)
        figures[mode] = round(done.figures.ndcg, 4)
        figures[f"{mode}_recall"] = round(done.figures.recall, 4)
    await Measurements(page.book.stores.library, collection).keep_search(figures)
    return page.go("/quality?done=measured#search")


@router.post("/quality/calibrate")
async def calibrate(page: Overseeing) -> Response:
    """What thresholds do to the known questions, and whether another would do better. Nothing is changed."""
    collection = page.default_collection()
    known = await _questions_for_threshold(page, collection)
    if not has_enough(known.questions):
        return page.go("/quality#threshold")  # It says there what is missing.
    found = await page.book.quality.calibrate(known.questions, collection=collection)
    await Measurements(page.book.stores.library, collection).keep_threshold(found)
    return page.go("/quality?done=measured#threshold")


@router.post("/quality/threshold")
async def use_threshold(page: Overseeing) -> Response:
    """Use the threshold that was suggested last."""
    collection = page.default_collection()
    kept = await Measurements(page.book.stores.library, collection).threshold()
    if kept is None or not kept.calibration.has_suggestion:
        raise Said(page.texts("no_suggestion"))
    await page.book.quality.apply_calibration(kept.calibration)
    return page.go("/quality?done=threshold_used#threshold")


@router.post("/quality/compare")
async def compare(page: Overseeing, models: Annotated[list[str] | None, Form()] = None) -> Response:
    """Compare installed models on a sample of the base, beside the requests."""
    collection = page.default_collection()
    judged = (await _questions_for_search(page, collection)).answerable
    installed = [each.value for each in await _installed(page)]
    chosen = [each for each in installed if each in (models or ())]
    if len(chosen) < 2:
        raise Said(page.texts("compare_two"))
    if not judged:
        return page.go("/quality#models")
    earlier = running(page)
    if earlier is None or earlier.is_over:
        begun = RunningComparison(len(chosen))
        page.request.app.state.comparison = begun
        kept = Measurements(page.book.stores.library, collection)
        page.request.app.state.tasks.start_soon(begun.run, page, kept, chosen, judged, collection)
    return page.go("/quality#models")


@router.get("/quality/compare")
async def compared(page: Overseeing) -> Response:
    """How far the comparison is, and what it found."""
    if not page.is_fragment:
        return page.go("/quality#models")
    return page.part("comparison.html", **await _comparison(page, page.default_collection()))


async def _questions_for_search(page: Page, collection: str) -> KnownQuestions:
    """To measure what is found."""
    return await _known(page, collection, await page.book.moderation.judged_questions(collection))


async def _questions_for_threshold(page: Page, collection: str) -> KnownQuestions:
    """To measure what is answered and what declined."""
    return await _known(page, collection, await page.book.quality.decided_questions(collection=collection))


async def _known(page: Page, collection: str, decided: Sequence[JudgedQuestion]) -> KnownQuestions:
    sample = None
    with suppress(PathNotFound):
        sample = sample_folder().parent / "questions.csv"
    return await known_questions(page.book.stores.library, collection, decided, sample)


async def _shown(page: Page) -> Response:
    collection = page.default_collection()
    kept = Measurements(page.book.stores.library, collection)
    history = await kept.searches()
    threshold = await kept.threshold()
    decided = await page.book.quality.decided_questions(collection=collection)
    return await page.show(
        "quality.html",
        "quality",
        loop=await _loop(page),
        known=await _questions_for_search(page, collection),
        decided=len(decided),
        missing=await _missing_for_threshold(page, collection, decided),
        measured=_plotted(page, history),
        last=next(iter(history[-1:]), None),
        threshold=threshold,
        curve=None if threshold is None else _curve(page, threshold),
        **await _comparison(page, collection),
    )


async def _missing_for_threshold(
    page: Page, collection: str, decided: Sequence[JudgedQuestion]
) -> MissingDecisions | None:
    """What the threshold cannot be measured without; None if there is enough."""
    known = await _known(page, collection, decided)
    answerable = len(known.answerable)
    return (
        None
        if has_enough(known.questions)
        else MissingDecisions(answerable, len(known.questions) - answerable, FEWEST)
    )


async def _comparison(page: Page, collection: str) -> dict[str, Any]:
    """What the part about models shows: those installed, a comparison on its way, and the last one."""
    now = running(page)
    failed = None if now is None or now.failed is None else words_of(page.texts, *now.failed)
    return {
        "can_compare": bool((await _questions_for_search(page, collection)).answerable),
        "installed": await _installed(page),
        "running": None if now is None or now.is_over else now,
        "failed": failed,
        "comparison": await Measurements(page.book.stores.library, collection).comparison(),
    }


async def _installed(page: Page) -> list[ModelListing]:
    """The embedders of this machine, the one in use first."""
    every = [each for each in await page.book.models.list() if each.kind == "embedder"]
    here = [each for each in every if each.is_installed and not each.missing]
    return sorted(here, key=lambda each: each.value != page.settings.embedder)


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


def _curve(page: Page, kept: KeptCalibration) -> Markup | None:
    """Two lines over the threshold: how many questions with an answer get one, how many without are declined."""
    part = kept.calibration.passages
    if part is None or len(part.curve) < 2:
        return None
    marks = [ThresholdMark("now", part.needed, page.texts("now"))]
    if part.suggested is not None:
        marks.append(ThresholdMark("suggested", part.suggested, page.texts("suggested")))
    return thresholds(
        [(point.needed, point.answered, point.declined) for point in part.curve],
        marks,
        (page.texts("answers_more"), page.texts("declines_more")),
        page.texts("threshold_plot"),
    )


def _plotted(page: Page, history: Sequence[dict[str, Any]]) -> Markup | None:
    if len(history) < 2:
        return None
    labels = [short_day(page.texts, each["at"]) for each in history]
    lines = [
        Curve("first", [float(each.get("hybrid", 0)) for each in history]),
        Curve("second", [float(each.get("keyword", 0)) for each in history]),
    ]
    return curves(labels, lines, page.texts("measured_plot"))
