"""Which of the passages that were found come first: those under a heading that names what is asked about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcebook.consult.evidence.passage_surroundings import is_news, last_heading
from sourcebook.consult.evidence.subject_heading import subject_named
from sourcebook.consult.question.asked_for.asks_about import asks_about
from sourcebook.consult.question.asked_for.forms import AnswerForm, AskedForms
from sourcebook.consult.question.asked_for.told_way import names_reason, names_way
from sourcebook.consult.question.words.light_verbs import verb_of_way
from sourcebook.text.languages import detect_language
from sourcebook.text.sentences import sentence_spans

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sourcebook.model.search import SearchResult

_SUBJECT = 1.5
_DEFINITION = 1.5
_INTRODUCTION = 0.75
_WAY = 1.0
_NEWS = -3.0
"""What is added to the score of a passage. Half as much and twice as much change one answer in 560."""


def by_subject(
    found: Sequence[SearchResult], question: str, weights: Mapping[str, float], language: str | None
) -> list[SearchResult]:
    """What was found, in a better order.

    A passage comes earlier if a title or heading names the subject, if it has the definition or the way that is asked
    for, and later if it only tells what is new in a release.
    """
    order = _SubjectOrder(question, weights, language)
    return sorted(found, key=lambda passage: passage.score + order.worth(passage), reverse=True)


class _SubjectOrder:
    """What a passage is worth besides its score."""

    def __init__(self, question: str, weights: Mapping[str, float], language: str | None) -> None:
        self._weights = weights
        self._language = language
        self._forms = AskedForms(question)
        self._asks_way = AnswerForm.COMMAND in self._forms.forms
        self._verb = verb_of_way(question)
        self._asks_news = asks_about(question, "news")

    def worth(self, passage: SearchResult) -> float:
        spoken = self._language or detect_language(passage.chunk.content)
        named = subject_named(passage, self._weights, spoken)
        worth = _SUBJECT * named + self._worth_of_definition(passage)
        heading = last_heading(passage.chunk)
        if self._asks_way and names_reason(heading):
            worth -= _SUBJECT * named
        elif self._asks_way and names_way(heading, self._verb):
            worth += _WAY * named
        if not self._asks_news and is_news(passage):
            worth += _NEWS
        return worth

    def _worth_of_definition(self, passage: SearchResult) -> float:
        definition = self._forms.definition
        if definition is None or AnswerForm.DEFINITION not in self._forms.forms:
            return 0.0
        content = passage.chunk.content
        sentences = [content[start:end] for start, end in sentence_spans(content)]
        if any(map(definition.opens, sentences)):
            return _DEFINITION
        return _INTRODUCTION if any(map(definition.is_in, sentences)) else 0.0
