"""PDF: the text of its pages in reading order, its outline as sections, and where each page begins and ends."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from sourcebook.errors import DamagedFile, EmptyFile, FileOverLimit, NeedsOcr
from sourcebook.ingest.parsers.clean_text import cleaned, one_line
from sourcebook.ingest.parsers.page_progress import page_read, text_read
from sourcebook.ingest.parsers.parsed_text import PageSpan, ParsedText
from sourcebook.ingest.parsers.pdf.footnotes import parted, with_footnotes
from sourcebook.ingest.parsers.pdf.form_fields import FormFields, with_values
from sourcebook.ingest.parsers.pdf.layout import (
    PageBlock,
    is_item,
    keeps_hyphen,
    laid_out,
    paragraphs,
    words_of,
)
from sourcebook.ingest.parsers.pdf.outline import (
    Bookmark,
    PlacedBlock,
    headings_of_outline,
    headings_of_sizes,
    is_heading,
)
from sourcebook.ingest.parsers.pdf.page import PageContent, read_page
from sourcebook.ingest.parsers.pdf.pdfium import PdfDocument, PdfiumError, PdfPage, open_document, raw
from sourcebook.ingest.parsers.pdf.running_heads import body_size, without_running_heads
from sourcebook.ingest.parsers.sections import LINE, PARAGRAPH, sections_of
from sourcebook.ingest.parsers.shown_beginning import SHOWN_AGAIN

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.pdf.lines import Line
    from sourcebook.model.documents import JsonValue, Metadata

PictureReader = Callable[[PdfPage], Sequence[str]]
"""Reads the letters of a page that is a picture, as paragraphs."""

MOST_PAGES = 50_000
FIRST_PAGES = 32
"""So many pages are read before any of them is shown: by then it is clear which lines are on each of them."""
MOST_BOOKMARKS = 20_000
LONGEST_TITLE = 200
_NO_TITLE = re.compile(
    r"untitled|microsoft (?:word|powerpoint)\b.*|.*\.(?:docx?|pptx?|odt|tex|dvi|pdf|indd|qxd|rtf|txt|html?)"
    r"|(?:document|документ|slide|presentation|презентация|без имени|sem título)? ?\d*|[\W\d_]*",
    re.IGNORECASE,
)
_SAYS_NOTHING = ("(anonymous)", "(unspecified)", "anonymous", "unspecified")
"""What programs write where nobody has said anything."""
_DATE = re.compile(r"D:(\d{4})(\d\d)(\d\d)", re.ASCII)


def parse_pdf(data: bytes) -> ParsedText:
    """The text of all pages. A file half of whose pages are pictures is NeedsOcr."""
    return read_pdf(data, None)


def read_pdf(data: bytes, read_picture: PictureReader | None) -> ParsedText:
    """The text of all pages; those that are pictures are read by the reader, if there is one."""
    document = open_document(data)
    fields = FormFields(document)
    try:
        reading = _Reading(document, fields)
        to_show = FIRST_PAGES
        for portion in _portions(_page_count(document)):
            reading.read(portion)
            if to_show <= portion.stop < reading.count and any(reading.blocks):
                text_read(reading.assembled)
                to_show = SHOWN_AGAIN * portion.stop
        _check(reading.contents, can_read=read_picture is not None)
        if read_picture:
            _read_pictures(document, reading.contents, reading.blocks, read_picture)
        return reading.assembled()
    finally:
        fields.close()
        document.close()


def _portions(count: int) -> Iterator[range]:
    """Pages that are read together: each portion as long as all before it."""
    start, end = 0, min(count, FIRST_PAGES)
    while start < count:
        yield range(start, end)
        start, end = end, min(count, 2 * end)


class _Reading:
    """The pages of a document that were read so far. What follows changes nothing in their text."""

    def __init__(self, document: PdfDocument, fields: FormFields) -> None:
        self.count = len(document)
        self.contents: list[PageContent | None] = []
        self.blocks: list[list[PageBlock]] = []
        self._document = document
        self._bookmarks: list[Bookmark] | None = None
        self._fields = fields
        self._before: list[list[Line]] = []
        self._words: set[str] = set()

    def read(self, portion: range) -> None:
        """Read some pages more. What is a running head shows on them and on those before them."""
        contents: list[PageContent | None] = []
        for index in portion:
            contents.append(_content(self._document, index, self._fields))
            page_read(index + 1, self.count)
        pages = [laid_out(content.rows, content.width) if content else [] for content in contents]
        kept = without_running_heads([*self._before, *pages])[len(self._before) :]
        self._words |= words_of(kept)
        self.contents += contents
        body = body_size([*self._before, *pages])
        self._before = pages
        for lines, content in zip(kept, contents, strict=True):
            text, notes = parted(lines, body)
            blocks = with_footnotes(paragraphs(text, self._words), notes, self._words)
            self.blocks.append([*blocks, *(_sideways(content) if content else ())])

    def assembled(self) -> ParsedText:
        if self._bookmarks is None:
            self._bookmarks = list(_bookmarks(self._document))
        return _assembled(self._document, self.blocks, self._bookmarks)


def _page_count(document: PdfDocument) -> int:
    count = len(document)
    if count > MOST_PAGES:
        raise FileOverLimit(f"The file claims to have {count:,} pages; the limit is {MOST_PAGES:,}.")
    if count == 0:
        raise EmptyFile("The PDF has no pages.")
    return count


def _content(document: PdfDocument, index: int, fields: FormFields) -> PageContent | None:
    """What stands on a page, or None if it cannot be read: one broken page does not hide the others."""
    try:
        page = document.get_page(index)
    except PdfiumError:
        return None
    try:
        content, values = read_page(page), fields.values(page)
        if not values:
            return content
        return replace(content, rows=with_values(content.rows, values), has_pictures=False)
    except PdfiumError:
        return None
    finally:
        page.close()


def _check(contents: Sequence[PageContent | None], *, can_read: bool) -> None:
    readable = [content for content in contents if content is not None]
    if not readable:
        raise DamagedFile("No page of the PDF can be read.")
    pictures = sum(content.has_pictures for content in readable)
    if pictures and not can_read and 2 * pictures >= len(readable):
        raise NeedsOcr(f"{pictures} of {len(readable)} pages are pictures without text.")


def _sideways(content: PageContent) -> Iterator[PageBlock]:
    """What is written sideways comes last."""
    for row in content.sideways:
        yield PageBlock(" ".join(line.text for line in row), baseline=0.0, size=0.0)


def _read_pictures(
    document: PdfDocument,
    contents: Sequence[PageContent | None],
    blocks: Sequence[list[PageBlock]],
    read_picture: PictureReader,
) -> None:
    for index, content in enumerate(contents):
        if content and content.has_pictures:
            page = document.get_page(index)
            blocks[index].extend(PageBlock(text, baseline=0.0, size=0.0) for text in read_picture(page))
            page.close()


def _assembled(
    document: PdfDocument, blocks: Sequence[Sequence[PageBlock]], bookmarks: Sequence[Bookmark]
) -> ParsedText:
    text, placed = _joined(blocks)
    body = body_size(blocks)
    headings = headings_of_outline(bookmarks, placed) if bookmarks else headings_of_sizes(placed, body)
    return ParsedText(
        text,
        title=_title(document, placed, body),
        metadata=_metadata(document),
        sections=sections_of(headings),
        pages=_pages(placed),
        kind="application/pdf",
    )


def _joined(pages: Sequence[Sequence[PageBlock]]) -> tuple[str, list[PlacedBlock]]:
    pieces: list[str] = []
    placed: list[PlacedBlock] = []
    length = 0
    for page, blocks in enumerate(pages):
        for block in blocks:
            gap = _gap(placed[-1], page, block) if placed else ""
            placed.append(PlacedBlock(page, length + len(gap), block))
            pieces += (gap, block.text)
            length += len(gap) + len(block.text)
    return "".join(pieces), placed


def _gap(last: PlacedBlock, page: int, block: PageBlock) -> str:
    """What parts a block from the last one. A paragraph that goes on in the next column or page is not torn apart."""
    before = last.block
    if before.is_hyphenated:
        return "-" if keeps_hyphen(before.text, block.text) else ""
    if is_item(block.text):
        return LINE
    is_elsewhere = page != last.page or block.baseline > before.baseline
    goes_on = block.text[:1].islower() and before.text[-1:].isalnum() and abs(before.size - block.size) < 1
    return LINE if is_elsewhere and goes_on else PARAGRAPH


def _pages(placed: Sequence[PlacedBlock]) -> list[PageSpan]:
    pages: list[PageSpan] = []
    for page, start, block in placed:
        end = start + len(block.text)
        if pages and pages[-1].number == page + 1:
            pages[-1] = pages[-1]._replace(end=end)
        else:
            pages.append(PageSpan(page + 1, start, end))
    return pages


def _bookmarks(document: PdfDocument) -> Iterator[Bookmark]:
    for bookmark in islice(document.get_toc(max_depth=6), MOST_BOOKMARKS):
        target = bookmark.get_dest()
        index = target.get_index() if target else None
        if index is None or target is None:
            continue
        mode, view = target.get_view()
        yield Bookmark(bookmark.level + 1, bookmark.get_title(), index, _height(mode, view))


def _height(mode: int, view: Sequence[float]) -> float | None:
    """How high on its page a bookmark leads, if it says so."""
    at = {raw.PDFDEST_VIEW_XYZ: 1, raw.PDFDEST_VIEW_FITH: 0, raw.PDFDEST_VIEW_FITBH: 0}.get(mode)
    return view[at] if at is not None and len(view) > at else None


def _title(document: PdfDocument, placed: Sequence[PlacedBlock], body: float) -> str | None:
    """What the file says, unless a program said it; else the largest line of the first page."""
    said = one_line(cleaned(document.get_metadata_value("Title")))
    if said and len(said) <= LONGEST_TITLE and not _NO_TITLE.fullmatch(said):
        return said
    first = [block for page, _, block in placed if page == placed[0].page and is_heading(block, body)]
    largest = max(first, key=lambda block: round(block.size), default=None)
    return one_line(largest.text) if largest else None


def _metadata(document: PdfDocument) -> Metadata:
    metadata: dict[str, JsonValue] = {}
    for key in ("Author", "Subject", "Keywords"):
        value = one_line(cleaned(document.get_metadata_value(key)))
        if value and value not in _SAYS_NOTHING:
            metadata[key.lower()] = value
    date = _DATE.match(document.get_metadata_value("CreationDate"))
    if date:
        metadata["date"] = "-".join(date.groups())
    return metadata
