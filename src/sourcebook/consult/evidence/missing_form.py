"""Whether what was found has what the question wants: somebody, a time, a weight, a price, a number."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sourcebook.consult.evidence.question_share import held_share
from sourcebook.consult.question.asked_value import asking_terms
from sourcebook.consult.question.given_value import asks_age_of_thing, tells_age
from sourcebook.consult.question.wanted_form import wanted_form
from sourcebook.text.analysis import distinct_terms
from sourcebook.text.sentences import sentence_spans

if TYPE_CHECKING:
    from sourcebook.model.search import SearchResult

_NEARLY_AS_MUCH = 0.5
"""Sentences that hold this part of what the best one holds may answer as well."""

_EVERY_WORD = 0.999
_MOST_LINES = 8
_SENTENCES_UNDER_A_HEADING = 2
_NEW_PARAGRAPH = re.compile(r"\n[^\S\n]*\n")


def is_form_missing(
    question: str, weights: Mapping[str, float], passages: Sequence[SearchResult], language: str | None
) -> bool:
    """Whether no sentence about what is asked, nor one beside it, has the form of an answer.

    Where no sentence holds a word of the question, nothing can be said.
    """
    gives = wanted_form(question, language)
    if gives is None:
        return False
    # A sentence that says what something else costs is not about the thing.
    weights = _about_the_thing(question, weights, language)
    told = [(p.chunk.content, sentence_spans(p.chunk.content)) for p in passages]
    shares = [
        [held_share(weights, content[start:end], language) for start, end in spans] for content, spans in told
    ]
    best = max((share for of_passage in shares for share in of_passage), default=0.0)
    if not best:
        return False
    if asks_age_of_thing(question):
        # How old members are is often said beside what is said about the club.
        return not any(
            tells_age(content[start:end])
            for (content, spans), of_passage in zip(told, shares, strict=True)
            for (start, end), share in zip(spans, of_passage, strict=True)
            if share >= _NEARLY_AS_MUCH * best
        )
    return not any(
        gives(_with_neighbours(content, spans, place))
        for (content, spans), of_passage in zip(told, shares, strict=True)
        for place, share in enumerate(of_passage)
        if share >= _NEARLY_AS_MUCH * best
    )


def is_plainly_told(
    question: str, weights: Mapping[str, float], passages: Sequence[SearchResult], language: str | None
) -> bool:
    """Whether one sentence holds every word of a question and has the form of an answer: "check-in is at three".

    Words that only ask for the value need not be there: "certificates last 12 months" tells how long.
    """
    gives = wanted_form(question, language)
    if gives is None or not weights:
        return False
    weights = _about_the_thing(question, weights, language)
    return any(
        held_share(weights, said, language) >= _EVERY_WORD and gives(said)
        for passage in passages
        for start, end in sentence_spans(passage.chunk.content)
        for said in (passage.chunk.content[start:end],)
    )


def _about_the_thing(
    question: str, weights: Mapping[str, float], language: str | None
) -> Mapping[str, float]:
    """The weights without the words that only ask for the value, if others are left."""
    asking = distinct_terms(" ".join(sorted(asking_terms(question))), language)
    return {term: weight for term, weight in weights.items() if term not in asking} or weights


def _with_neighbours(content: str, spans: Sequence[tuple[int, int]], place: int) -> str:
    """A sentence with those beside it in its paragraph; with all lines of its table, list or record, up to some.

    A heading is beside the first sentences under it.
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
