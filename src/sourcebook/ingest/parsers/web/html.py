"""HTML: what a reader of the page sees, without what only leads to other pages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from selectolax.lexbor import LexborHTMLParser

from sourcebook.ingest.parsers.clean_text import cleaned, one_line
from sourcebook.ingest.parsers.parsed_text import ParsedText
from sourcebook.ingest.parsers.sections import Heading, TextBuilder, sections_of
from sourcebook.ingest.parsers.text.decoding import decode
from sourcebook.ingest.parsers.web.attribute_limit import with_few_attributes
from sourcebook.ingest.parsers.web.page_text import KeptMarkup, PageReader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from selectolax.lexbor import LexborNode

    from sourcebook.model.documents import JsonValue, Metadata

_CHARSET = re.compile(
    rb"""<(?:meta|\?xml)\b[^>]{0,300}?\b(?:charset|encoding)\s*=\s*["']?\s*([\w-]+)""", re.IGNORECASE
)
_HEAD_LENGTH = 4096
_MAIN = "main, [role=main], [itemprop=articleBody]"
_MOSTLY_NAVIGATION = 4
"""If the text is this many times shorter than all that can be read on the page, all is kept: it is an index."""
_SAYS = {
    "author": "author",
    "description": "description",
    "keywords": "keywords",
    "article:published_time": "date",
    "date": "date",
    "dc.date": "date",
}

_TAG = re.compile(r"<(/?)([a-zA-Z][\w:-]*)[^<>]*>")
_SELF_CLOSED = re.compile(
    r"<(title|script|style|textarea|iframe|noscript|template|a|b|i|em|strong|span|div|p|td|th|li)((?:\s[^<>]*)?)/>",
    re.IGNORECASE,
)
_DEEPEST = 400
# Elements without an end, and those whose end may be left out, do not nest as they are written.
_FLAT_NAMES = """
    area base br col embed hr img input link meta source track wbr p li dt dd td th tr option tbody thead html body
"""
_FLAT = frozenset(_FLAT_NAMES.split())


def parse_html(data: bytes) -> ParsedText:
    """The main content: headings are sections, rows of tables lines. Scripts, hidden text and menus are left out."""
    page = opened_page(data)
    built = _read(page)
    return ParsedText(
        built.text(),
        title=_title(page, built.headings),
        metadata=_metadata(page),
        sections=sections_of(built.headings),
        kind="text/html",
    )


def opened_page(data: bytes, *, is_xhtml: bool = False) -> LexborHTMLParser:
    """The tree of a page, in whatever encoding it is and however badly it is written."""
    declared = _CHARSET.search(data[:_HEAD_LENGTH])
    source = decode(data, declared[1].decode("ascii") if declared else None)
    if is_xhtml:
        # In HTML these would never end, and hide all that follows.
        source = _SELF_CLOSED.sub(r"<\1\2></\1>", source)
    return LexborHTMLParser(_flattened(with_few_attributes(source)))


def _read(page: LexborHTMLParser) -> TextBuilder:
    body = page.body or page.root
    if body is None:
        return TextBuilder()
    content = PageReader(KeptMarkup.CONTENT).read(_main(page) or body)
    if _MOSTLY_NAVIGATION * len(content) >= len(body.text()):
        return content
    everything = PageReader(KeptMarkup.ALL_VISIBLE).read(body)
    return everything if _MOSTLY_NAVIGATION * len(content) < len(everything) else content


def _main(page: LexborHTMLParser) -> LexborNode | None:
    """The element that says of itself that it is the content, if just one does."""
    for selector in (_MAIN, "article"):
        found = page.css(selector)
        if len(found) == 1:
            return found[0]
    return None


def _title(page: LexborHTMLParser, headings: Sequence[Heading]) -> str | None:
    """What the page calls itself. Often the name of the site stands beside it, which the first heading leaves out."""
    element = page.css_first("head > title") or page.css_first("title") or page.css_first("p.title[id]")
    said = one_line(cleaned(element.text())) if element else ""
    first = next((heading.name for heading in headings if heading.level == 1), "")
    if not said or first.casefold() in said.casefold():
        return first or said or None
    return said


def _metadata(page: LexborHTMLParser) -> Metadata:
    metadata: dict[str, JsonValue] = {}
    for element in page.css("meta[content]"):
        attributes = element.attributes
        name = attributes.get("name") or attributes.get("property") or ""
        key, value = _SAYS.get(name.lower()), one_line(cleaned(attributes.get("content") or ""))
        if key and value:
            metadata.setdefault(key, value)
    return metadata


def _flattened(source: str) -> str:
    """The source without the tags of its deepest levels: building a tree takes time by the square of its depth."""
    if source.count("<") < _DEEPEST:
        return source
    depth = 0

    def kept(tag: re.Match[str]) -> str:
        nonlocal depth
        if tag[2].lower() in _FLAT or tag[0].endswith("/>"):
            return tag[0]
        depth += -1 if tag[1] else 1
        is_deep = depth > _DEEPEST if not tag[1] else depth >= _DEEPEST
        depth = max(depth, 0)
        return " " if is_deep else tag[0]

    return _TAG.sub(kept, source)
