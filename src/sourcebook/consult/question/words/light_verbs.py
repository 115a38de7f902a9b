"""Verbs that hardly say what is sought: "how do I add CORS" is about CORS, "does it support SMS" about SMS."""

from __future__ import annotations

import re

from sourcebook.text.analysis import words
from sourcebook.text.vocabulary.word_lists import word_groups

_FILE = "light_verbs.txt"
_ASKS_WAY = re.compile(
    r"^\W*(?:(?:and|so) )?(?:how (?:do|can|should|would|could) (?:i|you|we|one)|how to"
    r"|(?:what is|is there) (?:the|an?) (?:\w+ )?(?:way|command|option) to"
    r"|как(?: мне| нам| я| мы)?(?: можно| могу| лучше| правильно)?"
    r"|como(?: eu| se| a gente)?(?: posso| podemos| devo| faço para| faz para| consigo)?"
    r"|¿?cómo(?: se)?(?: puedo| puede| podemos| debo)?)\s+(?P<verb>[^\W\d_]+)",
    re.IGNORECASE,
)
_ORDER = re.compile(r"\W*(?P<verb>[^\W\d_]+(?:-[^\W\d_]+)?)\s+(?P<next>\S+)")
_RUSSIAN_INFINITIVE = re.compile(r"[а-яё]{2,}(?:(?<!ос)ть|ти|чь)(?:ся)?", re.IGNORECASE)
_LATIN_INFINITIVE = re.compile(r"[^\W\d_]{2,}[aeiô]r(?:-?(?:se|me|l[ao]s?))?", re.IGNORECASE)
_ASKS_YES = re.compile(
    r"^\W*+(?!(?:how|what|which|who|where|when|why|как|что|кто|где|когда|почему|como|qual|quais|que|quem|onde|quando"
    r"|qué|cómo|cuál|quién|dónde|cuándo)\b)",
    re.IGNORECASE,
)


def light_verbs(question: str) -> frozenset[str]:
    """The verbs of a question that say little about what it seeks; empty if there are none."""
    of_way, of_offer = word_groups(_FILE, "way", "offer")
    if verb := verb_of_way(question):
        return frozenset(filter(of_way.holds, words(verb)))
    return frozenset(filter(of_offer.holds, words(question))) if _ASKS_YES.match(question) else frozenset()


def verb_of_way(question: str) -> str | None:
    """The verb of a question how something is done: "hash" of "how to hash passwords" and "hash a password"."""
    asked = _ASKS_WAY.match(question)
    return asked["verb"].lower() if asked else _ordered_verb(question)


def _ordered_verb(question: str) -> str | None:
    """The verb of a question that only says what is to be done: "return a 404 error", "вернуть ошибку 404"."""
    found = _ORDER.match(question)
    if found is None:
        return None
    verb, before = found["verb"].lower(), found["next"].lower()
    order, with_article, article, no_verb = word_groups(
        _FILE, "order", "order_with_article", "article", "no_verb"
    )
    if no_verb.holds(verb):
        return None
    has_article = article.holds(before) or before.isdecimal()
    is_verb = (
        order.holds(verb)
        or _RUSSIAN_INFINITIVE.fullmatch(verb)
        or (has_article and (with_article.holds(verb) or _LATIN_INFINITIVE.fullmatch(verb)))
    )
    return verb if is_verb else None


def asks_offer(question: str) -> bool:
    """Whether it is asked if something is offered: "does it support SMS?"."""
    return verb_of_way(question) is None and bool(light_verbs(question))
