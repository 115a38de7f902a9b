"""Aligns a sentence with its quote, word by word: what is the same, and what replaces what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from enum import Enum, auto
from functools import lru_cache

from sourcebook.text.case_and_accents import folded
from sourcebook.text.numbers import quantities
from sourcebook.text.stems import stem_words
from sourcebook.text.vocabulary.negation import negators
from sourcebook.text.vocabulary.stopwords import stop_words

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_BEFORE_A_SENTENCE = re.compile(r"(?:^|[.!?…:;]|\n|[-*•])[\s\"'«“„(\[*_]*$")
_ALIKE = 4
"""Names with so many first letters in common are taken for forms of one name."""
_MOSTLY_CAPITALS = 0.6


class Kind(Enum):
    """The kind of a word. Numbers and names are facts."""

    WORD = auto()
    NUMBER = auto()
    NAME = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """A word or number of a text. `opens`: a sentence begins with it."""

    word: str
    stem: str
    kind: Kind
    opens: bool
    is_capital: bool
    is_content: bool
    denies: bool

    @property
    def is_fact(self) -> bool:
        return self.kind is not Kind.WORD

    def is_like(self, other: Token) -> bool:
        """Whether two facts may be the same: forms of a name, or equal values."""
        if self.stem == other.stem:
            return True
        return self.kind is Kind.NAME and self.word[:_ALIKE] == other.word[:_ALIKE]


@dataclass(frozen=True, slots=True)
class AlignmentGap:
    """A difference: these words of the sentence where the quote has those. One side may be empty."""

    mine: range
    theirs: range

    def is_short(self, longest: int) -> bool:
        return len(self.mine) <= longest and len(self.theirs) <= longest


@dataclass(frozen=True, slots=True)
class Alignment:
    """The words of both, the pairs of equal ones by their places, and the gaps between.

    `known` are the facts of the quote, and the words of its context.
    """

    here: Sequence[Token]
    there: Sequence[Token]
    same: Sequence[tuple[int, int]]
    gaps: Sequence[AlignmentGap]
    known: Sequence[Token]

    @property
    def share(self) -> float:
        """The share of the sentence's words that are in the quote in the same order."""
        return len(self.same) / len(self.here) if self.here else 0.0

    @property
    def blocks(self) -> int:
        """How many pieces of the quote the sentence consists of."""
        return sum(
            1
            for place, (mine, theirs) in enumerate(self.same)
            if place == 0 or self.same[place - 1] != (mine - 1, theirs - 1)
        )


def align(sentence: str, quote: str, language: str | None, context: str = "") -> Alignment:
    """Align a sentence with a quote by stems. `context` only adds to what is known."""
    here, there = _tokens(sentence, language), _tokens(quote, language)
    here, there = _with_opening_names(here, there), _with_opening_names(there, here)
    matcher = SequenceMatcher(None, [t.stem for t in here], [t.stem for t in there], autojunk=False)
    same: list[tuple[int, int]] = []
    gaps: list[AlignmentGap] = []
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        if kind == "equal":
            same += zip(range(i1, i2), range(j1, j2), strict=True)
        else:
            gaps.append(AlignmentGap(range(i1, i2), range(j1, j2)))
    known = [*(token for token in there if token.is_fact), *_tokens(context, language)]
    return Alignment(here, there, same, gaps, known)


@lru_cache(64)
def _tokens(text: str, language: str | None) -> Sequence[Token]:
    spans = list(_spans(text, language))
    words = [folded(text[start:end]) for start, end, _ in spans]
    stems = stem_words(words, language)
    stops, denying = stop_words(language), negators(language)
    found: list[Token] = []
    for (start, end, value), word, stem in zip(spans, words, stems, strict=True):
        opens = bool(_BEFORE_A_SENTENCE.search(text, max(0, start - 8), start))
        is_capital = text[start].isupper() or any(letter.isupper() for letter in text[start + 1 : end])
        is_name = value is None and is_capital and not opens and end - start > 1
        kind = Kind.NUMBER if value is not None else Kind.NAME if is_name else Kind.WORD
        denies = word in denying or word.endswith(("n't", "n’t"))
        found.append(Token(word, value or stem, kind, opens, is_capital, denies or word not in stops, denies))
    names = sum(token.kind is Kind.NAME for token in found)
    if names > _MOSTLY_CAPITALS * len(found):
        # In a headline, capitals tell nothing.
        return [replace(t, kind=Kind.WORD) if t.kind is Kind.NAME else t for t in found]
    return found


def _spans(text: str, language: str | None) -> Iterator[tuple[int, int, str | None]]:
    """The spans of words and numbers; numbers with their value."""
    end = 0
    for number in quantities(text, language):
        yield from ((m.start(), m.end(), None) for m in _WORD.finditer(text, end, number.start))
        if number.start >= end:
            yield number.start, number.end, number.value
            end = number.end
    yield from ((m.start(), m.end(), None) for m in _WORD.finditer(text, end))


def _with_opening_names(tokens: Sequence[Token], others: Sequence[Token]) -> list[Token]:
    """The first word of a sentence is a name if it is one anywhere else."""
    names = {t.stem for t in (*tokens, *others) if t.kind is Kind.NAME}
    return [replace(t, kind=Kind.NAME) if t.opens and t.is_capital and t.stem in names else t for t in tokens]
