"""Markdown. Its source is the text: what is cited can be found in the file letter by letter."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from sourcebook.ingest.parsers.decoding import decode
from sourcebook.ingest.parsers.front_matter import split_front_matter
from sourcebook.ingest.parsers.parsed import ParsedText, Section

if TYPE_CHECKING:
    from sourcebook.model.documents import JsonValue

MAX_HEADING_LENGTH = 300


def parse_markdown(data: bytes) -> ParsedText:
    """The source after the front matter, its headings as section paths, and its title.

    The title is what the front matter calls so, else the first heading of the first level.
    """
    metadata, text = split_front_matter(decode(data))
    headings = list(_headings(text))
    first = next((name for _, level, name in headings if level == 1), None)
    return ParsedText(text, _text_of(metadata.get("title")) or first, metadata, list(_sections(headings)))


def _text_of(value: JsonValue) -> str | None:
    if value is None or isinstance(value, (list, dict, bool)):
        return None
    return str(value).strip() or None


def _headings(text: str) -> Iterator[tuple[int, int, str]]:
    """Offset, level and words of each heading that stands by itself, outside of lists, quotes and code."""
    tokens = _blocks().parse(text)
    offsets = list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open" and opening.level == 0 and opening.map:
            yield offsets[opening.map[0]], int(opening.tag[1:]), _words(inline.content[:MAX_HEADING_LENGTH])


@cache
def _blocks() -> MarkdownIt:
    """Finds blocks only: what stands inside lines has no bearing on sections and would take most of the time."""
    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


@cache
def _lines() -> MarkdownIt:
    return MarkdownIt("commonmark")


def _words(heading: str) -> str:
    """A heading as it is read, without marks of emphasis, links and tags."""
    children = (child for token in _lines().parseInline(heading) for child in token.children or ())
    pieces = (
        child.content or " " * child.type.endswith("break")
        for child in children
        if child.type != "html_inline"
    )
    return " ".join("".join(pieces).split())


def _sections(headings: list[tuple[int, int, str]]) -> Iterator[Section]:
    path: list[tuple[int, str]] = []
    for start, level, name in headings:
        path = [(outer, words) for outer, words in path if outer < level]
        if name:
            path.append((level, name))
        yield Section(start, " > ".join(words for _, words in path))
