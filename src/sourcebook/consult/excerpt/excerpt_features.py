"""The numbers by which units of a text are scored, with the weights in `excerpt_weights.toml`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from sourcebook.consult.evidence.passage_surroundings import document_of, is_letter, is_news
from sourcebook.consult.evidence.question_share import marked_terms, marked_terms_in, unmarked, weight_of
from sourcebook.consult.excerpt.headings_above import HeadingsAbove
from sourcebook.consult.question.asked_for.forms import AnswerForm, AskedForms
from sourcebook.consult.question.asked_for.told_time import (
    asked_verb,
    asks_when,
    points_back,
    tells_time,
    warns_only,
)
from sourcebook.consult.question.asked_for.told_way import names_way, tells_another_way, tells_case, tells_way
from sourcebook.consult.question.asked_for.trouble import tells_trouble
from sourcebook.consult.question.asked_for.wanted_form import wanted_form
from sourcebook.consult.question.words.light_verbs import asks_offer, verb_of_way
from sourcebook.text.analysis import distinct_terms
from sourcebook.text.languages import detect_language
from sourcebook.text.layout.blocks import BlockKind
from sourcebook.text.layout.quoted_mail import quoted_spans
from sourcebook.text.vocabulary.question_opposites import says_the_opposite

if TYPE_CHECKING:
    from sourcebook.consult.excerpt.joined_passages import JoinedPassages
    from sourcebook.consult.excerpt.passage_units import Units
    from sourcebook.consult.question.asked_for.wanted_form import Gives
    from sourcebook.model.search import SearchResult

_OF_ITS_SECTION = 0.5
_LESS_BELOW = 0.5
_MOST_IS_NAMED = 0.6
"""If the verb of a "when" question is unknown, a sentence with a time must have this share of the question."""
_USUAL_LENGTH = 100
_SHORTEST_LENGTH = 10
_FORMS = (
    AnswerForm.NUMBER,
    AnswerForm.COUNT,
    AnswerForm.COMMAND,
    AnswerForm.DEFINITION,
    AnswerForm.REASON,
)
# A sentence that only refers to another place.
_POINTER = re.compile(
    r"\W*(?:(?:please,? )?(?:see|refer|consult)\b|(?:for|to find|to get) (?:more|further) (?:information|details)"
    r"|for details|more (?:information|details) (?:on|about|is|are|can)|см\.|смотрите|подробнее (?:о|об|см|читайте)\b"
    r"|veja (?:também|mais|a seção|o capítulo)\b|consulte\b|saiba mais|mais (?:informações|detalhes)"
    r"|para (?:mais|obter mais|más) (?:informaç|detalh|informaci)|véase\b|siehe\b|weitere informationen)",
    re.IGNORECASE,
)
_TREE = re.compile(r"[├└]")
"""A listing of files and folders."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, the weights of its words, the language in which they are compared, and the asker's.

    `language` is None for that of each passage.
    """

    question: str
    weights: Mapping[str, float]
    language: str | None = None
    spoken: str | None = None


class UnitFeatures:
    """Computes the numbers of each unit of a text."""

    def __init__(
        self,
        asked: Asked,
        forms: AskedForms,
        text: JoinedPassages,
        units: Units,
        passages: Sequence[SearchResult],
    ) -> None:
        self._asked = asked
        self._forms = forms
        self._text = text
        self._units = units
        self._passages = passages
        self._whole = text.whole
        self.spoken = detect_language(units.content)
        self.language = asked.language or self.spoken
        self.is_across = asked.spoken is not None and (
            self.spoken != asked.spoken if self.spoken else asked.language is None
        )
        terms = [distinct_terms(units.text(i), self.language) for i in range(len(units))]
        # The verb is left out, because each sentence may use another: to prune is to cut.
        said = frozenset[str]().union(*terms) - self._verb
        self._held = [
            frozenset(marked_terms(asked.weights, of_unit, self.language, said)) for of_unit in terms
        ]
        if AnswerForm.DEFINITION in forms.forms:
            # The term is there in whatever form, even in one of which the stem is another.
            for i in range(len(units)):
                if AnswerForm.DEFINITION in forms.met_by(units.text(i)):
                    self._held[i] = frozenset(asked.weights)
        self._headings = HeadingsAbove(
            asked, text.whole, units, self.language, verb=self._verb, asks_way=self._asks_way
        )

    def words_in(self, i: int) -> frozenset[str]:
        """The words of the question that a unit has."""
        return frozenset(unmarked(self._held[i]))

    def words_around(self, i: int) -> frozenset[str]:
        """The words of the question that a unit or a heading above it has."""
        return self._headings.path_to(self._units[i]).union(
            self._held[i], self._headings.words(self._units[i])
        )

    def is_near(self, i: int) -> bool:
        """Whether a unit is related to the question, by a word or by its vector."""
        return bool(self._held[i]) or self._nearness(i) > 0

    def of(self, i: int) -> dict[str, float]:
        """The numbers of a unit, by the names of their weights."""
        return self._shares(i) | self._of_passage(i) | self._of_unit(i) | self._of_form(i)

    def _shares(self, i: int) -> dict[str, float]:
        """The shares of the question in the unit and around it."""
        unit, units = self._units[i], self._units
        before = self._held[i - 1] if i else frozenset[str]()
        header = units.header_of(i)
        over, path = self._headings.words(unit), self._headings.path_to(unit)
        around = path.union(self._held[i], before, over)
        if header is not None:
            around |= self._held[header]
        near_before = frozenset[str]().union(
            *(self._held[j] for j in range(max(0, i - 2), i + 1) if units[j].heading == unit.heading)
        )
        return {
            "share": self._share(self._held[i]),
            "words": len(self._held[i]) / max(1, len(self._asked.weights)),
            "context_share": self._share(around),
            "before_share": self._share(near_before),
            "heading_share": self._share(over),
            "path_share": self._share(path),
            "repeated": self._share(self._held[i] & path),
            "text_share": self._text_share,
        }

    def _of_passage(self, i: int) -> dict[str, float]:
        """How near the unit is, and how its passage was found."""
        place = self._place(i)
        nearness = self._nearness(i)
        return {
            "nearness": nearness,
            "nearness_across": nearness * self.is_across,
            "similarity": self._passages[place].score_breakdown.semantic_score or 0.0,
            "lead": _lead(self._passages, place),
            "is_first": float(place == 0),
            "of_document": self._of_document,
            "own_language": float(self.spoken is not None and self.spoken == self._asked.spoken),
        }

    def _of_unit(self, i: int) -> dict[str, float]:
        """The kind and length of the unit."""
        unit, said = self._units[i], self._units.text(i)
        return {
            "length": math.log(max(len(said), _SHORTEST_LENGTH) / _USUAL_LENGTH),
            "item": float(unit.kind is BlockKind.ITEM),
            "listing_asked": float(self._asks_way and unit.kind is BlockKind.CODE and not _TREE.search(said)),
            "question": float(said.endswith("?")),
            "quoted_letter": float(any(start < unit.end and unit.start < end for start, end in self._quoted)),
            "news": float(is_news(self._whole)),
        }

    def _of_form(self, i: int) -> dict[str, float]:
        """Whether the unit has the form of an answer to this question."""
        asked_above = self._headings.asked_above(self._units[i])
        met, definition = self._forms.met_by(self._led_text(i)), self._forms.definition
        return {
            "wanted": float(self.wanted is not None and self.wanted(self._led_text(i))),
            "title_lacks": self._title_lacks(self._place(i)),
            "asked_above": asked_above,
            # Whoever asks how to do something needs the steps, and not what introduces them.
            "answers_heading": 0.0 if self._asks_way else asked_above * self._firstness(i),
            "points_elsewhere": float(_POINTER.match(self._units.text(i)) is not None),
            "time_told": float(self._tells_time(i)),
            "opposite": float(self._tells_opposite(i)),
            "defined": float(definition is not None and definition.opens(self._units.text(i))),
            "subject": self._headings.subject(self._units[i]),
            **self._of_way(i),
            **{form.value: float(form in met) for form in _FORMS},
        }

    def _of_way(self, i: int) -> dict[str, float]:
        """If it is asked how to do or use something: whether the unit says it, another way, or only when one may."""
        unit, said, asks = self._units[i], self._units.text(i), float(self._asks_use)
        return {
            "way_opens": asks * self._headings.subject(unit) * self._earliness(i),
            "way_above": asks
            * self._headings.subject(unit)
            * names_way(self._headings.text(unit), self._verb_of_way),
            "tells_way": asks * tells_way(said),
            "another_way": asks * tells_another_way(said),
            "tells_case": asks * tells_case(said),
        }

    def _place(self, i: int) -> int:
        """The index of the unit's passage."""
        unit = self._units[i]
        return self._text.place_at(unit.start, unit.end, self._passages)

    @property
    def _asks_way(self) -> bool:
        return AnswerForm.COMMAND in self._forms.forms

    @cached_property
    def _verb_of_way(self) -> str | None:
        return verb_of_way(self._asked.question)

    @cached_property
    def _asks_use(self) -> bool:
        return self._asks_way or asks_offer(self._asked.question)

    def _led_text(self, i: int) -> str:
        """A unit with what it leads into; a row with the names of its columns."""
        units = self._units
        return f"{units.text(i)}\n{units.text(i + 1)}" if units.leads(i) else units.row(i)

    def _tells_time(self, i: int) -> bool:
        """Whether the question asks when something is done, and a unit says when."""
        if not self._asks_when:
            return False
        said = self._led_text(i)
        return self._is_about_verb(i) and tells_time(said) and not warns_only(said, self._asked.question)

    def _tells_opposite(self, i: int) -> bool:
        """Whether the question asks when something is, and a unit says when the opposite is."""
        return self._asks_when and says_the_opposite(self._asked.question, self._led_text(i), self.language)

    def _is_about_verb(self, i: int) -> bool:
        """Whether a unit is about the verb and its object in a "when" question, or refers to a unit that is."""
        if not self._verb:
            return bool(self._held[i]) and self._share(self.words_around(i)) >= _MOST_IS_NAMED
        if self._tells_of_verb_before(i):
            return True
        if self._verb.isdisjoint(self.words_in(i)):
            return False
        thing = self._asked.weights.keys() - self._verb
        is_named = not thing.isdisjoint(unmarked(self.words_around(i)))
        return is_named or not thing or points_back(self._units.text(i))

    def _tells_of_verb_before(self, i: int) -> bool:
        is_beside = i > 0 and self._units[i - 1].block == self._units[i].block
        return (
            is_beside and points_back(self._units.text(i)) and not self._verb.isdisjoint(self.words_in(i - 1))
        )

    def goes_on(self, i: int, best: int) -> bool:
        """Whether a unit tells the time of the one before it ("in most gardens this is November"), or the remedy."""
        if self._tells_trouble and i > best and self._units[i].kind is BlockKind.TEXT:
            return self._units[i].block == self._units[best].block
        is_next = i == best + 1 and self._asks_when
        return is_next and self._tells_of_verb_before(i) and self._tells_time(i)

    @cached_property
    def _tells_trouble(self) -> bool:
        return tells_trouble(self._asked.question)

    @cached_property
    def _asks_when(self) -> bool:
        return asks_when(self._asked.question)

    @cached_property
    def _verb(self) -> frozenset[str]:
        """The verb of a question that asks when to do something; empty if it has none."""
        verb = asked_verb(self._asked.question)
        return distinct_terms(verb, self.language).intersection(self._asked.weights) if verb else frozenset()

    def _title_lacks(self, place: int) -> float:
        """What another title has of the question beyond this one: "everbearing", if this one is about raspberries."""
        own = self._named_in_titles[place]
        more = [named - own for named in self._named_in_titles if own and own < named]
        return max(map(self._share, more), default=0.0)

    @cached_property
    def _named_in_titles(self) -> Sequence[frozenset[str]]:
        return [
            marked_terms_in(self._asked.weights, passage.document_title or "", self.language)
            for passage in self._passages
        ]

    @cached_property
    def wanted(self) -> Gives | None:
        """Whether a text has the wanted form; None if the question wants none."""
        return wanted_form(self._asked.question, self.language)

    def _share(self, held: AbstractSet[str]) -> float:
        return weight_of(held, self._asked.weights)

    def _firstness(self, i: int) -> float:
        """1 for the first unit below a heading, less for each further one of its paragraph, else 0."""
        units = self._units
        first = i
        while first and units[first - 1].block == units[i].block:
            first -= 1
        is_below = first == 0 or units[first - 1].heading != units[i].heading
        return 1 / (1 + _LESS_BELOW * (i - first)) if units[i].heading is not None and is_below else 0.0

    def _earliness(self, i: int) -> float:
        """1 for the first unit below a heading, less for each further one of its section."""
        units, first = self._units, i
        while first and units[first - 1].heading == units[i].heading:
            first -= 1
        return 1 / (1 + _LESS_BELOW * (i - first))

    def _nearness(self, i: int) -> float:
        """The score of the nearest child that overlaps a unit."""
        unit, first = self._units[i], self._whole.chunk.start_index
        near = (
            match.score
            for match in self._whole.matched
            if match.start_index - first < unit.end and match.end_index - first > unit.start
        )
        return max(0.0, max(near, default=0.0))

    @cached_property
    def _text_share(self) -> float:
        return self._share(self._headings.path.union(*self._held))

    @cached_property
    def _of_document(self) -> float:
        """The share of the passages that are of the same document."""
        own = document_of(self._whole)
        return sum(document_of(passage) == own for passage in self._passages) / len(self._passages)

    @cached_property
    def _quoted(self) -> Sequence[tuple[int, int]]:
        """The parts of an e-mail that others wrote."""
        return quoted_spans(self._units.content) if is_letter(self._whole) else ()


def _lead(passages: Sequence[SearchResult], place: int) -> float:
    """How far a passage's score is behind the first, less so if a better one is of the same section."""
    own = passages[place]
    of_section = [
        p.score
        for p in passages
        if p.chunk.section is not None
        and (document_of(p), p.chunk.section) == (document_of(own), own.chunk.section)
    ]
    found = own.score + _OF_ITS_SECTION * (max(of_section, default=own.score) - own.score)
    return max(0.0, passages[0].score - found)
