"""Lines in Hebrew and Arabic as they are written, not as their letters are drawn from left to right.

The library puts the letters of such a line in order, but leaves numbers with the marks beside them, brackets and joined
letters as they were drawn.
"""

from __future__ import annotations

import re
import unicodedata

_LETTER = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_FORM = re.compile("[\ufb1d-\ufdff\ufe70-\ufefc]+")
_MARKS = r".,:;!?،؛–\-"
_NUMBER = re.compile(rf"(?<![A-Za-z\d])([{_MARKS}%]*)(\d+(?:[.,:/-]\d+)*%?)([{_MARKS}]*)(?![A-Za-z\d])")
_TURNED_BRACKETS = (re.compile(r"\)([^()]*)\("), re.compile(r"\]([^\[\]]*)\["))
# An alef after another one is that of the pair lam-alef, which is drawn as one sign.
_TURNED_PAIR = re.compile("ا([إأآ])ل")


def logical(text: str) -> str:
    """The line as it is written, if a good part of its letters is read from right to left."""
    if not _LETTER.search(text):
        return text
    text = _FORM.sub(lambda form: unicodedata.normalize("NFKC", form[0]), text)
    if 3 * len(_LETTER.findall(text)) <= sum(character.isalpha() for character in text):
        return text
    text = _NUMBER.sub(lambda found: found[3][::-1] + found[2] + found[1][::-1], text)
    for brackets, pair in zip(_TURNED_BRACKETS, ("()", "[]"), strict=True):
        text = brackets.sub(rf"{pair[0]}\1{pair[1]}", text)
    return _TURNED_PAIR.sub(r"ال\1", text)
