"""Recognises copies and translations, so that a text counts once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from sourcebook.consult.evidence.passage_surroundings import document_of
from sourcebook.text.analysis import words
from sourcebook.text.languages import detect_language

if TYPE_CHECKING:
    from sourcebook.model.search import SearchResult

_ALIKE = 0.85
_FEWEST_WORDS = 8
_FEWEST_IN_A_ROW = 4
_CODE = r"(?:en|ru|pt|es|de|fr|it|uk|pl|zh|ja)(?:[-_][a-z]{2})?"
# A language in a path: `guide.ru.pdf`, `guide-en.md`, `docs/pt/guide.md`, `manual-pt-2026/guide.md`.
_LANGUAGE = re.compile(rf"(?:(?<=/)|^){_CODE}/|[._-]{_CODE}(?=$|[/._-])", re.IGNORECASE)


def is_same_text(one: SearchResult, other: SearchResult) -> bool:
    """Whether a passage of another document says the same: word for word, or as its translation."""
    if document_of(one) == document_of(other):
        return False
    return holds_copy(other, one.chunk.content) or is_translation(one, other)


def holds_copy(passage: SearchResult, text: str) -> bool:
    """Whether the passage contains the text, or nearly all words of the shorter one are in the other."""
    said, held = words(text), words(passage.chunk.content)
    if len(said) >= _FEWEST_IN_A_ROW and f" {' '.join(said)} " in f" {' '.join(held)} ":
        return True
    smaller = min(len(set(said)), len(set(held)))
    return smaller >= _FEWEST_WORDS and len(set(said) & set(held)) >= _ALIKE * smaller


def is_translation(one: SearchResult, other: SearchResult) -> bool:
    """Whether two passages are of one document in two languages, by the names of the files."""
    names = _without_language(one.document_path), _without_language(other.document_path)
    if names[0] != names[1] or one.document_path == other.document_path:
        return False
    languages = detect_language(one.chunk.content), detect_language(other.chunk.content)
    return None not in languages and languages[0] != languages[1]


def without_translations(found: Sequence[SearchResult], own: Sequence[SearchResult]) -> list[SearchResult]:
    """What was found, without translations of the documents of `own`, by the names of the files."""
    paths = {each.document_path for each in own}
    names = {_without_language(path) for path in paths}
    return [
        each
        for each in found
        if each.document_path in paths or _without_language(each.document_path) not in names
    ]


def _without_language(path: str) -> str:
    return _LANGUAGE.sub("", PurePosixPath(path).with_suffix("").as_posix())
