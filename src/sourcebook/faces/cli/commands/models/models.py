from pathlib import Path
from typing import Annotated

import typer

from sourcebook.errors import UsageError
from sourcebook.faces.cli.commands.upkeep import reindex as reindexing
from sourcebook.faces.cli.invocation import Invocation
from sourcebook.faces.cli.model_downloads import downloaded, install, listed, terms
from sourcebook.faces.cli.terminal.output import say, say_json, say_rows, tell
from sourcebook.faces.cli.terminal.text_layout import Cut
from sourcebook.model.model_listing import ModelListing
from sourcebook.settings import shadowed_by, write_setting

Name = Annotated[str, typer.Argument(metavar="NAME", help="The model, as in `models list`.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]


def list_models(
    call: Invocation,
    *,
    kind: Annotated[
        str | None,
        typer.Option(
            "--kind",
            metavar="KIND",
            help="Only embedder, reranker, reader, judge or chat.",
            show_default=False,
        ),
    ] = None,
    installed: Annotated[bool, typer.Option("--installed", help="Only what is on this machine.")] = False,
) -> None:
    """List the models that Sourcebook knows how to run, and those that are installed. Nothing is downloaded."""
    every = call.closed().models.list()
    if kind is not None and kind not in {one.kind for one in every}:
        raise UsageError(
            f"There is no kind of model {kind!r}.",
            hint="It is one of embedder, reranker, reader, judge, chat.",
        )
    shown = [
        one for one in every if (kind is None or one.kind == kind) and (one.is_installed or not installed)
    ]
    if call.as_json:
        say_json({"models": [one.as_dict() for one in shown]})
        return
    say_rows(
        ("name", "kind", "languages", "MB", "licence", "dim", "tokens", "here", "good for", "measured"),
        [_row(one) for one in shown],
        cuts={"good for": Cut.END},
        spare=("measured", "tokens", "dim", "kind"),
    )
    tell("`sourcebook models use NAME` downloads a model if need be, and uses it.")


def _row(one: ModelListing) -> tuple[object, ...]:
    licence = one.licence if one.commercial else f"{one.licence} (non-commercial)"
    here = "no" if not one.is_installed else "damaged" if one.missing else "yes"
    size = one.installed_mb if one.is_installed else one.size_mb
    return (
        one.name,
        one.kind,
        one.languages,
        size,
        licence,
        one.dimensions,
        one.tokens,
        here,
        one.good_for,
        one.measured,
    )


def get(call: Invocation, name: Name) -> None:
    """Download a model from the model hub, or from the mirror in HF_ENDPOINT. Run it again to resume.

    Every file is checked against the hub's hash. For a model with terms to accept, set HF_TOKEN.
    """
    book = call.closed()
    tell(terms(listed(book, name)))
    got = downloaded(book, name)
    if call.as_json:
        say_json({"model": got.as_dict()})
    else:
        say(f"{got.name} is installed. `sourcebook models use {got.name}` uses it.")


def add(
    call: Invocation,
    source: Annotated[
        Path, typer.Argument(metavar="FOLDER|GGUF", help="The model's folder, or a GGUF file.")
    ],
    *,
    name: Annotated[
        str | None,
        typer.Option(
            "--name", metavar="NAME", help="Its name. Default: that of the folder.", show_default=False
        ),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            "--kind", metavar="KIND", help="embedder, reranker, reader, judge or chat.", show_default=False
        ),
    ] = None,
) -> None:
    """Add a model from a folder, for machines without a network. The files are copied and their hashes kept."""
    added = call.closed().models.add(source, name=name, kind=kind)
    if call.as_json:
        say_json({"model": added.as_dict()})
    else:
        say(f"{added.name} is installed ({added.kind}, {added.installed_mb:,} MB).")


def remove(call: Invocation, name: Name) -> None:
    """Remove a model from this machine. Collections that use it are searched by words until they are switched."""
    call.closed().models.remove(name)
    if call.as_json:
        say_json({"removed": name})
    else:
        say(f"Removed {name}.")


def use(call: Invocation, name: Name, *, yes: Yes = False) -> None:
    """Use a model: download it if need be, switch the base to it if it is an embedder, and write the setting.

    It tells what it will take and asks once. The base keeps its old vectors until the new ones are complete.
    """
    book = call.closed()
    chosen = listed(book, name)
    if chosen.kind == "embedder":
        _switch(call, chosen, yes=yes)
    else:
        install(book, chosen, yes=yes)
    written = _settings_of(chosen)
    for key, value in written.items():
        _set(call, key, value)
    if call.as_json:
        say_json({"model": chosen.name, "settings": written})


def _switch(call: Invocation, chosen: ModelListing, *, yes: bool) -> None:
    """One question for the download and the reindexing together."""
    if "://" in call.loaded.settings.db or Path(call.loaded.settings.db).exists():
        reindexing.run(call, model=chosen.value, yes=yes)
    else:
        install(call.closed(), chosen, yes=yes)


def _settings_of(chosen: ModelListing) -> dict[str, str]:
    settings = {chosen.setting: chosen.value}
    return settings | {"rerank_provider": "onnx"} if chosen.kind == "reranker" else settings


def _set(call: Invocation, key: str, value: str) -> None:
    if str(getattr(call.loaded.settings, key)) == value:
        tell(f"`{key}` is already {value}.")
        return
    path = write_setting(key, value)
    tell(f'Wrote `{key} = "{value}"` into {path.name}.')
    if (hides := shadowed_by(key)) is not None:
        tell(f"It has no effect yet: {hides.value} sets {key} too, and comes first.")
