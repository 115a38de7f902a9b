"""The options that every command has."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class LogLevel(StrEnum):
    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


Db = Annotated[
    str | None,
    typer.Option("--db", metavar="PATH", help="The base to use.", show_default=False),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document, also for errors.")]
Level = Annotated[
    LogLevel | None,
    typer.Option("--log-level", help="The lowest level of message to log.", show_default=False),
]
