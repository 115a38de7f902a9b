"""Sentences made false by a script, and true ones said a little differently."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from sourcebook.consult.answer.support import names
from sourcebook.text.numbers import quantities

OPENINGS = {
    "en": ("According to the document, ", "The text says that ", ""),
    "ru": ("Согласно документу, ", "В тексте сказано, что ", ""),
    "pt": ("Segundo o documento, ", "O texto diz que ", ""),
}
OTHER_UNITS = {
    "en": ("kg", "litres", "weeks", "km", "percent", "hours"),
    "ru": ("кг", "литров", "недель", "км", "процентов", "часов"),
    "pt": ("kg", "litros", "semanas", "km", "por cento", "horas"),
}
_VERBS = {
    "en": re.compile(
        r"\b(is|are|was|were|can|will|has|have|had|could|would|should|must|may)\b(?! not)(?!n't)"
    ),
    "ru": re.compile(r"(?<!не )\b(?=\w{4,}(?:ет|ит|ут|ют|ат|ят|ла|ло|ли|ется|ются|ился|лась|лись)\b)"),
    "pt": re.compile(
        r"(?<!não )\b(?=(?:é|são|foi|foram|era|eram|está|tem|têm|pode|podem|deve|\w{3,}ou|\w{3,}aram)\b)"
    ),
}
_DENIALS = {
    "en": re.compile(
        r"\b(is|are|was|were|can|will|has|have|had|could|would|should|must|may|did|does|do) not\b"
    ),
    "ru": re.compile(r"\bне (?=\w{4,})"),
    "pt": re.compile(r"\bnão (?=\w{2,})"),
}

Change = Callable[[str, str, random.Random], str | None]


def said_differently(sentence: str, language: str, chance: random.Random) -> str:
    """The same claim, or a part of it: with an opening, without a bracket, with one clause less."""
    changed = re.sub(r"\s*\([^()]*\)", "", sentence) if chance.random() < 0.5 else sentence
    clauses = changed.split(", ")
    if len(clauses) > 3 and chance.random() < 0.5:
        changed = ", ".join(clauses[:-1]).rstrip(".;") + "."
    opening = chance.choice(OPENINGS[language])
    return opening + (
        changed[:1].lower() + changed[1:] if opening and not changed[1:2].isupper() else changed
    )


def other_number(sentence: str, language: str, chance: random.Random) -> str | None:
    found = [q for q in quantities(sentence) if sentence[q.start : q.end].isdigit()]
    if not found:
        return None
    chosen = chance.choice(found)
    value = int(sentence[chosen.start : chosen.end])
    other = value + chance.choice([-3, -1, 1, 2, 7, 10]) if value > 3 else value + chance.choice([1, 2, 5])
    return sentence[: chosen.start] + str(other) + sentence[chosen.end :]


def other_name(others: Sequence[str]) -> Change:
    def change(sentence: str, language: str, chance: random.Random) -> str | None:
        own = names(sentence)
        strangers = [name for name in others if name.lower() not in sentence.lower()]
        if not own or not strangers:
            return None
        return re.sub(rf"\b{re.escape(chance.choice(own))}\b", chance.choice(strangers), sentence)

    return change


def other_unit(sentence: str, language: str, chance: random.Random) -> str | None:
    found = [q for q in quantities(sentence) if q.unit and q.unit not in ("thousand", "million", "billion")]
    if not found:
        return None
    chosen = chance.choice(found)
    written = re.compile(r"\s?-?(%|°\s?[CС]?|[^\W\d_]+)").match(sentence, chosen.end)
    if written is None:
        return None
    other = chance.choice([unit for unit in OTHER_UNITS[language] if unit not in sentence])
    changed = f"{sentence[: chosen.end]} {other}{sentence[written.end() :]}"
    # Ten percent is no other claim than 10 %.
    return (
        changed if [q.unit for q in quantities(changed)] != [q.unit for q in quantities(sentence)] else None
    )


def denied(sentence: str, language: str, chance: random.Random) -> str | None:
    """Deny what is said, or say what is denied."""
    negation = {"en": r"\1 not", "ru": "не ", "pt": "não "}[language]
    if denials := list(_DENIALS[language].finditer(sentence)):
        chosen = chance.choice(denials)
        kept = chosen[1] if language == "en" else ""
        return sentence[: chosen.start()] + kept + sentence[chosen.end() :]
    verbs = list(_VERBS[language].finditer(sentence))
    if not verbs:
        return None
    chosen = chance.choice(verbs)
    return sentence[: chosen.start()] + chosen.expand(negation) + sentence[chosen.end() :]
