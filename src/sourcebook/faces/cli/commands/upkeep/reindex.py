import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from sourcebook.errors import UsageError
from sourcebook.faces.cli.invocation import Invocation
from sourcebook.faces.cli.model_downloads import install_named
from sourcebook.faces.cli.terminal.output import printable, say, say_json, stderr, tell
from sourcebook.faces.cli.terminal.plurals import counted
from sourcebook.model.reindexing import (
    ReindexedCollection,
    ReindexPlan,
    ReindexProgress,
    ReindexScope,
    ReindexWay,
)

_MINUTE = 60


def reindex(
    call: Invocation,
    *,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            metavar="M",
            help="Switch to this model, named as in the setting `embedder`: default, minilm, an embedder of "
            "`sourcebook models list`, onnx:FOLDER, openai:MODEL or ollama:MODEL.",
            show_default=False,
        ),
    ] = None,
    collection: Annotated[
        list[str] | None,
        typer.Option(
            "--collection",
            metavar="NAME",
            help="A collection to reindex. Repeat for several; default: all.",
            show_default=False,
        ),
    ] = None,
    words: Annotated[bool, typer.Option("--words", help="Rebuild only the words, which is quick.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> None:
    """Rebuild words and vectors from the stored text, or switch a collection to another embedding model.

    Searches use the old vectors until the new ones are complete; then the collection switches over at once. You may
    stop it at any time: the next run resumes where it was. `sourcebook models use NAME` downloads a model, switches
    to it and writes the setting, in one go.
    """
    run(call, model=model, collection=collection, words=words, yes=yes)
    _tell_setting(model, call.loaded.settings.embedder)


def run(
    call: Invocation,
    *,
    model: str | None,
    collection: list[str] | None = None,
    words: bool = False,
    yes: bool = False,
) -> None:
    """Plan, tell, ask, and do it."""
    scope = ReindexScope.WORDS if words else ReindexScope.EVERYTHING
    chosen = collection or None
    with call.open() as book:
        passages = sum(one.chunk_count for one in book.library.collections())
        also = f"Then vectors for {passages:,} passages are made; until they are complete, the old ones are used."
        yes = install_named(book, model, yes=yes, also=also) or yes
        plans = book.maintenance.plan_reindex(model=model, collections=chosen, scope=scope)
        for plan in plans:
            tell(as_text(plan, scope))
        if not yes and any(plan.way is ReindexWay.CHANGE or plan.is_paid for plan in plans):
            _confirm()
        with _progress_bar() as on_progress:
            report = book.maintenance.reindex(
                model=model, collections=chosen, scope=scope, on_progress=on_progress
            )
    if call.as_json:
        say_json({"planned": [plan.as_dict() for plan in plans], **report.as_dict()})
    else:
        for done in report.collections:
            say(_done(done))


def as_text(plan: ReindexPlan, scope: ReindexScope) -> str:
    """What will be done to a collection, and what it will cost."""
    name = plan.collection_id
    match plan.way:
        case ReindexWay.NOTHING:
            return f"{name}: {plan.new.name} is already in use."
        case ReindexWay.WORDS if scope is ReindexScope.WORDS:
            return f"{name}: rebuilding the words."
        case ReindexWay.WORDS:
            return (
                f"{name}: rebuilding only the words, because the model {plan.old.name} is not available here. "
                "Use `--model` to switch models."
            )
        case ReindexWay.REBUILD:
            text = (
                f"{name}: rebuilding words and {plan.need.vectors:,} vectors of {plan.new.name}{_cost(plan)}."
            )
        case ReindexWay.CHANGE:
            text = (
                f"{name}: making {plan.need.vectors:,} vectors with {plan.new.name}, which then replaces "
                f"{plan.old.name}{_cost(plan)}."
            )
            if plan.old.is_callers:
                text += " Your own vectors will be removed and cannot be recreated here."
    return text


def _cost(plan: ReindexPlan) -> str:
    if plan.is_paid:
        return f"; about {plan.need.model_tokens:,} model tokens will be sent to the server"
    return "" if plan.seconds is None else f"; about {_duration(plan.seconds)}"


def _duration(seconds: float) -> str:
    minutes = round(seconds / _MINUTE)
    if minutes < 2:
        return f"{max(round(seconds), 1)} s"
    return f"{minutes} min" if minutes < 2 * _MINUTE else f"{minutes / _MINUTE:.1f} h"


def _done(done: ReindexedCollection) -> str:
    match done.way:
        case ReindexWay.CHANGE:
            return f"{done.collection_id}: {done.vectors:,} vectors made; now using {done.model}."
        case ReindexWay.REBUILD:
            vectors = counted(done.vectors, "vector")
            return (
                f"{done.collection_id}: rebuilt {vectors} and the words of {counted(done.texts, 'document')}."
            )
        case ReindexWay.WORDS:
            return f"{done.collection_id}: rebuilt the words of {counted(done.texts, 'document')}."
        case ReindexWay.NOTHING:
            return f"{done.collection_id}: nothing to do."


def _confirm() -> None:
    if not sys.stdin.isatty():
        raise UsageError("Switching models or paying for vectors needs confirmation.", hint="Add `--yes`.")
    typer.confirm("Continue?", abort=True, err=True)


def _tell_setting(model: str | None, current: str) -> None:
    if model is not None and model != current:
        tell(f'Set `embedder = "{model}"` in sourcebook.toml, so that new documents use it too.')


@contextmanager
def _progress_bar() -> Generator[Callable[[ReindexProgress], None] | None]:
    """A progress bar on stderr, if that is a terminal."""
    console = stderr()
    if not console.is_terminal:
        yield None
        return
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[what]}", markup=False),
    )
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None, what="")

        def show(progress: ReindexProgress) -> None:
            what = printable(f"{progress.collection_id}: {progress.stage}")
            bar.update(task, completed=progress.done, total=progress.total, what=what)

        yield show
