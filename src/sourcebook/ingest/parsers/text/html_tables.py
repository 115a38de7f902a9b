"""Where the HTML tables of a Markdown text are whose cells hold HTML only."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import groupby
from typing import TYPE_CHECKING

from sourcebook.ingest.parsers.web.markup_table import table_ends

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from markdown_it.token import Token

# Rows that are indented deeply behind an empty line would be code, but nobody means them so.
_TABLE_PART = re.compile(r"\s*</?(?:table|thead|tbody|tfoot|tr|td|th|caption|col|colgroup)\b", re.IGNORECASE)
_FENCE = re.compile(r"\s*(?:```|~~~)")


def plain_tables(lines: Sequence[str], blocks: Iterable[Token]) -> dict[int, int]:
    """The first line of each table, and the line behind its last.

    A table with headings, lists, listings or other blocks of Markdown in its cells lays out a page: it is none of
    these, since its blocks would be lost in rows.
    """
    tables: dict[int, int] = {}
    for is_markup, run in groupby(blocks, _is_markup):
        maps = [block.map for block in run if block.map] if is_markup else []
        if maps:
            start = maps[0][0]
            ends = table_ends(lines[start : maps[-1][1]])
            tables.update((start + first, start + end) for first, end in ends.items())
    fences = [number for number, line in enumerate(lines) if _FENCE.match(line)] if tables else []
    return _without(fences, tables)


def _is_markup(block: Token) -> bool:
    is_rows = block.type == "code_block" and _TABLE_PART.match(block.content) is not None
    return is_rows or block.type == "html_block"


def _without(fences: Sequence[int], tables: dict[int, int]) -> dict[int, int]:
    """The tables in which no fence of a listing stands."""
    return {
        first: end for first, end in tables.items() if bisect_left(fences, first) == bisect_left(fences, end)
    }
