"""RTF: the text of the document, with its headings and tables, without what only describes it."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sourcebook.errors import FileOverLimit
from sourcebook.ingest.parsers.clean_text import cleaned, one_line
from sourcebook.ingest.parsers.large_lines import NO_LOOK
from sourcebook.ingest.parsers.opening_title import opening_title
from sourcebook.ingest.parsers.parsed_text import ParsedText
from sourcebook.ingest.parsers.sections import TextBuilder, sections_of
from sourcebook.ingest.parsers.text.rtf_paragraphs import LOWEST_LEVEL, RtfParagraph, RtfParagraphs
from sourcebook.ingest.parsers.text.rtf_table import RtfTable

if TYPE_CHECKING:
    from sourcebook.model.documents import JsonValue

DEEPEST = 1_000
_TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n]+|([^\\{}\r\n]+)",
    re.DOTALL,
)
# Groups that hold no text of the document. One that begins with `\*` may be passed over by its own word.
_PASSED_OVER_NAMES = """
    colortbl pict object themedata colorschememapping latentstyles datastore listtable listoverridetable revtbl
    rsidtbl generator xmlnstbl filetbl header headerl headerr headerf footer footerl footerr footerf fldinst bkmkstart
    bkmkend annotation atnid atnauthor nonshppict mmathpr pgptbl pntxta pntxtb template operator
    datafield formfield docvar userprops fchars lchars wgrffmtfilter factoidname shppict sp nonesttables
"""
_PASSED_OVER = frozenset(_PASSED_OVER_NAMES.split())
_READ_ANYWAY = frozenset(["shpinst", "shptxt", "footnote", "fldrslt"])
_INFO = {"title": "title", "author": "author", "subject": "subject", "keywords": "keywords"}
_SIGNS = {
    "emdash": "—",
    "endash": "–",
    "bullet": "•",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "tab": "\t",
    "line": "\n",
    "emspace": " ",
    "enspace": " ",
    "qmspace": " ",
}
_CHARSETS = {
    77: "mac_roman",
    128: "cp932",
    129: "cp949",
    134: "gb18030",
    136: "cp950",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
}
_HEADING = re.compile(r"(?:heading|заголовок|título|titulo) ?([1-9])", re.IGNORECASE)
_USUAL_SIZE = 24
_SMALLEST_SIZE = 4
"""In half points: smaller letters cannot be read."""


@dataclass(frozen=True, slots=True)
class _State:
    """What a group inherits and gives back at its end. `goes_to` says where its text goes; '' is nowhere."""

    goes_to: str = "text"
    encoding: str = "cp1252"
    skipped_after: int = 1
    size: int = _USUAL_SIZE
    is_bold: bool = False
    is_hidden: bool = False
    is_deleted: bool = False
    is_box: bool = False


@dataclass(slots=True)
class _Document:
    built: TextBuilder = field(default_factory=TextBuilder)
    said: dict[str, str] = field(default_factory=dict[str, str])
    encodings: dict[int, str] = field(default_factory=dict[int, str])
    levels: dict[int, int] = field(default_factory=dict[int, int])


def parse_rtf(data: bytes) -> ParsedText:
    """The text with its headings as sections; rows of tables are lines, notes stand where they are referred to."""
    document = _Reader(data).read()
    said = document.said
    metadata: dict[str, JsonValue] = {
        key: one_line(cleaned(said[key]))
        for key in ("author", "subject", "keywords")
        if said.get(key, "").strip()
    }
    text = document.built.text()
    return ParsedText(
        text,
        one_line(cleaned(said.get("title", ""))) or opening_title(text),
        metadata,
        sections_of(document.built.headings),
        kind="application/rtf",
    )


class _Reader:
    """Goes through one file, once."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._document = _Document()
        self._state = _State()
        self._stack: list[_State] = []
        self._words: list[str] = []
        self._pending = bytearray()
        self._pending_encoding = "cp1252"
        self._mark: list[str] = []
        self._cells: list[str] = []
        self._edges: list[int] = []
        self._table = RtfTable()
        self._paragraphs = RtfParagraphs(self._document.built)
        self._look = NO_LOOK
        self._around: tuple[RtfParagraph, list[str], list[str]] | None = None
        self._is_new_group = self._is_optional = self._is_behind_box = False
        self._left_to_skip = 0
        self._level = self._indent = self._first_indent = 0
        self._list_level: int | None = None
        self._note_start = 0
        self._in_table = False
        self._font = self._style = 0
        self._style_name: list[str] = []
        self._default = "cp1252"
        self._high: int | None = None

    def read(self) -> _Document:
        for token in _TOKEN.finditer(self._data):
            word, number, byte, sign, brace, plain = token.groups()
            if word:
                self._control(word.decode().lower(), int(number) if number else None)
            elif byte:
                self._byte(int(byte, 16))
            elif sign:
                self._sign(sign)
            elif brace:
                self._brace(brace)
            elif plain:
                self._plain(plain)
        self._end_paragraph()
        self._end_row()
        self._table.write(self._document.built)
        self._paragraphs.end()
        return self._document

    def _brace(self, brace: bytes) -> None:
        self._decode()
        if brace == b"{":
            if len(self._stack) >= DEEPEST:
                raise FileOverLimit(
                    "The file is nested more deeply than a real document.", hint=FileOverLimit.MALICIOUS
                )
            self._stack.append(self._state)
            self._is_new_group, self._is_optional = True, False
            return
        left = self._state.goes_to
        if self._state.is_box and self._stack and not self._stack[-1].is_box:
            self._end_box()
        if self._stack:
            self._state = self._stack.pop()
        if left == "note" and self._state.goes_to != "note":
            note = one_line("".join(self._words[self._note_start :]))
            self._words[self._note_start :] = [f" [{note}]"] if note else []
        self._is_new_group = False

    def _control(self, word: str, number: int | None) -> None:
        self._decode()
        is_first, is_optional = self._is_new_group, self._is_optional
        self._is_new_group = self._is_optional = False
        if word == "bin":
            return
        if (is_first or is_optional) and self._begins_other_text(word, is_optional=is_optional):
            return
        # Notes and marks have paragraphs of their own, which say nothing of the one around them.
        is_outside = self._state.goes_to in ("note", "mark", "")
        if word in _SIGNS:
            self._say(_SIGNS[word])
        elif not is_outside and self._set_paragraph(word, number):
            return
        elif is_outside and word == "par":
            self._put(" ")
        else:
            self._set_letters(word, number)

    def _begins_other_text(self, word: str, *, is_optional: bool) -> bool:
        """Whether the group that this word begins goes somewhere else than into the text."""
        if word == "footnote" and self._state.goes_to == "text":
            self._note_start = len(self._words)
            self._state = replace(self._state, goes_to="note")
            return True
        if word in ("fonttbl", "stylesheet", "info") or (word in _INFO and self._state.goes_to == "info"):
            self._document.said[word] = ""
            self._state = replace(self._state, goes_to=word)
            return True
        if word in ("listtext", "pntext") and self._state.goes_to == "text":
            self._state = replace(self._state, goes_to="mark")
            return True
        if word == "ud" and self._state.goes_to in _INFO:
            # The same again, in letters that the first could not write.
            self._document.said[self._state.goes_to] = ""
            return True
        if word == "shptxt" and self._state.goes_to == "text" and not (self._state.is_box or self._in_table):
            return self._begin_box()
        if word in _READ_ANYWAY:
            return False
        if word in _PASSED_OVER or (is_optional and self._state.goes_to in ("text", "note")):
            return self._pass_over()
        return False

    def _pass_over(self) -> bool:
        self._state = replace(self._state, goes_to="")
        return True

    def _set_paragraph(self, word: str, number: int | None) -> bool:
        """Whether the word has to do with paragraphs and tables."""
        match word:
            case "par" | "sect" | "page":
                self._end_paragraph()
            case "pard":
                self._level, self._list_level, self._in_table = 0, None, False
                self._indent = self._first_indent = 0
            case "ilvl":
                self._list_level = min(max(number or 0, 0), LOWEST_LEVEL)
            case "intbl":
                self._in_table = True
            case "nestcell":
                # A table in a cell is a part of what the cell says.
                self._words.append(" ")
            case "cell":
                self._end_cell()
            case "row":
                self._end_row()
            case "outlinelevel":
                self._level = (number or 0) + 1 if (number or 0) < LOWEST_LEVEL else 0
                if self._state.goes_to == "stylesheet":
                    self._document.levels[self._style] = self._level
            case "s" if number is not None:
                self._style = number
                self._level = self._document.levels.get(number, 0)
            case _:
                return self._set_row(word, number) or self._set_indent(word, number)
        return True

    def _set_row(self, word: str, number: int | None) -> bool:
        """Whether the word has to do with the columns of a table."""
        if word == "trowd":
            self._edges = []
        elif word == "cellx":
            self._edges.append(number or 0)
        return word in ("trowd", "cellx")

    def _set_indent(self, word: str, number: int | None) -> bool:
        if word == "li":
            self._indent = number or 0
        elif word == "fi":
            self._first_indent = number or 0
        return word in ("li", "fi")

    def _set_letters(self, word: str, number: int | None) -> None:
        match word, number:
            case "u", int():
                self._unicode(number)
            case "uc", _:
                self._state = replace(self._state, skipped_after=min(max(number or 0, 0), 10))
            case "ansicpg", int():
                self._use_by_default(_known(f"cp{number}") or "cp1252")
            case "mac", _:
                self._use_by_default("mac_roman")
            case "f", int():
                self._font = number
                encoding = self._document.encodings.get(number, self._default)
                self._state = replace(self._state, encoding=encoding)
            case "fcharset", int() if self._state.goes_to == "fonttbl":
                self._document.encodings[self._font] = _CHARSETS.get(number, self._default)
            case "v", _:
                self._state = replace(self._state, is_hidden=number != 0)
            case "deleted", _:
                self._state = replace(self._state, is_deleted=number != 0)
            case "b", _:
                self._state = replace(self._state, is_bold=number != 0)
            case "fs", int():
                self._state = replace(self._state, size=number)
            case "plain", _:
                state = replace(self._state, is_hidden=False, is_deleted=False)
                self._state = replace(state, size=_USUAL_SIZE, is_bold=False)
            case _:
                pass

    def _use_by_default(self, encoding: str) -> None:
        self._default = encoding
        self._state = replace(self._state, encoding=encoding)

    def _sign(self, sign: bytes) -> None:
        self._decode()
        match sign:
            case b"*":
                self._is_optional = self._is_new_group
            case b"~":
                self._say("\xa0")
            case b"_":
                self._say("-")
            case b"\n" | b"\r":
                self._end_paragraph()
            case b"\\" | b"{" | b"}":
                self._say(sign.decode())
            case _:
                pass

    def _byte(self, value: int) -> None:
        self._is_new_group = False
        if self._left_to_skip:
            self._left_to_skip -= 1
            return
        self._pending_encoding = self._state.encoding
        self._pending.append(value)

    def _plain(self, data: bytes) -> None:
        self._is_new_group = False
        if self._left_to_skip:
            skipped = min(self._left_to_skip, len(data))
            self._left_to_skip -= skipped
            data = data[skipped:]
        if self._pending or any(byte > 0x7F for byte in data):
            # The second byte of a sign of East Asia may be written as a letter.
            self._pending_encoding = self._state.encoding
            self._pending += data
        else:
            self._say(data.decode("ascii"))

    def _decode(self) -> None:
        if self._pending:
            data, self._pending = bytes(self._pending), bytearray()
            self._say(data.decode(self._pending_encoding, errors="replace"))

    def _unicode(self, number: int) -> None:
        code = number % 0x10000
        self._left_to_skip = self._state.skipped_after
        if 0xD800 <= code < 0xDC00:
            self._high = code
        elif 0xDC00 <= code < 0xE000:
            if self._high is not None:
                self._put(chr(0x10000 + ((self._high - 0xD800) << 10) + code - 0xDC00))
            self._high = None
        else:
            self._put(chr(code))

    def _say(self, text: str) -> None:
        self._left_to_skip = 0
        self._put(text)

    def _put(self, text: str) -> None:
        goes_to = self._state.goes_to
        if goes_to in ("text", "note"):
            state = self._state
            if not (state.is_hidden or state.is_deleted or 0 < state.size <= _SMALLEST_SIZE):
                self._words.append(self._without_second_space(text))
                self._measure(text)
        elif goes_to == "mark":
            self._mark.append(text)
        elif goes_to in _INFO:
            self._document.said[goes_to] = self._document.said.get(goes_to, "") + text
        elif goes_to == "stylesheet":
            self._name_style(text)

    def _without_second_space(self, text: str) -> str:
        """The text; where a box stood between two spaces, one of them is enough."""
        is_second = self._is_behind_box and bool(self._words) and self._words[-1].endswith(" ")
        self._is_behind_box = False
        return text.removeprefix(" ") if is_second else text

    def _measure(self, text: str) -> None:
        # A number or a colon beside a name says nothing of how the name looks.
        if self._state.goes_to == "text" and not self._state.is_box and any(map(str.isalpha, text)):
            self._look = self._look.with_letters(self._state.size, is_bold=self._state.is_bold)
            self._paragraphs.lines.count(self._state.size, len(text))

    def _name_style(self, text: str) -> None:
        self._style_name.append(text)
        if ";" in text:
            name = "".join(self._style_name).partition(";")[0].strip()
            self._style_name = []
            found = _HEADING.fullmatch(name)
            if found:
                self._document.levels[self._style] = int(found[1])
            self._style = self._level = 0

    def _end_cell(self) -> None:
        if self._state.goes_to == "text":
            self._cells.append("".join(self._words).removesuffix("\n"))
            self._words, self._look = [], NO_LOOK

    def _end_row(self) -> None:
        if self._state.goes_to == "text":
            self._table.add(self._cells, self._edges[-len(self._cells) :])
        self._cells = []

    def _end_paragraph(self) -> None:
        self._decode()
        if self._in_table:
            self._words.append("\n")
            return
        self._end_row()
        paragraph = self._paragraph()
        self._words, self._mark, self._look = [], [], NO_LOOK
        if self._state.is_box:
            self._paragraphs.keep(paragraph)
            return
        # An empty line parts two tables, too.
        self._table.write(self._document.built)
        self._paragraphs.write(paragraph)

    def _paragraph(self) -> RtfParagraph:
        words, mark = "".join(self._words).strip(), one_line("".join(self._mark))
        if self._mark and not mark:
            # Some programs leave it to whoever shows the text what an item is marked with.
            mark = "•"
        indent = self._indent if self._first_indent < 0 else None
        return RtfParagraph(words, mark, self._level, self._look, self._list_level, indent)

    def _begin_box(self) -> bool:
        """A text box stands in the middle of a paragraph, which goes on behind it."""
        self._around = self._paragraph(), self._words, self._mark
        self._words, self._mark, self._level, self._list_level = [], [], 0, None
        self._indent = self._first_indent = 0
        self._state = replace(self._state, is_box=True, size=_USUAL_SIZE, is_bold=False)
        return True

    def _end_box(self) -> None:
        self._end_paragraph()
        self._in_table = False
        if self._around is not None:
            (_, _, self._level, self._look, self._list_level, indent), self._words, self._mark = self._around
            self._indent, self._first_indent = indent or 0, -1 if indent is not None else 0
        self._around = None
        self._is_behind_box = True
        if not self._words:
            self._table.write(self._document.built)
            self._paragraphs.write_boxes()


def _known(name: str) -> str | None:
    try:
        return codecs.lookup(name).name
    except LookupError:
        return None
