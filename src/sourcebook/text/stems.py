"""Stems of words, by their language."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from itertools import takewhile
from typing import Protocol, cast

import Stemmer

from sourcebook.text.case_and_accents import without_accents
from sourcebook.text.letters import NOT_IN_LATIN

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


# A Russian manual has English words. Such words are stemmed by their letters, and so are all words of a text in an
# unknown language, or in a Cyrillic language without a stemmer.
_OF_CYRILLIC = "russian"
_OF_LATIN = "english"
_OWN_CYRILLIC = frozenset({"ru", "sr"})

# Languages whose accents are often left out when typing.
_PLAIN_WITHOUT_ACCENTS = frozenset(
    {"catalan", "english", "french", "italian", "portuguese", "romanian", "spanish"}
)

# Plurals of abbreviations: stemmers want a vowel before the ending, and `dvds` has none. Short ones are
# listed, because as many are no plurals: `gps`, `dns`.
_PLURALS_OF_ABBREVIATIONS = frozenset(
    ["apis", "cds", "ceos", "cpus", "dbs", "gpus", "ids", "ngos", "pcs", "tvs", "urls", "vms"]
)
_PLURAL_WITHOUT_VOWEL = re.compile(r"[b-df-hj-np-tv-xz]{2,}[b-df-hj-np-rtv-xz]s")
_NO_PLURALS = frozenset({"ftps", "https"})
# Of their own words, only Portuguese plurals such as `bens` and `sons` end in a consonant and `s`.
_PLURAL_OF_FOREIGN_WORD = re.compile(r"[a-z]{2,}[bcdfghjklmpqrtvwxz]s")
_WITHOUT_FOREIGN_PLURALS = frozenset({"portuguese", "spanish"})

_SHORTEST_WITH_FLEETING_VOWEL = 5
_MOST_REMEMBERED = 20_000
"""Stems that are cached for one language: more than the different words of a thick book."""
_VOWELS = frozenset("аеиоуыэюя")


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


class _RememberedStems:
    """A cache of stems by algorithm, shared by all threads."""

    def __init__(self) -> None:
        self._stems: dict[str, dict[str, str]] = {}

    def of(self, algorithm: str) -> dict[str, str]:
        """The cache of one algorithm, to be read and added to. A full one is replaced by an empty one."""
        stems = self._stems.setdefault(algorithm, {})
        if len(stems) > _MOST_REMEMBERED:
            stems = self._stems[algorithm] = {}
        return stems


_stemmers = _Stemmers()
_remembered = _RememberedStems()


def stem_words(words: Sequence[str], language: str | None) -> list[str]:
    """One stem for each word, in their order and never empty.

    A word in letters that its language is not written in has the stem of a Russian or an English word, and so has every
    word if the language is unknown. Words of a language in Latin letters without a stemmer stay as they are. The words
    are in lower case and hold no lone surrogates. Safe to call from any thread.
    """
    own = _ALGORITHMS.get(language or "")
    stems = _stemmed(words, own)
    if language and language not in NOT_IN_LATIN and "".join(words).isascii():
        # No letters of other languages, so nothing is left to do.
        return stems
    of_latin = None if language and language not in NOT_IN_LATIN else _OF_LATIN
    of_cyrillic = None if language in _OWN_CYRILLIC else _OF_CYRILLIC
    for algorithm, first, last in ((of_latin, "a", "z"), (of_cyrillic, "\u0400", "\u052f")):
        if algorithm is None:
            continue
        places = [place for place, word in enumerate(words) if first <= word[:1] <= last]
        for place, stem in zip(places, _stemmed([words[p] for p in places], algorithm), strict=True):
            stems[place] = stem
    return stems


def shared_beginning(one: str, other: str) -> int:
    """How many letters two words begin with alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _stemmed(words: Sequence[str], algorithm: str | None) -> list[str]:
    if algorithm not in _available or not words:
        return list(words)
    known = _remembered.of(algorithm)
    new = list(set(words).difference(known))
    if new:
        known.update(zip(new, _made(new, algorithm), strict=True))
    return [known[word] for word in words]


def _made(words: Sequence[str], algorithm: str) -> list[str]:
    stems = _stemmers.get(algorithm).stemWords([_singular(word, algorithm) for word in words])
    if algorithm == "russian":
        stems = [_without_fleeting_vowel(stem) for stem in stems]
    elif algorithm in _PLAIN_WITHOUT_ACCENTS:
        # The Spanish `ñ` is a letter of its own.
        stems = [stem if stem.isascii() else without_accents(stem, keeping="ñ") for stem in stems]
    # Some algorithms reduce a word to nothing, such as a lone Arabic vowel sign.
    return [stem or word for stem, word in zip(stems, words, strict=True)] if "" in stems else stems


def _singular(word: str, algorithm: str) -> str:
    """`dvds` as `dvd`, `apis` as `api`. `https` is no plural of `http`."""
    if word[-1:] != "s" or word in _NO_PLURALS:
        return word
    is_foreign = algorithm in _WITHOUT_FOREIGN_PLURALS and _PLURAL_OF_FOREIGN_WORD.fullmatch(word)
    if is_foreign or word in _PLURALS_OF_ABBREVIATIONS or _PLURAL_WITHOUT_VOWEL.fullmatch(word):
        return word[:-1]
    return word


def _without_fleeting_vowel(stem: str) -> str:
    """`поставок` as `поставк`, which is the stem of `поставка`; `конец` as `конц`, the stem of `конца`."""
    if (
        stem[-1:] in ("к", "ц")
        and len(stem) >= _SHORTEST_WITH_FLEETING_VOWEL
        and stem[-2] in "ое"
        and stem[-3] not in _VOWELS
    ):
        return stem[:-2] + stem[-1]
    return stem
