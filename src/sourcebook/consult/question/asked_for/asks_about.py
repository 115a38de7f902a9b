"""Whether a question is about a price, a secret, a letter, or what is new."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from sourcebook.text.vocabulary.word_lists import alternatives

Subject = Literal["price", "secret", "letter", "news"]


def asks_about(question: str, subject: Subject) -> bool:
    """Whether a question has a word of the subject: "sent" of a letter, "password" of a secret."""
    return _words_of(subject).search(question) is not None


@cache
def _words_of(subject: Subject) -> re.Pattern[str]:
    return re.compile(rf"\b{alternatives('asks_about.txt', subject)}\b", re.IGNORECASE)
