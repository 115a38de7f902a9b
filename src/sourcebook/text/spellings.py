"""Words that are written with and without a hyphen: `Wi-Fi` and `wifi` are one word.

The list is closed: in most compounds people also search for the parts, which joining would hide.
"""

from __future__ import annotations

import re

# Begins with the hyphen, which is rarer than any letter, so that the search is fast.
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
