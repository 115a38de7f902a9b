"""EPUB: the chapters of a book in their order, with the names that its contents give them."""

from __future__ import annotations

import re
from itertools import islice
from posixpath import dirname
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from sourcebook.errors import DamagedFile, EncryptedFile
from sourcebook.ingest.parsers.clean_text import cleaned, one_line
from sourcebook.ingest.parsers.office.properties import said_by
from sourcebook.ingest.parsers.page_progress import page_read
from sourcebook.ingest.parsers.parsed_text import ParsedText
from sourcebook.ingest.parsers.sections import Heading, TextBuilder, sections_of
from sourcebook.ingest.parsers.shown_beginning import ShownBeginning
from sourcebook.ingest.parsers.web.html import opened_page
from sourcebook.ingest.parsers.web.page_text import KeptMarkup, PageReader
from sourcebook.ingest.parsers.zip_and_xml import Package, joined, reading

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from sourcebook.ingest.parsers.xml_element import Element
    from sourcebook.model.documents import JsonValue, Metadata

_CONTAINER = "META-INF/container.xml"
_ROOTFILE = "{urn:oasis:names:tc:opendocument:xmlns:container}rootfile"
_OPF = "{http://www.idpf.org/2007/opf}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_NCX = "{http://www.daisy.org/z3986/2005/ncx/}"
_POINT = f"{_NCX}navPoint"
_DEEPEST, _MOST_AROUND = 6, 30
_PAGES = ("application/xhtml+xml", "text/html", "application/xml", "text/xml")
_REFERENCE = "{http://www.w3.org/2001/04/xmlenc#}CipherReference"
_LOCK = "{http://www.w3.org/2001/04/xmlenc#}EncryptionMethod"
_LANGUAGE = re.compile(r"[a-z]{2}(?:[-_].*)?", re.IGNORECASE)
_FEWEST_LINKS, _MOSTLY_LINKS = 3, 0.7
_FONT_LOCKS = ("obfuscation", "font", "idpf.org/2008/embedding", "ns.adobe.com/pdf/enc#RC")
"""Ways to spoil the fonts of a book for other use, which leave its text as it is."""


def parse_epub(data: bytes) -> ParsedText:
    """The text of the chapters. A book with a lock (DRM) cannot be read."""
    package = Package(data, "EPUB")
    with reading("EPUB"):
        _require_no_lock(package)
        return _Book(package).read()


def _require_no_lock(package: Package) -> None:
    """Fonts may be scrambled in any book; anything else is only there for whoever has the key."""
    rights = package.xml_if_there("META-INF/encryption.xml")
    if rights is None:
        return
    methods = [method.get("Algorithm", "") for method in rights.iter(_LOCK)]
    if any(not any(word in method for word in _FONT_LOCKS) for method in methods):
        raise EncryptedFile("The book is protected (DRM).", hint="Add a copy of the book without protection.")


class _ChapterName(NamedTuple):
    """What the contents call a chapter, and how deep it stands there: 1 is the highest."""

    name: str = ""
    depth: int = 1


_NO_NAME = _ChapterName()


class _Book:
    """Reads one book."""

    def __init__(self, package: Package) -> None:
        self._package = package
        root = next(package.xml(_CONTAINER).iter(_ROOTFILE), None)
        if root is None:
            raise DamagedFile("The file is not an intact EPUB: it does not say where the book begins.")
        self._opf = unquote(root.get("full-path", ""))
        self._book = package.xml(self._opf)
        self._items = {item.get("id", ""): item for item in self._book.iter(f"{_OPF}item")}
        self._built = TextBuilder()
        self._shift = 0

    def read(self) -> ParsedText:
        chapters = [part for part in self._spine() if part in self._package.names]
        names = self._contents()
        beginning = ShownBeginning(self._built)
        for number, part in enumerate(chapters, start=1):
            self._chapter(self._package.read(part), names.get(part, _NO_NAME))
            page_read(number, len(chapters))
            beginning.grown()
        metadata = next(self._book.iter(f"{_OPF}metadata"), None)
        return ParsedText(
            self._built.text(),
            said_by(metadata, f"{_DC}title") if metadata is not None else None,
            self._metadata(metadata),
            sections_of(self._built.headings),
            kind="application/epub+zip",
        )

    def _part(self, item: Element) -> str:
        return joined(dirname(self._opf), unquote(item.get("href", "").partition("#")[0]))

    def _spine(self) -> list[str]:
        """The pages of the book in the order of reading, without its list of contents."""
        parts: list[str] = []
        for reference in self._book.iter(f"{_OPF}itemref"):
            item = self._items.get(reference.get("idref", ""))
            if item is None or item.get("media-type", "") not in _PAGES:
                continue
            is_contents = "nav" in item.get("properties", "").split()
            if not is_contents and self._part(item) not in parts:
                parts.append(self._part(item))
        return parts

    def _chapter(self, data: bytes, listed: _ChapterName) -> None:
        page = opened_page(data, is_xhtml=True)
        body = page.body or page.root
        if body is None:
            return
        if _is_contents(body):
            return
        read = PageReader(KeptMarkup.ALL_VISIBLE).read(body)
        text = read.text()
        if not text.strip():
            return
        before = len(self._built)
        self._built.add(text)
        start = len(self._built) - len(text.rstrip())
        levels = [heading.level for heading in read.headings]
        tops = [h.level for h in read.headings if h.level == 1 or h.name == listed.name]
        if tops:
            self._shift = listed.depth - tops[0]
        elif listed.name or before == 0 or not levels:
            self._built.headings.append(Heading(start, listed.depth, listed.name))
            self._shift = listed.depth + 1 - min(levels, default=1)
        # A page that has neither goes on with the chapter before it.
        self._built.headings += [
            Heading(start + h.start, max(h.level + self._shift, 1), h.name) for h in read.headings
        ]

    def _contents(self) -> dict[str, _ChapterName]:
        """The names of the chapters by their pages; of several for a page, the first."""
        names: dict[str, _ChapterName] = {}
        for item in self._items.values():
            part = self._part(item)
            if part not in self._package.names:
                continue
            if item.get("media-type", "") == "application/x-dtbncx+xml":
                found = self._names_in_ncx(part)
            elif "nav" in item.get("properties", "").split():
                found = self._names_in_page(part)
            else:
                continue
            for page, (name, depth) in found:
                names.setdefault(page, _ChapterName(one_line(cleaned(name)), depth))
        return names

    def _names_in_ncx(self, part: str) -> list[tuple[str, _ChapterName]]:
        found: list[tuple[str, _ChapterName]] = []
        for point in self._package.xml(part).iter(_POINT):
            content, label = point.find(f"{_NCX}content"), point.find(f"{_NCX}navLabel/{_NCX}text")
            if content is not None and label is not None:
                page = unquote(content.get("src", "").partition("#")[0])
                depth = 1 + sum(1 for _ in islice(point.iterancestors(_POINT), _DEEPEST - 1))
                found.append((joined(dirname(part), page), _ChapterName(label.text or "", depth)))
        return found

    def _names_in_page(self, part: str) -> list[tuple[str, _ChapterName]]:
        page = opened_page(self._package.read(part), is_xhtml=True)
        return [
            (joined(dirname(part), unquote(href.partition("#")[0])), _ChapterName(link.text(), _depth(link)))
            for link in page.css("nav a[href]")
            if (href := link.attributes.get("href"))
        ]

    def _metadata(self, said: Element | None) -> Metadata:
        metadata: dict[str, JsonValue] = {}
        tags = {"author": "creator", "publisher": "publisher", "date": "date", "language": "language"}
        for key, tag in tags.items():
            value = said_by(said, _DC + tag) if said is not None else None
            if key == "language":
                value = value[:2].lower() if value and _LANGUAGE.fullmatch(value) else None
            if value:
                metadata[key] = value.partition("T")[0] if key == "date" else value
        return metadata


def _is_contents(body: LexborNode) -> bool:
    """Whether a page is the list of contents of its book: hardly anything but links to other pages."""
    links = [link.text() for link in body.css("a[href]") if ":" not in (link.attributes.get("href") or "")]
    linked, said = (len("".join(text.split())) for text in ("".join(links), body.text()))
    return len(links) >= _FEWEST_LINKS and linked >= said * _MOSTLY_LINKS


def _depth(link: LexborNode) -> int:
    """In how many lists a link of the contents stands."""
    depth, outer = 0, link.parent
    for _ in range(_MOST_AROUND):
        if outer is None or outer.tag == "nav":
            break
        depth += outer.tag == "ol"
        outer = outer.parent
    return min(max(depth, 1), _DEEPEST)
