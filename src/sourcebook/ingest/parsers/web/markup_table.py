"""A table of HTML inside of another text, as the rows that a page would show."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from sourcebook.ingest.parsers.web.html import opened_page
from sourcebook.ingest.parsers.web.page_text import KeptMarkup, PageReader

if TYPE_CHECKING:
    from collections.abc import Sequence

_BEGINS = re.compile(r"\s*<table\b", re.IGNORECASE)
_TAG = re.compile(r"<(/?)table\b", re.IGNORECASE)
_MOST_LINES = 5_000


class MarkupTable(NamedTuple):
    """The rows of a table, and the line behind its end."""

    text: str
    end: int


def markup_table(lines: Sequence[str], first: int) -> MarkupTable | None:
    """The table that begins at a line and ends with one; None if there is none, or if it says nothing."""
    if not _BEGINS.match(lines[first]):
        return None
    depth = 0
    for end, line in enumerate(lines[first : first + _MOST_LINES], start=first + 1):
        depth += sum(-1 if tag[1] else 1 for tag in _TAG.finditer(line))
        if depth <= 0:
            return _read("\n".join(lines[first:end]), end)
    return None


def _read(source: str, end: int) -> MarkupTable | None:
    body = opened_page(source.encode()).body
    text = PageReader(KeptMarkup.ALL_VISIBLE).read(body).text() if body is not None else ""
    return MarkupTable(f"\n{text}\n", end) if text.strip() else None
