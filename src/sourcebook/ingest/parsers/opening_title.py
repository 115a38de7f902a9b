"""The title of a document that names none: a short line that stands alone at its beginning."""

from __future__ import annotations

import re

MAX_TITLE_LENGTH = 120
# A first line that a blank line or nothing follows, that does not end as a sentence does, and is no row and no item.
_TITLE = re.compile(r"\s*(?![|•-])(?P<line>\S[^\n]*[^\s.,:;!?…]|\w)[^\S\n]*(?:\n[^\S\n]*\n|\s*\Z)")


def opening_title(text: str) -> str | None:
    """The first line of a text if it looks like a title."""
    start = len(text) - len(text.lstrip())
    match = _TITLE.match(text[start : start + 2 * MAX_TITLE_LENGTH])
    line = match["line"] if match else ""
    return line if 0 < len(line) <= MAX_TITLE_LENGTH else None
