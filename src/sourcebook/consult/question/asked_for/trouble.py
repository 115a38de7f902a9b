"""Questions of somebody in trouble: something is broken, lost or refused, and the remedy is needed with the cause."""

from __future__ import annotations

import re
from functools import cache

from sourcebook.text.vocabulary.word_lists import alternatives, words_by_name

_FILE = "trouble.txt"
# An error that has a number: "TW-104", "E0382". Standards and illnesses have one too.
_NUMBERED_ERROR = re.compile(r"(?<![\w-])(?!(?:ISO|RFC|EN|DIN|IEC|IEEE|COVID)\b)[A-Z]{1,6}-?\d{3,5}(?!\w)")


def tells_trouble(question: str) -> bool:
    """Whether a question names something that went wrong, or an error by its number."""
    return _words().search(question) is not None or _NUMBERED_ERROR.search(question) is not None


@cache
def _words() -> re.Pattern[str]:
    listed = "|".join(alternatives(_FILE, language) for language in words_by_name(_FILE))
    return re.compile(rf"(?<![\w'])(?:{listed})(?![\w'])", re.IGNORECASE)
