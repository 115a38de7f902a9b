"""Headings that name the subject of a question: "Static files" above what answers "how do I serve static files?"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from sourcebook.consult.evidence.question_share import marked_terms, unmarked, weight_of
from sourcebook.consult.question.everyday_words import everyday_stems
from sourcebook.model.chat import BETWEEN_HEADINGS
from sourcebook.text.analysis import analyse_question, distinct_terms

if TYPE_CHECKING:
    from sourcebook.model.search import SearchResult

_LEAST = 0.5
"""A heading that is no more like the question than this is about something else."""
_NOT_SAID = re.compile(r"\([^()]*\)|\{[^{}]*\}|^\W*\d{1,3}(?:\.\d{1,3})*\.?\s+|[#`*]")
"""What names nothing in a heading: a remark in brackets, an anchor, a number, a mark."""
_NAMES_IN_CODE = re.compile(r"(?<=[a-z])(?=[A-Z])")
"""Where words meet in a name of code: a `FileResponse` is about files and responses."""


def subject_named(passage: SearchResult, weights: Mapping[str, float], language: str | None) -> float:
    """How far the title or a heading above a passage names what the question is about, from 0 to 1."""
    return max(likeness(heading, weights, language) for heading in headings_above(passage))


def headings_above(passage: SearchResult) -> list[str]:
    """The title of its document and the headings of its section."""
    return [passage.document_title or "", *(passage.chunk.section or "").split(BETWEEN_HEADINGS)]


def likeness(heading: str, weights: Mapping[str, float], language: str | None) -> float:
    """How far a heading and a question have the same words. Other words in the heading count against it.

    `weights` are those of the question's words.
    """
    names = _NAMES_IN_CODE.sub(" ", heading)
    alike = _likeness(heading, weights, language)
    return alike if names == heading else max(alike, _likeness(names, weights, language))


def _likeness(heading: str, weights: Mapping[str, float], language: str | None) -> float:
    own = _words_of(heading, language)
    if not own or not weights:
        return 0.0
    held = marked_terms(weights, own, language)
    asked = weight_of(held, weights)
    named = min(1.0, len(unmarked(held)) / len(own))
    alike = 2 * asked * named / (asked + named) if held else 0.0
    return max(0.0, alike - _LEAST) / (1 - _LEAST)


@lru_cache(1024)
def _words_of(heading: str, language: str | None) -> frozenset[str]:
    said = _NOT_SAID.sub(" ", heading)
    if language is None:
        return distinct_terms(said, language)
    return frozenset(analyse_question(said, [language]).terms) - everyday_stems(language)
