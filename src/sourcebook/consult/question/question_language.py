"""The language of a question that is too short to tell its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sourcebook.model.chat import ChatMessage
    from sourcebook.retrieve.question_context import QuestionContext


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
