"""The language of a short question, with the help of the base's languages and the conversation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sourcebook.text.analysis import words
from sourcebook.text.languages import detect_language
from sourcebook.text.letters import NOT_IN_LATIN
from sourcebook.text.vocabulary.function_words import is_told_apart, languages_with_list

if TYPE_CHECKING:
    from sourcebook.model.chat import ChatMessage
    from sourcebook.retrieve.question_context import QuestionContext

_SHORT = 8
_FEW = 4
"""So few words are often taken for another language."""
_LOOK_ALIKE = (
    frozenset({"pt", "es", "it", "fr", "ca", "gl", "ro"}),
    frozenset({"ru", "uk", "be", "bg", "sr", "mk"}),
)
"""Languages that a few words do not tell apart."""


def question_language(question: str, context: QuestionContext) -> str | None:
    """The language of a question; None if it cannot be told.

    For a short question, a similar language of the base is preferred: "horario da secretaria" without its accent looks
    Italian, but is Portuguese if the base has that and no Italian.
    """
    detected = detect_language(question)
    held = context.all_languages()
    if detected is None or detected in held or len(words(question)) > _SHORT:
        return detected
    alike = {name for family in _LOOK_ALIKE if detected in family for name in family.intersection(held)}
    if len(alike) != 1:
        return detected
    (other,) = alike
    return detected if is_told_apart(detected, other, question) else other


def spoken_language(question: str, context: QuestionContext, history: Sequence[ChatMessage]) -> str | None:
    """The language of a question in a conversation: that of the conversation, if a short question may be in it."""
    detected, before = question_language(question, context), language_of(history)
    if detected is None or before is None:
        return detected or before or only_language(context)
    return before if _may_be_in(before, question, detected) else detected


def _may_be_in(language: str, question: str, detected: str) -> bool:
    """Whether a few words may be in this language, although they look like another one: "e a Reserva?" like English.

    They are not if a small word tells the other language. For a language whose small words are not known, a small word
    must tell this one.
    """
    if len(words(question)) > _FEW or (language in NOT_IN_LATIN) != (detected in NOT_IN_LATIN):
        return False
    if detected in languages_with_list():
        return not is_told_apart(detected, language, question)
    return is_told_apart(language, detected, question)


def only_language(context: QuestionContext) -> str | None:
    """The language of the base, if it has only one."""
    held = {name for name in context.all_languages() if name}
    return held.pop() if len(held) == 1 else None


def language_of(history: Sequence[ChatMessage]) -> str | None:
    """The language of the last message that has one."""
    for message in reversed(history):
        language = message.details.get("language")
        if isinstance(language, str):
            return language
    return None
