"""Stems of words, by the language they are in."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Protocol, cast

import Stemmer

_ALGORITHMS = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "eo": "esperanto",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "nb": "norwegian",
    "ne": "nepali",
    "nl": "dutch",
    "nn": "norwegian",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "st": "sesotho",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}


class _Stemmer(Protocol):
    def stemWords(self, words: Sequence[str], /) -> list[str]: ...  # noqa: N802


class _Library(Protocol):
    """The part of PyStemmer that is used here; it ships no types of its own."""

    def Stemmer(self, algorithm: str, /) -> _Stemmer: ...  # noqa: N802

    def algorithms(self) -> list[str]: ...


_library = cast("_Library", Stemmer)
_available = frozenset(_library.algorithms())


class _Stemmers(threading.local):
    """The stemmers of one thread: a stemmer keeps its state between calls and must not be shared."""

    def __init__(self) -> None:
        self._by_algorithm: dict[str, _Stemmer] = {}

    def get(self, algorithm: str) -> _Stemmer:
        if algorithm not in self._by_algorithm:
            self._by_algorithm[algorithm] = _library.Stemmer(algorithm)
        return self._by_algorithm[algorithm]


_stemmers = _Stemmers()


def stem_words(words: Sequence[str], language: str | None) -> list[str]:
    """One stem for each word, in their order and never empty. Words of a language without a stemmer stay as they are.

    The words are in lower case and hold no lone surrogates. Safe to call from any thread.
    """
    algorithm = _ALGORITHMS.get(language or "")
    if algorithm not in _available:
        return list(words)
    stems = _stemmers.get(algorithm).stemWords(words)
    # Some algorithms leave nothing of a word that is all ending, such as a lone Arabic vowel sign.
    return [stem or word for stem, word in zip(stems, words, strict=True)] if "" in stems else stems
