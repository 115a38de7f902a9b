"""Plain text and source code."""

from __future__ import annotations

import re

from sourcebook.ingest.parsers.parsed_text import ParsedText
from sourcebook.ingest.parsers.text.decoding import decode

MAX_TITLE_LENGTH = 120
# A first line that a blank line or nothing follows, and that does not end as a sentence does.
_TITLE = re.compile(r"\s*(?P<line>\S[^\n]*[^\s.,:;!?…]|\w)[^\S\n]*(?:\n[^\S\n]*\n|\s*\Z)")


def parse_plain(data: bytes) -> ParsedText:
    """The text as it is; a short line that stands alone at its beginning is its title."""
    text = decode(data)
    return ParsedText(text, title=_title(text))


def parse_source(data: bytes) -> ParsedText:
    """Source code as it is. Its first line is no title."""
    return ParsedText(decode(data), kind="text/x-source")


def _title(text: str) -> str | None:
    start = len(text) - len(text.lstrip())
    match = _TITLE.match(text[start : start + 2 * MAX_TITLE_LENGTH])
    line = match["line"] if match else ""
    return line if 0 < len(line) <= MAX_TITLE_LENGTH else None
