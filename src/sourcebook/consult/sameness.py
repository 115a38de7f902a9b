"""Do two questions ask the same? A near vector is not enough: raspberry and blueberry are near too.

Questions that look alike and are not differ by one word put in the place of another; the same question said in other
words differs in several. So a near vector must come with words that do not contradict it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sourcebook.consult.support import decisive_words
from sourcebook.text.analysis import words
from sourcebook.text.negation import negators
from sourcebook.text.numbers import quantities
from sourcebook.text.stems import stem_words
from sourcebook.text.stopwords import stop_words

_SHARED_BEGINNING = 5

# Words that questions are made with, whatever they are about.
_GENERIC_WORDS = """
what when where why how which who whose much many long often far can could should would must may do does need needs
have has get is are be best right good way time kind please tell me want like there any some my your our
что когда где куда почему зачем отчего как какой какая какое какие какую каком каким каких сколько кто чем чего нужно
надо нужен нужна нужны можно ли подскажите пожалуйста скажите делать сделать быть есть стоит лучше мне мой моя мои у меня
que quando onde porque como qual quais quanto quanta quantos quantas quem devo deve pode posso é são ser fazer para por
favor diga melhor meu minha meus minhas se em altura época qué cuándo dónde cómo cuál cuánto debo puedo
"""
_GENERIC = frozenset(_GENERIC_WORDS.split())


class Difference(StrEnum):
    """Why two questions are taken for different ones."""

    DENIAL = "denial"
    NUMBER = "number"
    DECISIVE_WORD = "decisive_word"
    ONE_WORD = "one_word"
    FEW_WORDS_SHARED = "few_words_shared"


@dataclass(frozen=True, slots=True)
class Sameness:
    """What keeps two questions apart; nothing does if they may be the same."""

    difference: Difference | None
    shared: float

    @property
    def is_same(self) -> bool:
        return self.difference is None


def compare_questions(asked: str, known: str, language: str | None, least_shared: float) -> Sameness:
    """Whether the words of two questions allow them to be the same. `least_shared` is of the shorter one's terms."""
    here, there = _terms(asked, language), _terms(known, language)
    only_here, only_there = _without(here, there), _without(there, here)
    smaller = min(len(here), len(there))
    common = len(here) - len(only_here)
    shared = common / smaller if smaller else float(here == there)
    return Sameness(_difference(asked, known, language, only_here, only_there, shared, least_shared), shared)


def _difference(
    asked: str,
    known: str,
    language: str | None,
    only_here: set[str],
    only_there: set[str],
    shared: float,
    least_shared: float,
) -> Difference | None:
    denying = negators(language)
    if denying.intersection(words(asked)) != denying.intersection(words(known)):
        return Difference.DENIAL
    if {q.value for q in quantities(asked)} != {q.value for q in quantities(known)}:
        return Difference.NUMBER
    if decisive_words(asked) != decisive_words(known):
        return Difference.DECISIVE_WORD
    if 0 < max(len(only_here), len(only_there)) <= 1:
        return Difference.ONE_WORD
    return Difference.FEW_WORDS_SHARED if shared < least_shared else None


def _terms(question: str, language: str | None) -> set[str]:
    stops = stop_words(language) | _GENERIC
    found = [word for word in words(question) if word not in stops]
    return set(stem_words(found, language))


def _without(terms: set[str], others: set[str]) -> set[str]:
    """The terms that no form of a word among the others stands for."""
    beginnings = {other[:_SHARED_BEGINNING] for other in others if len(other) >= _SHARED_BEGINNING}
    return {
        t for t in terms - others if len(t) < _SHARED_BEGINNING or t[:_SHARED_BEGINNING] not in beginnings
    }
