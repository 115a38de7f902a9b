"""What a sentence denies."""

from __future__ import annotations

from sourcebook.text.analysis import words
from sourcebook.text.stems import stem_words
from sourcebook.text.stopwords import stop_words

_NEGATORS = {
    "ru": """не нет ни нельзя без никогда никак нигде никто ничто ничего никакой никакая никакие никакого невозможно
        запрещено запрещается отсутствует отсутствуют""",
    "en": """not no never without cannot can't neither nor none nobody nothing t hardly""",
    "pt": """não nunca nem sem nenhum nenhuma jamais ninguém nada tampouco""",
    "es": """no nunca ni sin ningún ninguno ninguna jamás nadie nada tampoco""",
}
# "Not only this" denies nothing.
_ONLY = frozenset({"только", "only", "só", "somente", "apenas", "sólo", "solo", "just", "просто"})
_REACH = 2
"""How many of the words that follow, stop words left out, a negation denies."""

_WORDS = {language: frozenset(forms.split()) for language, forms in _NEGATORS.items()}
_ALL = frozenset[str]().union(*_WORDS.values())


def negators(language: str | None) -> frozenset[str]:
    return _WORDS.get(language or "", _ALL)


def denied_terms(text: str, language: str | None) -> tuple[set[str], set[str]]:
    """The stems that a text denies and those that it does not; a stem may be in both."""
    found = words(text)
    stops = stop_words(language) | {
        "can",
        "could",
        "may",
        "will",
        "would",
        "should",
        "must",
        "shall",
        "don",
        "doesn",
    }
    denying = negators(language)
    denied: list[str] = []
    plain: list[str] = []
    left = 0
    for place, word in enumerate(found):
        if word in denying:
            left = 0 if found[place + 1 : place + 2] and found[place + 1] in _ONLY else _REACH
        elif word not in stops:
            (denied if left else plain).append(word)
            left = max(0, left - 1)
    return set(stem_words(denied, language)), set(stem_words(plain, language))
