"""The kind of value that a question asks for: a weight, a price, a time of day, a phone number …

It is recognised by phrases in `asked_values.txt` and by names of values ("what is the weight of …") in
`value_names.txt`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache

from sourcebook.text.analysis import words
from sourcebook.text.vocabulary.word_lists import WordForms, named_lines, phrases


class ValueKind(StrEnum):
    WEIGHT = "weight"
    LENGTH = "length"
    TEMPERATURE = "temperature"
    MONEY = "money"
    DURATION = "duration"
    CLOCK = "clock"
    TIME = "time"
    AGE = "age"
    COUNT = "count"
    PERCENTAGE = "percentage"
    SPEED = "speed"
    AREA = "area"
    VOLUME = "volume"
    POWER = "power"
    FREQUENCY = "frequency"
    PHONE = "phone"
    EMAIL = "email"
    ADDRESS = "address"


Kinds = frozenset[ValueKind]
_ASKING_WORDS = frozenset(
    words("""who whom whose what which why where when how кто кому кем что почему зачем где куда когда как какой какая
    какое какие какую каком каким сколько quem que qual quais onde quando como quanto quanta quantos quantas quién qué
    cuál cuáles dónde cuándo cómo cuánto cuánta cuántos cuántas""")
)
_HOW_MANY = re.compile(
    r" (?:how (?:many|much)|сколько|скольких|за сколько|quant[oa]s?|cuánt[oa]s?) (?P<words>\S+(?: \S+)?)"
)
_ENGLISH_NAME = re.compile(
    r"^ (?:and |so |but )?what(?P<is> (?:is|are|was|were|will be))?(?: (?:the|your|our|its|a))?"
    r"(?P<words>(?: \S+){1,4}?)"
    r"(?= (?:of|for|in|at|on|per|if|do|does|did|is|are|was|were|to|from|when|that|should|must|can|will|has|have) | $)"
)
_NAME = re.compile(
    r"^ (?:и |а |e |y )?(?:(?P<russian>(?:как(?:ой|ая|ое|ую|ого|им)|каков[аоы]?)(?: (?:был[аои]?|будет))?)"
    r"|(?:qual|quais(?= são)|que|cuál|cuáles(?= son)|qué)(?P<is> (?:é|são|era|foi|es|son|será))?"
    r"(?: (?:o|a|os|as|el|la|los|las|seu|sua))?)(?P<words>(?: \S+){1,4})"
)
_CAPITALISED = re.compile(r"(?<=[\s(«\"-])[A-ZА-ЯЁ]\w+")
_ADJECTIVE = re.compile(r"(?:ый|ий|ой|ая|яя|ое|ее|ую|юю|ого|его|ые|ие|ых|их)$")
# "Какой вес имеет голос", "какой адрес указать": a verb follows, so the value itself is not asked for.
_VERB = re.compile(r"\w{2}(?:ет|ит|ют|ят|ать|ить|еть|ять|тся|ться)$")
_SIZES = frozenset(
    words(
        "размер сумма величина valor tamanho montante total tamaño importe monto máximo máxima mínimo mínima"
    )
)
_LITTLE = frozenset(words("de do da dos das del de la el los o a os as у на за при в для"))
# "What weight of paper", "what address do I write on it": only "what is the weight" asks for the value.
_ONLY_WITH_IS = frozenset({ValueKind.WEIGHT, ValueKind.ADDRESS, ValueKind.TIME})


_AMOUNT = re.compile(
    r" (?:how (?:much|high) (?:is|are|was|were|will be)(?: (?:the|your|our|its|an?))?(?P<english>(?: \S+){1,4}?)"
    r"(?= (?:of|for|in|at|on|per|if|to|from|when|that) | $)"
    r"|(?:сколько составля\w+|насколько высок\w*|quanto (?:é|são)|de quanto é|cuánto (?:es|son)|a cuánto asciende)"
    r"(?: (?:o|a|os|as|el|la|los|las))?(?P<words>(?: \S+){1,4}))"
)
# "What is the deposit for", "what is the price based on" do not ask for the value.
_ENDS_OTHERWISE = re.compile(
    r" (?:for|on|from|about|by|with|of|in|to|called|like|mean|include|includes|cover|covers|used|based) $"
)
# "What factors affect the cost": the article shows that a verb comes before it.
_ARTICLES = frozenset(words("the a an your our its"))
_MOST_WORDS_ALONE = 5
REACHED_BY = frozenset({ValueKind.PHONE, ValueKind.EMAIL})
_NUMBER_WORDS = frozenset(words("number номер номера número address адрес электронной"))
_OF_SOMEBODY = re.compile(r"^ (?:\w+ ){1,2}s (?P<name>phone|telephone|fax|email)(?: number| address)? $")
_SHORTEST_UNIT = 4
_OF_SIZE = frozenset({ValueKind.LENGTH, ValueKind.AREA})
_NAME_OF_A_SIZED = 4
"""How many words after "how large" may hold the name: "is the security deposit"."""


@dataclass(frozen=True, slots=True)
class ValueName:
    kinds: Kinds
    forms: WordForms
    is_sure: bool
    """Whether it always names a value, unlike "power", which a president has too."""


@lru_cache(256)
def asked_values(question: str) -> Kinds:
    """The kinds of value that the question asks for, of which one is enough; none if it asks for something else."""
    whole = _whole(question)
    found = _first_match(whole)
    kinds = found[2] if found else frozenset[ValueKind]()
    if ValueKind.AGE not in kinds and (counted := _counted_unit(whole)):
        return counted
    if found is not None:
        if _ASKING_WORDS.intersection(whole[: found[0]].split()):
            return frozenset()
        return kinds | _sized_value(whole[found[0] + found[1] :]) if kinds >= _OF_SIZE else kinds
    return _named_amount(whole) or _named_value(whole, _names(question)) or _value_alone(whole)


# Of "how much is the course" any amount is an answer, so it names no kind of value.
_HOW_MUCH = re.compile(r"\bhow (?:much|many)\b")


def asking_terms(question: str) -> frozenset[str]:
    """The words of a question that only say which value is asked for: "how heavy", "weigh", "price".

    In "Mia's phone number" it is all but the name, because a number looks like one. In "qual é o pH" it is the verb,
    because the answer also has the name of the value.
    """
    whole = _whole(question)
    if (kinds := asked_values(question)) and kinds <= REACHED_BY:
        said = whole.split()
        return _NUMBER_WORDS.intersection(said).union(w for w in said if kinds_named_by([w]) & REACHED_BY)
    found = _first_match(whole)
    if found is None and (amount := _HOW_MUCH.search(whole)):
        return frozenset(amount[0].split())
    if found is None:
        named = _ENGLISH_NAME.search(whole) or _NAME.search(whole)
        return frozenset((named["is"] or "").split()) if named else frozenset()
    start, length, _ = found
    matched = whole[start : start + length].split()
    return frozenset((matched[0], matched[-1], *(word for word in matched if word in _ASKING_WORDS)))


@cache
def value_names() -> tuple[ValueName, ...]:
    return tuple(
        ValueName(kinds, WordForms.read(rest), is_sure) for kinds, rest, is_sure in _lists("value_names.txt")
    )


@cache
def value_units() -> dict[ValueKind, WordForms]:
    """The units of each kind."""
    forms: dict[ValueKind, str] = {}
    for kinds, rest, _ in _lists("value_units.txt"):
        for kind in kinds:
            forms[kind] = f"{forms.get(kind, '')} {rest}"
    return {kind: WordForms.read(rest) for kind, rest in forms.items()}


@cache
def value_words() -> dict[ValueKind, re.Pattern[str]]:
    """Words that give a value of each kind without a number."""
    patterns: dict[ValueKind, list[str]] = {}
    for kinds, rest, _ in _lists("value_words.txt"):
        for kind in kinds:
            patterns.setdefault(kind, []).extend(phrases(rest))
    return {kind: re.compile("|".join(found)) for kind, found in patterns.items()}


def kinds_named_by(said: list[str], *, surely: bool = False) -> Kinds:
    """The kinds of value that any of these words is the name of."""
    return frozenset(
        kind
        for name in value_names()
        if (name.is_sure or not surely) and any(map(name.forms.holds, said))
        for kind in name.kinds
    )


def _whole(question: str) -> str:
    """The words of a question with a space around each."""
    return f" {' '.join(words(question))} "


def _first_match(whole: str) -> tuple[int, int, Kinds] | None:
    """The first phrase in a question, of equals the longest: its start, its length, and the kinds it asks for."""
    found = (
        (match.start(), match.end() - match.start(), kinds)
        for kinds, pattern in _asked()
        if (match := pattern.search(whole))
    )
    return min(found, default=None, key=lambda match: (match[0], -match[1]))


def _counted_unit(whole: str) -> Kinds:
    """The kind of a counted unit: "how many kilograms" asks for a weight."""
    found = _HOW_MANY.search(whole)
    if found is None or _ASKING_WORDS.intersection(whole[: found.start()].split()):
        return frozenset()
    of_words = (_kinds_of_unit(word) for word in found["words"].split())
    return next((kinds for kinds in of_words if kinds), frozenset[ValueKind]())


def _kinds_of_unit(word: str) -> Kinds:
    if len(word) < _SHORTEST_UNIT:
        return frozenset()
    return frozenset(kind for kind, forms in value_units().items() if forms.holds(word))


def _named_amount(whole: str) -> Kinds:
    """The kinds in "how much is the penalty"."""
    found = _AMOUNT.search(whole)
    if found is None or _ASKING_WORDS.intersection(whole[: found.start()].split()):
        return frozenset()
    if english := found["english"]:
        return kinds_named_by(english.split()[-1:])
    return kinds_named_by(_first_noun(found["words"].split(), is_russian=False))


def _sized_value(rest: str) -> Kinds:
    """The kinds of a value named after "how large is": a deposit is not a length."""
    return kinds_named_by(rest.split()[:_NAME_OF_A_SIZED])


def _names(question: str) -> frozenset[str]:
    """The words of a question with a capital letter, without the first."""
    return frozenset(word.casefold() for word in _CAPITALISED.findall(question))


def _named_value(whole: str, names: frozenset[str]) -> Kinds:
    """The kinds by the name of the value: in English the last word, in other languages the first noun."""
    if found := _ENGLISH_NAME.search(whole):
        said, is_russian = found["words"].split(), False
        noun = said[-1:]
        if _ENDS_OTHERWISE.search(whole) or not _ARTICLES.isdisjoint(said):
            return frozenset()
    elif found := _NAME.search(whole):
        is_russian = found["russian"] is not None
        said = found["words"].split()
        noun = _first_noun(said, is_russian=is_russian)
        if is_russian and any(_VERB.search(word) for word in said[1:] if word not in names):
            return frozenset()
        if not _SIZES.isdisjoint(said[: said.index(noun[0])] if noun else ()):
            return kinds_named_by(noun)
    else:
        return frozenset()
    kinds = kinds_named_by(noun, surely=True)
    return kinds if is_russian or found["is"] is not None else kinds - _ONLY_WITH_IS


def _value_alone(whole: str) -> Kinds:
    """The kinds in a few words without a verb: "price of a monitor", "Mia's phone"."""
    if found := _OF_SOMEBODY.search(whole):
        return kinds_named_by([found["name"]]) & REACHED_BY
    said = whole.removeprefix(" номер").removeprefix(" número de").split()
    if not 1 < len(said) <= _MOST_WORDS_ALONE or not _ASKING_WORDS.isdisjoint(said):
        return frozenset()
    return kinds_named_by(said[:1], surely=True) or kinds_named_by(said[:1]) & REACHED_BY


def _first_noun(said: list[str], *, is_russian: bool) -> list[str]:
    """The noun that names the value, as a list of one or none: "fee" in "the size of the fee"."""
    nouns = [
        word
        for word in said
        if word not in _SIZES and word not in _LITTLE and not (is_russian and _ADJECTIVE.search(word))
    ]
    return nouns[:1]


@cache
def _asked() -> tuple[tuple[Kinds, re.Pattern[str]], ...]:
    return tuple(
        (kinds, re.compile(phrase))
        for kinds, rest, _ in _lists("asked_values.txt")
        for phrase in phrases(rest)
    )


def _lists(name: str) -> Iterator[tuple[Kinds, str, bool]]:
    """The lines of a list: the kinds, the rest of the line, and whether the kinds are sure."""
    for kinds, rest in named_lines(name):
        sure = kinds.removeprefix("sometimes ")
        yield frozenset(map(ValueKind, sure.split())), rest, sure == kinds
