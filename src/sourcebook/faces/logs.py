"""Logging to one stream, as text or JSON."""

from __future__ import annotations

import json
import logging
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast

from sourcebook.text.hidden_characters import escaped_in_json, without_hidden
from sourcebook.text.secret_masks import without_secrets

if TYPE_CHECKING:
    from typing import TextIO

    from sourcebook.settings import Settings


current_request: ContextVar[str | None] = ContextVar("current_request", default=None)
"""The id of the request that is being answered. Whatever is logged meanwhile carries it."""


class Lines(logging.Formatter):
    """A line of text with passwords masked."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        request = current_request.get()
        told = "" if request is None else f" [request {request}]"
        return without_hidden(f"{without_secrets(super().format(record))}{told}")


class JsonLogFormatter(logging.Formatter):
    """One JSON object per line: time, level, logger, message, the request, and the traceback if there is one."""

    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": without_secrets(record.getMessage()),
        }
        if (request := current_request.get()) is not None:
            entry["request_id"] = request
        fields: object = getattr(record, "fields", None)
        if isinstance(fields, dict):
            entry |= cast("dict[str, object]", fields)
        if record.exc_info:
            entry["exception"] = without_secrets(self.formatException(record.exc_info))
        return escaped_in_json(json.dumps(entry, ensure_ascii=False))


def formatter(settings: Settings) -> logging.Formatter:
    return JsonLogFormatter() if settings.log_format == "json" else Lines()


def configure(settings: Settings, stream: TextIO) -> None:
    """Send the messages of this program and its libraries to the stream."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter(settings))
    logging.basicConfig(level=settings.log_level.upper(), handlers=[handler], force=True)
