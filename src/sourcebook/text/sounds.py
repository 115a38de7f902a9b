"""A rough phonetic form of names across languages and scripts: Лондон, London and Londres begin alike."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from sourcebook.text.stems import shared_beginning

_LATIN = str.maketrans(
    dict(zip("абвгдежзийклмнопрстуфхцчшыэ", "abvgdejziiklmnoprstufhcčšye", strict=True))
    | {"щ": "š", "ъ": "", "ь": "", "ю": "yu", "я": "ya", "ё": "e"}
)
# Spellings of one sound; the longer ones first.
_SPELLINGS = (
    *(
        ("tch", "č"),
        ("sch", "š"),
        ("ch", "č"),
        ("sh", "š"),
        ("ph", "f"),
        ("th", "t"),
        ("ck", "k"),
        ("kh", "h"),
    ),
    *(("gh", "g"), ("wh", "v"), ("qu", "kv"), ("š", "s"), ("x", "ks"), ("c", "k"), ("q", "k"), ("w", "v")),
    *(("z", "s"), ("j", "g")),
)
_VOWELS = re.compile(r"[aeiouyh]")
_TWICE = re.compile(r"(.)\1+")
_FEWEST = 3
_MOST_LONGER = 2


@lru_cache(4096)
def sound(word: str) -> str:
    """The consonants of a word, as far as the spelling shows them. Digits stay."""
    spelt = word.casefold().translate(_LATIN)
    for written, heard in _SPELLINGS:
        spelt = spelt.replace(written, heard)
    bare = "".join(letter if letter == "č" else unicodedata.normalize("NFD", letter)[:1] for letter in spelt)
    return _VOWELS.sub("", _TWICE.sub(r"\1", bare))


def sound_alike(one: str, other: str) -> bool:
    """Whether two phonetic forms may be of one name, apart from an ending. Short ones must be equal."""
    if min(len(one), len(other)) < _FEWEST:
        return one == other and len(one) == _FEWEST - 1
    shared = shared_beginning(one, other)
    least = max(_FEWEST, min(len(one), len(other)) - 1)
    return shared >= least and abs(len(one) - len(other)) <= _MOST_LONGER
