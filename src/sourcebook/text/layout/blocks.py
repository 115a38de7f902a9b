"""Splits a text into blocks: prose, list items, code, rows of tables, headings, and what is never quoted.

Only the text is looked at, whether it is Markdown or comes from a web page, a PDF or an office document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from sourcebook.text.layout.counted_lines import counted_lines


class BlockKind(StrEnum):
    TEXT = "text"
    ITEM = "item"
    CODE = "code"
    ROW = "row"
    RECORD = "record"
    """A named fact ("Price: 12 €"), or several that belong together, such as a row of a spreadsheet."""
    HEADING = "heading"
    DEBRIS = "debris"
    """Rulers, includes, wrappers, lines of contents, remarks of an editor: found, but never quoted."""


@dataclass(frozen=True, slots=True)
class Block:
    """A span of the text, without white space around it."""

    kind: BlockKind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    said: str
    indent: int
    is_first: bool
    """Whether nothing stands on the line before."""
    is_alone: bool

    @property
    def begin(self) -> int:
        return self.start + self.indent


_FENCE = re.compile(r"^[^\S\n]*(```+|~~~+)(.*)$", re.MULTILINE)
_DEBRIS = re.compile(
    r"""
    \{\*.*\*\} | \{!.*!\} | \{%.*%\}                        # includes of a documentation builder
  | /{3,}(?:\s.*)?                                          # fences of an admonition
  | :{3,}.*
  | </?(?:div|p|table|tbody|thead|tr|details|blockquote|img|br|hr|span|style|iframe|a|figure|source|video)\b[^\n]*>
  | !\[[^\]]*\]\([^)]*\) | \[!\[.*\]\(.*\) | \[[^\]]*\]:\s+\S+ | \[D\]
  | [-=_*~\s]{3,} | \|?[\s:|+-]{2,}\|? | \|
  | ==.*== | ГАРАНТ: .* | Информация\ об\ изменениях: .*    # remarks of an editor
  | (?:\d{1,2}\.){1,4} | \d{1,4}                            # a number without its heading, a page number
  | .*(?:(?:\.\s?){4,}|…\s?)\s*\d+                          # a line of contents with its page
  | \(continues\ on\ next\ page\) | \(продолжение\ (?:с\ предыдущей\ страницы|на\ следующей\ странице)\)
  | \(continua(?:ção)?\ [^)]*página[^)]*\)
    """,
    re.VERBOSE,
)
_HEADING = re.compile(
    r"#{1,6}\s+\S|(?:\d{1,2}\.){1,4}\d{1,2}\.?\s+[^\W\d]|(?:Глава|Capítulo|Chapter|Раздел|Часть)\s+\d"
)
_UNLIKE_A_HEADING = re.compile(r"[.:;,!…]$|[.!;] +[^\W\d_]")
_UNLIKE_AN_END = re.compile(r"[.:;,!…]$")
_NUMBERED_LABEL = re.compile(r"\d{1,2}[.)]\s+[^\W\d_][\w'’/&-]*(?: [\w'’/&-]+){0,5}")
# A clause of a regulation, "3.2. A stack is at most 1.8 m high.", is an item too; without a full stop it is a heading.
_ITEM = re.compile(
    r"(?:[-*•–+◦▪·]\s+|[-–—](?=[а-яё])|\(?\d{1,3}[.)]\s+|\(?[a-zа-я]\)\s+|\d{1,2}(?:\.\d{1,2}){1,3}\.?\s+(?=.*[.;:]$))\S"
)
_HEADING_NUMBER = re.compile(r"(?<=#)\s+\d{1,2}(?:\.\d{1,2})*\.?(?=\s)")
_ROW = re.compile(r"\|.*\|")
_FACT = re.compile(r"(?P<name>[^\W\d_][^:?!|`]{0,40}):[ \t]+\S.*")
# Letters and words that introduce questions, answers and notes. They name no fact.
_SPOKEN = re.compile(
    r"(?:q|a|question|answer|вопрос|ответ|в|о|p|r|pergunta|resposta|pregunta|respuesta|note|nb"
    r"|примечание|nota)\d*",
    re.IGNORECASE,
)
# A question at the beginning of a paragraph is a heading if it is in bold or follows a letter such as "Q:". A plain one
# may be rhetorical, unless the paragraph beside it begins with one as well.
_MARKED_QUESTION = re.compile(
    r"(?:\*\*|__)(?=\S)[^*_\n]{3,200}\?\s?(?:\*\*|__)"
    r"|(?:\*\*|__)?(?:q|question|вопрос|в|p|pergunta|pregunta)\d{0,3}[:.)](?:\*\*|__)?\s[^\n?]{3,200}\?(?=\s|$)",
    re.IGNORECASE,
)
_PLAIN_QUESTION = re.compile(r"[¿A-ZÀ-ÝА-ЯЁ][^.!?…;|\n]{7,160}\?(?=\s+\S)")
# A prompt, or a program whose name begins no sentence. Listings from a PDF have no fences.
_PROMPT = re.compile(
    r"(?:\$|>>>|%|\#)\s+[a-z./~_-][\w./~+-]*(?:\s.*)?$"
    r"|(?:sudo|export|apt(?:-get|-cache|-file)?|dpkg(?:-\w+)?|git|pip|uv|curl|wget|docker|cd)\s+[a-z./~-]\S*"
)
# A line by itself that does not look like a sentence: a program and its arguments.
_CALL = re.compile(r"(?:--?)?[a-z.~/$][\w.+/~-]*(?: +[\w./=$~\"'”’<>:@{}\[\]|,*-]+){0,12}")
_SIGNS = re.compile(r"(?: -|--|[\w.~]/\w|\\$|\w=\S|\w\(.*\)$|[{}]$|\w\.\w)|^[\w.-]+(?: [\w.-]+)?$")
_TYPED = re.compile(r"[a-z/~$.][\w./:~-]*(?: \S+){0,11}(?<![.:;!?…,])")
_SENTENCE_ENDS = (".", ":", ";", "!", "?", "…")
_SENTENCE_END = re.compile(r"[^\W\d_]{3}[.!?…] [^\W\d_a-zа-я]|[.!?…]$")
"""One at the end of a line or, after a word that is no abbreviation, within it."""
_NOT_AFTER_A_HEADING = (*_SENTENCE_ENDS, ",", "»", '"', "”", "-", "–", "—")
_LONGEST_HEADING = 10
_LONGEST_LABEL = 8
_LONGEST_NUMBERED_HEADING = 200
_ROWS_OF_A_TABLE = 3
_INDENT_OF_CODE = 4
_WRAPPED = 0.6
_NARROWEST_PAGE = 45
_FEWEST_WORDS = 3
_LONGEST_NAME = 5
_LONGEST_FACT = 200
_BETWEEN_CELLS = "; "
_NAMES_OF_A_ROW = 3
"""A row of so many cells is recognised alone; a shorter one needs another beside it."""
_LONGEST_LINE = 400
"""A longer line is taken for prose without a closer look."""


def blocks(text: str) -> list[Block]:
    """The blocks of a text, in order and without overlap. Every line that is not blank belongs to one."""
    found: list[Block] = []
    place = 0
    for kind, first, last in _fenced(text):
        found += _plain(text, place, first)
        found.append(Block(kind, first, last))
        place = last
    found += _plain(text, place, len(text))
    return [_code_if_announced(text, found, number) for number in range(len(found))]


def _code_if_announced(text: str, found: Sequence[Block], number: int) -> Block:
    """Code instead of text, if it stands alone after a colon and looks like something to type."""
    block = found[number]
    said = text[block.start : block.end]
    is_announced = (
        number > 0
        and text[found[number - 1].end - 1] == ":"
        and "\n\n" in text[found[number - 1].end : block.start + 1]
    )
    if block.kind is not BlockKind.TEXT or not is_announced or not _TYPED.fullmatch(said):
        return block
    return Block(BlockKind.CODE, block.start, block.end)


def _fenced(text: str) -> Iterator[tuple[BlockKind, int, int]]:
    """The fenced listings, with their fences. A passage may begin or end inside one."""
    fences = [(match.start(), match.end(), match[2].strip()) for match in _FENCE.finditer(text)]
    if len(fences) % 2 and not fences[0][2]:
        # An odd number, and the first names no language: it closes a listing that began before this passage.
        _, end, _ = fences.pop(0)
        yield BlockKind.CODE, 0, end
    while fences:
        start, end, _ = fences.pop(0)
        last = fences.pop(0)[1] if fences else len(text.rstrip())
        yield BlockKind.CODE, start, max(last, end)


def _plain(text: str, first: int, last: int) -> Iterator[Block]:
    paragraphs = list(_paragraphs(text, first, last))
    facts = [_fact_names(paragraph) or _column_names(paragraph) for paragraph in paragraphs]
    asked = [_question_first(paragraph) for paragraph in paragraphs]
    for number, paragraph in enumerate(paragraphs):
        names, question = facts[number], asked[number]
        following = paragraphs[number + 1][0] if number + 1 < len(paragraphs) else None
        around = slice(max(0, number - 1), number), slice(number + 1, number + 2)
        if question and (question.is_marked or any(any(asked[side]) for side in around)):
            yield Block(BlockKind.HEADING, question.start, question.end)
            yield from _of_paragraph(question.answer, following)
        elif any(_are_of_one_table(names, others) for side in around for others in facts[side]) or (
            len(paragraph) == 1 and len(names) >= _NAMES_OF_A_ROW
        ):
            yield Block(BlockKind.RECORD, paragraph[0].begin, paragraph[-1].end)
        elif names and len(paragraph) > 1:
            yield from _facts(paragraph)
        else:
            yield from _of_paragraph(paragraph, following)


@dataclass(frozen=True, slots=True)
class _Question:
    """A question that a paragraph begins with, and the lines that answer it."""

    start: int
    end: int
    is_marked: bool
    answer: Sequence[_Line]


def _question_first(lines: Sequence[_Line]) -> _Question | None:
    line = lines[0]
    marked = _MARKED_QUESTION.match(line.said)
    found = marked or _PLAIN_QUESTION.match(line.said)
    if found is None or line.indent >= _INDENT_OF_CODE:
        return None
    rest = line.said[found.end() :]
    answer = list(lines[1:])
    if said := rest.strip():
        skipped = found.end() + len(rest) - len(rest.lstrip())
        answer.insert(0, replace(line, start=line.start + skipped, said=said))
    if not answer:
        return None
    return _Question(line.begin, line.begin + found.end(), marked is not None, answer)


def _paragraphs(text: str, first: int, last: int) -> Iterator[list[_Line]]:
    """Runs of lines with nothing blank between them."""
    run: list[tuple[int, str]] = []
    at = first
    for line in text[first:last].splitlines(keepends=True):
        if line.strip():
            run.append((at, line))
        elif run:
            yield _lines(run)
            run = []
        at += len(line)
    if run:
        yield _lines(run)


def _fact_names(lines: Sequence[_Line]) -> tuple[str, ...]:
    """The names of the facts, if every line is one; the first line may be their title."""
    found = [_FACT.fullmatch(line.said) for line in lines]
    names = [match["name"] for match in found if match]
    told = found[1:] if found and found[0] is None else found
    is_list = len(names) > 1 and all(told) and all(len(line.said) <= _LONGEST_FACT for line in lines)
    if not is_list or any(len(name.split()) > _LONGEST_NAME or _SPOKEN.fullmatch(name) for name in names):
        return ()
    if any(line.said.endswith(("?", "\\")) or _ITEM.match(line.said) for line in lines) or _looks_typed(
        names
    ):
        return ()
    return tuple(names)


def _column_names(lines: Sequence[_Line]) -> tuple[str, ...]:
    """The names of the cells, if the line is a row: "Day: Sunday; Service: Mass; Time: 10:00"."""
    if len(lines) != 1 or len(lines[0].said) > _LONGEST_LINE or _ITEM.match(lines[0].said):
        return ()
    cells = lines[0].said.split(_BETWEEN_CELLS)
    found = [_FACT.fullmatch(cell) for cell in cells]
    names = [match["name"] for match in found if match]
    is_row = len(names) > 1 and 2 * len(names) > len(cells) and not lines[0].said.endswith("?")
    is_named = not any(len(name.split()) > _LONGEST_NAME or _SPOKEN.fullmatch(name) for name in names)
    return tuple(names) if is_row and is_named else ()


def _are_of_one_table(names: Sequence[str], others: Sequence[str]) -> bool:
    """Whether two paragraphs have most of their names in common, so that each is a row of one table."""
    shared = len(set(names) & set(others))
    return shared > 1 and 2 * shared > min(len(names), len(others))


def _looks_typed(names: Sequence[str]) -> bool:
    """Whether the names are keys of a configuration, which is code: none begins with a capital."""
    return not any(name[:1].isupper() for name in names)


def _facts(lines: Sequence[_Line]) -> Iterator[Block]:
    for number, line in enumerate(lines):
        is_title = not number and not _FACT.fullmatch(line.said)
        kind = BlockKind.HEADING if is_title and not _UNLIKE_A_HEADING.search(line.said) else BlockKind.RECORD
        yield Block(BlockKind.TEXT if is_title and kind is BlockKind.RECORD else kind, line.begin, line.end)


def _lines(run: Sequence[tuple[int, str]]) -> list[_Line]:
    return [
        _Line(
            start,
            start + len(line.rstrip()),
            line.strip(),
            len(line) - len(line.lstrip()),
            number == 0,
            len(run) == 1,
        )
        for number, (start, line) in enumerate(run)
    ]


def _of_paragraph(lines: Sequence[_Line], following: _Line | None) -> Iterator[Block]:
    """The blocks of a paragraph. `following` is the first line of the next one."""
    counted = counted_lines([line.said for line in lines]) if len(lines) > 1 else frozenset[int]()
    is_table = not counted and _is_table(lines)
    kind = _kind_of_whole(lines, following, is_table=is_table)
    if kind is None:
        yield from _by_lines(lines, counted, is_table=is_table)
    else:
        yield Block(kind, lines[0].begin, lines[-1].end)


def _kind_of_whole(lines: Sequence[_Line], following: _Line | None, *, is_table: bool) -> BlockKind | None:
    """The kind of a paragraph that is one block; None if its lines are looked at one by one."""
    if len(lines) == 1 and _is_over_clauses(lines[0].said, following):
        return BlockKind.HEADING
    if all(line.indent >= _INDENT_OF_CODE for line in lines) and not _ITEM.match(lines[0].said):
        return BlockKind.CODE if _looks_like_code(lines) else BlockKind.TEXT
    is_listing = is_table and sum(_is_call(line.said) for line in lines) > len(lines) / 2
    return BlockKind.CODE if is_listing else None


def _by_lines(lines: Sequence[_Line], counted: frozenset[int], *, is_table: bool) -> Iterator[Block]:
    width, indent = max(len(line.said) for line in lines), min(line.indent for line in lines)
    kind, begin, end = BlockKind.DEBRIS, 0, 0
    for number, line in enumerate(lines):
        own = _kind_of(line, lines[number + 1] if number + 1 < len(lines) else None)
        if own is BlockKind.TEXT and is_table:
            own = BlockKind.ROW
        elif own is BlockKind.TEXT and number in counted:
            own = BlockKind.ITEM
        is_parted = (
            kind is BlockKind.ITEM
            and line.indent == indent
            and number > 0
            and _is_after_item(lines[number - 1], line, width)
        )
        if end and not is_parted and _goes_on(kind, own, line):
            end = line.end
            continue
        if end:
            yield Block(kind, begin, end)
        kind, begin, end = own, line.begin, line.end
    yield Block(kind, begin, end)


def _is_after_item(before: _Line, line: _Line, width: int) -> bool:
    """Whether a line is not part of the item above, which ended although the next word would have fitted."""
    has_room = before.indent + len(before.said) + len(line.said.split(maxsplit=1)[0]) < width
    return has_room and before.said.endswith(_SENTENCE_ENDS) and line.said[:1].isupper()


def _goes_on(kind: BlockKind, own: BlockKind, line: _Line) -> bool:
    """Whether a line continues the block above: a sentence that runs on, or the output of a command."""
    if kind is BlockKind.CODE:
        return own is BlockKind.CODE or (own is BlockKind.TEXT and not line.said.endswith(_SENTENCE_ENDS))
    return own is BlockKind.TEXT and kind in (BlockKind.TEXT, BlockKind.ITEM)


def _kind_of(line: _Line, following: _Line | None) -> BlockKind:
    said = line.said
    if len(said) > _LONGEST_LINE:
        return (
            BlockKind.ROW if _ROW.fullmatch(said) else BlockKind.ITEM if _ITEM.match(said) else BlockKind.TEXT
        )
    if _DEBRIS.fullmatch(said):
        return BlockKind.DEBRIS
    if _ROW.fullmatch(said):
        return BlockKind.ROW
    if _PROMPT.match(said) and not said.endswith((".", ":")):
        return BlockKind.CODE
    if line.is_alone and _is_call(said):
        return BlockKind.CODE
    if len(said) <= _LONGEST_NUMBERED_HEADING and _is_marked_heading(said):
        return BlockKind.HEADING
    if _ITEM.match(said):
        is_title = line.is_alone and said.isupper() and len(said.split()) <= _LONGEST_HEADING
        is_title = is_title or _is_over_clauses(said, following) or _is_numbered_label(line, following)
        return BlockKind.HEADING if is_title else BlockKind.ITEM
    return BlockKind.HEADING if _is_heading(line, following) else BlockKind.TEXT


def _is_marked_heading(said: str) -> bool:
    """Whether a mark or a number makes a line a heading. One of two marks or more may have sentences: "Lost? Ask"."""
    if not _HEADING.match(said):
        return False
    bare = _HEADING_NUMBER.sub("", said.rstrip("}"))
    return not (_UNLIKE_AN_END if said.startswith("##") else _UNLIKE_A_HEADING).search(bare)


def _is_numbered_label(line: _Line, following: _Line | None) -> bool:
    """Whether a numbered line is the heading of the sentences right below it: "2. Glazing" above "Leave the foot …"."""
    label = _NUMBERED_LABEL.fullmatch(line.said)
    if label is None or not line.is_first or following is None or _ITEM.match(following.said):
        return False
    is_below = following.said[:1].isupper() and len(following.said) > len(line.said)
    return is_below and following.indent <= line.indent and following.said.endswith(_SENTENCE_ENDS)


def _is_over_clauses(said: str, following: _Line | None) -> bool:
    """Whether a numbered line is the heading of the clauses below it: "3. Keys" above "3.1 The tenant gets …"."""
    number = said.partition(".")[0]
    is_over = following is not None and following.said.startswith(f"{number}.1")
    return is_over and number.isdigit() and not said.endswith(_NOT_AFTER_A_HEADING)


def _is_call(said: str) -> bool:
    said = said.rstrip("\\ ")
    return (
        said.isascii()
        and not said.endswith((".", ",", ";"))
        and _CALL.fullmatch(said) is not None
        and _SIGNS.search(said) is not None
    )


def _is_heading(line: _Line, following: _Line | None) -> bool:
    """Whether a line is a heading: short and alone, a question alone, or a label above a sentence."""
    said, count = line.said, len(line.said.split())
    if line.is_alone:
        return said.rstrip("*_ !").endswith("?") or (
            count <= _LONGEST_HEADING
            and (said[:1].isupper() or said[:1].isdigit())
            and ": " not in said
            and not said.endswith((*_NOT_AFTER_A_HEADING, ")", "`"))
        )
    if (
        not line.is_first
        or following is None
        or count > _LONGEST_LABEL
        or said.endswith(_NOT_AFTER_A_HEADING)
    ):
        return False
    if _ITEM.match(following.said):
        return said[:1].isupper() or said[:1].isdigit()
    return (
        following.said[:1].isupper()
        and len(following.said) > len(said)
        and following.said.endswith(_SENTENCE_ENDS)
    )


def _is_table(lines: Sequence[_Line]) -> bool:
    """Whether lines are rows of a table that lost its rulers: most end although the next word would have fitted."""
    if len(lines) < _ROWS_OF_A_TABLE:
        return False
    if any(_ITEM.match(line.said) or _ROW.fullmatch(line.said) for line in lines):
        return False
    width = max(len(line.said) for line in lines)
    if width < _NARROWEST_PAGE:
        return not any(line.said.endswith((".", "!", "?", "…")) for line in lines)
    ended = sum(_SENTENCE_END.search(line.said) is not None for line in lines)
    pairs = list(pairwise(lines))
    wrapped = sum(len(a.said) + 1 + len(b.said.split()[0]) > width - 2 for a, b in pairs)
    return wrapped < _WRAPPED * len(pairs) and ended < len(lines) / 2


def _looks_like_code(lines: Sequence[_Line]) -> bool:
    """Whether indented lines are code, and not a paragraph of a list item, which ends like a sentence."""
    return not lines[-1].said.endswith((".", "!", "?", ":")) or len(lines[-1].said.split()) < _FEWEST_WORDS
