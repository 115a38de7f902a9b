from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

import sourcebook
from sourcebook.errors import UsageError
from sourcebook.faces.cli.invocation import CollectionName, Invocation
from sourcebook.faces.cli.question_files import own_questions
from sourcebook.faces.cli.terminal.evaluation_text import counting_bars
from sourcebook.faces.cli.terminal.output import say_json, say_rows, tell
from sourcebook.model.model_listing import ComparedModel
from sourcebook.retrieve.evaluation.evaluate import JudgedQuestion, MetricDifference, differences

_LUCK = 0.05


def compare(
    call: Invocation,
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME…", help="Models, named as in the setting `embedder`. The first is the baseline."
        ),
    ],
    *,
    questions: Annotated[
        Path | None,
        typer.Option(
            "--questions",
            metavar="CSV",
            help="Questions with the columns question and expected_document.",
            show_default=False,
        ),
    ] = None,
    from_moderation: Annotated[
        bool, typer.Option("--from-moderation", help="Use the questions decided in review.")
    ] = False,
    sample: Annotated[
        int, typer.Option("--sample", metavar="N", min=1, help="How many documents to try with.")
    ] = 500,
    top_k: Annotated[
        int, typer.Option("--top-k", metavar="N", min=1, max=1000, help="How many documents count.")
    ] = 10,
    collection: CollectionName = None,
) -> None:
    """Build a sample of the base with each model, and compare what is found, how fast and how large.

    The base is not changed. The sample holds every document that answers a question, and others up to --sample.
    """
    with call.open() as book:
        asked = _questions(book, questions, collection, from_moderation=from_moderation)
        with counting_bars() as bar:
            compared: list[ComparedModel] = book.models.compare(
                names, asked, collection=collection, documents=sample, k=top_k, on_progress=bar
            )
    found = _differences(compared)
    if call.as_json:
        say_json(_as_json(compared, found, top_k))
    else:
        _show(compared, found, top_k)


def _questions(
    book: sourcebook.Sourcebook, path: Path | None, collection: str | None, *, from_moderation: bool
) -> list[JudgedQuestion]:
    if (path is None) == (not from_moderation):
        raise UsageError("Questions are missing.", hint="Give either --questions CSV or --from-moderation.")
    if path is not None:
        return [one for one in own_questions(book, path, collection) if one.has_answer]
    decided: list[JudgedQuestion] = book.moderation.judged_questions(collection)
    if not decided:
        raise UsageError(
            "No decided draft names its documents yet.",
            hint="Approve some drafts: `sourcebook moderate list` shows them.",
        )
    return decided


def _differences(compared: Sequence[ComparedModel]) -> list[MetricDifference | None]:
    """For each model but the first how it differs from the first."""
    return [None, *differences([one.evaluation for one in compared])]


def _show(compared: Sequence[ComparedModel], found: Sequence[MetricDifference | None], k: int) -> None:
    first = compared[0]
    say_rows(
        (
            "model",
            f"nDCG@{k}",
            f"recall@{k}",
            f"MRR@{k}",
            f"vs {first.model}",
            "by luck",
            "p50 ms",
            "adding s",
            "dim",
            "base MB",
        ),
        [_row(one, difference) for one, difference in zip(compared, found, strict=True)],
    )
    tell(
        f"{first.evaluation.figures.questions} questions, a sample of {first.documents} documents, "
        f"{first.passages} passages. Searched by meaning and words together."
    )
    tell(f"By luck: how often chance alone would cause such a difference; below {_LUCK}, chance is unlikely.")


def _row(one: ComparedModel, difference: MetricDifference | None) -> list[str]:
    figures = one.evaluation.figures
    against = ["", ""] if difference is None else [f"{difference.ndcg:+.4f}", f"{difference.chance:.3f}"]
    return [
        one.model,
        *(f"{value:.4f}" for value in (figures.ndcg, figures.recall, figures.mrr)),
        *against,
        f"{figures.p50_ms:.1f}",
        f"{one.seconds:.1f}",
        str(one.dimensions),
        f"{one.megabytes:.1f}",
    ]


def _as_json(
    compared: Sequence[ComparedModel], found: Sequence[MetricDifference | None], k: int
) -> dict[str, Any]:
    return {
        "k": k,
        "questions": compared[0].evaluation.figures.questions,
        "documents": compared[0].documents,
        "models": [
            {
                "model": one.model,
                **one.evaluation.figures.as_dict(),
                "passages": one.passages,
                "dimensions": one.dimensions,
                "seconds": one.seconds,
                "megabytes": one.megabytes,
                "difference": None if other is None else other.ndcg,
                "chance": None if other is None else other.chance,
            }
            for one, other in zip(compared, found, strict=True)
        ],
    }
