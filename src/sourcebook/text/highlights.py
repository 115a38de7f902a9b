"""The sentences of a passage that show why it was found."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast, overload

from sourcebook.text.analysis import words
from sourcebook.text.sentences import sentence_spans
from sourcebook.text.stems import stem_words

MAX_HIGHLIGHT = 300
_LEAD = 100
_TOKEN = re.compile(r"[^\s_]+")
_FIRST_WORD = re.compile(r"\S*\s+")


def highlights(
    content: str, terms: Collection[str], prefixes: Collection[str], language: str | None, limit: int = 3
) -> list[str]:
    """Up to `limit` sentences that hold a term or a word with one of the prefixes, in the order of the text.

    Those with the most different matches are chosen, the earlier of equals. Each has at most 300 characters: a longer
    one is cut around its first match.
    """
    wanted = _Wanted(frozenset(terms), tuple(prefixes), language)
    sentences = [content[start:end] for start, end in sentence_spans(content)]
    matches = [len(wanted.found_in(sentence)) for sentence in sentences]
    matching = [index for index, count in enumerate(matches) if count]
    best = sorted(matching, key=lambda index: -matches[index])[: max(limit, 0)]
    return [_shortened(sentences[index], wanted) for index in sorted(best)]


class Highlights(Sequence[str]):
    """What `highlights` finds, computed on first use: most results are never shown."""

    def __init__(
        self, content: str, terms: Collection[str], prefixes: Collection[str], language: str | None
    ) -> None:
        self._asked = content, terms, prefixes, language

    @cached_property
    def _found(self) -> list[str]:
        return highlights(*self._asked)

    def __len__(self) -> int:
        return len(self._found)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        return self._found[index]

    def __eq__(self, other: object) -> bool:
        """Equal to any sequence of the same sentences, as a list of them would be."""
        if isinstance(other, str) or not isinstance(other, Sequence):
            return NotImplemented
        return self._found == list(cast("Sequence[object]", other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self._found)


@dataclass(frozen=True, slots=True)
class _Wanted:
    terms: frozenset[str]
    prefixes: tuple[str, ...]
    language: str | None

    def found_in(self, text: str) -> frozenset[str]:
        """The terms and prefixes that the text holds."""
        found = words(text)
        begun = (prefix for prefix in self.prefixes if any(word.startswith(prefix) for word in found))
        return self.terms.intersection(stem_words(found, self.language)).union(begun)


def _shortened(sentence: str, wanted: _Wanted) -> str:
    if len(sentence) <= MAX_HIGHLIGHT:
        return sentence
    room = MAX_HIGHLIGHT - 2
    start = max(0, min(_first_match(sentence, wanted) - _LEAD, len(sentence) - room))
    piece = sentence[start : start + room]
    if start:
        piece = "…" + _without_torn_word(piece)
    if start + room < len(sentence):
        piece = _without_torn_word(piece[::-1])[::-1] + "…"
    return piece


def _first_match(sentence: str, wanted: _Wanted) -> int:
    for token in _TOKEN.finditer(sentence):
        found = wanted.found_in(token[0])
        if found:
            # In a script without spaces the token may be the whole sentence.
            folded = token[0].casefold()
            return token.start() + max(0, min(folded.find(match) for match in found))
    return 0


def _without_torn_word(piece: str) -> str:
    """The piece without its first word, if that is short enough to be one."""
    torn = _FIRST_WORD.match(piece, 0, _LEAD // 2)
    return piece[torn.end() :] if torn else piece
