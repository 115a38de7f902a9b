"""Whether the passages name the thing that a question asks about: "Is there a sauna?"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from sourcebook.consult.evidence.passage_surroundings import last_heading
from sourcebook.consult.evidence.question_share import held_terms, weight_of
from sourcebook.consult.question.asked_for.asked_thing import asked_thing
from sourcebook.consult.question.words.everyday_words import everyday_stems_in
from sourcebook.consult.support.support_check import names
from sourcebook.text.analysis import distinct_terms
from sourcebook.text.sentences import sentence_spans
from sourcebook.text.vocabulary.question_words import words_of_a_kind

if TYPE_CHECKING:
    from sourcebook.consult.evidence.weighed_question import WeighedQuestion
    from sourcebook.model.search import SearchResult

HALF_OF_A_THING = 0.45
"""A little less than half, because the missing one of two words may be the rarer one, which weighs more."""

_ONLY_TITLED = 0.25
_MOST_TITLED = 0.55
"""If more of a question is in the title, it may well be answered below it."""


def missing_thing(
    question: WeighedQuestion, closest: SearchResult, passages: Sequence[SearchResult]
) -> float:
    """1 if the thing that is asked about is named nowhere; less if only a title may name it."""
    if _is_thing_missing(question, passages):
        return 1.0
    return _ONLY_TITLED if _is_only_titled(question, closest) else 0.0


def _is_thing_missing(question: WeighedQuestion, passages: Sequence[SearchResult]) -> bool:
    """Whether a question asks about a thing that no sentence names.

    A sentence, with the heading right above it, must have half of the words that name the thing, and "password" if one
    is asked for. The title of the document counts only if a whole page may be about the thing: everything in a museum's
    page is about the museum.
    """
    thing = asked_thing(question.asked_now)
    if thing is None:
        return False
    wanted = distinct_terms(thing.words, question.language)
    weights = {term: weight for term, weight in question.weights.items() if term in wanted}
    if not weights:
        return False
    head = thing.head(question.language) if thing.is_of_a_page or thing.is_secret else None
    needed = distinct_terms(head or "", question.language).intersection(weights)
    told = (
        _named(weights, said, question.language)
        for passage in passages
        for said in _told_terms(passage, question.language, with_title=thing.is_of_a_page)
    )
    return not any(needed <= named and weight_of(named, weights) >= HALF_OF_A_THING for named in told)


def _is_only_titled(question: WeighedQuestion, closest: SearchResult) -> bool:
    """Whether the closest passage has no more of the question than its document's title.

    Everything in the rules of a club is about the club, which does not tell how to leave it. Questions with names are
    exempt.
    """
    if names(question.text):
        return False
    everyday = everyday_stems_in(question.languages)
    weights = {term: weight for term, weight in question.weights.items() if term not in everyday}
    titled = held_terms(
        weights, distinct_terms(closest.document_title or "", question.language), question.language
    )
    if not titled or weight_of(titled, weights) > _MOST_TITLED:
        return False
    said = f"{closest.chunk.section or ''}\n{closest.chunk.content}"
    return held_terms(weights, distinct_terms(said, question.language), question.language) <= titled


def _named(weights: Mapping[str, float], said: frozenset[str], language: str | None) -> set[str]:
    """The terms that are said, or a broader or narrower word for them: pets for a dog."""
    kinds = words_of_a_kind()
    named = held_terms(weights, said, language)
    return named | {term for term in weights if term in kinds and kinds[term] & said}


def _told_terms(
    passage: SearchResult, language: str | None, *, with_title: bool = False
) -> Iterator[frozenset[str]]:
    """The terms of each sentence, with those of the heading right above it and, if wanted, of the title."""
    content = passage.chunk.content
    section = last_heading(passage.chunk)
    above = frozenset[str]()
    if with_title:
        above = distinct_terms(f"{passage.document_title or ''}\n{section}", language)
    elif section != passage.document_title:
        above = distinct_terms(section, language)
    for start, end in sentence_spans(content):
        yield above | distinct_terms(content[start:end], language)
