"""Do two questions ask the same? A near vector is not enough: raspberry and blueberry are near too.

Questions that look alike and are not differ by one word put in the place of another; the same question said in other
words differs in several. So a near vector must come with words that do not contradict it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sourcebook.consult.kinds import kinds_of
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
надо нужен нужна нужны можно ли подскажите пожалуйста скажите делать сделать быть есть стоит лучше мне мой моя мои меня
que quando onde porque como qual quais quanto quanta quantos quantas quem devo deve pode posso é são ser fazer para por
favor diga melhor meu minha meus minhas se em altura época qué cuándo dónde cómo cuál cuánto debo puedo
"""
_GENERIC = frozenset(_GENERIC_WORDS.split())


class Difference(StrEnum):
    """Why two questions are taken for different ones."""

    KIND = "kind"
    DENIAL = "denial"
    NUMBER = "number"
    DECISIVE_WORD = "decisive_word"
    ONE_WORD = "one_word"


@dataclass(frozen=True, slots=True)
class Sameness:
    """What keeps two questions apart, if anything does, and whether they say the same word for word.

    Word for word leaves aside the order, the endings, and the words that questions are made with.
    """

    difference: Difference | None
    is_word_for_word: bool


def compare_questions(asked: str, known: str, language: str | None) -> Sameness:
    """Whether the words of two questions allow them to be the same."""
    here, there = _terms(asked, language), _terms(known, language)
    only_here, only_there = _without(here, there), _without(there, here)
    difference = _contradiction(asked, known, language)
    if difference is None and max(len(only_here), len(only_there)) == 1:
        difference = Difference.ONE_WORD
    return Sameness(difference, difference is None and not only_here and not only_there)


def _contradiction(asked: str, known: str, language: str | None) -> Difference | None:
    denying = negators(language)
    if denying.intersection(words(asked)) != denying.intersection(words(known)):
        return Difference.DENIAL
    if {q.value for q in quantities(asked)} != {q.value for q in quantities(known)}:
        return Difference.NUMBER
    if decisive_words(asked) != decisive_words(known):
        return Difference.DECISIVE_WORD
    return None if kinds_of(asked) == kinds_of(known) else Difference.KIND


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
