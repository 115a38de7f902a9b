"""The paragraphs of an RTF file as text: headings, items of lists, and boxes behind the paragraph that they hang on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from sourcebook.ingest.parsers.clean_text import cleaned, one_line
from sourcebook.ingest.parsers.large_lines import LargeLines, Look
from sourcebook.ingest.parsers.sections import LINE

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.sections import TextBuilder

_LONG_MARK = re.compile(r"\w+[.\-]\w")
_TYPED_MARK = re.compile(r"(\(?(?:\d{1,3}|[^\W\d_]|[ivxl]{2,5})[.)]|[•◦▪·–—-])[\t ]+(?=\S)")


class RtfParagraph(NamedTuple):
    """A paragraph, and how it is set. `mark` stands before an item of a list.

    `list_level` is how deep its list lies in others, if the file says so; `indent` is how far it is indented, if its
    first line is less.
    """

    words: str
    mark: str
    level: int
    look: Look
    list_level: int | None
    indent: int | None

    def with_typed_mark(self) -> RtfParagraph:
        """With the mark that was written as a part of the words, before a line that hangs on it."""
        found = _TYPED_MARK.match(self.words) if self.indent is not None and not self.mark else None
        return self._replace(mark=found[1], words=self.words[found.end() :]) if found else self


class RtfParagraphs:
    """Writes paragraphs one by one. Those of a box are kept until the paragraph around it is written."""

    def __init__(self, built: TextBuilder) -> None:
        self.lines = LargeLines()
        self._built = built
        self._boxes: list[RtfParagraph] = []
        self._indents: list[int] = []

    def keep(self, paragraph: RtfParagraph) -> None:
        """A paragraph of a text box."""
        self._boxes.append(paragraph)

    def write(self, paragraph: RtfParagraph) -> None:
        self._write(paragraph, is_box=False)
        self.write_boxes()

    def write_boxes(self) -> None:
        """Write what was kept, behind the paragraph before it."""
        boxes, self._boxes = self._boxes, []
        for box in boxes:
            self._write(box, is_box=True)

    def end(self) -> None:
        """Write what is left, and find the headings of a file that has no styles for them."""
        self.write_boxes()
        if not self._built.headings:
            self._built.headings += self.lines.headings()

    def _write(self, given: RtfParagraph, *, is_box: bool) -> None:
        if not given.words:
            return
        paragraph = given.with_typed_mark()
        if not paragraph.mark or paragraph.level:
            self._indents = []
        if paragraph.level:
            self._built.add_heading(paragraph.words, paragraph.level)
        elif paragraph.mark:
            self._built.add(f"{self._shown(paragraph)} {paragraph.words}", LINE)
        else:
            self._built.add(paragraph.words)
            if not is_box:
                words = cleaned(paragraph.words)
                self.lines.add(len(self._built) - len(words), paragraph.look, one_line(words))

    def _shown(self, item: RtfParagraph) -> str:
        """The number of an item or a bullet, indented like the items in items that do not say what they belong to."""
        level = self._list_level(item)
        if _LONG_MARK.match(item.mark):
            return item.mark
        # A letter alone is a bullet in a font of signs.
        is_bullet = (len(item.mark) == 1 and not item.mark.isdecimal()) or not any(
            map(str.isalnum, item.mark)
        )
        return "  " * level + ("-" if is_bullet else item.mark)

    def _list_level(self, item: RtfParagraph) -> int:
        """How deep an item lies. Where the file does not say it, items in items are indented more than these."""
        if item.list_level is not None:
            return item.list_level
        indent = item.indent or 0
        self._indents = [*(other for other in self._indents if other < indent), indent]
        return len(self._indents) - 1
