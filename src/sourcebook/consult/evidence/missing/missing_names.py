"""Whether the passages have the names and numbers of a question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sourcebook.consult.evidence.passage_surroundings import document_of, said_with_title
from sourcebook.consult.question.words.foreign_names import ForeignNames
from sourcebook.consult.question.words.named_days import days_of_rows, named_days, without_days
from sourcebook.consult.support.support_check import names
from sourcebook.text.analysis import words
from sourcebook.text.numbers import quantities
from sourcebook.text.stems import stem_words
from sourcebook.text.vocabulary.stopwords import asking_words, stop_words
from sourcebook.text.vocabulary.word_lists import word_groups

if TYPE_CHECKING:
    from sourcebook.consult.evidence.weighed_question import WeighedQuestion
    from sourcebook.model.asked_collection import WordCounts
    from sourcebook.model.search import SearchResult

_SHORTEST_INFLECTED = 4
_LONGEST_ENDING = 2
_SHORTEST_NAME = 3
_IN_A_PLACE = re.compile(
    r"(?<=\s)(?:in|at|from|near|в|во|на|из|под|em|no|na|nos|nas|de|do|da|en)\s+(?P<name>[^\W\d_a-zа-яё][^\W\d_]*[a-zа-яёà-ÿ])(?![\w.:/-])"
)
_DIGITS_IN_A_ROW = re.compile(r"\d+")


def names_found(question: str, text: str) -> float:
    """The share of the names and numbers in a question that the text has; 1.0 if there are none."""
    # In capitals every word looks like a name.
    named = [] if question.isupper() else [part for name in names(question) for part in words(name)]
    wanted = [*named, *(quantity.value for quantity in quantities(question))]
    if not wanted:
        return 1.0
    held = set(words(text))
    missing = [word for word in wanted if word not in held and not _has_form(word, held)]
    # Numbers in words, or with a mark inside, are looked for only if needed.
    counted = {quantity.value for quantity in quantities(text)} if missing else ()
    return (len(wanted) - sum(word not in counted for word in missing)) / len(wanted)


def _has_form(name: str, held: set[str]) -> bool:
    """Whether another form of a name is there, with a different ending. A number has no other forms."""
    if name.isdigit() or len(name) <= _SHORTEST_INFLECTED:
        return False
    beginning = name[: max(_SHORTEST_INFLECTED, len(name) - _LONGEST_ENDING)]
    return any(word.startswith(beginning) and len(word) <= len(name) + _LONGEST_ENDING for word in held)


def is_name_unknown(question: WeighedQuestion) -> bool:
    """Whether the question has a name that is nowhere in the base."""
    if question.text.isupper() or not question.counts.rows:
        return False
    languages = question.languages or (question.language,)
    idle = frozenset[str]().union(*map(stop_words, languages), *map(asking_words, languages))
    return any(
        len(word) >= _SHORTEST_NAME and word not in idle and not _is_known(word, languages, question.counts)
        for name in names(question.text)
        for word in words(name)
    )


def _is_known(word: str, languages: Sequence[str | None], counts: WordCounts) -> bool:
    return any(counts.passages.get(stem_words([word], language)[0]) for language in languages)


def is_place_missing(
    question: WeighedQuestion, closest: SearchResult, passages: Sequence[SearchResult]
) -> bool:
    """Whether it is asked of a place ("in Tallinn") that the base knows, and nothing found of the closest document has.

    The price in Bristol is no answer. A place that the base does not know is missed otherwise.
    """
    (times,) = word_groups("time_words.txt", "word")
    named = (match["name"] for match in _IN_A_PLACE.finditer(question.text))
    places = [name for name in named if not times.holds(name.casefold()) and name != "May"]
    if not places or question.text.isupper():
        return False
    languages = question.languages or (question.language,)
    of_document = [closest, *(each for each in passages if document_of(each) == document_of(closest))]
    said = "\n".join(f"{each.chunk.section or ''}\n{said_with_title(each)}" for each in of_document)
    said = f"{closest.document_path}\n{said}"
    return any(
        _is_known(place.casefold(), languages, question.counts) and not _is_said(place, said)
        for place in places
    )


def _is_said(name: str, text: str) -> bool:
    """Whether a text has a name, in another form, or as it sounds in another script."""
    held = set(words(text))
    folded = name.casefold()
    return folded in held or _has_form(folded, held) or bool(ForeignNames(f"– {name}").met_by(text))


def is_number_missing(question: str, closest: SearchResult) -> bool:
    """Whether the question has a number, such as a year, that the closest passage lacks."""
    wanted = {quantity.value for quantity in quantities(question)}
    if not wanted:
        return False
    said = f"{closest.chunk.section or ''}\n{said_with_title(closest)}"
    missing = wanted - {quantity.value for quantity in quantities(said)}
    # The year of a date and the "2" of "v2" count, too.
    return bool(missing) and not missing <= set(_DIGITS_IN_A_ROW.findall(said))


def without_days_of(
    closest: SearchResult, passages: Sequence[SearchResult], question: WeighedQuestion
) -> WeighedQuestion:
    """The question without a day that the closest passage or any row names, so that its number is not missed."""
    wanted = named_days(question.text)
    if not wanted:
        return question
    is_named = wanted <= named_days(closest.chunk.content) or any(
        wanted <= days_of_rows(passage.chunk.content) for passage in passages
    )
    return replace(question, text=without_days(question.text)) if is_named else question
