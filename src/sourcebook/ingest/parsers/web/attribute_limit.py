"""A tag with very many attributes: the parser compares each with all before it, so most of them are taken away."""

from __future__ import annotations

import re

MOST = 200
"""Attributes of a tag that are kept. Pages that people write have a dozen at most."""

_TAG = re.compile(r"<[a-zA-Z][^\s/>]*+")
# A name, and a value in quotes or without. A quote that never ends takes the rest of the page, as in a browser.
_ATTRIBUTE = re.compile(
    r"""[\s/]*+[^\s/>][^\s/=>]*+(?:\s*+=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^\s>]*+))?+"""
)
_END = re.compile(r"[\s/]*+>?")


def with_few_attributes(source: str) -> str:
    """The page with at most `MOST` attributes to a tag, the first ones. Takes time in proportion to its length."""
    kept: list[str] = []
    copied = at = 0
    while (tag := _TAG.search(source, at)) is not None:
        at, cut = tag.end(), 0
        count = 0
        while (found := _ATTRIBUTE.match(source, at)) is not None:
            count += 1
            at = found.end()
            if count == MOST:
                cut = at
        if count > MOST:
            kept.append(source[copied:cut])
            copied = at
        end = _END.match(source, at)
        at = end.end() if end is not None else at
    return "".join([*kept, source[copied:]]) if kept else source
