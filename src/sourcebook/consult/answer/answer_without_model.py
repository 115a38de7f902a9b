"""An answer without a model: one excerpt of what was found, around the sentence that says most about the question.

A passage is read as units: sentences, list items, rows of a table, listings. Each is scored, and the best of the best
passage is quoted with what stands around it. Another excerpt comes along only if it adds what was asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sourcebook.consult.answer.excerpt import LONGEST, Excerpt, ExcerptMaker
from sourcebook.consult.answer.joined_passages import JoinedPassage, joined
from sourcebook.consult.answer.question_share import held_share, held_terms, share_of_weight, weight_of
from sourcebook.consult.answer.units import Unit, Units, is_contents, names_another_place
from sourcebook.consult.question.asked_thing import asked_head
from sourcebook.consult.question.foreign_names import ForeignNames
from sourcebook.consult.question.forms import SURE_FORMS, AnswerForm, AskedForms
from sourcebook.consult.question.kinds import QuestionKind
from sourcebook.model.chat import BETWEEN_HEADINGS
from sourcebook.text.analysis import analyse, distinct_terms
from sourcebook.text.blocks import BlockKind
from sourcebook.text.languages import detect_language
from sourcebook.text.negation import denied_terms
from sourcebook.text.quoted_mail import quoted_spans

if TYPE_CHECKING:
    from sourcebook.model.search import SearchResult

_FEWEST_WORDS = 3
_MOST_WORDS_OF_A_TITLE = 8

# What a unit is worth beside the share of the question that it holds.
_WORTH_OF_CONTEXT = 1.0
_WORTH_OF_A_FORM = 0.25
_WORTH_OF_A_SURE_FORM = 0.6
_WORTH_OF_NEAREST_CHILD = 0.3
_WORTH_OF_NEAREST_CHILD_ACROSS = 1.0
_WORTH_OF_NAMES_ACROSS = 0.5
_WORTH_OF_A_COLUMN = 0.3
_WORTH_OF_HEADING = 0.4
_WORTH_OF_A_LIST = 1.4
# How much less a word is worth in a unit if the title or the heading says it already.
_SAID_ABOVE = 0.5
_SAID_IN_TITLE = 0.9
_PRICE_OF_A_POINTER = 0.4
_PRICE_OF_A_QUESTION = 0.5
_PRICE_OF_A_LISTING = 0.4
_PRICE_OF_A_DENIAL = 0.25
# More than any words are worth: what the sender says comes first, if it answers at all.
_PRICE_OF_A_QUOTED_LETTER = 1.5
_PRICE_OF_THE_OPPOSITE = 0.5
# What a passage is worth beside its best unit.
_WORTH_OF_PASSAGE = 0.5
_WORTH_OF_SEARCH = 0.25
_WORTH_OF_OWN_LANGUAGE = 0.3
_OF_ITS_SECTION = 0.5
_PRICE_OF_NEWS = 0.7
_PRICE_OF_A_LATER_PLACE = 0.1
_PRICE_OF_ANOTHER_KIND = 2.5
# How much of what a first passage holds that cannot be quoted another one must hold.
_SHARE_OF_THE_FIRST = 0.6
# When a second excerpt comes along.
_SHORTEST_SECOND = 60
_AS_GOOD_AS_THE_FIRST = 0.5
_LEAST_MISSING = 0.25
_LEAST_OF_THE_MISSING = 0.6
_ALIKE = 0.6

_FACTS = (BlockKind.ROW, BlockKind.RECORD)
_LETTER = re.compile(r"\.(?:eml|mbox)\b", re.IGNORECASE)
_NEWS = re.compile(r"(?:^|/)(?:release[-_]?notes|changelog|changes|history|news)\.\w+$", re.IGNORECASE)
# A sentence that only says where to read on.
_POINTER = re.compile(
    r"\b(?:see|refer to|described in|см|смотрите|veja|ver|consulte)\b\.?[^.]{0,30}"
    r"\b(?:section|chapter|appendix|раздел\w*|глав\w+|приложени\w+|secção|seção|capítulo|apêndice)\b"
    r"|\b(?:(?:read|learn|find out|know) more|more (?:details|information)\b[^.]{0,40}\b(?:in|at|on|from)"
    r"|(?:узнать|прочитать|почитать|узнайте|читайте)\b[^.]{0,20}\b(?:больше|подробнее)|подробнее\b[^.]{0,30}\b(?:в|на|см)"
    r"|(?:ler|leia|saiba|aprender|aprenda|saber) mais"
    r"|mais (?:detalhes|informações)\b[^.]{0,40}\b(?:em|na|no|consulte))\b",
    re.IGNORECASE,
)

_OPPOSITE = re.compile(
    r"\W*(?:(?:(?:the |an? )?opposite|vice versa|противоположн\w+|o oposto|(?:lo |el )opuesto)\b"
    r"|(?:conversely|on the contrary|наоборот|напротив|ao contrário|pelo contrário|inversamente|al contrario)(?=,))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: what its words are worth, the language of the words, and the asker's own.

    `language` is None if each passage is to tell its own.
    """

    question: str
    weights: Mapping[str, float]
    language: str | None = None
    spoken: str | None = None


@dataclass(frozen=True, slots=True)
class Extract:
    """An excerpt, the place of its passage among those that were found, and the text that it is a span of.

    `source` is the passage, or the passage with those beside it.
    """

    passage: int
    excerpt: Excerpt
    source: SearchResult


@dataclass(frozen=True, slots=True)
class _Read:
    """A passage as it was read: its units with what each is worth, the best of them, and what all is worth."""

    place: int
    source: SearchResult
    maker: ExcerptMaker
    best: int
    score: float
    spoken: str | None
    share: float
    """The part of the question that the passage holds."""

    @property
    def best_score(self) -> float:
        return self.maker.scores[self.best]


def _titles(asked: Asked, passages: Sequence[SearchResult]) -> list[frozenset[str]]:
    """Of each passage, the words of the question that are in the title of its document."""
    return [
        frozenset(
            held_terms(
                asked.weights,
                distinct_terms(p.document_title or "", asked.language or detect_language(p.chunk.content)),
            )
        )
        for p in passages
    ]


def _about_term(asked: Asked, term: str | None) -> Asked:
    """Who asks what a thing is asks for nothing else: "такое" and "mean" say nothing about it."""
    if term is None or asked.language is None:
        return asked
    own = distinct_terms(term, asked.language)
    weights = {each: weight for each, weight in asked.weights.items() if each in own}
    return replace(asked, weights=weights) if weights else asked


def extract(asked: Asked, passages: Sequence[SearchResult]) -> list[Extract]:
    """The excerpt that answers best, and seldom a second one; none if no passage has anything to say.

    The first passage is preferred as much as the search puts it above the others, and one in the asker's language to
    one in another.
    """
    forms = AskedForms(asked.question)
    asked = _about_term(asked, forms.term)
    titles = _titles(asked, passages)
    reader = _Reader(asked, forms, ForeignNames(asked.question), titles)
    found = [
        read
        for place, passage in enumerate(joined(passages))
        if (read := reader.read(place, passage, _lead(passages, place))) is not None
    ]
    if all(read.place for read in found):
        found = _instead(asked, passages[0], found)
    if not found:
        return []
    best = max(found, key=lambda read: read.score)
    first = best.maker.around(best.best)
    return [Extract(best.place, first, best.source), *reader.second(first, best, found)]


def _lead(passages: Sequence[SearchResult], place: int) -> float:
    """How far the first result is before a passage. Another part of a section that was found is less far behind."""
    own = passages[place]
    of_section = [
        p.score
        for p in passages
        if p.chunk.section is not None
        and (p.collection_id, p.chunk.document_id, p.chunk.section)
        == (own.collection_id, own.chunk.document_id, own.chunk.section)
    ]
    found = own.score + _OF_ITS_SECTION * (max(of_section, default=own.score) - own.score)
    return max(0.0, passages[0].score - found)


def _instead(asked: Asked, first: SearchResult, found: Sequence[_Read]) -> list[_Read]:
    """What may be quoted in place of a first passage that cannot be: nothing that says much less of what was asked.

    Words of the asker's language that the first passage holds do not speak for a passage in another.
    """
    spoken = detect_language(first.chunk.content)
    language = asked.language or spoken
    wanted = held_share(asked.weights, f"{_context(first)}\n{first.chunk.content}", language)
    is_spoken = spoken == asked.spoken
    return [
        read
        for read in found
        if read.share >= _SHARE_OF_THE_FIRST * wanted
        and (not is_spoken or read.spoken in (None, asked.spoken))
    ]


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads passages for what was asked."""

    asked: Asked
    forms: AskedForms
    names: ForeignNames
    titles: Sequence[AbstractSet[str]] = ()
    """Of each passage, the words of the question that are in its title."""

    def read(self, place: int, found: JoinedPassage, lead: float) -> _Read | None:
        """None if the passage has nothing to quote: contents, headings, or no word of the question.

        `lead` is how far the first result is before it.
        """
        asked, passage, content = self.asked, found.whole, found.whole.chunk.content
        units = Units.of(content)
        if not len(units):
            return None
        spoken = detect_language(content)
        language = asked.language or spoken
        is_across = asked.spoken is not None and (
            spoken != asked.spoken if spoken else asked.language is None
        )
        scores = self._scores(passage, units, language, is_across=is_across)
        if is_contents(content):
            scores = [0.0 if names_another_place(units.text(i)) else score for i, score in enumerate(scores)]
        own = [i for i, unit in enumerate(units.all) if unit.start < found.end and unit.end > found.start]
        best = max(own, key=lambda i: scores[i], default=0)
        if scores[best] <= 0:
            return None
        share = held_share(
            asked.weights, f"{_context(passage)}\n{content[found.start : found.end]}", language
        )
        worth = scores[best] + _WORTH_OF_PASSAGE * share
        worth -= _WORTH_OF_SEARCH * lead + _PRICE_OF_A_LATER_PLACE * (place > 0)
        worth += _WORTH_OF_OWN_LANGUAGE * (spoken is not None and spoken == asked.spoken)
        worth -= _PRICE_OF_NEWS * (_NEWS.search(passage.document_path) is not None)
        worth -= self._price_of_another_kind(place)
        # Of rows, the name tells which; of sentences about it, any may answer.
        is_lost = is_across and not (units[best].kind in _FACTS and self.names.met_by(units.text(best)))
        is_list = AnswerForm.LIST in self.forms.forms and units[best].kind in (BlockKind.ITEM, BlockKind.ROW)
        is_filled = is_lost or is_list or self._is_any_row(units, best, language)
        # The title is named with the excerpt.
        titled = distinct_terms(passage.document_title or "", language)
        weights = _lessened(asked.weights, titled, _SAID_IN_TITLE)
        maker = ExcerptMaker(
            units, scores, lambda text: self._share(weights, text, language), is_filled=is_filled
        )
        return _Read(place, passage, maker, best, worth, spoken, share)

    def _price_of_another_kind(self, place: int) -> float:
        """What it costs that another title names more of what is asked for: of raspberries, the everbearing ones."""
        own = self.titles[place] if self.titles else frozenset[str]()
        more = [title - own for title in self.titles if own and own < title]
        named = max((weight_of(rest, self.asked.weights) for rest in more), default=0.0)
        return _PRICE_OF_ANOTHER_KIND * named

    def second(self, first: Excerpt, best: _Read, found: Sequence[_Read]) -> Iterator[Extract]:
        """Another unit, if it names what was asked for and the first excerpt lacks, and there is room for it."""
        weights, passage, content = self.asked.weights, best.source, best.source.chunk.content
        room = LONGEST - len(first.text) - 2
        is_table = best.maker.is_filled and best.maker.units[best.best].kind is BlockKind.ROW
        if is_table or room < _SHORTEST_SECOND:
            return
        if self.forms.asks_twice and (other := self._lacking(first, best, found, room)):
            yield other
            return
        language = self.asked.language or detect_language(content)
        held = set(analyse(f"{_context(passage)} {content[first.start : first.end]}", language))
        missing = {
            term: weight for term, weight in weights.items() if not share_of_weight({term: weight}, held)
        }
        if sum(missing.values()) < _LEAST_MISSING * sum(weights.values()):
            return
        options: list[tuple[float, int, int]] = []
        for number, read in enumerate(found):
            if read.spoken not in (None, best.spoken):
                continue
            for i, score in enumerate(read.maker.scores):
                if score < _AS_GOOD_AS_THE_FIRST * best.best_score or read.maker.size(i) > room:
                    continue
                terms = set(analyse(read.maker.units.text(i), language))
                added = share_of_weight(missing, terms)
                is_new = len(terms & held) < _ALIKE * len(terms) and len(terms & missing.keys()) > 1
                if is_new and added >= _LEAST_OF_THE_MISSING:
                    options.append((score + added, -number, i))
        if options:
            _, before, i = max(options)
            read = found[-before]
            yield Extract(read.place, read.maker.of(i, i, i), read.source)

    def _lacking(self, first: Excerpt, best: _Read, found: Sequence[_Read], room: int) -> Extract | None:
        """The best unit with a form that is asked for and that the first excerpt lacks: who founded it, and when."""
        lacking = (self.forms.forms & SURE_FORMS) - self.forms.met_by(first.text)
        options = [
            (score, -number, i)
            for number, read in enumerate(found)
            if lacking and read.spoken in (None, best.spoken)
            for i, score in enumerate(read.maker.scores)
            if score >= _AS_GOOD_AS_THE_FIRST * best.best_score
            and read.maker.size(i) <= room
            and lacking <= self.forms.met_by(read.maker.units.text(i))
        ]
        if not options:
            return None
        _, before, i = max(options)
        read = found[-before]
        return Extract(read.place, read.maker.of(i, i, i), read.source)

    def _scores(
        self, passage: SearchResult, units: Units, language: str | None, *, is_across: bool
    ) -> list[float]:
        """What each unit is worth: how much of the question it holds, alone and where it stands, and what it gives.

        In another language than the question's, words tell little, and how near a unit is in meaning tells more.
        """
        near = _WORTH_OF_NEAREST_CHILD_ACROSS if is_across else _WORTH_OF_NEAREST_CHILD
        weights, content = self.asked.weights, passage.chunk.content
        title = set(analyse(_context(passage), language))
        named_above = set(analyse(passage.document_title or "", language))
        headings = [passage.document_title or "", *(passage.chunk.section or "").split(BETWEEN_HEADINGS)]
        headings = [heading for heading in headings if len(heading.split()) <= _MOST_WORDS_OF_A_TITLE]
        terms = [set(analyse(units.text(i), language)) for i in range(len(units))]
        said = set[str]().union(*terms)
        scores: list[float] = []
        others = quoted_spans(content) if _LETTER.search(passage.document_path) else []
        for i, unit in enumerate(units.all):
            header = units.header_of(i)
            around = title.union(
                terms[i], *terms[max(i - 1, 0) : i], *([] if header is None else [terms[header]])
            )
            if unit.heading:
                around = around.union(analyse(content[slice(*unit.heading)], language))
            is_column = header is not None and self._names_column(units.text(header), language)
            named = terms[i] if header is None or not is_column else terms[i] | terms[header]
            nearest = _nearest(passage, unit.start, unit.end)
            is_empty = unit.is_header or units.text(i).strip(" \n-*•") in headings
            is_empty |= unit.kind is not BlockKind.CODE and len(units.text(i).split()) < _FEWEST_WORDS
            over = set(analyse(_heading_over(passage, unit), language))
            share = share_of_weight(_lessened(weights, over | named_above, _SAID_ABOVE), named, said)
            score = _WORTH_OF_HEADING * share_of_weight(weights, over)
            score += share + _WORTH_OF_CONTEXT * share_of_weight(weights, around, said) + near * nearest
            score += self._worth_of_form(units, i)
            score -= _PRICE_OF_A_QUOTED_LETTER * any(
                start < unit.end and unit.start < end for start, end in others
            )
            score -= _PRICE_OF_A_DENIAL * self._denies(units.text(i), language)
            score -= _PRICE_OF_THE_OPPOSITE * self._is_opposite(units.text(i))
            score += _WORTH_OF_A_COLUMN * is_column
            if self._is_asked_list(units, i):
                announced = terms[i].union(*terms[max(i - 1, 0) : i])
                score += _WORTH_OF_A_LIST * share_of_weight(weights, announced)
            if is_across and unit.kind in _FACTS:
                score += _WORTH_OF_NAMES_ACROSS * (self.names.met_by(units.text(i)) or 0.0)
            scores.append(0.0 if is_empty or not (share or nearest) else score)
        return scores

    def _denies(self, said: str, language: str | None) -> bool:
        """Whether a unit is about what is not the thing that is asked about: of roses, those that do not climb.

        Whether something is so may well be answered by "not".
        """
        if not self.forms.kinds or QuestionKind.PERMISSION in self.forms.kinds:
            return False
        asked, _ = denied_terms(self.asked.question, language)
        denied, plain = denied_terms(said, language)
        return not (denied - plain - asked).isdisjoint(self.asked.weights)

    def _is_opposite(self, said: str) -> bool:
        """Whether a unit says itself that it is about the opposite of what was said before."""
        return _OPPOSITE.match(said) is not None and _OPPOSITE.search(self.asked.question) is None

    def _names_column(self, header: str, language: str | None) -> bool:
        """Whether the names of columns hold all words of the value that is asked for."""
        value = distinct_terms(asked_head(self.asked.question) or "", language)
        return bool(value) and value <= distinct_terms(header, language)

    def _is_any_row(self, units: Units, i: int, language: str | None) -> bool:
        """Whether a column answers, and the question does not say for which row."""
        header = units.header_of(i)
        if header is None or not self._names_column(units.text(header), language):
            return False
        return not held_terms(self.asked.weights, distinct_terms(units.text(i), language))

    def _worth_of_form(self, units: Units, i: int) -> float:
        """What it is worth that a unit, with what it leads into, looks like an answer."""
        said = units.text(i)
        given = f"{said}\n{units.text(i + 1)}" if units.leads(i) else said
        worth = self._worth_of_forms(given)
        worth -= _PRICE_OF_A_POINTER * (_POINTER.search(said) is not None)
        # Who does not ask how to do something is seldom answered by code.
        is_unasked = units[i].kind is BlockKind.CODE and AnswerForm.COMMAND not in self.forms.forms
        return worth - _PRICE_OF_A_LISTING * is_unasked - _PRICE_OF_A_QUESTION * said.endswith("?")

    def _is_asked_list(self, units: Units, i: int) -> bool:
        """Whether several things are asked for, and a unit announces them."""
        return AnswerForm.LIST in self.forms.forms and units.end_of_list(i) > i + 1

    def _share(self, weights: Mapping[str, float], text: str, language: str | None) -> float:
        """How much of the question a part of a passage holds, in words and in form."""
        return held_share(weights, text, language) + self._worth_of_forms(text)

    def _worth_of_forms(self, text: str) -> float:
        met = self.forms.met_by(text)
        if AnswerForm.MOMENT in met and AnswerForm.TIME not in met:
            # What goes before says when, as a date does.
            met = met - {AnswerForm.MOMENT} | {AnswerForm.TIME}
        return _WORTH_OF_A_FORM * len(met - SURE_FORMS) + _WORTH_OF_A_SURE_FORM * len(met & SURE_FORMS)


def _lessened(weights: Mapping[str, float], said: AbstractSet[str], part: float) -> dict[str, float]:
    """The weights with a part taken off those of words that are said already."""
    return {term: weight * (1.0 - part * (term in said)) for term, weight in weights.items()}


def _context(passage: SearchResult) -> str:
    return f"{passage.document_title or ''}\n{passage.chunk.section or ''}"


def _heading_over(passage: SearchResult, unit: Unit) -> str:
    """The heading right above a unit."""
    if unit.heading:
        return passage.chunk.content[slice(*unit.heading)]
    return (passage.chunk.section or "").rpartition(BETWEEN_HEADINGS)[2]


def _nearest(passage: SearchResult, start: int, end: int) -> float:
    """How near the nearest child is that a span of the passage is (part) of."""
    first = passage.chunk.start_index
    near = (m.score for m in passage.matched if m.start_index - first < end and m.end_index - first > start)
    return max(0.0, max(near, default=0.0))
