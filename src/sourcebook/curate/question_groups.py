"""Groups questions that ask much the same: drafts and gaps, not answers.

A wrong neighbour costs only a glance here, so sharing half of the meaningful words is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, TypeVar

from sourcebook.text.analysis import analyse, words

if TYPE_CHECKING:
    from sourcebook.ports.moderation import AskedQuestion

ALIKE = 0.5
"""The least share of words that two questions of a group have in common."""

_BEGINNING = 5
_MANY_QUESTIONS = 2048
# Words that only ask.
_ASKING = """
what when where why how which who much many often can could should would must may do does need needs please tell me my
что когда где куда почему зачем отчего как какой какая какое какие какую каком каким сколько кто чем чего нужно надо
нужен нужна нужны можно ли подскажите пожалуйста скажите делать сделать время лучше мне мой моя мои у меня
que quando onde porque como qual quais quanto quanta quantos quantas quem devo deve pode posso favor diga melhor meu
minha
"""
_ASKING_WORDS = frozenset(_ASKING.split())
T = TypeVar("T")


@lru_cache(maxsize=20_000)
def question_terms(question: str, language: str | None) -> frozenset[str]:
    """What a question is about: its stems, cut short because forms of one word may differ in stem."""
    telling = " ".join(word for word in words(question) if word not in _ASKING_WORDS)
    return frozenset(term[:_BEGINNING] for term in analyse(telling or question, language))


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of words that both have in common, from 0 to 1."""
    shared = len(one & other)
    together = len(one) + len(other) - shared
    return shared / together if together else 0.0


def same_words(one: str, other: str) -> bool:
    """Whether two questions are the same word for word, apart from case and punctuation."""
    return _words(one) == _words(other)


@lru_cache(_MANY_QUESTIONS)
def _words(question: str) -> tuple[str, ...]:
    return tuple(words(question))


def group_of(question: str, language: str | None, known: Iterable[AskedQuestion]) -> str:
    """The group of the most similar known question, or a new one."""
    terms = question_terms(question, language)
    best, group = 0.0, None
    for asked in known:
        others = question_terms(asked.question, asked.language)
        if not terms.isdisjoint(others) and (found := likeness(terms, others)) > best:
            best, group = found, asked.group_key
    return group if group is not None and best >= ALIKE else _new_group(terms, question)


def _new_group(terms: frozenset[str], question: str) -> str:
    told = " ".join(sorted(terms)) or question
    return blake2b(told.encode(), digest_size=8).hexdigest()


def clusters(items: Sequence[tuple[T, frozenset[str]]]) -> list[list[T]]:
    """Items grouped by their words, each in the most similar cluster; the largest cluster first."""
    found: list[tuple[frozenset[str], list[T]]] = []
    for item, terms in items:
        near = max(found, key=lambda cluster: likeness(terms, cluster[0]), default=None)
        if near is not None and likeness(terms, near[0]) >= ALIKE:
            near[1].append(item)
        else:
            found.append((terms, [item]))
    return [members for _, members in sorted(found, key=lambda cluster: -len(cluster[1]))]
