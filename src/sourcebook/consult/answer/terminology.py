"""Terminology: which words an answer should use, whether it does, and what a question also means.

Terms are found in all inflected forms, by the stems of their words, in one pass over the text. Chains of terms are not
followed, so terms that point to each other do no harm.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sourcebook.text.case_and_accents import folded
from sourcebook.text.stems import stem_words

if TYPE_CHECKING:
    from sourcebook.model.curation import Term

MOST_EXPANSIONS = 8
MOST_IN_A_PROMPT = 30

_APOSTROPHES = "'’ʼ`´"
_TOKEN = re.compile(rf"\w+(?:[{_APOSTROPHES}]\w+)*")

# Portuguese plurals whose stem differs from that of the singular.
_PLURAL = re.compile(r"(?:ões|ães|ãos)$")


@dataclass(frozen=True, slots=True)
class TermUse:
    """An occurrence of a term. `is_exact`: in the form that is listed, not inflected."""

    term: Term
    start: int
    end: int
    is_exact: bool


@dataclass(frozen=True, slots=True)
class _Token:
    start: int
    end: int
    word: str
    stem: str


@dataclass
class _Table:
    """Phrases as stems with their terms, found by the first stem."""

    terms: dict[tuple[str, ...], list[Term]] = field(default_factory=dict[tuple[str, ...], "list[Term]"])
    lengths: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    """The lengths of the phrases that begin with a stem, the longest first."""

    def put(self, stems: tuple[str, ...], term: Term) -> None:
        if not stems:
            return
        self.terms.setdefault(stems, []).append(term)
        lengths = self.lengths.setdefault(stems[0], [])
        if len(stems) not in lengths:
            lengths.append(len(stems))
            lengths.sort(reverse=True)

    def at(self, tokens: Sequence[_Token], place: int) -> Iterator[tuple[str, ...]]:
        """The phrases that begin at this token, the longest first."""
        for length in self.lengths.get(tokens[place].stem, ()):
            stems = tuple(token.stem for token in tokens[place : place + length])
            if stems in self.terms:
                yield stems

    def longest(self, tokens: Sequence[_Token], place: int) -> tuple[int, Term] | None:
        """The longest phrase that begins at this token; of equal ones, the first that was added."""
        stems = next(self.at(tokens, place), None)
        return None if stems is None else (len(stems), self.terms[stems][0])


@dataclass
class TermIndex:
    """Terms, ready to be looked for in many texts."""

    language: str | None
    _terms: _Table = field(default_factory=_Table)
    _preferred: _Table = field(default_factory=_Table)
    _phrase_of: dict[int, tuple[str, ...]] = field(default_factory=dict[int, tuple[str, ...]])

    @classmethod
    def of(cls, terms: Iterable[Term], language: str | None) -> TermIndex:
        """The terms that apply to texts in this language: those of the language, and those of none."""
        index = cls(language)
        for term in terms:
            if term.language in (None, language) and folded(term.term) != folded(term.preferred_phrase):
                phrase = _stems(term.preferred_phrase, language)
                index._terms.put(_stems(term.term, language), term)
                index._preferred.put(phrase, term)
                index._phrase_of[term.id] = phrase
        return index

    def uses(self, text: str) -> list[TermUse]:
        """Where the text uses a term although there is a preferred phrase, in order and without overlap.

        A term that stands inside its own preferred phrase is used as it should be.
        """
        tokens = self._tokens(text)
        covered = set(_covered(tokens, self._preferred))
        found: list[TermUse] = []
        place = 0
        while place < len(tokens):
            match = self._terms.longest(tokens, place)
            if match is None or (place, self._phrase_of[match[1].id]) in covered:
                place += 1
                continue
            length, term = match
            span = tokens[place : place + length]
            written = " ".join(token.word for token in span)
            is_exact = written == " ".join(token.word for token in _tokens(term.term, self.language))
            found.append(TermUse(term, span[0].start, span[-1].end, is_exact))
            place += length
        return found

    def expansions(self, question: str) -> list[str]:
        """What the question also means: preferred phrases for its terms, and terms for its preferred phrases."""
        tokens = self._tokens(question)
        said = {token.stem for token in tokens}
        others = [
            other
            for place in range(len(tokens))
            for table, other_of in ((self._terms, _phrase), (self._preferred, _term_of))
            if (match := table.longest(tokens, place)) is not None
            for other in (other_of(match[1]),)
            if not said.issuperset(_stems(other, self.language))
        ]
        return list(dict.fromkeys(others))[:MOST_EXPANSIONS]

    def in_preferred_words(self, text: str) -> str:
        """The text with the preferred phrase for every form of a term. For comparing, not for reading."""
        pieces: list[str] = []
        end = 0
        for use in self.uses(text):
            pieces += [text[end : use.start], use.term.preferred_phrase]
            end = use.end
        return "".join([*pieces, text[end:]])

    def relevant(self, texts: Sequence[str]) -> list[Term]:
        """The terms that occur in these texts, by either name, in order of occurrence."""
        found: dict[int, Term] = {}
        for text in texts:
            tokens = self._tokens(text)
            for place in range(len(tokens)):
                for table in (self._terms, self._preferred):
                    if (match := table.longest(tokens, place)) is not None:
                        found.setdefault(match[1].id, match[1])
        return list(found.values())[:MOST_IN_A_PROMPT]

    def _tokens(self, text: str) -> list[_Token]:
        """The words of a text; none if there are no terms to look for."""
        return _tokens(text, self.language) if self._terms.terms else []


def corrected(text: str, uses: Sequence[TermUse]) -> tuple[str, list[TermUse]]:
    """The text with the preferred phrase wherever a term stands as it is listed, and the uses that are left.

    An inflected form would need its phrase inflected too, and a wrong ending is worse than the wrong word.
    """
    pieces: list[str] = []
    end = 0
    for use in uses:
        if use.is_exact:
            pieces += [text[end : use.start], _as_written(text[use.start], use.term.preferred_phrase)]
            end = use.end
    return "".join([*pieces, text[end:]]), [use for use in uses if not use.is_exact]


def moved(place: int, text: str, uses: Sequence[TermUse]) -> int:
    """Where a place in the text is after `corrected`."""
    return place + sum(
        len(_as_written(text[use.start], use.term.preferred_phrase)) - (use.end - use.start)
        for use in uses
        if use.is_exact and use.end <= place
    )


def _as_written(first: str, phrase: str) -> str:
    return phrase[:1].upper() + phrase[1:] if first.isupper() else phrase


def _phrase(term: Term) -> str:
    return term.preferred_phrase


def _term_of(term: Term) -> str:
    return term.term


def _tokens(text: str, language: str | None) -> list[_Token]:
    matches = list(_TOKEN.finditer(text))
    found = [_word(match[0]) for match in matches]
    singular = [_PLURAL.sub("ão", word) for word in found] if language == "pt" else found
    return [
        _Token(match.start(), match.end(), word, stem)
        for match, word, stem in zip(matches, found, stem_words(singular, language), strict=True)
    ]


def _word(written: str) -> str:
    return re.sub(f"[{_APOSTROPHES}]", "'", folded(written))


def _stems(phrase: str, language: str | None) -> tuple[str, ...]:
    return tuple(token.stem for token in _tokens(phrase, language))


def _covered(tokens: Sequence[_Token], preferred: _Table) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The places inside a preferred phrase, each with the phrase."""
    for place in range(len(tokens)):
        for stems in preferred.at(tokens, place):
            yield from ((inside, stems) for inside in range(place, place + len(stems)))
