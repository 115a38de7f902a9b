"""Tables of HTML inside of another text, as the rows that a page would show."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sourcebook.ingest.parsers.web.html import opened_page
from sourcebook.ingest.parsers.web.page_text import KeptMarkup, PageReader

if TYPE_CHECKING:
    from collections.abc import Sequence

_BEGINS = re.compile(r"\s*<table\b", re.IGNORECASE)
_TAG = re.compile(r"<(/?)table\b", re.IGNORECASE)
# Tags in here are no tags of the table.
_NO_TAGS = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|textarea)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE
)
_MOST_LINES = 5_000


def table_ends(lines: Sequence[str]) -> dict[int, int]:
    """For each line of HTML that begins a table, the line behind its end. Tables without an end are left out.

    Every line is looked at once, however many tables are opened and never closed.
    """
    shown = _NO_TAGS.sub(lambda part: "\n" * part[0].count("\n"), "\n".join(lines)).split("\n")
    ends: dict[int, int] = {}
    opened: list[tuple[int, int]] = []
    depth = 0
    for number, line in enumerate(shown):
        if _BEGINS.match(line):
            opened.append((number, depth))
        depth += sum(-1 if tag[1] else 1 for tag in _TAG.finditer(line))
        while opened and depth <= opened[-1][1]:
            first, _ = opened.pop()
            if number - first < _MOST_LINES:
                ends[first] = number + 1
    return ends


def table_text(source: str) -> str:
    """The rows of a table as lines; empty if it says nothing."""
    body = opened_page(source.encode()).body
    text = PageReader(KeptMarkup.ALL_VISIBLE).read(body).text() if body is not None else ""
    return text if text.strip() else ""
