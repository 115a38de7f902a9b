"""The judge: pure functions that tell a right answer from a wrong one by the words it must contain."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.answers.questions import Question

CONCISE = 400
"""The most characters that a concise answer has, without markup and marks of citations."""

_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\s]*\)")
_TAGS = (
    "a|abbr|b|blockquote|br|code|details|dfn|div|em|font|h[1-6]|i|img|kbd|li|ol|p|pre|small|span|strong|sub"
    "|summary|sup|table|tbody|td|th|thead|tr|u|ul"
)
_TAG = re.compile(rf"</?(?:{_TAGS})(?:\s[^<>\n]{{0,300}})?/?>", re.IGNORECASE)
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+.!|>~-])")
_CITATION = re.compile(r"\s?\[\d{1,2}\](?!\()")
_MARKS = str.maketrans(
    dict.fromkeys("*`\u00ad\u200b\ufeff", "")
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
    | dict.fromkeys("\u00ab\u00bb\u201c\u201d\u201e", '"')
    | dict.fromkeys("\u2018\u2019", "'")
    | {"ё": "е", "Ё": "Е"}
)


class Verdict(StrEnum):
    """What became of a question. The last two are those of questions that have no answer."""

    RIGHT = "right"
    WRONG = "wrong"
    WRONGLY_DECLINED = "wrongly declined"
    DECLINED = "declined"
    WRONGLY_ANSWERED = "wrongly answered"


def plain(text: str) -> str:
    """The words of a text: no markup, one kind of dash, quote and space, one case, and ё as е."""
    unmarked = _ESCAPED.sub(r"\1", html.unescape(_TAG.sub("", _LINK.sub(r"\1", text))))
    return " ".join(unicodedata.normalize("NFKC", unmarked).translate(_MARKS).split()).casefold()


def contains(text: str, wanted: str) -> bool:
    """Whether a plain text has these words. They begin a word, and a number is the whole number.

    The end of a word is free, because words are inflected.
    """
    words = plain(wanted)
    before = r"(?<!\w)" if words[:1].isalnum() else ""
    before += r"(?<!\d[.,])" if words[:1].isdigit() else ""
    after = r"(?!\d|[.,]\d)" if words[-1:].isdigit() else ""
    return re.search(before + re.escape(words) + after, text) is not None


def is_right(answer: str, accept: Sequence[Sequence[str]]) -> bool:
    """Whether the answer has all strings of one group."""
    text = plain(answer)
    return any(all(contains(text, wanted) for wanted in group) for group in accept)


def length_of(answer: str) -> int:
    """The characters that a reader reads."""
    return len(plain(_CITATION.sub("", answer)))


def judged(question: Question, answer: str | None) -> Verdict:
    """What became of a question; `answer` is None if it was declined."""
    if not question.is_answerable:
        return Verdict.DECLINED if answer is None else Verdict.WRONGLY_ANSWERED
    if answer is None:
        return Verdict.WRONGLY_DECLINED
    return Verdict.RIGHT if is_right(answer, question.accept) else Verdict.WRONG
