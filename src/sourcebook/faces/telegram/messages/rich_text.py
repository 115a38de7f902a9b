"""Text with marks for Telegram, as entities that we count ourselves.

There is no markup to be broken: whatever a name, a document or a model says is shown as it is. Telegram counts in
UTF-16 units, so everything here that is an offset or a length does too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from sourcebook.text import hidden_characters

_LONGEST_LINE = 4096


class TextStyle(StrEnum):
    BOLD = "bold"
    ITALIC = "italic"
    QUOTE = "blockquote"
    LONG_QUOTE = "expandable_blockquote"
    CODE = "code"
    LISTING = "pre"


@dataclass(frozen=True, slots=True)
class StyledSpan:
    """A mark over the characters from `start` to `end` (code points)."""

    mark: TextStyle
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class RichText:
    text: str = ""
    spans: tuple[StyledSpan, ...] = field(default=())

    def __add__(self, other: RichText | str) -> RichText:
        if isinstance(other, str):
            return RichText(self.text + other, self.spans)
        shift = len(self.text)
        moved = tuple(StyledSpan(span.mark, span.start + shift, span.end + shift) for span in other.spans)
        return RichText(self.text + other.text, self.spans + moved)

    def __bool__(self) -> bool:
        return bool(self.text)

    def cut(self, start: int, end: int) -> RichText:
        """The part between two places, with what of the marks lies in it."""
        spans = (StyledSpan(s.mark, max(s.start, start) - start, min(s.end, end) - start) for s in self.spans)
        return RichText(self.text[start:end], tuple(span for span in spans if span.start < span.end))

    def stripped(self) -> RichText:
        start = len(self.text) - len(self.text.lstrip())
        return self.cut(start, max(start, len(self.text.rstrip())))


def marked(text: str, mark: TextStyle) -> RichText:
    return RichText(text, (StyledSpan(mark, 0, len(text)),) if text.strip() else ())


def bold(text: str) -> RichText:
    return marked(text, TextStyle.BOLD)


def in_bold(rich: RichText) -> RichText:
    """All of it in bold but what has a mark already: Telegram allows no mark around code."""
    spans, place = list(rich.spans), 0
    for span in (
        *sorted(rich.spans, key=lambda each: each.start),
        StyledSpan(TextStyle.BOLD, len(rich.text), 0),
    ):
        if rich.text[place : span.start].strip():
            spans.append(StyledSpan(TextStyle.BOLD, place, span.start))
        place = max(place, span.end)
    return RichText(rich.text, tuple(spans))


def italic(text: str) -> RichText:
    return marked(text, TextStyle.ITALIC)


def quote(text: str) -> RichText:
    return marked(text, TextStyle.LONG_QUOTE if len(text) > _LONG_QUOTE else TextStyle.QUOTE)


def joined(parts: Iterable[RichText | str], between: str = "\n\n") -> RichText:
    """The parts that say something, one after the other."""
    whole = RichText()
    for part in parts:
        if part:
            whole = whole + (between if whole else "") + part
    return whole


def from_markdown(text: str) -> RichText:
    """Markdown as far as Telegram can show it: bold, headings, code, listings. The rest stays as it is."""
    rich, place = RichText(), 0
    for found in _MARKDOWN.finditer(text):
        inner = next(group for group in found.groups() if group is not None)
        rich = rich + text[place : found.start()] + marked(inner.rstrip("\n"), _MARKS[found.lastgroup or ""])
        place = found.end()
    return rich + text[place:]


def units(text: str) -> int:
    """The length of a text as Telegram counts it."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def clean(text: str, limit: int = _LONGEST_LINE) -> str:
    """A name or a label as one line: no line breaks, nothing invisible that turns text around, not endless."""
    line = " ".join(_INVISIBLE.sub(" ", text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


_LONG_QUOTE = 400
_INVISIBLE = re.compile(rf"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028\u2029{hidden_characters.MARKS}]")
_MARKDOWN = re.compile(
    r"^```[\w+-]*\n(?P<listing>(?:(?!```)[^\n]*\n)+)```$"
    r"|(?<![\w*])\*\*(?P<bold>\S(?:[^\n*]*\S)?)\*\*(?![\w*])"
    r"|^\#{1,6}[ ]+(?P<head>[^\n]*\S)[ ]*$"
    r"|(?<!`)`(?P<code>[^`\n]+)`(?!`)",
    re.MULTILINE,
)
_MARKS = {
    "bold": TextStyle.BOLD,
    "head": TextStyle.BOLD,
    "code": TextStyle.CODE,
    "listing": TextStyle.LISTING,
}


def entities(rich: RichText) -> Iterator[tuple[TextStyle, int, int]]:
    """The marks as Telegram wants them: offset and length in UTF-16 units, no blanks at the ends."""
    for span in rich.spans:
        inner = rich.text[span.start : span.end]
        start = span.start + len(inner) - len(inner.lstrip())
        end = span.start + len(inner.rstrip())
        if start < end:
            yield span.mark, units(rich.text[:start]), units(rich.text[start:end])
