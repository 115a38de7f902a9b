"""Invisible characters, which can control a terminal, reverse a line, or spell a text that people do not see."""

from __future__ import annotations

import re

MARKS = (
    "\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U0001bca0-\U0001bca3\U000e0000-\U000e0fff"
)
"""As a piece of a regular expression: marks of direction; zero-width letters; invisible operators; shorthand and
interlinear marks; and the tag characters and selectors above the basic plane, which can spell a whole hidden text.
Joiners are none of them: they belong to the spelling of Persian and Hindi, and hold emoji together."""

# Controls but tab and line feed: 0x9B alone begins a command to a terminal, as ESC [ does. And two more line ends.
_HIDDEN = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029{MARKS}]")


def without_hidden(text: str) -> str:
    """The text as a terminal may show it. Tabs and line feeds stay."""
    return text if text.isascii() and text.isprintable() else _HIDDEN.sub("", text)


def escaped_in_json(document: str) -> str:
    """A JSON document that means the same, with every hidden letter of its texts written as `\\uXXXX`."""
    return _HIDDEN.sub(lambda found: _escape(found[0]), document)


def _escape(letter: str) -> str:
    halves = letter.encode("utf-16-be")
    return "".join(f"\\u{halves[at : at + 2].hex()}" for at in range(0, len(halves), 2))
