"""Do two questions ask the same? A near vector is not enough: raspberry and blueberry are near too.

Questions that look alike and are not differ by one word put in the place of another, which is also how the same
question is often said differently. Nothing that was measured tells the two apart well enough to serve an approved
answer by, so what is left of both questions without the words that questions are made with must be the same.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from functools import cache
from itertools import takewhile

from sourcebook.consult.answer.support import decisive_words
from sourcebook.consult.question.kinds import QuestionKind, kinds_of, without_asking
from sourcebook.text.analysis import words
from sourcebook.text.negation import negators
from sourcebook.text.normal import folded
from sourcebook.text.numbers import quantities
from sourcebook.text.stems import stem_words
from sourcebook.text.stopwords import stop_words

_SHARED_BEGINNING = 5
_LONGEST_END = 2
_CYRILLIC = re.compile("[а-я]")
_WITH_CASES = frozenset({"ru", "uk", "be", "pl", "cs", "sr", "fi", "hu", "tr"})

# Words that questions are made with, whatever they are about.
_GENERIC_WORDS = """
what when where why how which who whose much many often can could should would must may might shall do does did need
needs needed require required is are was were be been best right good better correct proper suitable ideal way ways
manner kind please tell explain advise recommend recommended me want wants like likes prefer prefers suit suits there
any some my your our i you we possible allowed usually normally exactly actually что когда где куда почему зачем
отчего как какой какая какое какие какую каком каким каких какого какова сколько кто чем чего чему нужно надо нужен
нужна нужны требуется следует должен должна должно должны можно ли подскажите пожалуйста скажите расскажите
посоветуйте объясните делать сделать быть лучше лучший лучшее правильно правильный подходит подходят любит любят
предпочитает годится мне мой моя мое мои меня мы вы вам способ образом обычно именно вообще бы же que quando onde
porque como qual quais quanto quanta quantos quantas quem devo deve devem pode podem posso é são ser fazer faço para
por favor diga explique melhor meu minha meus minhas nosso se em certo correto ideal maneira modo jeito forma preciso
precisa precisam prefere gosta convém possível quero num numa normalmente qué cuándo dónde cómo cuál cuánto debo puedo
"""

# Verbs of which each is as good as the others on its line, whatever they are about.
_SAME_VERBS = """
fight fights combat rid eliminate бороться избавиться избавляться combater acabar eliminar livrar
keep keeps store stored last lasts хранится хранятся хранить держится dura duram guarda guardar conserva conservar
grow grows growing grown cultivate вырастить выращивать растить cultivar cultivo
"""


class QuestionDifference(StrEnum):
    """Why two questions are taken for different ones."""

    KIND = "kind"
    DENIAL = "denial"
    NUMBER = "number"
    DECISIVE_WORD = "decisive_word"
    ONE_WORD = "one_word"
    OTHER_WORDS = "other_words"
    ORDER = "order"


def difference(asked: str, known: str, languages: Sequence[str | None]) -> QuestionDifference | None:
    """What keeps two questions apart; None if they say the same in one of these languages.

    The endings of their words, and the words that questions are made with, make no difference. The language of a short
    question is often mistaken, so there may be several; what a wrong one overlooks is left as a word.
    """
    found = [_difference(asked, known, language) for language in dict.fromkeys(languages or (None,))]
    return None if None in found else found[0]


def _difference(asked: str, known: str, language: str | None) -> QuestionDifference | None:
    contradiction = _contradiction(asked, known, language)
    if contradiction is not None:
        return contradiction
    if words(asked) == words(known):
        return None
    here, there = _terms(asked, language), _terms(known, language)
    left = max(len(_without(here, there, language)), len(_without(there, here, language)))
    if left or not here or not there:
        return QuestionDifference.ONE_WORD if left == 1 else QuestionDifference.OTHER_WORDS
    return None if _is_in_order(here, there, language) else QuestionDifference.ORDER


def _is_in_order(here: Mapping[str, str], there: Mapping[str, str], language: str | None) -> bool:
    """Whether the words are in the same order: users of an account are not accounts of a user.

    Where the endings tell who does what to whom, the same forms may stand in any order.
    """
    if language in _WITH_CASES and sorted(here.values()) == sorted(there.values()):
        return True
    pairs = zip(here, there, strict=False)
    return len(here) == len(there) and all(a == b or _is_form_of(a, b, language) for a, b in pairs)


def _contradiction(asked: str, known: str, language: str | None) -> QuestionDifference | None:
    denying = negators(language)
    if denying.intersection(words(asked)) != denying.intersection(words(known)):
        return QuestionDifference.DENIAL
    if {q.value for q in quantities(asked)} != {q.value for q in quantities(known)}:
        return QuestionDifference.NUMBER
    if decisive_words(asked) != decisive_words(known):
        return QuestionDifference.DECISIVE_WORD
    # "How do I feed" and "which fertiliser" ask the same; "how much" and "which" do not.
    if kinds_of(asked) - {QuestionKind.WAY} != kinds_of(known) - {QuestionKind.WAY}:
        return QuestionDifference.KIND
    return None


def _terms(question: str, language: str | None) -> dict[str, str]:
    """The stems of what a question is about, in their order, each with the word that it is the stem of."""
    left_out = stop_words(language) | _generic()
    found = [_same_verbs().get(word, word) for word in without_asking(question) if word not in left_out]
    return dict(zip(stem_words(found, language), found, strict=True))


@cache
def _generic() -> frozenset[str]:
    return frozenset(map(folded, _GENERIC_WORDS.split()))


@cache
def _same_verbs() -> dict[str, str]:
    lines = [line.split() for line in _SAME_VERBS.strip().splitlines()]
    return {folded(form): forms[0] for forms in lines for form in forms}


def _without(terms: Collection[str], others: Collection[str], language: str | None) -> list[str]:
    """The terms that no form of a word among the others stands for."""
    return [
        term
        for term in terms
        if term not in others and not any(_is_form_of(term, other, language) for other in others)
    ]


def _is_form_of(term: str, other: str, language: str | None) -> bool:
    """Whether two stems are of one word: stems of one word sometimes differ in their last letters."""
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(term, other, strict=False)))
    shorter, longer = sorted((len(term), len(other)))
    # The stemmer for Russian leaves more apart than others do ("обреза", "обрезк"). Elsewhere "formal" is no "format".
    ends = 1 if language == "ru" and _CYRILLIC.match(term) else 0
    return shared >= _SHARED_BEGINNING and shorter - shared <= ends and longer - shared <= _LONGEST_END
