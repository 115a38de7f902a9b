"""Words that are written both with a hyphen and without one: `Wi-Fi` and `wifi` are one word.

The list is closed. In most compounds each part is a word that people look for by itself, and joining those would hide
it; here nobody looks for the parts.
"""

from __future__ import annotations

import re

# Searched for by the hyphen, which is rarer than any beginning of a word.
_HYPHEN = re.compile(
    r"""
    [-\u2010\u2011] (?:
        (?<=\b e.) (?=mail|book|commerce|learning|shop|ticket)
      | (?<=\b on.) (?=line) | (?<=\b off.) (?=line)
      | (?<=\b wi.) (?=fi\b) | (?<=\b hi.) (?=fi\b) | (?<=\b sci.) (?=fi\b)
      | (?<=\b co.) (?=operat|ordinat|oper[ae]|orden)
      | (?<=\b он.) (?=лайн) | (?<=\b оф.) (?=лайн)
    )
    """,
    re.VERBOSE,
)
_IN_RUSSIAN = re.compile("\\bвай[-\u2010\u2011 ]?фа(?:й|я|ю|ем|е)\\b|\\bофф-?(?=лайн)")
_APART = re.compile(r"\bwi fi\b")


def in_one_spelling(text: str) -> str:
    """Folded text with these words in the spelling without a hyphen."""
    if "wi fi" in text:
        text = _APART.sub("wifi", text)
    if "вай" in text or "офф" in text:
        text = _IN_RUSSIAN.sub(lambda match: "оф" if match[0].startswith("офф") else "wifi", text)
    return _HYPHEN.sub("", text) if "-" in text or not text.isascii() else text
