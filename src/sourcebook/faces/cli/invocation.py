"""One invocation of the command: its common options, and the base they open."""

# ruff: noqa: PLC0415 - `--help` and `--version` need neither the settings nor what opens a base

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import sourcebook
from sourcebook.errors import BaseUnreachable
from sourcebook.faces import logs
from sourcebook.faces.cli.common_options import Db, Json, Level
from sourcebook.faces.cli.terminal.output import flush, leave_stdout, say_json, tell

if TYPE_CHECKING:
    from sourcebook.faces.cli.common_options import LogLevel
    from sourcebook.settings import LoadedSettings


CollectionName = Annotated[
    str | None,
    typer.Option("--collection", metavar="NAME", help="The collection to use.", show_default=False),
]

_COMMON = {"db": (Db, None), "as_json": (Json, False), "log_level": (Level, None)}


@dataclass
class Invocation:
    """The options given so far. They may come before or after the command; the later one wins."""

    as_json: bool = False
    flags: dict[str, object] = field(default_factory=dict[str, object])
    has_told_interruption: bool = False
    _loaded: LoadedSettings | None = None

    def take(self, *, db: str | None, log_level: LogLevel | None) -> None:
        given = {"db": db, "log_level": log_level and log_level.value}
        self.flags.update({key: value for key, value in given.items() if value is not None})

    @property
    def loaded(self) -> LoadedSettings:
        """The settings, read at the first use."""
        if self._loaded is None:
            from sourcebook.settings import load

            self._loaded = load(self.flags)
        return self._loaded

    def open(self) -> sourcebook.Sourcebook:
        """The base, which must exist: a mistyped name must not create an empty one."""
        self.require_base()
        return self.open_or_make()

    def require_base(self) -> None:
        db = self.loaded.settings.db
        if "://" not in db and _is_missing(db):
            raise BaseUnreachable(
                f"There is no base {db!r}.",
                hint="`sourcebook add PATH` makes it. If it is elsewhere, name it with `--db` or in SOURCEBOOK_DB.",
            )

    def open_or_make(self) -> sourcebook.Sourcebook:
        # At a terminal the answer is what counts; what serves many people has conversations to keep.
        return sourcebook.Sourcebook(
            settings=self.loaded.settings, face="cli", on_read_only=sourcebook.OnReadOnly.ANSWER
        )

    def closed(self) -> sourcebook.Sourcebook:
        """The base unopened, for commands that need it neither open nor intact."""
        return self.open_or_make()

    def confirm(self, document: Mapping[str, Any], sentence: str) -> None:
        """Say what was done: the document on stdout with --json, else the sentence on stderr."""
        if self.as_json:
            say_json(document)
        else:
            tell(sentence)

    @property
    def wants_tracebacks(self) -> bool:
        return self._loaded is not None and self._loaded.settings.log_level == "debug"


def _is_missing(path: str) -> bool:
    try:
        return not Path(path).exists()
    except OSError:
        return False  # Opening it will say what is wrong.


def takes_common_options(verb: Callable[..., None]) -> Callable[..., None]:
    """Turn a function whose first parameter is the invocation into a command with the common options."""

    @wraps(verb)
    def run(ctx: typer.Context, **given: Any) -> None:
        call: Invocation = ctx.obj
        del given["as_json"]  # known since before the options were parsed
        call.take(db=given.pop("db"), log_level=given.pop("log_level"))
        logs.configure(call.loaded.settings, sys.stderr)
        try:
            verb(call, **given)
            flush()
        except BrokenPipeError:
            leave_stdout()

    own = list(inspect.signature(verb).parameters.values())[1:]
    kind = inspect.Parameter.KEYWORD_ONLY
    parameters = [
        inspect.Parameter("ctx", kind, annotation=typer.Context),
        *(parameter.replace(kind=kind) for parameter in own),
        *(
            inspect.Parameter(name, kind, annotation=annotation, default=default)
            for name, (annotation, default) in _COMMON.items()
        ),
    ]
    # Typer reads both: the signature for the order, the annotations for the types.
    run.__dict__["__signature__"] = inspect.Signature(parameters)
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run
