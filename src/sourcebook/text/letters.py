"""What counts as a letter, written as pieces of regular expressions that stand inside `[...]`."""

from __future__ import annotations

import unicodedata

CYRILLIC = "\u0400-\u052f\u1c80-\u1c88\u2de0-\u2dff\ua640-\ua69f"
LATIN = "A-Za-zªºÀ-ÖØ-öø-\u024f\u1e00-\u1eff"

HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = "\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
_HANGUL = "\uac00-\ud7a3"
_SOUTH_EAST_ASIA = "\u0e01-\u0e4e\u0e81-\u0ece\u1000-\u103f\u1780-\u17d3"
UNSPACED = HAN + _KANA + _HANGUL + _SOUTH_EAST_ASIA
"""Scripts without spaces between words. Korean has them, but attaches particles to nouns."""


def _combining_marks() -> str:
    marks = {point for point in range(0x300, 0x3100) if unicodedata.category(chr(point)) in ("Mn", "Mc")}
    starts = sorted(point for point in marks if point - 1 not in marks)
    ends = sorted(point for point in marks if point + 1 not in marks)
    return "".join(f"{chr(start)}-{chr(end)}" for start, end in zip(starts, ends, strict=True))


MARKS = _combining_marks()
"""Vowel signs and accents. `\\w` leaves them out, which would tear Hindi or Tamil words into pieces."""

_CYRILLIC_ONLY = "av ba be bg ce cv kk kv ky mk mn os ru tg tt uk"
_OTHER_SCRIPTS = (
    "am ar as bh bn bo dv el fa gu he hi hy ja ka km kn ko lo ml mr my ne or pa ps sa sd si ta te th ur yi zh"
)
IN_CYRILLIC = frozenset([*_CYRILLIC_ONLY.split(), "sr"])
"""Languages that may be written in Cyrillic letters."""
NOT_IN_LATIN = frozenset([*_CYRILLIC_ONLY.split(), *_OTHER_SCRIPTS.split()])
"""Languages that are never written in Latin letters."""
