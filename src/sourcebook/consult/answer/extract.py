"""An answer without a model: one excerpt of what was found, around the sentence that says most about the question.

A passage is cut into units that a reader takes as one: a sentence, a list item, a row of a table, a listing. The unit
that answers best brings along what it cannot do without (what it leads into, what leads to it), then its neighbours, as
far as an answer may be long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from sourcebook.consult.answer.clean_markdown import clean_block, markdown_of
from sourcebook.consult.question.forms import AnswerForm, AskedForms
from sourcebook.text.analysis import analyse
from sourcebook.text.blocks import BlockKind, blocks
from sourcebook.text.languages import detect_language
from sourcebook.text.sentences import sentence_spans

if TYPE_CHECKING:
    from sourcebook.model.search import SearchResult

LONGEST = 396
"""How many characters an excerpt is filled up to. A unit that is longer by itself is cut."""
_LONGEST_ITEM = 300
_SHORTEST_SHARED_BEGINNING = 5
_WORTH_OF_NOW = 2.0
_FEWEST_WORDS = 3
_LETTERS_THAT_TELL = 20
_SHORTEST_SECOND = 60
_SECOND_AS_GOOD = 0.7
_LEAST_ADDED = 0.25
_ALIKE = 0.6

_WORTH_OF_CONTEXT = 0.5
_WORTH_OF_NEAREST_CHILD = 0.3
_WORTH_OF_A_FORM = 0.25
_WORTH_OF_PASSAGE = 0.5
_WORTH_OF_SEARCH = 0.25
_WORTH_OF_OWN_LANGUAGE = 0.3
_PRICE_OF_NEWS = 0.7
_PRICE_OF_A_QUESTION = 0.5
_PRICE_OF_A_POINTER = 0.4
_WORTH_OF_NEAREST_CHILD_ACROSS = 1.0
_LINES_OF_CONTENTS = 4

_NEWS = re.compile(r"(?:^|/)(?:release[-_]?notes|changelog|changes|history|news)\.\w+$", re.IGNORECASE)
# A sentence that only says where to read on.
_POINTER = re.compile(
    r"\b(?:see|refer to|described in|см|смотрите|veja|ver|consulte)\b\.?[^.]{0,30}"
    r"\b(?:section|chapter|appendix|раздел\w*|глав\w+|приложени\w+|secção|seção|capítulo|apêndice)\b",
    re.IGNORECASE,
)
_LINE_OF_CONTENTS = re.compile(r"^\s*(?:[-*•]\s+)?(?:\[?\d{1,2}\.(?:\d{1,2}\.?)+\s+\S|.*(?:…|(?:\.\s?){4,})\s*\d+\s*$)", re.MULTILINE)
# What announces a list or a listing: a colon, or words that say so where every sentence ends with a dot.
_LEAD_IN = re.compile(
    r"(?:[:：]|\b(?:as follows|(?:the )?following(?: \w+)?|like this|with this|below|следующее|следующим образом|так"
    r"|ниже|a seguir|(?:o|do) seguinte|seguintes?|abaixo|assim|linha de comandos)\s*\.?)\s*$",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    r"\W*(?:this|that(?:'s)?|these|those|it(?:'s)?|its|they|their|he|his|she|her|then|so|but|and|also|otherwise|in (?:this|that) case"
    r"|for (?:this|that)|это|этот|эта|эти|этого|этом|он|она|оно|они|его|ее|её|их|тогда|поэтому|но|а|и|также|затем|для этого"
    r"|при этом|isso|isto|este|esta|estes|estas|esse|essa|ele|ela|eles|elas|seus?|suas?|então|mas|e|também|n[eo]sse|n[eo]ste"
    r"|para isso|assim)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Extract:
    """A stretch of a passage, as a span of the passage's content, and how it is shown.

    `highlight` are the words that carry the answer, as spans of the stretch.
    """

    passage: int
    start: int
    end: int
    text: str
    highlight: tuple[tuple[int, int], ...]
    score: float


def held_share(weights: Mapping[str, float], text: str, language: str | None) -> float:
    """Which part of a question's weight the text holds. Long words count as held if a form of theirs is there."""
    return share_of_weight(weights, set(analyse(text, language)))


def share_of_weight(weights: Mapping[str, float], terms: set[str]) -> float:
    """`held_share` of a text whose terms are known."""
    total = sum(weights.values())
    if not total:
        return 0.0
    beginnings = {
        term[:_SHORTEST_SHARED_BEGINNING] for term in terms if len(term) > _SHORTEST_SHARED_BEGINNING
    }
    held = sum(weight for term, weight in weights.items() if _is_held(term, terms, beginnings))
    return held / total


def emphasised(weights: Mapping[str, float], question: str, language: str | None) -> dict[str, float]:
    """The weights with what was asked just now counting twice. A follow-up is searched with the question before it."""
    own = set(analyse(question, language))
    return {term: weight * (_WORTH_OF_NOW if term in own else 1.0) for term, weight in weights.items()}


def _is_held(term: str, terms: set[str], beginnings: set[str]) -> bool:
    if term in terms:
        return True
    # Stems of one word sometimes differ ("поставок", "поставка"); a number is never like another.
    return (
        len(term) > _SHORTEST_SHARED_BEGINNING
        and not term.isdigit()
        and (term[:_SHORTEST_SHARED_BEGINNING] in beginnings)
    )


@dataclass(frozen=True, slots=True)
class _Unit:
    """A span of the content that is read as one, the block that it is (part) of, and the heading that it is under."""

    kind: BlockKind
    start: int
    end: int
    block: int
    heading: tuple[int, int] | None
    indent: int = 0
    """How far a list item stands from the margin."""
    is_header: bool = False
    """Whether it is the first row of a table, which names the columns."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: what its words are worth, the language of the words, the asker's own, and what it asks for.

    `language` is None if each passage is to tell its own.
    """

    question: str
    weights: Mapping[str, float]
    language: str | None = None
    spoken: str | None = None

    @property
    def forms(self) -> AskedForms:
        return AskedForms(self.question)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """The best unit of a passage, among its units with their scores."""

    passage: int
    units: Sequence[_Unit]
    scores: Sequence[float]
    best: int
    score: float


def extract(asked: Asked, passages: Sequence[SearchResult]) -> list[Extract]:
    """The excerpt that answers best, as a list of one; of none if no passage has anything to say.

    The first passage is preferred as much as the search puts it above the others, and one in the asker's language to one
    in another.
    """
    forms = asked.forms
    found = [
        candidate
        for place, passage in enumerate(passages)
        if (candidate := _candidate(asked, forms, place, passage, passages[0].score)) is not None
    ]
    if not found:
        return []
    best = max(found, key=lambda candidate: candidate.score)
    first = _grown(passages[best.passage].chunk.content, best, asked, forms)
    return [first, *_second(first, best, found, passages, asked, forms)]


def _second(
    first: Extract,
    best: _Candidate,
    found: Sequence[_Candidate],
    passages: Sequence[SearchResult],
    asked: Asked,
    forms: AskedForms,
) -> Iterator[Extract]:
    """Another excerpt, if it names or gives something asked for that the first lacks, and there is room for it."""
    room = LONGEST - len(first.text) - 2
    if room < _SHORTEST_SECOND:
        return
    passage = passages[first.passage]
    language = asked.language or detect_language(passage.chunk.content)
    said = passage.chunk.content[first.start : first.end]
    held = set(analyse(f"{passage.document_title or ''} {passage.chunk.section or ''} {said}", language))
    missing = {term: weight for term, weight in asked.weights.items() if not share_of_weight({term: weight}, held)}
    lacking = sum(missing.values()) / (sum(asked.weights.values()) or 1.0)
    unmet = forms.forms - forms.met_by(said)
    options: list[tuple[float, int, int]] = []
    for candidate in found:
        content = passages[candidate.passage].chunk.content
        for i, unit in enumerate(candidate.units):
            text = content[unit.start : unit.end]
            terms = set(analyse(text, language))
            adds = lacking * share_of_weight(missing, terms) if missing else 0.0
            is_new = len(terms & held) < _ALIKE * len(terms)
            given = unmet & forms.met_by(text)
            if (
                is_new
                and candidate.scores[i] >= _SECOND_AS_GOOD * best.scores[best.best]
                and adds >= _LEAST_ADDED
                and _size(unit.kind, text) <= room
            ):
                options.append((candidate.scores[i] + adds - candidate.passage * 0.01, candidate.passage, i))
    if options:
        _, place, i = max(options)
        chosen = next(candidate for candidate in found if candidate.passage == place)
        content = passages[place].chunk.content
        yield _shown(content, _Candidate(place, chosen.units, chosen.scores, i, chosen.score), i, i, None)


def _candidate(
    asked: Asked, forms: AskedForms, place: int, passage: SearchResult, first_score: float
) -> _Candidate | None:
    content = passage.chunk.content
    units = _units(content)
    if not units or _is_contents(content):
        return None
    own = detect_language(content)
    language = asked.language or own
    is_across = asked.spoken is not None and own is not None and own != asked.spoken
    scores = _scores(asked, forms, passage, units, language, is_across=is_across)
    best = max(range(len(units)), key=lambda i: scores[i])
    if scores[best] <= 0:
        return None
    worth = scores[best]
    worth += _WORTH_OF_PASSAGE * held_share(
        asked.weights, f"{passage.document_title or ''}\n{passage.chunk.section or ''}\n{content}", language
    )
    worth -= _WORTH_OF_SEARCH * (first_score - passage.score)
    worth += _WORTH_OF_OWN_LANGUAGE * (asked.spoken is not None and own == asked.spoken)
    worth -= _PRICE_OF_NEWS * (_NEWS.search(passage.document_path) is not None)
    return _Candidate(place, units, scores, best, worth)


def _is_contents(content: str) -> bool:
    """Whether most lines name other places: a table of contents, found but never quoted."""
    lines = sum(bool(line.strip()) for line in content.splitlines())
    return lines > _LINES_OF_CONTENTS and 2 * len(_LINE_OF_CONTENTS.findall(content)) > lines


def _scores(
    asked: Asked,
    forms: AskedForms,
    passage: SearchResult,
    units: Sequence[_Unit],
    language: str | None,
    *,
    is_across: bool = False,
) -> list[float]:
    """What each unit is worth: the words of the question that it holds, alone and where it stands, and what it gives.

    In another language than the question's, words tell little, and how near a unit is in meaning tells more.
    """
    near = _WORTH_OF_NEAREST_CHILD_ACROSS if is_across else _WORTH_OF_NEAREST_CHILD
    content, first = passage.chunk.content, passage.chunk.start_index
    title = set(analyse(f"{passage.document_title or ''} {passage.chunk.section or ''}", language))
    terms = [set(analyse(content[unit.start : unit.end], language)) for unit in units]
    scores: list[float] = []
    for i, unit in enumerate(units):
        said = content[unit.start : unit.end]
        around = title | terms[i] | (terms[i - 1] if i else set())
        if unit.heading:
            around |= set(analyse(content[slice(*unit.heading)], language))
        if header := _header_of(units, i):
            around |= terms[header]
        share = share_of_weight(asked.weights, terms[i])
        nearest = max(
            (m.score for m in passage.matched if m.start_index - first < unit.end and m.end_index - first > unit.start),
            default=0.0,
        )
        given = said
        if _leads(content, units, i):
            given += "\n" + content[units[i + 1].start : units[i + 1].end]
        score = share + _WORTH_OF_CONTEXT * share_of_weight(asked.weights, around)
        score += near * max(nearest, 0.0)
        score += _WORTH_OF_A_FORM * len(forms.met_by(given))
        score -= _PRICE_OF_A_POINTER * (_POINTER.search(said) is not None)
        score -= _PRICE_OF_A_QUESTION * said.rstrip().endswith("?")
        is_empty = unit.is_header or (unit.kind is not BlockKind.CODE and len(said.split()) < _FEWEST_WORDS)
        scores.append(0.0 if is_empty or (not share and not nearest) else score)
    return scores


def _header_of(units: Sequence[_Unit], i: int) -> int | None:
    if units[i].kind is not BlockKind.ROW:
        return None
    while i and units[i - 1].kind is BlockKind.ROW:
        i -= 1
    return i


def _units(content: str) -> list[_Unit]:
    """The units of a passage. Headings are where they stand under; debris is none."""
    units: list[_Unit] = []
    heading: tuple[int, int] | None = None
    found = blocks(content)
    for number, block in enumerate(found):
        indent = block.start - (content.rfind("\n", 0, block.start) + 1)
        if block.kind is BlockKind.HEADING:
            heading = (block.start, block.end)
        elif block.kind is BlockKind.DEBRIS:
            continue
        elif block.kind is BlockKind.TEXT or (
            block.kind is BlockKind.ITEM and block.end - block.start > _LONGEST_ITEM
        ):
            units += [
                _Unit(block.kind, block.start + start, block.start + end, number, heading, indent)
                for start, end in sentence_spans(content[block.start : block.end])
            ]
        else:
            is_header = block.kind is BlockKind.ROW and (not number or found[number - 1].kind is not BlockKind.ROW)
            is_header &= number + 1 < len(found) and found[number + 1].kind in (BlockKind.ROW, BlockKind.DEBRIS)
            units.append(_Unit(block.kind, block.start, block.end, number, heading, indent, is_header))
    return units


def _leads(content: str, units: Sequence[_Unit], i: int) -> bool:
    """Whether what follows a unit belongs to it: the list, the listing or the table that it announces."""
    if i + 1 >= len(units) or units[i].heading != units[i + 1].heading:
        return False
    after, said = units[i + 1].kind, content[units[i].start : units[i].end]
    if units[i].kind not in (BlockKind.TEXT, BlockKind.ITEM):
        return False
    if after is BlockKind.CODE:
        return bool(_LEAD_IN.search(said)) or units[i].kind is BlockKind.TEXT
    if after is BlockKind.ITEM and units[i].kind is BlockKind.TEXT:
        return bool(_LEAD_IN.search(said))
    return bool(_LEAD_IN.search(said)) and said.rstrip().endswith((":", "："))


def _grown(content: str, candidate: _Candidate, asked: Asked, forms: AskedForms) -> Extract:
    """From one unit to a stretch: first what it cannot do without, then the better neighbour while there is room."""
    units, scores, best = candidate.units, candidate.scores, candidate.best
    sizes = [_size(unit.kind, content[unit.start : unit.end]) for unit in units]
    if sizes[best] > LONGEST:
        return _cut(content, candidate, asked, forms)

    def fits(low: int, high: int) -> bool:
        return sum(sizes[low : high + 1]) + high - low <= LONGEST

    low = high = best
    while _needs_before(content, units, low) and fits(low - 1, high):
        low -= 1
    while high + 1 < len(units) and fits(low, high + 1):
        if not (_leads(content, units, high) or _is_listed_with(units, high, best)):
            break
        high += 1
    while True:
        sides = [
            (scores[side], low_, high_)
            for side, low_, high_ in _extensions(content, units, scores, low, high)
            if fits(low_, high_) and _is_welcome(content, units, best, side)
        ]
        if not sides:
            break
        _, low, high = max(sides)
    heading = _heading_over(content, candidate, low, high, asked, LONGEST - sum(sizes[low : high + 1]) - high + low)
    return _shown(content, candidate, low, high, heading)


def _size(kind: BlockKind, text: str) -> int:
    """How many characters a reader reads, without the marks of code and emphasis."""
    shown = clean_block(kind, text)
    return len(shown) - shown.count("`") - shown.count("*")


def _needs_before(content: str, units: Sequence[_Unit], i: int) -> bool:
    """Whether a unit says too little without the one before: a listing, the first of a list, "this" and "it"."""
    if not i or units[i - 1].heading != units[i].heading:
        return False
    before = units[i - 1].kind
    match units[i].kind:
        case BlockKind.CODE:
            return before in (BlockKind.TEXT, BlockKind.ITEM)
        case BlockKind.ITEM | BlockKind.ROW:
            return before is BlockKind.TEXT and _leads(content, units, i - 1)
        case _:
            return before is BlockKind.TEXT and bool(_POINTS_BACK.match(content, units[i].start, units[i].end))


def _is_listed_with(units: Sequence[_Unit], i: int, best: int) -> bool:
    """Whether the next unit goes on with a list that the answer led into."""
    return units[i].kind is units[i + 1].kind is BlockKind.ITEM and units[best].kind is BlockKind.TEXT


def _extensions(
    content: str, units: Sequence[_Unit], scores: Sequence[float], low: int, high: int
) -> Iterator[tuple[int, int, int]]:
    """The neighbours that may come along: under the same heading, prose with prose, rows with rows of their table."""
    if low and _belong_together(units, scores, low, low - 1) and _may_begin(content, units, scores, low - 1):
        yield low - 1, low - 1, high
    if high + 1 < len(units) and _belong_together(units, scores, high, high + 1):
        yield high + 1, low, high + 1 + _leads(content, units, high + 1)


def _may_begin(content: str, units: Sequence[_Unit], scores: Sequence[float], i: int) -> bool:
    """Whether a stretch may begin with a unit: with one that has something to do with it, not with the end of a list."""
    if units[i].kind is BlockKind.ITEM:
        return units[i + 1].kind is BlockKind.ITEM
    if units[i].block == units[i + 1].block or _leads(content, units, i):
        return True
    return scores[i] > 0 and not _LEAD_IN.search(content, units[i].start, units[i].end)


def _is_welcome(content: str, units: Sequence[_Unit], best: int, i: int) -> bool:
    """Whether a neighbour is in the same script, and within the same part of a nested list."""
    first, second = sorted((best, i))
    if units[best].kind is BlockKind.ITEM:
        between = [unit.indent for unit in units[first : second + 1] if unit.kind is BlockKind.ITEM]
        # Of what is less indented, only the item that the best one is a part of may begin the stretch.
        if min(between) < units[best].indent and (
            i > best or min(between[1:], default=0) < units[best].indent
        ):
            return False
    if BlockKind.CODE in (units[i].kind, units[best].kind):
        return True
    here, there = (_is_cyrillic(content[units[k].start : units[k].end]) for k in (best, i))
    return None in (here, there) or here is there


def _is_cyrillic(text: str) -> bool | None:
    """Whether a sentence is in Cyrillic; None if it is too short to tell."""
    letters = [c for c in text if c.isalpha()]
    cyrillic = sum("\u0400" <= c <= "\u04ff" for c in letters)
    return None if len(letters) < _LETTERS_THAT_TELL else 3 * cyrillic > len(letters)


def _belong_together(units: Sequence[_Unit], scores: Sequence[float], i: int, j: int) -> bool:
    """Whether j may come along with i. A table comes to prose only for what it says about the question."""
    if units[i].heading != units[j].heading:
        return False
    if units[j].kind is not BlockKind.ROW or units[i].kind is BlockKind.ROW:
        return units[j].kind is BlockKind.ROW or units[i].kind is not BlockKind.ROW
    return any(scores[k] > 0 for k in range(j, min(j + 2, len(units))) if units[k].kind is BlockKind.ROW)


def _cut(content: str, candidate: _Candidate, asked: Asked, forms: AskedForms) -> Extract:
    """The part of a long unit that answers best, whole lines of a listing or whole clauses of a sentence."""
    unit = candidate.units[candidate.best]
    said = content[unit.start : unit.end]
    between = r"\n" if unit.kind is BlockKind.CODE else r"[,;:.!?](?=\s)\s*|\s[—–-](?=\s)"
    cuts = [0, *(match.end() for match in re.finditer(between, said)), len(said)]
    language = asked.language or detect_language(content)
    best = (-1.0, 0, 0)
    for i, start in enumerate(cuts[:-1]):
        for end in reversed(cuts[i + 1 :]):
            if len(clean_block(unit.kind, said[start:end])) > LONGEST - 4:
                continue
            part = said[start:end]
            worth = held_share(asked.weights, part, language) + _WORTH_OF_A_FORM * len(forms.met_by(part))
            worth += 0.2 * (end - start) / LONGEST + 0.1 * (not start)
            best = max(best, (worth, start, end))
            break
    _, start, end = best
    if not end:
        end = max(said.rfind(" ", 0, LONGEST), 1)
    while said[start:end] and said[end - 1].isspace():
        end -= 1
    text = clean_block(unit.kind, said[start:end])
    if unit.kind is not BlockKind.CODE:
        text = f"{'… ' if start else ''}{text.rstrip(',;:—– ') if end < len(said) else text}{' …' if end < len(said) else ''}"
    return Extract(
        candidate.passage, unit.start + start, unit.start + end, text, ((0, end - start),), candidate.score
    )


def _heading_over(
    content: str, candidate: _Candidate, low: int, high: int, asked: Asked, room: int
) -> tuple[int, int] | None:
    """The heading right above a stretch, if it names something asked for that the stretch does not."""
    units = candidate.units
    heading = units[low].heading
    if heading is None or (low and units[low - 1].heading == heading):
        return None
    if _size(BlockKind.HEADING, content[slice(*heading)]) + 2 > room:
        return None
    language = asked.language or detect_language(content)
    without = held_share(asked.weights, content[units[low].start : units[high].end], language)
    with_it = held_share(asked.weights, content[heading[0] : units[high].end], language)
    return heading if with_it > without else None


def _shown(content: str, candidate: _Candidate, low: int, high: int, heading: tuple[int, int] | None) -> Extract:
    units = candidate.units[low : high + 1]
    start, end = (heading or (units[0].start, 0))[0], units[-1].end
    pieces: list[tuple[BlockKind, str]] = [(BlockKind.HEADING, content[slice(*heading)])] if heading else []
    margin = min((unit.indent for unit in units if unit.kind is BlockKind.ITEM), default=0)
    for _, of_block in groupby(units, key=lambda unit: unit.block):
        part = list(of_block)
        nested = " " * (part[0].indent - margin) if part[0].kind is BlockKind.ITEM else ""
        pieces.append((part[0].kind, nested + content[part[0].start : part[-1].end]))
    text = markdown_of(pieces)
    if text.endswith(":"):
        text = f"{text[:-1].rstrip()}."
    if _is_list_cut(candidate.units, high):
        text += "\n- …"
    return Extract(candidate.passage, start, end, text, tuple(_carrying(content, candidate, high, start)), candidate.score)


def _is_list_cut(units: Sequence[_Unit], high: int) -> bool:
    """Whether a list goes on behind the stretch."""
    return (
        high + 1 < len(units)
        and units[high].kind is units[high + 1].kind is BlockKind.ITEM
        and units[high].heading == units[high + 1].heading
        and units[high + 1].indent >= units[high].indent
    )


def _carrying(content: str, candidate: _Candidate, high: int, start: int) -> Iterator[tuple[int, int]]:
    """The words that answer: the best unit, and the listing that it leads into."""
    units, best = candidate.units, candidate.best
    yield units[best].start - start, units[best].end - start
    if best < high and _leads(content, units, best) and units[best + 1].kind is BlockKind.CODE:
        yield units[best + 1].start - start, units[best + 1].end - start
