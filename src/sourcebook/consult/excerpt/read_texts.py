"""Passages as texts whose units are scored: how probably each is what answers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sourcebook.consult.evidence.passage_surroundings import document_of
from sourcebook.consult.excerpt.excerpt_features import Asked, UnitFeatures
from sourcebook.consult.excerpt.excerpt_weights import excerpt_weights
from sourcebook.consult.excerpt.joined_passages import joined
from sourcebook.consult.excerpt.passage_units import Units
from sourcebook.consult.excerpt.quotable_units import QuotableUnits
from sourcebook.consult.excerpt.row_choice import named_cells
from sourcebook.text.analysis import distinct_terms

if TYPE_CHECKING:
    from sourcebook.consult.excerpt.joined_passages import JoinedPassages
    from sourcebook.consult.question.asked_for.definitions import AskedDefinition
    from sourcebook.consult.question.asked_for.forms import AskedForms
    from sourcebook.model.search import SearchResult


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


def chances(texts: Sequence[ReadText]) -> list[list[float]]:
    """The probability of each unit to be the answer; 0 for those that are not quotable."""
    most = max((score for text in texts for score in text.scores.values()), default=0.0)
    raised = [{i: math.exp(score - most) for i, score in text.scores.items()} for text in texts]
    whole = sum(value for of_text in raised for value in of_text.values()) or 1.0
    return [
        [of_text.get(i, 0.0) / whole for i in range(len(text.units))]
        for text, of_text in zip(texts, raised, strict=True)
    ]


def _about_term(asked: Asked, definition: AskedDefinition | None) -> Asked:
    """For a question what a term is, only the words of the term count: not "такое" or "mean"."""
    if definition is None or asked.language is None:
        return asked
    own = distinct_terms(definition.term, asked.language)
    weights = {each: weight for each, weight in asked.weights.items() if each in own}
    return replace(asked, weights=weights) if weights else asked
