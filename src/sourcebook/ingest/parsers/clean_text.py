"""Removes invisible characters from every text.

They hide words from searching, and instructions from people. What remains can be stored by every database, and shown.
"""

from __future__ import annotations

import re

from sourcebook.text import hidden_characters

_LINE_END = re.compile(r"\r\n?")
# The bullets of the fonts Symbol and Wingdings, which have private codes.
_BULLET = re.compile("[\uf0b7\uf0a7\uf0a8\uf0d8\uf0fc\uf06e\uf076]")
# Controls apart from tab, line feed and form feed; soft hyphen; lone surrogates; noncharacters; and what hides.
_INVISIBLE = re.compile(
    f"[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f\xad\ud800-\udfff\ufffe\uffff{hidden_characters.MARKS}]"
)
# Joiners belong to the spelling of Arabic, Persian and the languages of India, and hold emoji together.
_JOINER = re.compile("(?<![\u0590-\u1fff\u2190-\u2bff\ufe0f\U0001f000-\U0001faff])[\u200c\u200d]+")

_ENDS = (".", ":", ";", "!", "?", "…")
_WITHIN = (",", ")", "»", "”", "–", "—", "%")
_FULL_LINE = 60
"""A shorter line that a capital letter follows may be one of an address or a poem."""


def cleaned(text: str) -> str:
    """The text without invisible characters, with `\\n` for line ends."""
    if text.isascii() and text.isprintable():
        return text
    text = _BULLET.sub("•", _LINE_END.sub("\n", text))
    return _JOINER.sub("", _INVISIBLE.sub("", text))


def one_line(text: str) -> str:
    """The text with single spaces for all white space."""
    return " ".join(text.split())


def without_soft_breaks(text: str) -> str:
    """A paragraph without the line breaks that its author set only for the look: in the middle of a sentence."""
    lines = text.split("\n")
    joined = lines[:1]
    for line in lines[1:]:
        before, after = joined[-1].rstrip(), line.lstrip()
        is_open = before[-1:] not in _ENDS and (before[-1:].isalnum() or before[-1:] in _WITHIN)
        if is_open and after and (after[0].islower() or len(before) >= _FULL_LINE):
            joined[-1] = f"{before} {after}"
        else:
            joined.append(line)
    return "\n".join(joined)
