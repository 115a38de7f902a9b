"""Sentences made false by a script, one kind of falsehood at a time.

Nothing here comes from the check that is measured: neither its lists nor its way to read numbers, names and units.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.support.texts import Said

_NUMBER = re.compile(r"(?<![\w.,:/-])\d+(?:[.,]\d+)*(?![\w:/-])(?!\s?(?:век|в\.))")
_NAME = re.compile(r"\b[A-ZА-ЯЁÁÉÍÓÚÂÊÔÑ][\w'’]+(?:[ -][A-ZА-ЯЁÁÉÍÓÚÂÊÔÑ][\w'’]+)*")
_UNIT = re.compile(
    r"(?P<number>\b\d+(?:[.,]\d+)?)\s?(?P<unit>%|km|kg|cm|mm|км|кг|см|мм|miles?|metres?|meters?|feet|years?|days?|hours?|weeks?"
    r"|months?|minutes?|percent|per cent|degrees?|pounds?|dollars?|лет|года?|дней|дня|часов|часа|минут|недель"
    r"|месяцев|процентов|миль|метров|километров|человек|рублей|долларов|anos?|dias?|horas?|semanas?|meses|minutos"
    r"|metros|quilômetros|por cento|pessoas|milhas|años?|días?|por ciento|kilómetros|millas|personas)(?!\w)"
)
_FEWEST_BETWEEN = 2


@dataclass(frozen=True, slots=True)
class Words:
    """What is exchanged in one language."""

    pairs: Mapping[str, Sequence[tuple[str, str]]]
    units: Sequence[str]
    deny: re.Pattern[str]
    deny_with: str
    denial: re.Pattern[str]
    denial_without: str


@cache
def words(language: str) -> Words:
    read: dict[str, Any] = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))[language]
    kinds = ("antonym", "modal", "quantity", "possible")
    return Words(
        {kind: [(left, right) for left, right in read[kind]] for kind in kinds},
        read["units"],
        re.compile(read["deny"]),
        read["deny_with"],
        re.compile(read["denial"], re.IGNORECASE),
        read["denial_without"],
    )


Alteration = Callable[[Said, Words, random.Random], str | None]


def exchanged_numbers(said: Said, words: Words, chance: random.Random) -> str | None:
    return _exchanged(said.sentence, list(_NUMBER.finditer(said.sentence)), chance)


def exchanged_names(said: Said, words: Words, chance: random.Random) -> str | None:
    return _exchanged(said.sentence, _names(said.sentence), chance)


def number_of_the_next(said: Said, words: Words, chance: random.Random) -> str | None:
    """A number of the sentence behind it, written alike, in the place of its own."""
    own, others = _NUMBER.findall(said.sentence), _NUMBER.findall(said.next or "")
    fitting = [
        (mine, other)
        for mine in _NUMBER.finditer(said.sentence)
        for other in others
        if other not in own and len(other) == len(mine[0])
    ]
    if not fitting:
        return None
    mine, other = chance.choice(fitting)
    return _put(said.sentence, mine, other)


def name_of_the_next(said: Said, words: Words, chance: random.Random) -> str | None:
    """A name of the sentence behind it in the place of one of its own."""
    own = _names(said.sentence)
    others = [m[0] for m in _names(said.next or "") if m[0][:4] not in said.sentence]
    if not own or not others:
        return None
    return _put(said.sentence, chance.choice(own), chance.choice(others))


def other_number(said: Said, words: Words, chance: random.Random) -> str | None:
    found = [match for match in _NUMBER.finditer(said.sentence) if match[0].isdigit()]
    if not found:
        return None
    chosen = chance.choice(found)
    value = int(chosen[0])
    others = [value + step for step in (1, 2, 3, 5, 10, 20) if str(value + step) not in said.passage]
    return _put(said.sentence, chosen, str(chance.choice(others))) if others else None


def other_unit(said: Said, words: Words, chance: random.Random) -> str | None:
    found = list(_UNIT.finditer(said.sentence))
    others = [unit for unit in words.units if unit not in said.passage]
    if not found or not others:
        return None
    chosen = chance.choice(found)
    if chosen["unit"] in ("%", "percent", "per cent", "процентов"):
        others = [unit for unit in others if unit != words.units[-1]]
    return _put(said.sentence, chosen, f"{chosen['number']} {chance.choice(others or words.units[:1])}")


def denied(said: Said, words: Words, chance: random.Random) -> str | None:
    found = list(words.deny.finditer(said.sentence))
    if not found or words.denial.search(said.sentence):
        return None
    chosen = chance.choice(found)
    return _put(said.sentence, chosen, chosen.expand(words.deny_with))


def no_longer_denied(said: Said, words: Words, chance: random.Random) -> str | None:
    found = list(words.denial.finditer(said.sentence))
    if not found:
        return None
    chosen = chance.choice(found)
    return _put(said.sentence, chosen, chosen.expand(words.denial_without))


def word_exchanged(kind: str) -> Alteration:
    def change(said: Said, words: Words, chance: random.Random) -> str | None:
        found = [
            (match, other + (match["ending"] or ""))
            for left, right in words.pairs[kind]
            for this, other in ((left, right), (right, left))
            if (match := _word(this).search(said.sentence))
            for other in [other.removesuffix("-")]
        ]
        if not found:
            return None
        match, other = chance.choice(found)
        return _put(said.sentence, match, other[:1].upper() + other[1:] if match[0][0].isupper() else other)

    return change


ALTERATIONS: Mapping[str, Alteration] = {
    "numbers exchanged": exchanged_numbers,
    "names exchanged": exchanged_names,
    "number of the next sentence": number_of_the_next,
    "name of the next sentence": name_of_the_next,
    "antonym": word_exchanged("antonym"),
    "may or must": word_exchanged("modal"),
    "all or some": word_exchanged("quantity"),
    "possible or impossible": word_exchanged("possible"),
    "number changed": other_number,
    "unit changed": other_unit,
    "negation added": denied,
    "negation removed": no_longer_denied,
}


@cache
def _word(written: str) -> re.Pattern[str]:
    ending = r"(?P<ending>\w{1,4})" if written.endswith("-") else "(?P<ending>)"
    return re.compile(rf"(?<![\w-]){re.escape(written.removesuffix('-'))}{ending}(?![\w-])", re.IGNORECASE)


def _names(text: str) -> list[re.Match[str]]:
    """Words with a capital inside the sentence; what stands first may be no name."""
    return [match for match in _NAME.finditer(text) if match.start() > 0 and text[match.start() - 1] == " "]


def _exchanged(text: str, found: list[re.Match[str]], chance: random.Random) -> str | None:
    """Two of them in each other's place. Neighbours in a list or a range may change places and stay true."""
    fitting = [(one, two) for one, two in _twos(found) if one[0] != two[0] and _are_apart(text, one, two)]
    if not fitting:
        return None
    one, two = chance.choice(fitting)
    return _put(_put(text, two, one[0]), one, two[0])


def _twos(found: list[re.Match[str]]) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
    for place, one in enumerate(found):
        for two in found[place + 1 :]:
            yield one, two


def _are_apart(text: str, one: re.Match[str], two: re.Match[str]) -> bool:
    between = text[one.end() : two.start()]
    is_alike = one[0][:4].casefold() == two[0][:4].casefold() and not one[0].isdigit()
    return len(re.findall(r"[^\W\d_]{3,}", between)) >= _FEWEST_BETWEEN and not is_alike


def _put(text: str, match: re.Match[str], other: str) -> str:
    return text[: match.start()] + other + text[match.end() :]
