"""What is said to somebody who asks nothing: a greeting is greeted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcebook.locale import texts
from sourcebook.text.languages import detect_language

if TYPE_CHECKING:
    from sourcebook.errors import NothingAsked

_REPLIES = {"greeting": "said_greeting", "thanks": "said_thanks"}


def reply_to(error: NothingAsked, message: str) -> str:
    """A sentence in the language of the message."""
    return texts(detect_language(message))(_REPLIES.get(error.kind, "said_nothing"))
