"""Splits a passage into units (sentences, list items, rows, listings), and tells which belong together."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sourcebook.text.layout.blocks import Block, BlockKind, blocks
from sourcebook.text.layout.sheet_rows import Cell, question_and_answer, rows_of_sheets, rows_of_tables
from sourcebook.text.layout.tables import named_rows
from sourcebook.text.sentences import sentence_spans

_LONGEST_ITEM = 300
# What announces a list or a listing: a colon, or words that say so.
_LEAD_IN = re.compile(
    r"(?:[:：]|\b(?:as follows|(?:the )?following(?: \w+)?|like this|with this|below|следующее|следующим образом|так"
    r"|ниже|a seguir|(?:o|do) seguinte|seguintes?|abaixo|assim|linha de comandos)\s*\.?)\s*$",
    re.IGNORECASE,
)
# What announces several things, even if they follow only after another sentence: "Here are some. You may use each:".
_ANNOUNCES = re.compile(
    r"\b(?:(?:here|these|there) are (?:some|several|many|a few|the)|(?:the )?following|вот|следующ(?:ие|их|ими)"
    r"|(?:aqui estão|estes são|há) (?:alguns|algumas|vários|várias|os|as)|(?:os|as) seguintes"
    r"|(?:aquí están|estos son|hay) (?:algunos|algunas|varios|varias|los|las)|(?:los|las) siguientes)\b",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    r"\W*(?:"
    r"(?:(?:because of|thanks to|due to|by|with|without|after|before|instead of|in|on|at|for|from|under|of|to|besides"
    r"|despite) )?(?:this|these|those|them|such)"
    r"|(?:(?:because of|thanks to|due to|by|with|without|after|instead of|in|for|to) )?that(?:'s)?"
    r"|it(?:'s)?|its|they|their|he|his|she|her|both|neither|the (?:first|second|third|latter|former|same|other)"
    r"|then|so|but|and|also|otherwise|however|therefore|thus|hence|instead|moreover|furthermore|besides|nevertheless"
    r"|even so|for (?:example|instance)|in addition|as a result"
    r"|(?:(?:для|при|после|из-за|кроме|вместо|благодаря|без|до|от|с|со|за|к|по|под|над|в|во|на|о|об|из) )?"
    r"(?:это|этот|эта|эту|эти|этого|этой|этому|этом|этим|этих|этими|такой|такая|такое|такие|таких|том|тем|того)"
    r"|он|она|оно|они|его|ее|её|их|им|ему|оба|обе|перв(?:ый|ая|ое)|втор(?:ой|ая|ое)|последн(?:ий|яя|ее)"
    r"|тогда|поэтому|но|а|и|также|затем|однако|иначе|зато|следовательно|таким образом|кроме того|например|тем не менее"
    r"|в противном случае|в результате"
    r"|(?:(?:para|por|com|sem|após|sob|além d|depois d|antes d|graças a|devido a|apesar d) ?)?"
    r"(?:isso|isto|est[ea]s?|ess[ea]s?)|(?:n|d)(?:isso|isto|est[ea]s?|ess[ea]s?|el[ea]s?)"
    r"|el[ea]s?|seus?|suas?|tal|tais|ambos|ambas|[oa] (?:primeir[oa]|segund[oa]|últim[oa]|mesm[oa])"
    r"|então|mas|e|também|assim|porém|contudo|no entanto|portanto|além disso|por exemplo|caso contrário|por isso"
    r"|(?:(?:para|por|con|sin|en|de|desde|tras|según|después de|antes de|gracias a|debido a|a pesar de) )?"
    r"(?:esto|estos|eso|esos|esas|ello|aquello)|ellos|ellas|sus?|ambos"
    r"|(?:el|la) (?:primer[oa]|segund[oa]|últim[oa]|mism[oa])"
    r"|entonces|pero|y|también|así|sin embargo|por lo tanto|además|por ejemplo|de lo contrario"
    # "Bigger ones", "yes, if …", "return it to the desk", "возвращаем его".
    r"|\w+ ones|yes|да|sim|sí"
    r"|(?!(?:if|when|as|where|while|since|because|until|unless|whether|once|before|after|though|although|that|and) )"
    r"[a-z]+ (?:it|them)|[а-яё]+ (?:его|е[её]|их)"
    r")(?![\w-])",
    re.IGNORECASE,
)
# A label that begins a paragraph: "**My account is locked.** Wait for half an hour."
_LABEL = re.compile(r"\W*(?:\*\*|__)[^*_\n]+(?:\*\*|__)\W*")
# An answer to a yes-or-no question; the next sentence adds to it.
_VERDICT = re.compile(
    r"(?:(?:yes|no|да|нет|sim|não|sí|ja|nein|oui|non)(?:[,\s]\s*\w+)?|нельзя|можно|never|nunca|никогда)\W*",
    re.IGNORECASE,
)
_MOST_WORDS_OF_A_CASE = 5
# How a sentence begins that may reverse the one before: "But now it is gone."
_GOES_ON = re.compile(
    r"\W*(?:but|however|nevertheless|nonetheless|even so|yet|this|that(?:'s)?|these|those"
    r"|(?:because of|thanks to|due to) (?:this|that)"
    r"|но|однако|зато|тем не менее|вс[её] же|впрочем|это|этот|эта|эти|(?:из-за|благодаря) этого|благодаря этому|поэтому"
    r"|mas|porém|contudo|no entanto|mesmo assim|ainda assim|todavia|isso|isto|por isso"
    r"|(?:graças a|devido a) (?:isso|isto))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Unit:
    """A span of the text, the number of its block, and the span of the heading above it."""

    kind: BlockKind
    start: int
    end: int
    block: int
    heading: tuple[int, int] | None
    indent: int = 0
    """The indent of a list item."""
    is_header: bool = False
    """Whether it is the first row of a table, which names the columns."""


@dataclass(frozen=True, slots=True)
class Units:
    """The units of a text in their order, without headings and debris."""

    content: str
    all: Sequence[Unit]
    named: Mapping[tuple[int, int], str] = field(default_factory=dict[tuple[int, int], str])
    """Rows of tables with the names of their columns, by their span."""

    @classmethod
    def of(cls, content: str) -> Units:
        units: list[Unit] = []
        heading: tuple[int, int] | None = None
        found = blocks(content)
        rows = rows_of_sheets(content, [(b.start, b.end) for b in found if b.kind is BlockKind.TEXT])
        in_tables = rows_of_tables(content)
        for number, block in enumerate(found):
            indent = block.start - (content.rfind("\n", 0, block.start) + 1)
            if block.kind is BlockKind.HEADING:
                heading = (block.start, block.end)
            elif block.kind is not BlockKind.DEBRIS:
                is_header = block.kind is BlockKind.ROW and _is_header(found, number)
                row = rows.get(block.start, ())
                faq = question_and_answer(row or in_tables.get(block.start, ()))
                kind = BlockKind.TEXT if faq else block.kind
                spans = _spans(content, block, row, faq)
                over = (faq[0].start, faq[0].end) if faq else heading
                units += [Unit(kind, start, end, number, over, indent, is_header) for start, end in spans]
        return cls(content, units, named_rows(content))

    def __len__(self) -> int:
        return len(self.all)

    def __getitem__(self, i: int) -> Unit:
        return self.all[i]

    def text(self, i: int) -> str:
        return self.content[self.all[i].start : self.all[i].end]

    def named_row(self, i: int) -> str | None:
        """A row with the names of its columns; None if they are not known."""
        return self.named.get((self.all[i].start, self.all[i].end))

    def row(self, i: int) -> str:
        """`named_row`, or the text of the unit if there is none."""
        return self.named_row(i) or self.text(i)

    def header_of(self, i: int) -> int | None:
        """The first row of the table that a row is in."""
        if self.all[i].kind is not BlockKind.ROW:
            return None
        while i and self.all[i - 1].kind is BlockKind.ROW:
            i -= 1
        return i

    def is_lead_in(self, i: int) -> bool:
        """Whether a unit announces something, whether or not that follows."""
        return _LEAD_IN.search(self.text(i)) is not None

    def leads(self, i: int) -> bool:
        """Whether a unit announces the next one: a list, a listing or a table."""
        if i + 1 >= len(self.all) or self.all[i].heading != self.all[i + 1].heading:
            return False
        match self.all[i].kind, self.all[i + 1].kind:
            case BlockKind.TEXT, BlockKind.CODE:
                return True
            case (BlockKind.TEXT, BlockKind.ITEM) | (BlockKind.ITEM, BlockKind.CODE):
                return self.is_lead_in(i)
            case BlockKind.TEXT, BlockKind.TEXT if self.all[i].block == self.all[i + 1].block:
                announces = _ANNOUNCES.search(self.text(i)) is not None and self.leads(i + 1)
                return announces or self.text(i).endswith((":", "："))
            case ((BlockKind.TEXT | BlockKind.ITEM), _):
                return self.text(i).endswith((":", "："))
            case _:
                return False

    def end_of_list(self, i: int) -> int:
        """The last item of the list that a unit announces; the unit itself if it announces none."""
        if self.all[i].kind is not BlockKind.TEXT or not self.leads(i):
            return i
        last = i
        while (
            last + 1 < len(self.all)
            and self.all[last + 1].kind is BlockKind.ITEM
            and self.all[last + 1].heading == self.all[i].heading
        ):
            last += 1
        return last

    def goes_on(self, i: int) -> bool:
        """Whether the next unit continues this one: it begins with "but" or "this", or is the rest of a broken row."""
        if i + 1 >= len(self.all) or self.all[i].heading != self.all[i + 1].heading:
            return False
        match self.all[i].kind, self.all[i + 1].kind:
            case BlockKind.TEXT, BlockKind.TEXT:
                return _GOES_ON.match(self.text(i + 1)) is not None
            case BlockKind.ROW, BlockKind.ROW:
                return self.text(i).count("(") > self.text(i).count(")")
            case _:
                return False

    def needs_before(self, i: int) -> bool:
        """Whether a unit needs the one before: a listing, the first item of a list, a sentence with "this" or "it"."""
        if not i or self.all[i - 1].heading != self.all[i].heading:
            return False
        before = self.all[i - 1].kind
        match self.all[i].kind:
            case BlockKind.CODE:
                return before in (BlockKind.TEXT, BlockKind.ITEM)
            case BlockKind.ITEM | BlockKind.ROW:
                return before is BlockKind.TEXT and self.leads(i - 1)
            case _:
                is_told = before in (BlockKind.TEXT, BlockKind.CODE)
                return is_told and (_POINTS_BACK.match(self.text(i)) is not None or self._is_announced(i))

    def _is_announced(self, i: int) -> bool:
        """Whether the unit before is a case ("Lost it?"), a label, or "yes" or "no", which this one continues."""
        if self.all[i - 1].block != self.all[i].block:
            return False
        said = self.text(i - 1)
        is_case = said.endswith("?") and len(said.split()) <= _MOST_WORDS_OF_A_CASE
        if is_case:
            return not self.text(i).endswith("?")
        return _LABEL.fullmatch(said) is not None or _VERDICT.fullmatch(said) is not None


def _spans(
    content: str, block: Block, row: Sequence[Cell], faq: tuple[Cell, Cell] | None
) -> list[tuple[int, int]]:
    """The spans of a block's units: sentences of prose, of long items and long rows, other blocks as a whole.

    Of a question with its answer in a sheet, the question is the heading.
    """
    start, end = (faq[1].start, faq[1].end) if faq else (block.start, block.end)
    is_split_if_long = bool(row or faq) or block.kind is BlockKind.ITEM
    is_whole = end - start <= _LONGEST_ITEM if is_split_if_long else block.kind is not BlockKind.TEXT
    if is_whole:
        return [(start, end)]
    return [(start + first, start + last) for first, last in sentence_spans(content[start:end])]


def _is_header(found: Sequence[Block], number: int) -> bool:
    """Whether a row is the first of its table and others follow. The ruler below a header is not a row."""
    before = found[number - 1] if number else None
    if before is not None and before.kind is BlockKind.DEBRIS and number > 1:
        before = found[number - 2]
    is_first = before is None or before.kind is not BlockKind.ROW
    return is_first and any(
        block.kind in (BlockKind.ROW, BlockKind.DEBRIS) for block in found[number + 1 : number + 2]
    )
