"""Markdown. Its source is the text: what is cited can be found in the file letter by letter, but for HTML tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from sourcebook.ingest.parsers.parsed_text import ParsedText
from sourcebook.ingest.parsers.sections import LONGEST_NAME, Heading, sections_of
from sourcebook.ingest.parsers.text.decoding import decode
from sourcebook.ingest.parsers.text.front_matter import split_front_matter
from sourcebook.ingest.parsers.text.html_tables import plain_tables
from sourcebook.ingest.parsers.text.vault_notes import with_notes
from sourcebook.ingest.parsers.web.markup_table import table_text
from sourcebook.text.layout.headings import heading_words

if TYPE_CHECKING:
    from sourcebook.model.documents import JsonValue


# What a browser would not show of the HTML in a text, and files that were put into it whole.
_UNSEEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|template|noscript)\b.*?(?:</\1\s*>|\Z)"
    r"|<(div|span|p|details|section)\b[^<>]{0,500}?(?:\shidden\b|display\s*:\s*none|visibility\s*:\s*hidden)[^<>]{0,500}>.*?(?:</\2\s*>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
# What Obsidian shows only to whoever writes.
_REMARK = re.compile(r"(?<!\S)%%\s[^%]{0,2000}\s%%(?!\S)")
_PERCENT = re.compile(r"\d\W{0,3}%%")
_EMBEDDED = re.compile(r"data:[\w/+.-]{1,100}(?:;[\w=-]{1,100})*;base64,[\w+/=%-]{100,}")


def parse_markdown(data: bytes) -> ParsedText:
    """The source after the front matter, its headings as section paths, and its title.

    The title is what the front matter calls so, else the first heading of the first level. Comments, scripts and
    hidden elements of HTML are left out, and so are pictures that are written into the text.
    """
    metadata, source = split_front_matter(decode(data))
    text = visible(_EMBEDDED.sub("data:", source))
    headings = list(headings_of(text))
    first = next((name for _, level, name in headings if level == 1), None)
    title = _text_of(metadata.get("title")) or first
    return ParsedText(text, title, with_notes(metadata, text), sections_of(headings), kind="text/markdown")


def visible(text: str) -> str:
    """The text without what is hidden in its HTML, and with the rows of its tables as lines.

    In listings, HTML is what is shown, so it stays.
    """
    if "<" not in text and "%%" not in text:
        return text
    lines = text.split("\n")
    blocks = _blocks().parse(text)
    tables = plain_tables(lines, blocks)
    kept: list[str] = []
    start = silent = 0
    for token in blocks:
        if not token.map or token.type not in ("html_block", "inline") or token.map[1] <= start:
            continue
        first, end = max(token.map[0], start), token.map[1]
        kept += lines[start:first]
        while token.type == "html_block" and first >= silent and first in tables:
            behind = tables[first]
            if not (rows := table_text("\n".join(lines[first:behind]))):
                # Nor do the tables inside of it say anything.
                silent = behind
                break
            kept.append(f"\n{rows}\n")
            first = behind
        start = max(first, end)
        if first < end:
            kept.append(_shown("\n".join(lines[first:end]), is_html=token.type == "html_block"))
    return "\n".join([*kept, *lines[start:]])


def _shown(source: str, *, is_html: bool) -> str:
    if not is_html and "`" in source:
        return source
    if not is_html:
        source = _without_remarks(source)
    return _UNSEEN.sub("", source) if is_html or "<!--" in source else source


def _without_remarks(source: str) -> str:
    """The text of a block without remarks. Signs behind a number mean percent, so none in its block is a remark."""
    if _PERCENT.search(source) and not _REMARK.fullmatch(source.strip()):
        return source
    return _REMARK.sub("", source)


def _text_of(value: JsonValue) -> str | None:
    if value is None or isinstance(value, (list, dict, bool)):
        return None
    return str(value).strip() or None


def headings_of(text: str) -> Iterator[Heading]:
    """Offset, level and words of each heading that stands by itself, outside of lists, quotes and code."""
    tokens = _blocks().parse(text)
    offsets = list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open" and opening.level == 0 and opening.map:
            yield Heading(
                offsets[opening.map[0]], int(opening.tag[1:]), heading_words(inline.content[:LONGEST_NAME])
            )


@cache
def _blocks() -> MarkdownIt:
    """Finds blocks only: what stands inside lines has no bearing on sections and would take most of the time."""
    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser
