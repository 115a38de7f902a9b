"""Which encoding some bytes are in, when nothing says so.

Each likely encoding is tried, and the one wins in which the letters beyond ASCII look most like words: frequent
letters, capitals at the beginning of words, one script in a word. A few words of Russian are enough for that.
"""

from __future__ import annotations

import re

from charset_normalizer import from_bytes

SAMPLE = 20_000

# How much the first guess is worth before the bytes are looked at.
_LIKELY = {
    "cp1251": 0.15,
    "cp1252": 0.15,
    "koi8-r": 0.08,
    "koi8-u": 0.07,
    "cp866": 0.05,
    "cp1250": 0.05,
    "cp1254": 0.0,
    "iso8859-5": 0.0,
    "mac-cyrillic": 0.0,
}
_LATIN = ("cp1252", "cp1250", "cp1254")
_LATIN_NEIGHBOURS = 0.3
"""Letters beyond ASCII among many plain ones are Latin rather than Cyrillic."""
_DECLARED, _DECLARED_SHORT = 0.3, 0.8
_CERTAIN = 0.65
_ENOUGH_LETTERS = 20
"""A sample this long in the right encoding is certain; a shorter one may be full of rare letters."""

# Encodings of mainframes turn any bytes into letters.
_NEVER = ["cp037", "cp273", "cp424", "cp500", "cp875", "cp1026", "cp1140"]

# Most frequent first; the letters that only Ukrainian, Belarusian or Serbian have come last.
_CYRILLIC = "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъёіїєґўјљњђћџ"
_CYRILLIC_WORDS = "ваисокуяієйa"
_WESTERN = "éáãçóíêâõàúôñèüöäëïîßåøæœùûìò"
_CENTRAL = "łąęśćżńźěčřůďťňăşţőűđľğışžýš"
_MARKS = "«»—–“”„’‘…№°§©®·•€ºª\xa0"
_WORD_OR_MARK = re.compile(r"[^\W\d_]+|[^\x00-\x7f]")
_FREQUENCY = {letter: 1 - 0.9 * rank / len(_CYRILLIC) for rank, letter in enumerate(_CYRILLIC)}


def guess_encoding(data: bytes, declared: str | None = None) -> str | None:
    """The name of the encoding, or None if the bytes make no text in any that is known.

    What a file declares is believed unless its letters look much better in another encoding: pages are often served
    with a charset that some template says.
    """
    sample = _sample(data)
    scores = {name: score for name in _LIKELY if (score := _score(sample, name)) is not None}
    is_short = sum(byte > 127 for byte in sample) < _ENOUGH_LETTERS
    if declared in scores:
        scores[declared] += _DECLARED_SHORT if is_short else _DECLARED
    elif declared is not None and _is_decoded(data, declared):
        return declared
    best = max(scores, key=lambda name: scores[name], default="")
    if best and (is_short or scores[best] >= _CERTAIN):
        return best
    match = from_bytes(sample, cp_exclusion=_NEVER).best()
    return match.encoding if match else None


def _is_decoded(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except (LookupError, UnicodeError):
        return False
    return True


def _sample(data: bytes) -> bytes:
    """The lines with the most to tell: those that are not all ASCII, up to some length."""
    lines = [line for line in data[: 50 * SAMPLE].split(b"\n") if not line.isascii()]
    return b"\n".join(lines)[:SAMPLE]


def _score(sample: bytes, encoding: str) -> float | None:
    """How likely the sample is in this encoding: near 1 is certain, below 0 is nonsense, None is impossible."""
    try:
        text = sample.decode(encoding)
    except UnicodeDecodeError:
        return None
    total, beyond, plain = 0.0, 0, 0
    for match in _WORD_OR_MARK.finditer(text):
        word = match[0]
        if word.isascii():
            plain += len(word)
            continue
        strange = sum(not character.isascii() for character in word)
        total += _word_score(word, strange)
        beyond += strange
    if not beyond:
        return None
    neighbours = _LATIN_NEIGHBOURS * plain / (plain + beyond) if encoding in _LATIN else 0.0
    return total / beyond + neighbours + _LIKELY[encoding]


def _word_score(word: str, strange: int) -> float:
    if word in _MARKS:
        return 0.4
    if not word.isalpha():
        return -0.7 if word.isprintable() else -3.0
    small = word.lower()
    share = 1.0 if word == small else 0.8 if word == word.capitalize() else 0.3 if word.isupper() else -1.0
    if len(word) == 1:
        share = 0.6 if small in _CYRILLIC_WORDS or small in "éàêóá" else 0.1
    if strange == len(word) and all("\u0400" <= letter <= "\u04ff" for letter in small):
        return share * sum(_FREQUENCY.get(letter, -0.5) for letter in small)
    return share * sum(_latin_score(letter, strange, len(word)) for letter in small if not letter.isascii())


def _latin_score(letter: str, strange: int, length: int) -> float:
    """In Latin script most letters of a word are plain ones."""
    if strange > 1 and 2 * strange > length:
        return -0.5
    return 0.8 if letter in _WESTERN else 0.6 if letter in _CENTRAL else -0.5
