"""The language of a question that is too short to tell its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sourcebook.text.analysis import words
from sourcebook.text.function_words import is_told_apart
from sourcebook.text.languages import detect_language

if TYPE_CHECKING:
    from sourcebook.model.chat import ChatMessage
    from sourcebook.retrieve.question_context import QuestionContext

_FEW_WORDS = 4
_LOOK_ALIKE = (
    frozenset({"pt", "es", "it", "fr", "ca", "gl", "ro"}),
    frozenset({"ru", "uk", "be", "bg", "sr", "mk"}),
)
"""Languages whose words a few letters do not tell apart."""


def question_language(question: str, context: QuestionContext) -> str | None:
    """The language that a question is in; None if it does not tell.

    A few words are in the language of all that is asked where they might be: "horario da secretaria", typed without the
    accent, looks Italian, and the base holds nothing but Portuguese.
    """
    detected, held = detect_language(question), only_language(context)
    if detected is None or held is None or detected == held or len(words(question)) > _FEW_WORDS:
        return detected
    is_alike = any(detected in family and held in family for family in _LOOK_ALIKE)
    return held if is_alike and not is_told_apart(detected, held, question) else detected


def only_language(context: QuestionContext) -> str | None:
    """The language of all that is asked, if it is one: a short question may be too short to tell its own."""
    held = {name for name in context.all_languages() if name}
    return held.pop() if len(held) == 1 else None


def language_of(history: Sequence[ChatMessage]) -> str | None:
    """The language of what was said last in a conversation."""
    for message in reversed(history):
        language = message.details.get("language")
        if isinstance(language, str):
            return language
    return None
