"""The words of a Markdown heading, as they are read."""

from __future__ import annotations

import re
from functools import cache

from markdown_it import MarkdownIt

# What MkDocs, Pandoc and kramdown take for the id and the classes of a heading, and show nobody.
_ATTRIBUTES = re.compile(r"(?<=\S)(?:\s*\{:?\s*[#.][A-Za-z_][^{}\n]*\}|\s+\^[\w-]+)\s*\Z")


def heading_words(heading: str) -> str:
    """A heading without its id and without marks of emphasis, links and tags."""
    shown = _ATTRIBUTES.sub("", heading)
    children = (child for token in _lines().parseInline(shown) for child in token.children or ())
    pieces = (
        child.content or " " * child.type.endswith("break")
        for child in children
        if child.type != "html_inline"
    )
    return " ".join("".join(pieces).split())


@cache
def _lines() -> MarkdownIt:
    return MarkdownIt("commonmark")
