"""Whether a quote still stands in its document, decided by the texts alone.

A quote stands as long as the sentences that contain it are the same. The rest of the document may change, and so may
white space, quotation marks and dashes. A word added to its sentence may reverse it, so then it no longer stands.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator

from sourcebook.text.layout.tables import is_row, is_ruler
from sourcebook.text.sentences import sentence_spans

_QUOTATION_MARKS = dict.fromkeys(map(ord, "«»“”„‟‹›″"), '"') | dict.fromkeys(map(ord, "‘’‚′`"), "'")
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―"), "-")
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))
_TYPOGRAPHY = _QUOTATION_MARKS | _DASHES | _INVISIBLE | {ord("…"): "..."}
_MARKUP = re.compile(r"\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)")
_SENTENCE_END = (".", "!", "?", ":", ";", '"', ")")


def stands(quote: str, text: str, earlier: str | None = None) -> bool:
    """Whether the quote still stands in the text. `earlier` is the text it was taken from, if known."""
    wanted = compared_form(quote)
    if not wanted:
        return True
    places = _Places(text)
    if wanted not in places.text:
        return False
    found = list(places.around(wanted))
    if any(is_whole for _, is_whole in found):
        return True
    if earlier is not None:
        before = {sentence for sentence, _ in _Places(earlier).around(wanted)}
        return bool(before.intersection(sentence for sentence, _ in found))
    # A quote that looks like a whole sentence is now only a part of one.
    return not _looks_whole(wanted)


def sentence_before(quote: str, text: str) -> str | None:
    """The sentence before the quote, in compared form; before a row, the one before its table."""
    places, wanted = _Places(text), compared_form(quote)
    return places.before(wanted) if wanted else None


def same_text(one: str | None, other: str | None) -> bool:
    """Whether two texts are the same apart from typography."""
    return compared_form(one or "") == compared_form(other or "")


class _Places:
    """The sentences of a text, in compared form."""

    def __init__(self, text: str) -> None:
        sentences = [compared_form(text[start:end]) for start, end in sentence_spans(text)]
        self._sentences = [sentence for sentence in sentences if sentence]
        self._starts: list[int] = []
        length = 0
        for sentence in self._sentences:
            self._starts.append(length)
            length += len(sentence) + 1
        self.text = " ".join(self._sentences)

    def around(self, wanted: str) -> Iterator[tuple[str, bool]]:
        """For each occurrence: the sentences that contain it, and whether they contain nothing else."""
        at = self.text.find(wanted)
        while at >= 0:
            end = at + len(wanted)
            first = bisect_right(self._starts, at) - 1
            last = bisect_right(self._starts, end - 1) - 1
            held = " ".join(self._sentences[first : last + 1])
            yield held, _bare(held) == _bare(wanted)
            at = self.text.find(wanted, at + 1)

    def before(self, wanted: str) -> str | None:
        """The sentence before the first occurrence, if there is one; of a row, the one before its table."""
        at = self.text.find(wanted)
        first = bisect_right(self._starts, at) - 1
        before = self._sentences[:first] if at >= 0 else []
        while is_row(wanted) and before and (is_row(before[-1]) or is_ruler(before[-1])):
            before.pop()
        return before[-1] if before else None


def compared_form(text: str) -> str:
    """The text without differences of typography, markup and white space."""
    composed = unicodedata.normalize("NFC", text).translate(_TYPOGRAPHY)
    return " ".join(_MARKUP.sub("", composed).split())


def _bare(sentence: str) -> str:
    """The sentence without the mark of a list item and its final punctuation."""
    return re.sub(r"^(?:[-*•#>|+]+|\d{1,3}[.)])\s+", "", sentence).rstrip(' .;|"').lstrip('"| ')


def _looks_whole(wanted: str) -> bool:
    first = next((letter for letter in wanted if letter.isalnum()), "")
    return not first.islower() and wanted.endswith(_SENTENCE_END)
