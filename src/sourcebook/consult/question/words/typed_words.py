"""Questions as people type them: "wheres the key", "скока стоит", "q horas abre", "cuanto cuesta".

Only question words and their neighbours are corrected. The subject of a question stays as it was typed, because it may
be a name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from sourcebook.text.languages import detect_language

_BY_ITSELF = r"(?<![\w'’-])(?:{})(?![\w'’-])"
_AT_THE_BEGINNING = r"^(\W*(?:(?:de|en|hasta|desde|a)\s+)?){}(?=\s+\w)"
_WHOM = "i|we|you|u|he|she|they|it"
_CANNOT = (
    "access|be|book|bring|buy|call|cancel|change|come|connect|contact|do|download|eat|edit|enter|find|get|go|have|hear"
    "|install|leave|log|login|make|open|park|pay|pick|print|reach|read|remember|reset|return|save|see|send|sign|sleep"
    "|start|stay|stop|swim|take|turn|upload|use|wait|walk|work"
)
_THERE_IS = (
    "algum|alguma|alguns|algumas|almo[cç]o|aulas?|caf[eé] da manh[aã]|descontos?|elevador|elevadores"
    "|estacionamento|lugar|lugares|ônibus|onibus|quanto|quantos|quantas|taxas?|toalhas?|vagas?"
)
_ANYWHERE = {
    # Without apostrophes, and as spoken.
    "en": {
        r"(where|what(?!s app)|who|how|when|there)s": r"\1 is",
        r"(do|does|did|is|are|was|were|could|should|would|have|has)n['’]?t": r"\1 not",
        rf"(?<=\bi )cant|(?<=\bwe )cant|(?<=\byou )cant|(?<=\bwhy )cant|cant(?= (?:{_WHOM}|{_CANNOT})\b)": "can not",
        r"(i)m(?= (?:not|an?|the|in|on|at|from|under|over|(?-i:[a-z]+ing))\b)": r"\1 am",
        r"(i)ve(?= (?:lost|got|been|forgotten|just|no|never|already|\w+ed)\b)": r"\1 have",
        r"(do|can|are|will|did|if|when|would|could|have) u": r"\1 you",
        r"wanna": "want to",
        r"(?-i:pls|plz|plss|thx)": "",
    },
    "ru": {
        r"скока|скоко|сколька|скок(?= (?:стоит|стоят|раз|времени|дней|денег|можно|надо|нужно)\b)": "сколько",
        r"када|кагда": "когда",
        r"щас|счас": "сейчас",
        r"ваще|вобще|пжл|пжлст|плиз|пожалуста": "",
    },
    "pt": {
        r"vc|voce": "você",
        r"vcs|voces": "vocês",
        r"pq": "por que",
        r"qto|qnto": "quanto",
        r"qdo|qndo|qnd": "quando",
        r"nao": "não",
        r"q(?= (?:horas?|dias?|é|tem|se|fazer|posso|preciso|documentos?)\b)": "que",
        r"([oa]) q": r"\1 que",
    },
}
_FIRST = {
    "ru": {"(?:че|чё|чо|шо)(?= (?-i:[а-яё]))": "что"},
    "es": {
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
    },
    # "Ha" is also Spanish and Italian, and "ate" English: what follows decides.
    "pt": {
        rf"ha(?= (?:{_THERE_IS})\b)": "há",
        r"(?-i:ha)(?= piscina\b)": "há",
        r"ate(?= (?:que|quando|quantos?|quantas?|qual|quem|onde|às|as \d+)\b)": "até",
    },
}
_SPACES = re.compile(r"[^\S\n]{2,}")


Put = tuple[re.Pattern[str], str]


def _compiled() -> Mapping[str, Sequence[Put]]:
    made: dict[str, list[Put]] = {}
    for language, forms in _FIRST.items():
        made.setdefault(language, []).extend(
            (re.compile(_AT_THE_BEGINNING.format(form), re.IGNORECASE), rf"\1{put}")
            for form, put in forms.items()
        )
    for language, forms in _ANYWHERE.items():
        made.setdefault(language, []).extend(
            (re.compile(_BY_ITSELF.format(form), re.IGNORECASE), put) for form, put in forms.items()
        )
    return made


_FORMS = _compiled()


@lru_cache(256)
def in_plain_spelling(question: str) -> str:
    """The question with its question words in plain spelling; unchanged if nothing would be left."""
    plain = question
    for language, forms in _FORMS.items():
        put = _put(plain, forms)
        if put != plain and _may_be_in(language, question, put):
            plain = put
    return question if plain == question else _SPACES.sub(" ", plain).strip() or question


def _may_be_in(language: str, typed: str, written: str) -> bool:
    """Whether a question is in the language of the corrected forms.

    The language of a short question typed like this is often mistaken, so the corrected one is looked at, too.
    """
    return detect_language(typed) in (None, language) or detect_language(written) == language


def _put(question: str, forms: Sequence[Put]) -> str:
    for form, put in forms:
        question = form.sub(put, question)
    return question
