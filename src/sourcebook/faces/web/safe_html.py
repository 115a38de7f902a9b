"""Markdown of documents and models as safe HTML. Whatever it contains, nothing in it runs and nothing is fetched."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import unescape

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

_TAGS = {
    "a", "b", "blockquote", "br", "code", "em", "h3", "h4", "h5", "h6", "hr", "i", "li", "ol", "p", "pre", "s",
    "strong", "sub", "sup", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_SCHEMES = {"http", "https", "mailto"}
_REL = "noopener noreferrer nofollow"

# Characters for private use, so that they stand in no text that means something. They survive the renderer and the
# sanitiser as text, and only then become tags: whatever a document says, it cannot write one of these tags itself.
_SENTENCE, _MARK, _KEY, _END = "\ue000", "\ue001", "\ue002", "\ue003"
_PRIVATE = re.compile("[\ue000-\ue00f]")
_SIGNAL = re.compile(f"([{_SENTENCE}{_MARK}{_KEY}])([^{_END}]*){_END}")
_BLOCK_START = re.compile(r"[ \t]*(?:(?:>|[-*+]|\d{1,3}[.)]|#{1,6}|\|)[ \t]+)*")
# Lines of Markdown that say nothing themselves: fences of code, the rule below a table's head, lines below a heading.
_FRAME = re.compile(
    r"[ \t>]*+(?:(?:`{3,}|~{3,})[^`\n]*|\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t:|-]*)?|=+|[-*_]{3,})[ \t]*"
)
_PIECE = re.compile(r"(<[^>]*>)|([^<]+)")
# With the space before it: a number must not stand alone at the beginning of a line.
_CITED = re.compile(r"[ \t]*\[(\d{1,3})\]")
_HEADING = re.compile(r"<(/?)h([1-6])>")


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a text that becomes an element: `tag` is written by us, never by a document."""

    start: int
    end: int
    tag: str


def plain(markdown: str) -> Markup:
    """Markdown that a model or a person wrote, as safe HTML. Its links are shown as text: they lead to no source."""
    html = _rendered(_PRIVATE.sub("", markdown), links=False)
    return Markup(html)  # noqa: S704 - the sanitiser's output


def marked(
    text: str,
    sentences: Sequence[Span],
    keys: Sequence[tuple[int, int]] = (),
    reference: Callable[[int, int], str] | None = None,
    *,
    links: bool = False,
) -> Markup:
    """Markdown with its sentences in elements, its key words marked, and its `[1]` as references.

    `reference` writes the element for a number and how often it stood before. Sentences must not overlap. Links of a
    document lead where they lead; those of an answer are text, so that nothing in it can ask to be clicked.
    """
    signals: list[tuple[int, int, str]] = []
    for index, span in enumerate(sentences):
        start = _inside_block(text, _behind_frame(text, span.start))
        end = start + len(_without_bar(text[start : _before_frame(text, len(text[: span.end].rstrip()))]))
        if start < end:
            signals += [(start, 1, f"{_SENTENCE}{index}{_END}"), (end, 0, f"{_SENTENCE}{_END}")]
    for start, end in _by_line(text, keys):
        signals += [(start, 2, f"{_KEY}1{_END}"), (end, -1, f"{_KEY}{_END}")]
    marks = {found.start(): found for found in _CITED.finditer(text)} if reference else {}
    # A sentence may begin or end inside a mark that loses its space.
    signals = [(_outside(at, marks), order, signal) for at, order, signal in signals]
    written = _with_signals(text, signals, marks)
    return Markup(_Elements(sentences, reference).of(_rendered(written, links=links)))  # noqa: S704 - the sanitiser's output


def with_spans(text: str, spans: Sequence[tuple[int, int]], tag: str = "mark") -> Markup:
    """Plain text with spans of it in elements, exactly as it stands."""
    parts: list[str] = []
    at = 0
    for start, end in sorted(spans):
        start = max(start, at)
        if end <= start:
            continue
        parts += [str(escape(text[at:start])), f"<{tag}>", str(escape(text[start:end])), f"</{tag}>"]
        at = end
    return Markup("".join([*parts, str(escape(text[at:]))]))  # noqa: S704 - every piece of text was escaped


def with_codes(text: str) -> Markup:
    """Plain text whose `words` between backticks are set as code."""
    pieces = text.split("`")
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if index % 2 else Markup("{}").format(piece)
        for index, piece in enumerate(pieces)
    )


def _outside(at: int, marks: dict[int, re.Match[str]]) -> int:
    return next((mark.end() for mark in marks.values() if mark.start() < at < mark.end()), at)


def _inside_block(text: str, at: int) -> int:
    """This place, or, at the beginning of a line, the one behind the marks that make a list or a quote of it."""
    line = text.rfind("\n", 0, at) + 1
    begin = _BLOCK_START.match(text, line)
    return at if begin is None else max(at, begin.end())


def _without_bar(marked: str) -> str:
    """What is marked, without the bar that closes the row of a table: it stands in no cell."""
    return marked.rstrip().rstrip("| \t")


def _behind_frame(text: str, at: int) -> int:
    """The first letter from this place on that stands on no line that only frames others."""
    while at < len(text) and ((line := _frame_at(text, at)) is not None or text[at].isspace()):
        at = at + 1 if line is None else line[1] + 1
    return at


def _before_frame(text: str, at: int) -> int:
    """This place, or, on a line that only frames others or in the marks that begin one, the end of the line before."""
    while (line := text.rfind("\n", 0, at) + 1) and (_frame_at(text, at) or at < _inside_block(text, line)):
        at = line - 1
    return at


def _frame_at(text: str, at: int) -> tuple[int, int] | None:
    """Where the line of this place begins and ends, if nothing but a frame stands on it."""
    start = text.rfind("\n", 0, at) + 1
    found = _FRAME.match(text, start)
    end = len(text) if (stop := text.find("\n", start)) < 0 else stop
    return (start, end) if found is not None and found.end() == end > start else None


def _by_line(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The spans, cut where a line ends: an element across the marks of a list would make a paragraph of it."""
    for first, last in spans:
        at = first
        for line in text[first:last].splitlines(keepends=True):
            start, end = _inside_block(text, at), at + len(_without_bar(line))
            if start < end and _frame_at(text, at) is None:
                yield start, end
            at += len(line)


def _with_signals(text: str, signals: Sequence[tuple[int, int, str]], marks: dict[int, re.Match[str]]) -> str:
    clean = _PRIVATE.sub(" ", text)
    cuts = sorted([*signals, *((at, 1, "") for at in marks)], key=lambda each: (each[0], each[1]))
    parts: list[str] = []
    at = 0
    for where, _, signal in cuts:
        if where > at:
            parts.append(clean[at:where])
            at = where
        if signal:
            parts.append(signal)
        elif (mark := marks.get(where)) is not None and at <= where:
            parts.append(f"{_MARK}{mark[1]}{_END}")
            at = mark.end()
    return "".join([*parts, clean[at:]])


class _Elements:
    """Makes elements of the signals in sanitised HTML. Only text is wrapped, so tags always stay well nested."""

    def __init__(self, sentences: Sequence[Span], reference: Callable[[int, int], str] | None) -> None:
        self._sentences = sentences
        self._reference = reference
        self._sentence: Span | None = None
        self._key = False
        self._seen: dict[int, int] = {}

    def of(self, html: str) -> str:
        return "".join(
            _SIGNAL.sub("", piece[1]) if piece[1] else self._text(piece[2]) for piece in _PIECE.finditer(html)
        )

    def _text(self, text: str) -> str:
        written: list[str] = []
        at = 0
        for signal in _SIGNAL.finditer(text):
            written.append(self._wrapped(text[at : signal.start()]))
            written.append(self._followed(signal[1], signal[2]))
            at = signal.end()
        return "".join([*written, self._wrapped(text[at:])])

    def _followed(self, kind: str, value: str) -> str:
        if kind == _SENTENCE:
            self._sentence = self._sentences[int(value)] if value else None
        elif kind == _KEY:
            self._key = bool(value)
        elif self._reference is not None:
            number = int(value)
            before = self._seen.get(number, 0)
            self._seen[number] = before + 1
            return self._reference(number, before)
        return ""

    def _wrapped(self, text: str) -> str:
        if not text.strip() or (self._sentence is None and not self._key):
            return text
        if self._key:
            text = f'<b class="key">{text}</b>'
        if self._sentence is None:
            return text
        return f"<{self._sentence.tag}>{text}</{self._sentence.tag.partition(' ')[0]}>"


@cache
def _parser(links: bool) -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table").disable("image")
    return made if links else made.disable(["link", "autolink", "reference"])


def _rendered(markdown: str, *, links: bool) -> str:
    html = _parser(links).render(markdown)
    # A document's first heading is not the page's.
    html = _HEADING.sub(lambda tag: f"<{tag[1]}h{min(6, int(tag[2]) + 2)}>", html)
    return nh3.clean(
        html,
        tags=_TAGS,
        attributes={"a": {"href"}, "ol": {"start"}},
        attribute_filter=_outward,
        url_schemes=_SCHEMES,
        link_rel=_REL,
        strip_comments=True,
    )


def _outward(element: str, attribute: str, value: str) -> str | None:
    """A link leads out, or nowhere: a path means nothing on this page."""
    if attribute != "href":
        return value
    address = unescape(value).strip().casefold()
    leads_out = address.startswith(("http://", "https://", "mailto:"))
    return _SIGNAL.sub("", value) if leads_out else None
