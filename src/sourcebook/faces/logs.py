"""Logging to one stream, as text or JSON."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sourcebook.settings import masked
from sourcebook.text.hidden_characters import escaped_in_json, without_hidden

if TYPE_CHECKING:
    from typing import TextIO

    from sourcebook.settings import Settings


class Lines(logging.Formatter):
    """A line of text with passwords masked."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        return without_hidden(str(masked(super().format(record))))


class JsonLogFormatter(logging.Formatter):
    """One JSON object per line: time, level, logger, message, and the traceback if there is one."""

    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": masked(record.getMessage()),
        }
        if record.exc_info:
            entry["exception"] = masked(self.formatException(record.exc_info))
        return escaped_in_json(json.dumps(entry, ensure_ascii=False))


def formatter(settings: Settings) -> logging.Formatter:
    return JsonLogFormatter() if settings.log_format == "json" else Lines()


def configure(settings: Settings, stream: TextIO) -> None:
    """Send the messages of this program and its libraries to the stream."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter(settings))
    logging.basicConfig(level=settings.log_level.upper(), handlers=[handler], force=True)
