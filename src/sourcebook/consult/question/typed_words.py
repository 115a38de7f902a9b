"""Questions as people type them: "wheres the key", "скока стоит", "q horas abre", "cuanto cuesta".

Only words that ask are put right, and those around them. What a question is about stays as it was typed: a name may
look like anything.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from sourcebook.text.languages import detect_language

_FORMS = {
    # English: apostrophes that were left out, and sounds.
    r"(where|what|who|how|when|there)s": r"\1 is",
    r"(do|does|did|is|are|was|were|could|should|would|have|has)nt": r"\1 not",
    r"cant": "can not",
    r"(i)m(?= (?:not|an?|the|in|on|at|from|under|over|\w+ing)\b)": r"\1 am",
    r"(i)ve(?= (?:lost|got|been|forgotten|just|no|never|already|\w+ed)\b)": r"\1 have",
    r"(do|can|are|will|did|if|when|would|could|have) u": r"\1 you",
    r"wanna": "want to",
    r"(?:pls|plz|plss|thx)": "",
    # Russian
    r"(?:скока|скоко|сколька|скок(?= (?:стоит|стоят|раз|времени|дней|денег|можно|надо|нужно)))": "сколько",
    r"(?:када|кагда)": "когда",
    r"(?:щас|счас)": "сейчас",
    r"(?:ваще|вобще|пжл|пжлст|плиз|пожалуста)": "",
}
_PORTUGUESE = {
    r"(?:vc|voce)": "você",
    r"(?:vcs|voces)": "vocês",
    r"pq": "por que",
    r"(?:qto|qnto)": "quanto",
    r"(?:qdo|qndo|qnd)": "quando",
    r"nao": "não",
    r"q(?= (?:horas?|dias?|é|tem|se|fazer|posso|preciso|documentos?)\b)": "que",
    r"([oa]) q": r"\1 que",
}
_NOT_WRITTEN_SO = ("en", "ru", "de")
"""Where some of these are abbreviations of other things."""
_AT_THE_BEGINNING = {
    # Spanish and Portuguese without their accents
    "cuanto": "cuánto",
    "cuanta": "cuánta",
    "cuantos": "cuántos",
    "cuantas": "cuántas",
    "donde": "dónde",
    "adonde": "adónde",
    "cuando": "cuándo",
    "quien": "quién",
    "quienes": "quiénes",
    "cual": "cuál",
    "cuales": "cuáles",
    "ha": "há",
    "ate": "até",
    # Russian
    "че": "что",
    "чё": "что",
    "чо": "что",
    "шо": "что",
}
_FIRST_WORD = re.compile(r"^(\W*(?:(?:de|en|hasta|desde|a)\s+)?)(\w+)(?=\s+\w)", re.IGNORECASE)
_SPACES = re.compile(r"[^\S\n]{2,}")


Put = tuple[re.Pattern[str], str]


def _compiled(forms: Mapping[str, str]) -> list[Put]:
    return [
        (re.compile(rf"(?<![\w'’-]){form}(?![\w'’-])", re.IGNORECASE), put) for form, put in forms.items()
    ]


_ANYWHERE, _IN_PORTUGUESE = _compiled(_FORMS), _compiled(_PORTUGUESE)


@lru_cache(256)
def in_plain_spelling(question: str) -> str:
    """The question with its asking words as they are written; the same if they are."""
    plain = _put(_FIRST_WORD.sub(_with_accent, question), _ANYWHERE)
    portuguese = _put(plain, _IN_PORTUGUESE)
    if portuguese != plain and detect_language(question) not in _NOT_WRITTEN_SO:
        plain = portuguese
    return question if plain == question else _SPACES.sub(" ", plain).strip()


def _put(question: str, forms: Sequence[Put]) -> str:
    for form, put in forms:
        question = form.sub(put, question)
    return question


def _with_accent(found: re.Match[str]) -> str:
    return found[1] + _AT_THE_BEGINNING.get(found[2].casefold(), found[2])
