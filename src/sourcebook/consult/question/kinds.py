"""What kind of thing a question asks for, and whether a sentence gives it."""

from __future__ import annotations

import re
from enum import StrEnum

from sourcebook.consult.support.support_check import decisive_words
from sourcebook.text.analysis import words
from sourcebook.text.numbers import quantities


class QuestionKind(StrEnum):
    TIME = "time"
    PLACE = "place"
    PERSON = "person"
    REASON = "reason"
    WAY = "way"
    AMOUNT = "amount"
    DEPTH = "depth"
    DISTANCE = "distance"
    FREQUENCY = "frequency"
    DURATION = "duration"
    PERMISSION = "permission"
    DUTY = "duty"
    DOING = "doing"


_ASKING = {
    QuestionKind.TIME: """when date month months season когда срок сроки сроков месяц месяце месяцы
        quando época mês meses prazo cuándo plazo""",
    QuestionKind.PLACE: "where где куда откуда onde aonde dónde adónde",
    QuestionKind.PERSON: "who whom whose кто кого кому кем чей чья чье quem quién quiénes",
    QuestionKind.REASON: """why cause causes reason почему зачем отчего причина причины причине причину
        porque causa causam motivo razão razón""",
    QuestionKind.WAY: "how как como cómo",
    QuestionKind.AMOUNT: """much many amount dose сколько доза дозу дозы количество
        quanto quanta quantos quantas quantidade dose cuánto cuánta cuántos cuántas cantidad dosis""",
    QuestionKind.DEPTH: "depth глубоко глубине глубина profundidade profundidad",
    QuestionKind.DISTANCE: "distance spacing расстоянии расстояние расстояния distância espaçamento distancia",
    QuestionKind.FREQUENCY: "often frequently часто частотой frequência frecuencia",
}
_KIND_OF = {word: kind for kind, forms in _ASKING.items() for word in forms.split()}

# What some words ask for together. They say it more exactly than each of them, which may mean other things alone.
_PHRASES = {
    QuestionKind.TIME: (
        *("what time", "right time", "best time", "good time", "time of year", "time of the year"),
        *("какое время", "какое время года", "какого числа", "em que altura", "em que altura do ano"),
        *("em que data", "qual é a data", "época do ano", "how long ago", "как давно", "há quanto tempo"),
        *(
            "what year",
            "which year",
            "what date",
            "which date",
            "which day",
            "what day",
            "until when",
            "by when",
        ),
        *(
            "каком году",
            "какой год",
            "какой день",
            "котором часу",
            "который час",
            "какого года",
            "до какого числа",
        ),
        *("que ano", "que dia", "que horas", "que data", "qual data", "até quando"),
        *("qué año", "qué día", "qué hora", "qué fecha", "hasta cuándo", "qué época"),
    ),
    QuestionKind.REASON: ("por que", "por qué", "для чего", "what is wrong", "в чем дело", "из за чего"),
    QuestionKind.PLACE: (
        *(
            "what is the location",
            "what location",
            "which location",
            "what place",
            "which place",
            "каком месте",
        ),
        *("que lugar", "qual é a localização", "qué lugar", "cuál es la ubicación"),
    ),
    QuestionKind.PERSON: (
        "which person",
        "what person",
        "какой человек",
        "que pessoa",
        "qual pessoa",
        "qué persona",
    ),
    QuestionKind.AMOUNT: (
        *("what is the number", "what number of", "какое количество", "какое число", "каково число"),
        *("qual é o número", "que número de", "cuál es el número", "qué cantidad"),
    ),
    QuestionKind.DEPTH: ("how deep",),
    QuestionKind.DISTANCE: ("how far", "far apart"),
    QuestionKind.FREQUENCY: (
        "сколько раз",
        "how many times",
        "quantas vezes",
        "cuántas veces",
        "cada cuánto",
    ),
    QuestionKind.DURATION: (
        *("how long", "how many days", "how many weeks", "how much time"),
        *("как долго", "сколько времени", "сколько дней", "quanto tempo", "quantos dias"),
        *("cuánto tiempo", "cuántos días", "cuántas semanas"),
    ),
}
# How a question begins that is to be answered with yes or no.
_BEGINNINGS = {
    QuestionKind.PERMISSION: (
        *("can", "could", "may", "is it possible", "is it allowed", "am i allowed"),
        *(
            "можно",
            "можно ли",
            "могу ли",
            "могут ли",
            "может ли",
            "возможно ли",
            "разрешено ли",
            "разрешается ли",
        ),
        *(
            "позволяется ли",
            "posso",
            "pode",
            "podem",
            "é possível",
            "dá para",
            "é permitido",
            "são permitidos",
        ),
        *("puedo", "se puede", "se pueden", "pueden", "es posible", "está permitido"),
    ),
    QuestionKind.DUTY: (
        *("should", "must", "do i need", "do i have to", "do we need", "do we have to"),
        *("нужно ли", "надо ли", "следует ли", "стоит ли", "devo", "deve", "preciso"),
        *("нужен ли", "нужна ли", "нужны ли", "требуется ли", "обязательно ли", "é necessário", "é preciso"),
        *("debo", "debe", "necesito", "es necesario", "hace falta"),
    ),
}
_TO_BE = frozenset({"is", "are", "am", "é", "são", "está", "están"})
_ALLOWED = frozenset({"allowed", "permitted", "permitido", "permitida", "permitidos", "permitidas"})
_LONGEST_FIRST = sorted(
    (phrase for phrases in _PHRASES.values() for phrase in phrases), key=lambda phrase: -len(phrase)
)

# Of two kinds in one question the one that stands first here is meant: "how much" asks for no way, "at what depth does
# one plant when" for no time.
_RANK = (
    QuestionKind.DURATION,
    QuestionKind.FREQUENCY,
    QuestionKind.DEPTH,
    QuestionKind.DISTANCE,
    QuestionKind.AMOUNT,
)
MEASURED = frozenset(_RANK)

_WHAT_IT_DOES = re.compile(
    r" what (?:do|does|did) .* (?:do|cause) | (?:o que|qué|que) .* (?:faz|fazem|hace|hacen) | что .*делае(?:т|ют) .*"
)
_SEASONS = frozenset({"spring", "summer", "autumn", "winter"})
_MONTHS = frozenset(
    {"january", "february", "march", "april", "june", "july", "august"}
    | {"september", "october", "november", "december"}
)
_LENGTHS_OF_TIME = frozenset({"hour", "day", "week", "month", "year", "century"})
_DIGITS_OF_A_YEAR = 4


def kinds_of(question: str) -> frozenset[QuestionKind]:
    """The kinds of thing that the words of a question ask for; none if they do not say."""
    said = words(question)
    whole = f" {' '.join(said)} "
    found = {_KIND_OF[word] for word in said if word in _KIND_OF}
    found |= {kind for kind, phrases in _PHRASES.items() if any(f" {phrase} " in whole for phrase in phrases)}
    if found <= {QuestionKind.REASON} and _WHAT_IT_DOES.fullmatch(whole):
        return frozenset({QuestionKind.DOING})
    if QuestionKind.TIME in found and " ago " in whole:
        return frozenset({QuestionKind.TIME})
    for kind in _RANK:
        if kind in found:
            return frozenset({kind})
    if not found:
        found = {
            kind for kind, begin in _BEGINNINGS.items() if whole.startswith(tuple(f" {b} " for b in begin))
        }
    if not found and said and said[0] in _TO_BE and not _ALLOWED.isdisjoint(said):
        found = {QuestionKind.PERMISSION}
    return frozenset(found - {QuestionKind.WAY} if len(found) > 1 else found)


def without_asking(question: str) -> list[str]:
    """The words of a question in their order, without those that only tell what kind of thing it asks for."""
    whole = f" {' '.join(words(question))} "
    for phrase in _LONGEST_FIRST:
        whole = whole.replace(f" {phrase} ", " ")
    return [word for word in whole.split() if word not in _KIND_OF]


def gives(sentence: str, kinds: frozenset[QuestionKind]) -> bool:
    """Whether a sentence has a time for "when", or a number for "how much". Other kinds cannot be recognised."""
    if QuestionKind.TIME in kinds:
        return bool(decisive_words(sentence) & (_SEASONS | _MONTHS)) or _names_a_time(sentence)
    return bool(MEASURED & kinds) and bool(quantities(sentence))


def _names_a_time(sentence: str) -> bool:
    return any(
        found.unit in _LENGTHS_OF_TIME or (found.value.isdigit() and len(found.value) == _DIGITS_OF_A_YEAR)
        for found in quantities(sentence)
    )
