"""Plain text and source code."""

from __future__ import annotations

from sourcebook.ingest.parsers.opening_title import opening_title
from sourcebook.ingest.parsers.parsed_text import ParsedText
from sourcebook.ingest.parsers.text.decoding import decode


def parse_plain(data: bytes) -> ParsedText:
    """The text as it is; a short line that stands alone at its beginning is its title."""
    text = decode(data)
    return ParsedText(text, title=opening_title(text))


def parse_source(data: bytes) -> ParsedText:
    """Source code as it is. Its first line is no title."""
    return ParsedText(decode(data), kind="text/x-source")
