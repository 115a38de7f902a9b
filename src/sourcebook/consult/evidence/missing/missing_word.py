"""Whether a word of the question is nowhere in a small base: "Who founded it?", "Is there a sauna?"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcebook.consult.evidence.missing.missing_form import about_the_thing
from sourcebook.consult.evidence.passage_surroundings import title_and_section
from sourcebook.consult.evidence.question_share import held_terms, weight_of
from sourcebook.consult.question.asked_for.asked_thing import asked_thing
from sourcebook.consult.question.asked_for.wanted_form import asks_who, wanted_form
from sourcebook.consult.question.words.everyday_words import everyday_stems_in
from sourcebook.text.analysis import distinct_terms
from sourcebook.text.vocabulary.question_words import words_of_a_kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sourcebook.consult.evidence.weighed_question import WeighedQuestion
    from sourcebook.model.search import SearchResult

_ENOUGH = 0.2
"""A missing word counts if it has at least this share of the question's weight."""


def is_word_nowhere(question: WeighedQuestion, passages: Sequence[SearchResult]) -> bool:
    """Whether the question asks who does something or whether there is a thing, and a word of that is nowhere.

    Other questions too often use other words than the base, also those for a price or a size. Words with a similar
    meaning count as found.
    """
    asked = question.asked_now
    if asks_who(asked):
        said = asked
    else:
        thing = asked_thing(asked)
        if thing is None or thing.is_of_a_page or wanted_form(asked, question.language) is not None:
            return False
        said = thing.with_rest
    weights = about_the_thing(asked, question.weights, question.language)
    terms = distinct_terms(said, question.language) - everyday_stems_in(question.languages)
    unknown = {term for term in weights if term in terms and not question.counts.passages.get(term)}
    if weight_of(unknown, weights) < _ENOUGH:
        return False
    kinds = words_of_a_kind()
    for passage in passages:
        said = f"{title_and_section(passage)}\n{passage.chunk.content}"
        found = distinct_terms(said, question.language)
        unknown -= held_terms(dict.fromkeys(unknown, 1.0), found, question.language)
        unknown -= {term for term in unknown if kinds.get(term, frozenset()) & found}
    return weight_of(unknown, weights) >= _ENOUGH
