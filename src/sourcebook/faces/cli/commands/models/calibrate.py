from pathlib import Path
from typing import Annotated, Any

import typer

from sourcebook import Sourcebook
from sourcebook.errors import DocumentNotFound, UsageError
from sourcebook.faces.cli.invocation import CollectionName, Invocation
from sourcebook.faces.cli.question_files import own_questions, question_pairs
from sourcebook.faces.cli.terminal.evaluation_text import counting_bar
from sourcebook.faces.cli.terminal.output import say, say_json, say_rows, tell
from sourcebook.faces.sample_library import sample_folder
from sourcebook.model.calibration import Calibration, CuratedCalibration, PassageCalibration, QuestionPair
from sourcebook.retrieve.evaluation.evaluate import JudgedQuestion


def calibrate(
    call: Invocation,
    *,
    questions: Annotated[
        Path | None,
        typer.Option(
            "--questions",
            metavar="CSV",
            help="A CSV file of questions, each with the document that answers it, or none if it should be "
            "declined. The sample library has its own.",
            show_default=False,
        ),
    ] = None,
    pairs: Annotated[
        Path | None,
        typer.Option(
            "--pairs",
            metavar="CSV",
            help="A CSV file of question pairs, and whether both ask the same.",
            show_default=False,
        ),
    ] = None,
    from_moderation: Annotated[
        bool, typer.Option("--from-moderation", help="Use the answers experts approved or rejected.")
    ] = False,
    apply: Annotated[
        bool, typer.Option("--apply", help="Apply the suggested thresholds to the collection.")
    ] = False,
    collection: CollectionName = None,
) -> None:
    """Measure how often questions are answered, declined or given a curated answer, and suggest better thresholds.

    Nothing is changed without --apply. A suggestion is measured on questions that were not used to choose it.
    """
    with call.open() as book:
        judged, paired = _given(book, questions, pairs, collection, from_moderation=from_moderation)
        with counting_bar("asking") as bar:
            found = book.quality.calibrate(judged, paired, collection=collection, on_asked=bar)
        applied = apply and found.has_suggestion
        if applied:
            book.quality.apply_calibration(found)
    if call.as_json:
        say_json(as_json(found, applied=applied))
        return
    _show(found)
    tell(_next(found, asked_to_apply=apply))


def _given(
    book: Sourcebook,
    questions: Path | None,
    pairs: Path | None,
    collection: str | None,
    *,
    from_moderation: bool,
) -> tuple[list[JudgedQuestion], list[QuestionPair]]:
    """The questions and pairs that were named or, if none were and the base is the sample library, the sample's own."""
    judged = own_questions(book, questions, collection) if questions else []
    if from_moderation:
        judged += book.quality.decided_questions(collection=collection)
    paired = question_pairs(pairs) if pairs else []
    if questions is None and pairs is None and not from_moderation:
        judged, paired = _of_the_sample(book, collection)
    return judged, paired


def _of_the_sample(
    book: Sourcebook, collection: str | None
) -> tuple[list[JudgedQuestion], list[QuestionPair]]:
    sample = sample_folder().parent
    try:
        judged = own_questions(book, sample / "questions.csv", collection)
    except DocumentNotFound as error:
        raise UsageError(
            "There is nothing to measure.",
            hint="Pass --questions, --pairs or --from-moderation. Only the sample library has its own "
            "questions.",
        ) from error
    return judged, question_pairs(sample / "question_pairs.csv")


def as_json(found: Calibration, *, applied: bool) -> dict[str, Any]:
    return {
        "collection": found.collection_id,
        "model": found.model,
        "passages": None if found.passages is None else _passages_json(found.passages),
        "curated": None if found.curated is None else _curated_json(found.curated),
        "applied": applied,
    }


def _passages_json(part: PassageCalibration) -> dict[str, Any]:
    figures = {
        name: {"answered": f.answered, "declined": f.declined, "right": f.right}
        for name, f in (("before", part.before), ("after", part.after))
    }
    return {
        "answerable": part.answerable,
        "unanswerable": part.unanswerable,
        "needed": part.needed,
        "suggested": part.suggested,
        **figures,
    }


def _curated_json(part: CuratedCalibration) -> dict[str, Any]:
    figures = {
        name: {"precision": f.precision, "coverage": f.coverage, "hits": f.hits}
        for name, f in (("before", part.before), ("after", part.after))
    }
    return {
        "same": part.same,
        "different": part.different,
        "distance": part.distance,
        "suggested": part.suggested,
        **figures,
    }


def _show(found: Calibration) -> None:
    if found.passages is not None:
        part = found.passages
        say(f"Passages: {part.answerable} questions with an answer in the base, {part.unanswerable} without.")
        rows = [("now", part.needed, part.before)]
        rows += [("suggested", part.suggested, part.after)] if part.suggested is not None else []
        say_rows(
            ["", "needed", "answered", "declined", "right"],
            [[n, f"{t:.2f}", _share(f.answered), _share(f.declined), _share(f.right)] for n, t, f in rows],
        )
    if found.curated is not None:
        part = found.curated
        say(f"Curated answers: {part.same} pairs that ask the same, {part.different} that only look similar.")
        pairs = [("now", part.distance, part.before)]
        pairs += [("suggested", part.suggested, part.after)] if part.suggested is not None else []
        say_rows(
            ["", "distance", "precision", "coverage", "hits"],
            [[n, f"{t:.2f}", _share(f.precision), _share(f.coverage), str(f.hits)] for n, t, f in pairs],
        )


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


def _next(found: Calibration, *, asked_to_apply: bool) -> str:
    if not found.has_suggestion:
        return "No better thresholds were found, so they stay as they are."
    if asked_to_apply:
        return f"The collection {found.collection_id!r} now uses the suggested thresholds."
    return "Nothing was changed. Use `--apply` to apply the suggestion."
