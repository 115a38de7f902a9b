"""Whether the passages have the form of answer that the question wants: a person, a time, a weight, a price …"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from sourcebook.consult.evidence.question_share import held_share
from sourcebook.consult.question.asked_value import REACHED_BY, asked_values, asking_terms
from sourcebook.consult.question.forms import defining
from sourcebook.consult.question.given_value import asks_age_of_thing, tells_age
from sourcebook.consult.question.wanted_form import wanted_form
from sourcebook.text.analysis import distinct_terms
from sourcebook.text.numbers import quantities
from sourcebook.text.sentences import sentence_spans
from sourcebook.text.stems import stem_words
from sourcebook.text.vocabulary.question_words import WITH_LISTS, generic_words, near_words, stems_everywhere
from sourcebook.text.vocabulary.stopwords import stop_words

if TYPE_CHECKING:
    from sourcebook.model.search import SearchResult

_NEARLY_AS_MUCH = 0.5
"""Sentences with this share of what the best one has may answer as well."""

_EVERY_WORD = 0.999
_MOST_LINES = 8
_FARTHER = 4
_STILL_ABOUT_IT = 0.35
"""A sentence so many sentences later is about the same thing if it has this share of what the best one has."""
_SENTENCES_UNDER_A_HEADING = 2
# "Сколько книг" and "сколько врачей", not "сколько стоит" nor "сколько вас".
_MANY = r"(?!(?:вас|нас|них|раз|всех)\b)\w*(?:ов|[её]в|ей|ий|мест|комнат|карт|школ|\w\w[бгджзкнпрсфхцчшщ])\b"
_HOW_MANY = re.compile(
    rf"\b(?:how many|quant[oa]s|cu[aá]nt[oa]s|сколько(?=\s+{_MANY}))"
    r"\s+(?:of (?:the|your|our)\s+)?(?P<things>\w+(?:\s+\w+)?)",
    re.IGNORECASE,
)
_NO_ARTICLE = r"(?!(?:the|[oa]s?|l[ao]s?|el)\s)"
# "25 small boats" and "4, 000 boats", not "5.9; the boats" nor "1. Boats".
_COUNTED = re.compile(
    r"(?:,\s?\d{3})*\+?\s?(?:[kKM]\b)?"
    rf"\s+(?P<words>{_NO_ARTICLE}[^\W\d_]+(?:[\s-]+{_NO_ARTICLE}[^\W\d_]+){{0,2}})",
    re.IGNORECASE,
)
_NAMED_BEFORE = re.compile(
    r"(?P<name>[^\W\d_]+)\s*(?:[:|=—–]|\s(?:stands at|numbers|totals|reached|составляет|chega a|soma|asciende a))\s*$",
    re.IGNORECASE,
)
# "The hall seats 120": who sits there need not be said.
_HAS_ROOM_FOR = re.compile(
    r"\b(?:seats|holds|accommodates|fits|вмещает|вмещают|comporta|acomoda|acoge)"
    r"(?:\s(?:up to|about|around|до|около|até|cerca de|hasta|unas))?\s*$",
    re.IGNORECASE,
)
_WHO_SITS = ("people", "seats", "человек", "мест", "pessoas", "lugares", "personas", "plazas")
_SHORTEST_BEGINNING = 5
_WORD = re.compile(r"[^\W\d_]{2,}")
_HAS = re.compile(
    r"(?:\b(?:has|have|had|are|were|is|own|owns|tem|têm|há|possui|são|hay|tiene|tienen|son|есть|имеется|всего|работа[ею]т)"
    r"|[:|=—–])\s*(?:\w+\s+)?$",
    re.I,
)
_A_FEW = 3
"""Small numbers often count only some of the things, unless they follow "has": two members must second it."""
_THOUSANDS = re.compile(r"\s?(?:[kKM]\b|тыс|млн|thousand|million|mil\b|milh|mill)")
_WINDOW = 60
_NEW_PARAGRAPH = re.compile(r"\n[^\S\n]*\n")


def is_form_missing(
    question: str, weights: Mapping[str, float], passages: Sequence[SearchResult], language: str | None
) -> bool:
    """Whether no sentence about what is asked, nor one beside it, has the wanted form.

    False if no sentence has a word of the question.
    """
    gives = wanted_form(question, language)
    if gives is None:
        return False
    # Words such as "cost" would also match sentences about other things.
    weights = about_the_thing(question, weights, language)
    told = [(p.chunk.content, sentence_spans(p.chunk.content)) for p in passages]
    shares = [
        [held_share(weights, content[start:end], language) for start, end in spans] for content, spans in told
    ]
    best = max((share for of_passage in shares for share in of_passage), default=0.0)
    if not best:
        return False
    if asks_age_of_thing(question):
        # No neighbours: next to a sentence about a club, there is often one about the age of its members.
        return not any(
            tells_age(content[start:end])
            for (content, spans), of_passage in zip(told, shares, strict=True)
            for (start, end), share in zip(spans, of_passage, strict=True)
            if share >= _NEARLY_AS_MUCH * best
        )
    # The phone number of somebody else does not answer.
    kinds = asked_values(question)
    enough = _EVERY_WORD if kinds and kinds <= REACHED_BY else _NEARLY_AS_MUCH
    return not any(
        gives(_with_neighbours(content, spans, place))
        for (content, spans), of_passage in zip(told, shares, strict=True)
        for place, share in enumerate(of_passage)
        if share >= enough * best
    )


def is_told_farther_on(
    question: str, weights: Mapping[str, float], passages: Sequence[SearchResult], language: str | None
) -> bool:
    """Whether the wanted form comes a few sentences after what is asked about, in a sentence with a word of it.

    "Then Let's Encrypt was created. It is a project of a foundation. Its certificates live for 3 months."
    """
    gives = wanted_form(question, language)
    kinds = asked_values(question)
    if gives is None or asks_age_of_thing(question) or (kinds and kinds <= REACHED_BY):
        return False
    weights = about_the_thing(question, weights, language)
    for passage in passages:
        said = [passage.chunk.content[start:end] for start, end in sentence_spans(passage.chunk.content)]
        shares = [held_share(weights, sentence, language) for sentence in said]
        best = max(shares, default=0.0)
        if not best:
            continue
        about = [place for place, share in enumerate(shares) if share >= _NEARLY_AS_MUCH * best]
        if any(
            share >= _STILL_ABOUT_IT * best
            and any(0 < place - before <= _FARTHER for before in about)
            and gives(sentence)
            for place, (sentence, share) in enumerate(zip(said, shares, strict=True))
        ):
            return True
    return False


def is_plainly_told(
    question: str, weights: Mapping[str, float], passages: Sequence[SearchResult], language: str | None
) -> bool:
    """Whether one sentence has every word of the question and the wanted form: "check-in is at three".

    Words that only ask for the value may be missing: "certificates last 12 months" says how long. A definition that was
    asked for is plainly told by a sentence that begins with it.
    """
    definition = defining(question)
    if definition is not None and any(
        definition.search(passage.chunk.content[start:end])
        for passage in passages
        for start, end in sentence_spans(passage.chunk.content)
    ):
        return True
    gives = tells_age if asks_age_of_thing(question) else wanted_form(question, language)
    if gives is None or not weights:
        return False
    weights = about_the_thing(question, weights, language)
    return any(
        held_share(weights, said, language) >= _EVERY_WORD and gives(said)
        for passage in passages
        for start, end in sentence_spans(passage.chunk.content)
        for said in (passage.chunk.content[start:end],)
    )


def is_count_missing(question: str, passages: Sequence[SearchResult]) -> bool:
    """Whether the question asks how many of a thing there are, and no whole number counts such things."""
    found = _HOW_MANY.search(question)
    if found is None or asked_values(question):
        return False
    things = [word for word in found["things"].casefold().split() if word not in _idle_words()]
    if not things:
        return False
    wanted = stems_everywhere(things)
    for language in WITH_LISTS:
        near = near_words(language)
        wanted |= wanted.union(*(near.get(stem, ()) for stem in stem_words(things, language)))
    counted = stems_everywhere(
        sorted({word.casefold() for p in passages for word in _counted(p.chunk.content)})
    )
    # "150 memberships" counts members.
    beginnings = tuple(stem for stem in wanted if len(stem) >= _SHORTEST_BEGINNING)
    return wanted.isdisjoint(counted) and not any(stem.startswith(beginnings) for stem in counted)


@cache
def _idle_words() -> frozenset[str]:
    """Words that name nothing to count: "how many of them", "how many can"."""
    return generic_words().union(*map(stop_words, WITH_LISTS))


def _counted(text: str) -> Iterator[str]:
    """The words for what the whole numbers of a text count: "25 small boats", "Boats: 25", people if it "seats 25"."""
    for number in quantities(text):
        before = text[max(0, number.start - _WINDOW) : number.start]
        if number.value.isdigit() and int(number.value) <= _A_FEW and not _HAS.search(before):
            continue
        if number.value.isdigit() or _THOUSANDS.match(text, number.end):
            if found := _COUNTED.match(text, number.end):
                yield from _WORD.findall(found["words"])
            if named := _NAMED_BEFORE.search(before):
                yield named["name"]
            if _HAS_ROOM_FOR.search(text, max(0, number.start - _WINDOW), number.start):
                yield from _WHO_SITS


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
