"""Removes invisible characters from every text.

They hide words from searching, and instructions from people. What remains can be stored by every database, and shown.
"""

from __future__ import annotations

import re

_LINE_END = re.compile(r"\r\n?")
# Controls apart from tab, line feed and form feed; lone surrogates; soft hyphen; marks of direction; zero-width
# characters; invisible operators; shorthand and interlinear marks; the tag characters and the selectors above the
# basic plane, both of which can spell a whole hidden text; noncharacters.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3\U000e0000-\U000e0fff]"
)
# Joiners belong to the spelling of Arabic, Persian and the languages of India, and hold emoji together.
_JOINER = re.compile("(?<![\u0590-\u1fff\u2190-\u2bff\ufe0f\U0001f000-\U0001faff])[\u200c\u200d]+")


def cleaned(text: str) -> str:
    """The text without invisible characters, with `\\n` for line ends."""
    if text.isascii() and text.isprintable():
        return text
    text = _LINE_END.sub("\n", text)
    return _JOINER.sub("", _INVISIBLE.sub("", text))


def one_line(text: str) -> str:
    """The text with single spaces for all white space."""
    return " ".join(text.split())
