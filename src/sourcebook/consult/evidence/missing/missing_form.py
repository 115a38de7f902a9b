"""Whether the passages have the form of answer that the question wants: a person, a time, a weight, a price …"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from sourcebook.consult.evidence.question_share import held_share
from sourcebook.consult.question.asked_for.asked_value import REACHED_BY, asked_values, asking_terms
from sourcebook.consult.question.asked_for.definitions import asked_definition
from sourcebook.consult.question.asked_for.given_value import asks_age_of_thing, tells_age
from sourcebook.consult.question.asked_for.wanted_form import wanted_form
from sourcebook.text.analysis import distinct_terms
from sourcebook.text.sentences import sentence_spans

if TYPE_CHECKING:
    from sourcebook.consult.question.asked_for.wanted_form import Gives
    from sourcebook.model.search import SearchResult

_NEARLY_AS_MUCH = 0.5
"""Sentences with this share of what the best one has may answer as well."""

_EVERY_WORD = 0.999
_MOST_LINES = 8
_FARTHER = 4
_STILL_ABOUT_IT = 0.35
"""A sentence so many sentences later is about the same thing if it has this share of what the best one has."""
_SENTENCES_UNDER_A_HEADING = 2
_NEW_PARAGRAPH = re.compile(r"\n[^\S\n]*\n")


@dataclass(frozen=True)
class SoughtForm:
    """The form of answer that a question wants, sought in the sentences of passages."""

    question: str
    weights: Mapping[str, float]
    passages: Sequence[SearchResult]
    language: str | None

    @cached_property
    def is_missing(self) -> bool:
        """Whether no sentence about what is asked, nor one beside it, has the wanted form.

        False if no sentence has a word of the question.
        """
        gives = self._gives
        if gives is None:
            return False
        best = max((told.best for told in self._told), default=0.0)
        if not best:
            return False
        if asks_age_of_thing(self.question):
            # No neighbours: next to a sentence about a club, there is often one about the age of its members.
            return not any(
                tells_age(sentence)
                for told in self._told
                for sentence, share in told.weighed
                if share >= _NEARLY_AS_MUCH * best
            )
        # The phone number of somebody else does not answer.
        enough = _EVERY_WORD if self._reaches_somebody else _NEARLY_AS_MUCH
        return not any(
            gives(_with_neighbours(told.content, told.spans, place))
            for told in self._told
            for place, share in enumerate(told.shares)
            if share >= enough * best
        )

    @property
    def is_told_farther_on(self) -> bool:
        """Whether the wanted form comes a few sentences after what is asked about, in a sentence with a word of it.

        "Then Let's Encrypt was created. It is a project of a foundation. Its certificates live for 3 months."
        """
        gives = self._gives
        if gives is None or asks_age_of_thing(self.question) or self._reaches_somebody:
            return False
        return any(told.is_followed_by(gives) for told in self._told)

    @property
    def is_plainly_told(self) -> bool:
        """Whether one sentence has every word of the question and the wanted form: "check-in is at three".

        Words that only ask for the value may be missing: "certificates last 12 months" says how long. A definition that
        was asked for is plainly told by a sentence that begins with it.
        """
        definition = asked_definition(self.question)
        if definition is not None and any(
            definition.opens(sentence) for told in self._told for sentence in told.sentences
        ):
            return True
        gives = tells_age if asks_age_of_thing(self.question) else self._gives
        if gives is None or not self.weights:
            return False
        return any(
            share >= _EVERY_WORD and gives(sentence)
            for told in self._told
            for sentence, share in told.weighed
        )

    @cached_property
    def _gives(self) -> Gives | None:
        return wanted_form(self.question, self.language)

    @cached_property
    def _reaches_somebody(self) -> bool:
        """Whether the question asks for nothing but a phone number or an address."""
        kinds = asked_values(self.question)
        return bool(kinds) and kinds <= REACHED_BY

    @cached_property
    def _told(self) -> Sequence[_Told]:
        # Words such as "cost" would also match sentences about other things.
        weights = about_the_thing(self.question, self.weights, self.language)
        return [_Told(passage.chunk.content, weights, self.language) for passage in self.passages]


@dataclass(frozen=True)
class _Told:
    """A passage, and the share of what is asked about that each of its sentences has."""

    content: str
    weights: Mapping[str, float]
    language: str | None

    @cached_property
    def spans(self) -> Sequence[tuple[int, int]]:
        return sentence_spans(self.content)

    @cached_property
    def sentences(self) -> Sequence[str]:
        return [self.content[start:end] for start, end in self.spans]

    @cached_property
    def shares(self) -> Sequence[float]:
        return [held_share(self.weights, sentence, self.language) for sentence in self.sentences]

    @property
    def weighed(self) -> Iterator[tuple[str, float]]:
        return zip(self.sentences, self.shares, strict=True)

    @property
    def best(self) -> float:
        return max(self.shares, default=0.0)

    def is_followed_by(self, gives: Gives) -> bool:
        """Whether a sentence with the wanted form, and a word of what is asked, is soon behind one about that."""
        best = self.best
        about = [place for place, share in enumerate(self.shares) if share >= _NEARLY_AS_MUCH * best]
        return best > 0 and any(
            share >= _STILL_ABOUT_IT * best
            and any(0 < place - before <= _FARTHER for before in about)
            and gives(sentence)
            for place, (sentence, share) in enumerate(self.weighed)
        )


def about_the_thing(question: str, weights: Mapping[str, float], language: str | None) -> Mapping[str, float]:
    """The weights without the words that only ask for the value, if others are left."""
    asking = distinct_terms(" ".join(sorted(asking_terms(question))), language)
    return {term: weight for term, weight in weights.items() if term not in asking} or weights


def _with_neighbours(content: str, spans: Sequence[tuple[int, int]], place: int) -> str:
    """A sentence with its neighbours in the paragraph, or with lines of its table, list or record, up to a limit.

    The first sentences under a heading are its neighbours.
    """
    first = last = place
    while (
        first and place - first < _MOST_LINES and _are_together(content, spans[first - 1][1], spans[first][0])
    ):
        first -= 1
        if _is_sentence(content, spans[first][1]):
            break
    room = _SENTENCES_UNDER_A_HEADING if content.startswith("#", spans[place][0]) else 1
    while room and last + 1 < len(spans) and last - place < _MOST_LINES:
        if not _are_together(content, spans[last][1], spans[last + 1][0]):
            break
        last += 1
        room -= _is_sentence(content, spans[last][1])
    return content[spans[first][0] : spans[last][1]]


def _are_together(content: str, end: int, start: int) -> bool:
    return _NEW_PARAGRAPH.search(content, end, start) is None or not _is_sentence(content, end)


def _is_sentence(content: str, end: int) -> bool:
    return content[end - 1] in ".!?"
