"""Terminology: which words an answer should use, whether it does, and what a question also means.

A term is looked for in all its inflected forms, by the stems of its words. Nothing here follows a chain of terms, so
terms that point to each other do no harm, and ten thousand of them cost one pass over the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sourcebook.text.normal import folded
from sourcebook.text.stems import stem_words

if TYPE_CHECKING:
    from sourcebook.model.curation import Term

MOST_EXPANSIONS = 8
MOST_IN_A_PROMPT = 30

_APOSTROPHES = "'’ʼ`´"
_TOKEN = re.compile(rf"\w+(?:[{_APOSTROPHES}]\w+)*")

# Portuguese plurals that the stemmer leaves apart from their singular.
_PLURAL = re.compile(r"(?:ões|ães|ãos)$")


@dataclass(frozen=True, slots=True)
class TermUse:
    """A place where a text uses a term that has a preferred phrase. `is_exact`: it stands there as it is listed."""

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
class TermIndex:
    """Terms, ready to be looked for in many texts."""

    language: str | None
    _terms: dict[str, list[tuple[tuple[str, ...], Term]]] = field(
        default_factory=dict[str, "list[tuple[tuple[str, ...], Term]]"]
    )
    _preferred: dict[str, list[tuple[tuple[str, ...], Term]]] = field(
        default_factory=dict[str, "list[tuple[tuple[str, ...], Term]]"]
    )

    @classmethod
    def of(cls, terms: Iterable[Term], language: str | None) -> TermIndex:
        """The terms that apply to texts in this language: those of the language, and those of none."""
        index = cls(language)
        for term in terms:
            if term.language in (None, language) and folded(term.term) != folded(term.preferred_phrase):
                _put(index._terms, _stems(term.term, language), term)
                _put(index._preferred, _stems(term.preferred_phrase, language), term)
        return index

    def uses(self, text: str) -> list[TermUse]:
        """Where the text uses a term although there is a preferred phrase, in order and without overlap.

        A term that stands inside its own preferred phrase is used as it should be.
        """
        tokens = _tokens(text, self.language)
        covered = _covered(tokens, self._preferred)
        found: list[TermUse] = []
        place = 0
        while place < len(tokens):
            match = _longest(tokens, place, self._terms)
            if match is None or (place, match[1].id) in covered:
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
        """What the question also means: the preferred phrase for a term in it, and the term for a preferred phrase."""
        tokens = _tokens(question, self.language)
        said = {token.stem for token in tokens}
        others = [
            other
            for place in range(len(tokens))
            for table, other_of in ((self._terms, _phrase_of), (self._preferred, _term_of))
            if (match := _longest(tokens, place, table)) is not None
            for other in (other_of(match[1]),)
            if not said.issuperset(_stems(other, self.language))
        ]
        return list(dict.fromkeys(others))[:MOST_EXPANSIONS]

    def relevant(self, texts: Sequence[str]) -> list[Term]:
        """The terms that these texts touch, by either name, in the order in which they come up."""
        found: dict[int, Term] = {}
        for text in texts:
            tokens = _tokens(text, self.language)
            for place in range(len(tokens)):
                for table in (self._terms, self._preferred):
                    if (match := _longest(tokens, place, table)) is not None:
                        found.setdefault(match[1].id, match[1])
        return list(found.values())[:MOST_IN_A_PROMPT]


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


def _phrase_of(term: Term) -> str:
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


def _put(table: dict[str, list[tuple[tuple[str, ...], Term]]], stems: tuple[str, ...], term: Term) -> None:
    if stems:
        table.setdefault(stems[0], []).append((stems, term))


def _longest(
    tokens: Sequence[_Token], place: int, table: dict[str, list[tuple[tuple[str, ...], Term]]]
) -> tuple[int, Term] | None:
    """The longest entry that begins at this token; of equal ones, the first that was added."""
    best: tuple[int, Term] | None = None
    for stems, term in table.get(tokens[place].stem, ()):
        here = tuple(token.stem for token in tokens[place : place + len(stems)])
        if here == stems and (best is None or len(stems) > best[0]):
            best = len(stems), term
    return best


def _covered(
    tokens: Sequence[_Token], preferred: dict[str, list[tuple[tuple[str, ...], Term]]]
) -> set[tuple[int, int]]:
    """The places inside a preferred phrase, each with the term that the phrase belongs to."""
    return {pair for place in range(len(tokens)) for pair in _covered_from(tokens, place, preferred)}


def _covered_from(
    tokens: Sequence[_Token], place: int, preferred: dict[str, list[tuple[tuple[str, ...], Term]]]
) -> Iterator[tuple[int, int]]:
    for stems, term in preferred.get(tokens[place].stem, ()):
        if tuple(token.stem for token in tokens[place : place + len(stems)]) == stems:
            yield from ((inside, term.id) for inside in range(place, place + len(stems)))
