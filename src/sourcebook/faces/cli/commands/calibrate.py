from pathlib import Path
from typing import Annotated, Any

import typer

from sourcebook import Sourcebook
from sourcebook.errors import DocumentNotFound, UsageError
from sourcebook.faces.cli.commands.demo import sample_folder
from sourcebook.faces.cli.evaluation_text import counting_bar
from sourcebook.faces.cli.invocation import CollectionName, Invocation
from sourcebook.faces.cli.output import say, say_json, say_rows, tell
from sourcebook.faces.cli.question_files import own_questions, question_pairs
from sourcebook.model.calibration import Calibration, CuratedCalibration, PassageCalibration, QuestionPair
from sourcebook.retrieve.evaluation import JudgedQuestion


def calibrate(
    call: Invocation,
    *,
    questions: Annotated[
        Path | None,
        typer.Option(
            "--questions",
            metavar="CSV",
            help="Questions with the document that answers each, none if nothing should. "
            "The sample library brings its own.",
            show_default=False,
        ),
    ] = None,
    pairs: Annotated[
        Path | None,
        typer.Option(
            "--pairs",
            metavar="CSV",
            help="Pairs of questions, and whether they ask the same.",
            show_default=False,
        ),
    ] = None,
    from_moderation: Annotated[
        bool, typer.Option("--from-moderation", help="Use the answers that experts approved or rejected.")
    ] = False,
    apply: Annotated[bool, typer.Option("--apply", help="Let the collection use what is suggested.")] = False,
    collection: CollectionName = None,
) -> None:
    """Measure when questions are answered, declined, or given a curated answer, and suggest better thresholds.

    Nothing is changed without --apply. The figures of a suggestion are measured on questions that were left out when it
    was chosen.
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
    """What is measured by: as named or, if nothing is, what the sample library brings when the base is the sample."""
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
            "Nothing to measure by was named.",
            hint="Give --questions, --pairs or --from-moderation. Only the sample library brings its own questions.",
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
        say(
            f"Passages: {part.answerable} questions that the base answers, {part.unanswerable} that it does not."
        )
        rows = [("now", part.needed, part.before)]
        rows += [("suggested", part.suggested, part.after)] if part.suggested is not None else []
        say_rows(
            ["", "needed", "answered", "declined", "right"],
            [[n, f"{t:.2f}", _share(f.answered), _share(f.declined), _share(f.right)] for n, t, f in rows],
        )
    if found.curated is not None:
        part = found.curated
        say(f"Curated answers: {part.same} pairs that ask the same, {part.different} that only look alike.")
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
        return "Nothing better was found: the thresholds stay as they are."
    if asked_to_apply:
        return f"The collection {found.collection_id!r} uses the suggested thresholds from now on."
    return "Nothing was changed. `--apply` lets the collection use what is suggested."
