"""Headings that name the subject of a question: "Static files" above what answers "how do I serve static files?"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from sourcebook.consult.evidence.question_share import likeness, words_that_name
from sourcebook.model.chat import BETWEEN_HEADINGS

if TYPE_CHECKING:
    from sourcebook.model.search import SearchResult

_NOT_SAID = re.compile(r"\([^()]*\)|\{[^{}]*\}|^\W*\d{1,3}(?:\.\d{1,3})*\.?\s+|[#`*]")
"""What names nothing in a heading: a remark in brackets, an anchor, a number, a mark."""
_NAMES_IN_CODE = re.compile(r"(?<=[a-z])(?=[A-Z])")
"""Where words meet in a name of code: a `FileResponse` is about files and responses."""


def subject_named(passage: SearchResult, weights: Mapping[str, float], language: str | None) -> float:
    """How far the title or a heading above a passage names what the question is about, from 0 to 1."""
    return max(likeness_of(heading, weights, language) for heading in headings_above(passage))


def headings_above(passage: SearchResult) -> list[str]:
    """The title of its document and the headings of its section."""
    return [passage.document_title or "", *(passage.chunk.section or "").split(BETWEEN_HEADINGS)]


def likeness_of(heading: str, weights: Mapping[str, float], language: str | None) -> float:
    """How far a heading and a question have the same words. Other words in the heading count against it.

    `weights` are those of the question's words.
    """
    names = _NAMES_IN_CODE.sub(" ", heading)
    alike = likeness(_words_of(heading, language), weights, language)
    return alike if names == heading else max(alike, likeness(_words_of(names, language), weights, language))


@lru_cache(1024)
def _words_of(heading: str, language: str | None) -> frozenset[str]:
    return words_that_name(_NOT_SAID.sub(" ", heading), language)
