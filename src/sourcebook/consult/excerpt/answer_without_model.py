"""An answer without a model: an excerpt of the passages that most probably contains the answer.

The passages are split into units: sentences, list items, rows of a table, listings. Each gets a score, with weights
that were learnt from questions with known answers, and from that a probability of being the answer. The stretch of
neighbours with the greatest sum is quoted. A second excerpt follows only if two things were asked.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from sourcebook.consult.evidence.passage_surroundings import document_of, title_and_section
from sourcebook.consult.evidence.question_share import held_share, held_terms
from sourcebook.consult.excerpt.excerpt import Excerpt, ExcerptMaker
from sourcebook.consult.excerpt.excerpt_features import Asked, UnitFeatures
from sourcebook.consult.excerpt.excerpt_weights import excerpt_weights
from sourcebook.consult.excerpt.joined_passages import joined
from sourcebook.consult.excerpt.passage_units import Units
from sourcebook.consult.excerpt.quotable_units import QuotableUnits
from sourcebook.consult.excerpt.row_choice import RowChoice, named_cells
from sourcebook.consult.excerpt.rows_meant import with_rows_meant
from sourcebook.consult.excerpt.stretches import LONGEST, Stretch, Stretches
from sourcebook.consult.question.forms import SURE_FORMS, AskedForms
from sourcebook.text.analysis import distinct_terms
from sourcebook.text.languages import detect_language

if TYPE_CHECKING:
    from sourcebook.consult.excerpt.joined_passages import JoinedPassages
    from sourcebook.consult.question.definitions import AskedDefinition
    from sourcebook.model.search import SearchResult

__all__ = [
    "Asked",
    "Extract",
    "LikelyAnswer",
    "ReadText",
    "chosen",
    "extract",
    "likely_answers",
    "read_texts",
]

_MOST_TRIED = 8
"""Stretches are tried around so many of the best units."""
# If the first passage cannot be quoted, another must have this share of what it has of the question.
_SHARE_OF_THE_FIRST = 0.6
# For a second excerpt: the least room for it, and the least share of the missing words.
_SHORTEST_SECOND = 60
_LEAST_OF_THE_MISSING = 0.6


@dataclass(frozen=True, slots=True)
class Extract:
    """An excerpt, the index of its passage among those found, and the text that it is a span of.

    `source` is the passage, joined with overlapping ones.
    """

    passage: int
    excerpt: Excerpt
    source: SearchResult
    chance: float = 1.0
    """How probably its best unit, or one of its rows, is what answers, of all that could be chosen."""

    def says_the_same(self, other: Extract) -> bool:
        """Whether one excerpt contains the other, or they overlap in their document."""
        if self.excerpt.text in other.excerpt.text or other.excerpt.text in self.excerpt.text:
            return True
        if document_of(self.source) != document_of(other.source):
            return False
        (start, end), (first, last) = self._span, other._span
        return start < last and first < end

    @property
    def _span(self) -> tuple[int, int]:
        begin = self.source.chunk.start_index
        return begin + self.excerpt.start, begin + self.excerpt.end


@dataclass(frozen=True, slots=True)
class LikelyAnswer:
    """What may be quoted as the answer, and how probably it is, among all that was found."""

    extracts: Sequence[Extract]
    chance: float


@dataclass(frozen=True, slots=True)
class ReadText:
    """A text split into units, with the score of each that may be quoted."""

    found: JoinedPassages
    units: Units
    features: UnitFeatures
    scores: Mapping[int, float]
    is_end: bool = False
    """Whether its document ends with it."""

    def scored(self, scores: Mapping[int, float]) -> ReadText:
        """The same text with other scores."""
        return replace(self, scores=scores)

    def without(self, left_out: Iterable[int]) -> ReadText:
        """The same text with some units left out."""
        gone = frozenset(left_out)
        return replace(self, scores={i: score for i, score in self.scores.items() if i not in gone})

    def units_of(self, wanted: AbstractSet[int], passages: Sequence[SearchResult]) -> Iterator[int]:
        """The scored units that stand in these passages, given by their indexes."""
        for i in self.scores:
            unit = self.units[i]
            if self.found.place_at(unit.start, unit.end, passages) in wanted:
                yield i

    def rows(self) -> Iterator[tuple[int, str]]:
        """The quotable rows, each with the names of its columns."""
        found = ((i, self.units.row(i)) for i in self.scores)
        return ((i, row) for i, row in found if named_cells(row))

    def tells(self, i: int) -> bool:
        """Whether a unit may be the centre of an excerpt."""
        return i in self.scores and self.features.is_near(i)

    @property
    def holds_whole_table(self) -> bool:
        """Whether no table is cut off at the beginning or the end of the text."""
        is_begin = self.found.whole.chunk.start_index == 0
        return (is_begin or not self._is_row(0)) and (self.is_end or not self._is_row(len(self.units) - 1))

    def _is_row(self, i: int) -> bool:
        return bool(named_cells(self.units.row(i)))


def _about_term(asked: Asked, definition: AskedDefinition | None) -> Asked:
    """For a question what a term is, only the words of the term count: not "такое" or "mean"."""
    if definition is None or asked.language is None:
        return asked
    own = distinct_terms(definition.term, asked.language)
    weights = {each: weight for each, weight in asked.weights.items() if each in own}
    return replace(asked, weights=weights) if weights else asked


def read_texts(
    asked: Asked,
    forms: AskedForms,
    passages: Sequence[SearchResult],
    lengths: Mapping[tuple[str, str], int] | None = None,
) -> list[ReadText]:
    """The passages as texts with scored units, each text once. `lengths`: of documents, if known."""
    asked = _about_term(asked, forms.definition)
    weights = excerpt_weights().unit
    texts: list[ReadText] = []
    for found in joined(passages):
        units = Units.of(found.whole.chunk.content)
        features = UnitFeatures(asked, forms, found, units, passages)
        quotable = QuotableUnits(asked.question, found.whole, units)
        scores = {
            i: sum(weights[name] * value for name, value in features.of(i).items())
            for i in range(len(units))
            if quotable.holds(i)
        }
        chunk = found.whole.chunk
        length = (lengths or {}).get(document_of(found.whole))
        is_end = length is not None and chunk.start_index + len(chunk.content) >= length
        texts.append(ReadText(found, units, features, scores, is_end))
    return texts


def extract(
    asked: Asked, passages: Sequence[SearchResult], lengths: Mapping[tuple[str, str], int] | None = None
) -> list[Extract]:
    """The excerpt that most probably answers, seldom a second one, none if nothing is related to the question.

    `lengths` are those of documents, by collection and id, so that a complete table is not shown as cut.
    """
    forms = AskedForms(asked.question)
    return chosen(asked, forms, passages, read_texts(asked, forms, passages, lengths))


def likely_answers(
    asked: Asked,
    passages: Sequence[SearchResult],
    most: int,
    lengths: Mapping[tuple[str, str], int] | None = None,
) -> list[LikelyAnswer]:
    """What `extract` takes, and then what it would take of the other passages: at most so many, no words twice."""
    forms = AskedForms(asked.question)
    texts = left = read_texts(asked, forms, passages, lengths)
    whole = _weight_of(texts)
    found: list[LikelyAnswer] = []
    gone: set[int] = set()
    while len(found) < most and (extracts := chosen(asked, forms, passages, left)):
        if not any(extracts[0].says_the_same(other.extracts[0]) for other in found):
            chance = sum(each.chance for each in extracts) * _weight_of(left) / whole
            found.append(LikelyAnswer(extracts, chance))
        gone.update(each.passage for each in extracts)
        left = [text.without(text.units_of(gone, passages)) for text in texts]
    return found


def _weight_of(texts: Sequence[ReadText]) -> float:
    return sum(math.exp(score) for text in texts for score in text.scores.values()) or 1.0


def chosen(
    asked: Asked, forms: AskedForms, passages: Sequence[SearchResult], texts: Sequence[ReadText]
) -> list[Extract]:
    """`extract` for texts that are read already."""
    if not texts:
        return []
    if not any(text.tells(i) for text in texts if 0 in text.found.places for i in text.scores):
        texts = _instead(asked, passages, texts)
    texts = with_rows_meant(asked, texts)
    makers = [
        _maker(asked, forms, text, chances) for text, chances in zip(texts, _chances(texts), strict=True)
    ]
    likely = sorted(
        (
            (-maker.stretches.chances[i], number, i)
            for number, (text, maker) in enumerate(zip(texts, makers, strict=True))
            for i in text.scores
            if text.tells(i)
        )
    )
    if not likely:
        return []
    rows = _rows_that_fit(asked, passages, texts, makers, likely[0])
    if rows is not None:
        return rows
    stretches = [(makers[number].stretches.around(i), number) for _, number, i in likely[:_MOST_TRIED]]
    best, number = max(stretches, key=lambda each: each[0].worth)
    best, number = _same_found_first(best, number, texts, makers)
    if rows := _rows_alike(asked, passages, texts, makers, (number, best.best)):
        return rows
    first = _extract(passages, texts[number], makers[number], best)
    second = _second(asked, forms, first, texts, makers) if forms.asks_twice else None
    return [first] if second is None else [first, _extract(passages, *second)]


def _same_found_first(
    best: Stretch, number: int, texts: Sequence[ReadText], makers: Sequence[ExcerptMaker]
) -> tuple[Stretch, int]:
    """The stretch in the first text that has the same words, as the search ranked them."""
    said = texts[number].units.text(best.best)
    for earlier, text in enumerate(texts[:number]):
        for i in text.scores:
            if text.units.text(i) == said:
                return makers[earlier].stretches.around(i), earlier
    return best, number


def _chances(texts: Sequence[ReadText]) -> list[list[float]]:
    """The probability of each unit to be the answer; 0 for those that are not quotable."""
    most = max((score for text in texts for score in text.scores.values()), default=0.0)
    raised = [{i: math.exp(score - most) for i, score in text.scores.items()} for text in texts]
    whole = sum(value for of_text in raised for value in of_text.values()) or 1.0
    return [
        [of_text.get(i, 0.0) / whole for i in range(len(text.units))]
        for text, of_text in zip(texts, raised, strict=True)
    ]


def _maker(asked: Asked, forms: AskedForms, text: ReadText, chances: Sequence[float]) -> ExcerptMaker:
    share = partial(held_share, asked.weights, language=text.features.language)
    told = title_and_section(text.found.whole)
    stretches = Stretches(
        *(text.units, chances, share, told),
        wanted=text.features.wanted,
        goes_on=text.features.goes_on,
    )
    return ExcerptMaker(stretches, is_trimmed=not forms.asks_twice)


def _extract(
    passages: Sequence[SearchResult], text: ReadText, maker: ExcerptMaker, stretch: Stretch
) -> Extract:
    unit = text.units[stretch.best]
    place = text.found.place_at(unit.start, unit.end, passages)
    return Extract(place, maker.shown(stretch), text.found.whole, maker.stretches.chances[stretch.best])


def _row_choice(asked: Asked, text: ReadText) -> RowChoice:
    return RowChoice(asked.question, frozenset(asked.weights), text.features.language or asked.spoken)


def _starting_with(number: int, texts: Sequence[ReadText]) -> list[tuple[int, ReadText]]:
    """The texts with their numbers: this one, then the others in their order."""
    return sorted(enumerate(texts), key=lambda each: each[0] != number)


def _rows_that_fit(
    asked: Asked,
    passages: Sequence[SearchResult],
    texts: Sequence[ReadText],
    makers: Sequence[ExcerptMaker],
    likeliest: tuple[float, int, int],
) -> list[Extract] | None:
    """If rows are asked for by a condition and a row answers best: those that surely fit. None otherwise."""
    _, number, best = likeliest
    text = texts[number]
    choice = _row_choice(asked, text)
    cells = named_cells(text.units.row(best))
    if not cells or (choice.says(cells) and not choice.asks_which):
        return None
    if not (choice.asks_which or choice.denies or (choice.asks_for_value and choice.columns(cells))):
        return None
    if columns := choice.columns(cells):
        fitting = [
            (at, [i for i in other.scores if choice.fits(named_cells(other.units.row(i)), columns)])
            for at, other in _starting_with(number, texts)
        ]
        rows = _list_of_rows(passages, texts, makers, [(at, rows) for at, rows in fitting if rows])
        return rows if rows or choice.asks_which or choice.denies else None
    about = title_and_section(text.found.whole)
    is_sure = makers[number].stretches.chances[best] >= excerpt_weights().stretch["row_alone"]
    is_blind = choice.asks_which and not choice.says(cells) and choice.has_condition(cells, about)
    return [] if is_blind and not is_sure else None


def _rows_alike(
    asked: Asked,
    passages: Sequence[SearchResult],
    texts: Sequence[ReadText],
    makers: Sequence[ExcerptMaker],
    best: tuple[int, int],
) -> list[Extract]:
    """If a row answers best: it, and all rows of its document that answer as well. None otherwise.

    These are the rows with the same words of the question. If it only names columns, they are those with a cell that is
    a word or number of the question; else those about as likely.
    """
    number, place = best
    text, prices = texts[number], excerpt_weights().stretch
    if not (cells := named_cells(text.units.row(place))):
        return []
    choice = _row_choice(asked, text)
    named = text.features.words_in(place) & choice.others(cells)
    likely = makers[number].stretches.chances[place]
    least = prices["row_beside"] * likely if likely < prices["row_alone"] else likely
    document = text.found.whole.chunk.document_id
    rows = [
        (at, i, of_row)
        for at, other in _starting_with(number, texts)
        if other.found.whole.chunk.document_id == document
        for i in other.scores
        if (of_row := named_cells(other.units.row(i)))
    ]
    if named:
        # "How much is a cello per month" is asked of the table with a column for months, and of no other.
        left = choice.others(cells)
        holding = [
            (at, i, of_row)
            for at, i, of_row in rows
            if named <= texts[at].features.words_in(i) and choice.others(of_row) <= left
        ]
        # "Flat 4" is not a flat with a rent of 4 100.
        exact = [each for each in holding if choice.counts(each[2])]
        exact = exact or [each for each in holding if choice.numbers(each[2])]
        exact = exact or [each for each in holding if choice.names_whole(each[2])]
        alike = [(at, i) for at, i, _ in exact or holding]
    elif not (alike := [(at, i) for at, i, of_row in rows if choice.names(of_row)]):
        alike = [(at, i) for at, i, _ in rows if makers[at].stretches.chances[i] >= least]
    if alike == [best]:
        return [_extract(passages, text, makers[number], Stretch(likely, place, place, place))]
    fitting = [(at, [i for _, i in found]) for at, found in groupby(alike, key=itemgetter(0))]
    return _list_of_rows(passages, texts, makers, fitting, is_open=choice.asks_which)


def _list_of_rows(
    passages: Sequence[SearchResult],
    texts: Sequence[ReadText],
    makers: Sequence[ExcerptMaker],
    fitting: Sequence[tuple[int, Sequence[int]]],
    *,
    is_open: bool = True,
) -> list[Extract]:
    """As many rows as there is room for, one extract for each text.

    `is_open`: the table may have more such rows elsewhere.
    """
    room = LONGEST
    extracts: list[Extract] = []
    for at, rows in fitting:
        fit: list[int] = []
        # Where not all fit, the likeliest do, whatever their place in the table.
        for i in sorted(rows, key=lambda i: -makers[at].stretches.chances[i]):
            room -= makers[at].stretches.size(i) + 1
            fit += [i] if room >= 0 else []
        fit.sort()
        if fit:
            is_whole = len(fitting) == 1 and texts[at].holds_whole_table
            is_cut = room < 0 or (is_open and at == fitting[-1][0] and not is_whole)
            excerpt = makers[at].of_rows(fit, is_open=is_cut)
            unit = texts[at].units[fit[0]]
            place = texts[at].found.place_at(unit.start, unit.end, passages)
            chance = sum(makers[at].stretches.chances[i] for i in fit)
            extracts.append(Extract(place, excerpt, texts[at].found.whole, chance))
    return extracts


def _instead(asked: Asked, passages: Sequence[SearchResult], texts: Sequence[ReadText]) -> list[ReadText]:
    """The texts to quote if the first passage cannot be: without those that have much less of the question.

    If the first passage is in the asker's language, so must they be.
    """
    first = passages[0]
    spoken = detect_language(first.chunk.content)
    wanted = _whole_share(asked, first, asked.language or spoken)
    is_spoken = spoken == asked.spoken
    return [
        text
        for text in texts
        if _whole_share(asked, text.found.whole, text.features.language) >= _SHARE_OF_THE_FIRST * wanted
        and (not is_spoken or text.features.spoken in (None, asked.spoken))
    ]


def _whole_share(asked: Asked, passage: SearchResult, language: str | None) -> float:
    said = f"{title_and_section(passage)}\n{passage.chunk.content}"
    return held_share(asked.weights, said, language)


def _second(
    asked: Asked,
    forms: AskedForms,
    first: Extract,
    texts: Sequence[ReadText],
    makers: Sequence[ExcerptMaker],
) -> tuple[ReadText, ExcerptMaker, Stretch] | None:
    """If two things are asked: the best unit with what the first excerpt lacks, a form or most of the other words."""
    room = LONGEST - len(first.excerpt.text) - 2
    if room < _SHORTEST_SECOND:
        return None
    shown = first.excerpt.text
    lacking = (forms.forms & SURE_FORMS) - forms.met_by(shown)

    def is_wanted(said: str, language: str | None) -> bool:
        held = held_terms(asked.weights, distinct_terms(shown, language), language)
        missing = {term: weight for term, weight in asked.weights.items() if term not in held}
        if lacking:
            return lacking <= forms.met_by(said)
        return len(missing) > 1 and held_share(missing, said, language) >= _LEAST_OF_THE_MISSING

    options = [
        (-maker.stretches.chances[i], number, i)
        for number, (text, maker) in enumerate(zip(texts, makers, strict=True))
        for i in text.scores
        if maker.stretches.size(i) <= room
        and text.features.spoken in (None, asked.spoken)
        and is_wanted(text.units.text(i), text.features.language)
    ]
    if not options:
        return None
    _, number, i = min(options)
    return texts[number], makers[number], Stretch(0.0, i, i, i)
