"""Whether two questions ask the same. Near vectors are not enough: raspberry and blueberry are near too.

Contradictions are looked for first, by closed rules: another kind of question, a denial, a number, a name, an opposite.
Then the questions are the same only if they differ in nothing but question words, forms of words, and words that can
replace each other. Any other different word makes them different: nothing that we measured tells it from a synonym.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import zip_longest

from sourcebook.consult.question.asked_for.kinds import MEASURED, QuestionKind, kinds_of, without_asking
from sourcebook.consult.support.support_check import decisive_words, names
from sourcebook.text.analysis import words
from sourcebook.text.numbers import ANY_LANGUAGE, quantities
from sourcebook.text.stems import shared_beginning, stem_words
from sourcebook.text.vocabulary.function_words import languages_of_both
from sourcebook.text.vocabulary.negation import negators
from sourcebook.text.vocabulary.question_opposites import turned_around
from sourcebook.text.vocabulary.question_words import class_nouns, generic_words, stems_alike
from sourcebook.text.vocabulary.stopwords import stop_words

NEAR = 0.15
"""Up to this distance, 1 - cosine, words of one root and another word order make no difference."""

_SHARED_BEGINNING = 5
_LONGEST_END = 2
_WORDS_OF_A_THING = 2
_LONGEST_SUFFIX = 4
_CYRILLIC = re.compile("[а-я]")
_LATIN = re.compile(r"[a-z]", re.IGNORECASE)
_VOWELS = re.compile("[aeiouyаеёиоуыэюяйьъ]")
_FEWEST_CONSONANTS = 3
_MANY_QUESTIONS = 2048
_QUOTED = re.compile(r"«[^«»]+»|“[^“”]+”|\"[^\"]+\"")
_WITH_CASES = frozenset({"ru", "uk", "be", "pl", "cs", "sr", "fi", "hu", "tr"})
_OPENING = str.maketrans("", "", "¿¡")
# Contractions with one meaning, unlike "it's" and "I'd".
_SHORT_FORMS = tuple(
    (re.compile(short, re.IGNORECASE), long)
    for short, long in (
        (r"\b(i)['’]m\b", r"\1 am"),
        (r"\b(you|we|they)['’]re\b", r"\1 are"),
        (r"\b(i|you|we|they)['’]ve\b", r"\1 have"),
        (r"\b(i|you|he|she|it|we|they)['’]ll\b", r"\1 will"),
    )
)
_PASSIVE = re.compile(
    r"\b(?:be|is|are|was|were|been) (?:\w+ ){0,4}?\w+(?:ed|en|wn|ught|lt|pt|ade|old|ent)\b"
    r"|\b(?:é|são|foi|foram|ser|es|son|fue|fueron) \w+(?:ad|id|rt|it)[oa]s?\b",
    re.IGNORECASE,
)
_NO_WAY = MEASURED | {QuestionKind.TIME, QuestionKind.PERSON, QuestionKind.REASON}
_NOUNS_FOR_WHY = frozenset(
    {"reason", "cause", "motivo", "razão", "causa", "razón", "причина", "причине", "причину"}
)


class QuestionDifference(StrEnum):
    """Why two questions are taken for different ones."""

    KIND = "kind"
    DENIAL = "denial"
    NUMBER = "number"
    NAME = "name"
    DECISIVE_WORD = "decisive_word"
    OPPOSITE = "opposite"
    ONE_WORD = "one_word"
    OTHER_WORDS = "other_words"
    ORDER = "order"


def difference(
    asked: str, known: str, languages: Sequence[str | None], distance: float | None = None
) -> QuestionDifference | None:
    """Why two questions are different; None if they surely ask the same.

    Endings and question words make no difference; with a small `distance`, 1 - cosine of the vectors, words of one root
    and another word order make none either. The language of a short question is often mistaken, so several may be
    given.
    """
    asked, known = _plain(asked), _plain(known)
    spoken = _spoken(asked, known, languages)
    found = [_difference(asked, known, language, distance) for language in spoken]
    return None if None in found else found[0]


def ask_the_same(asked: str, known: str, languages: Sequence[str | None]) -> bool:
    """Whether `difference` finds none. Faster, where one question is compared with many."""
    one, other = _plain(asked), _plain(known)
    # The cheapest comparisons, which do not depend on the language, come first.
    if _decisive(one) != _decisive(other) or all(
        _numbers(one, language) != _numbers(other, language) for language in ANY_LANGUAGE
    ):
        return False
    return difference(asked, known, languages) is None


def contradiction(asked: str, known: str, languages: Sequence[str | None]) -> QuestionDifference | None:
    """How two questions contradict each other: a denial, an opposite, or different numbers, names or times.

    What only one of them has is not a contradiction.
    """
    asked, known = _plain(asked), _plain(known)
    found = (_clash(asked, known, language) for language in _spoken(asked, known, languages))
    return next((clash for clash in found if clash is not None), None)


def is_of_another_kind(asked: str, known: str) -> bool:
    """Whether one asks for a time, say, and the other for a place. False if one leaves its kind open.

    "How" is not a time, person, reason or amount either; but "where do I change it" may ask how.
    """
    both = [kinds_of(_plain(question)) for question in (asked, known)]
    kinds = [found - {QuestionKind.WAY} for found in both]
    if all(kinds):
        return kinds[0] != kinds[1]
    return frozenset({QuestionKind.WAY}) in both and any(kind & _NO_WAY for kind in kinds)


def is_about_another_thing(asked: str, known: str, languages: Sequence[str | None]) -> bool:
    """Whether both ask for the same of two things: the torque of the crank bolt, and that of the rear axle nuts.

    They share one word, and each has at least two others. False if one says what kind of answer it wants, because "how"
    and "why" questions can be put in many ways.
    """
    asked, known = _plain(asked), _plain(known)
    if kinds_of(asked) or kinds_of(known):
        return False
    return all(_differ_in_thing(asked, known, language) for language in _spoken(asked, known, languages))


def _differ_in_thing(asked: str, known: str, language: str | None) -> bool:
    here, there = _terms_of(asked, language), _terms_of(known, language)
    mine, theirs = here.without(there, loosely=True), there.without(here, loosely=True)
    shared = len(here.stems) - len(mine)
    return shared == 1 and min(len(mine), len(theirs)) >= _WORDS_OF_A_THING


def _plain(question: str) -> str:
    plain = question.translate(_OPENING).strip()
    for short, long in _SHORT_FORMS if "'" in plain or "’" in plain else ():
        plain = short.sub(long, plain)
    return plain


def _spoken(asked: str, known: str, languages: Sequence[str | None]) -> Sequence[str | None]:
    """The language that the small words of both tell, otherwise the given ones."""
    told = languages_of_both(asked, known)
    return told if len(told) == 1 else list(dict.fromkeys(languages)) or [None]


def _difference(
    asked: str, known: str, language: str | None, distance: float | None
) -> QuestionDifference | None:
    found = _clash(asked, known, language) or _one_sided(asked, known, language)
    if found is not None:
        return found
    if _words(asked) == _words(known):
        return None
    here, there = _terms_of(asked, language), _terms_of(known, language)
    if not here.stems or not there.stems:
        return QuestionDifference.OTHER_WORDS
    is_near = distance is not None and distance <= NEAR
    left = max(len(here.without(there, loosely=is_near)), len(there.without(here, loosely=is_near)))
    if left:
        return QuestionDifference.ONE_WORD if left == 1 else QuestionDifference.OTHER_WORDS
    is_turned = (
        is_near and _is_turned(asked) is not _is_turned(known) and not MEASURED & _kinds(asked, language)
    )
    return None if is_turned or here.is_in_order_of(there) else QuestionDifference.ORDER


def _is_turned(question: str) -> bool:
    """Whether a question has a passive, or a noun instead of a verb, which changes the word order."""
    return _PASSIVE.search(question) is not None or not _NOUNS_FOR_WHY.isdisjoint(_words(question))


def _clash(asked: str, known: str, language: str | None) -> QuestionDifference | None:
    denying = negators(language)
    # Counted, because a second "not" cancels the first.
    if sum(word in denying for word in _words(asked)) != sum(word in denying for word in _words(known)):
        return QuestionDifference.DENIAL
    if _each_has_more(_numbers(asked, language), _numbers(known, language)):
        return QuestionDifference.NUMBER
    if _each_has_more(_decisive(asked), _decisive(known)):
        return QuestionDifference.DECISIVE_WORD
    if turned_around(asked, known, language):
        return QuestionDifference.OPPOSITE
    mine, theirs = _missing_names(asked, known, language), _missing_names(known, asked, language)
    is_repeated = (theirs and _repeats_a_name(asked, known)) or (mine and _repeats_a_name(known, asked))
    if is_repeated or _have_other_names(mine, theirs):
        return QuestionDifference.NAME
    return None


@lru_cache(_MANY_QUESTIONS)
def _words(question: str) -> tuple[str, ...]:
    return tuple(words(question))


@lru_cache(_MANY_QUESTIONS)
def _names(question: str) -> tuple[str, ...]:
    return tuple(names(question))


@lru_cache(_MANY_QUESTIONS)
def _numbers(question: str, language: str | None) -> tuple[str, ...]:
    return tuple(sorted(found.value for found in quantities(question, language)))


def _repeats_a_name(one: str, other: str) -> bool:
    """Whether a name occurs more often than in the other, which has it too: it replaces another name."""
    theirs = Counter(_names(other))
    return any(count > theirs[name] > 0 for name, count in Counter(_names(one)).items())


def _have_other_names(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether each has a name that the other lacks in any spelling. Names in different scripts are not compared."""
    return any(
        bool(_LATIN.match(one)) is bool(_LATIN.match(other))
        and not any(_consonants(one) == _consonants(another) for another in theirs)
        and not any(_consonants(other) == _consonants(another) for another in mine)
        for one in mine
        for other in theirs
    )


def _consonants(name: str) -> str:
    """The consonants of a name, which all spellings share; the name itself if they are too few."""
    bare = _VOWELS.sub("", " ".join(words(name)))
    return bare if len(bare) >= _FEWEST_CONSONANTS else name


def _one_sided(asked: str, known: str, language: str | None) -> QuestionDifference | None:
    """The difference if only one has a kind, a number, a word of time or direction, or a name."""
    # "How do I feed" and "which fertiliser" ask the same; "how much" and "which" do not.
    if _kinds(asked, language) != _kinds(known, language):
        return QuestionDifference.KIND
    if _numbers(asked, language) != _numbers(known, language):
        return QuestionDifference.NUMBER
    if _decisive(asked) != _decisive(known):
        return QuestionDifference.DECISIVE_WORD
    if _missing_names(asked, known, language) or _missing_names(known, asked, language):
        return QuestionDifference.NAME
    return None


@lru_cache(_MANY_QUESTIONS)
def _kinds(question: str, language: str | None) -> frozenset[QuestionKind]:
    kinds = kinds_of(question) - {QuestionKind.WAY}
    # "How much does it cost" and "what is the price" ask for the same amount.
    if QuestionKind.AMOUNT in kinds and "cost" in _terms_of(question, language).stems:
        kinds -= {QuestionKind.AMOUNT}
    return kinds


@lru_cache(_MANY_QUESTIONS)
def _decisive(question: str) -> frozenset[str]:
    """The words of time and direction, without those that ask for one ("by what date")."""
    return frozenset(decisive_words(" ".join(without_asking(question))))


def _each_has_more(one: Collection[str], other: Collection[str]) -> bool:
    return bool(set(one) - set(other)) and bool(set(other) - set(one))


def _missing_names(one: str, other: str, language: str | None) -> list[str]:
    """Names in the one that the other lacks, in any case and form."""
    # Stop words are not stemmed: "Paris" and "para" have the same stem in Portuguese.
    named = [*_names(one), *_QUOTED.findall(one)]
    if not named:
        return []
    told = _words(other)
    held = {*told, *stem_words([word for word in told if word not in stop_words(language)], language)}
    return [name for name in named if not all(_is_held(word, held, language) for word in words(name))]


def _is_held(word: str, held: Collection[str], language: str | None) -> bool:
    return word in held or stem_words([word], language)[0] in held


@dataclass(frozen=True, slots=True)
class _Terms:
    """The content stems of a question in their order, each with its word."""

    stems: dict[str, str]
    names: frozenset[str]
    language: str | None

    def without(self, others: _Terms, *, loosely: bool) -> list[str]:
        """The stems without a form of the same word among the others; loosely, without a word of the same root."""
        return [
            stem
            for stem in self.stems
            if not any(self._stands_for(stem, other, loosely=loosely) for other in others.stems)
        ]

    def is_in_order_of(self, others: _Terms) -> bool:
        """Whether the words are in the same order: users of an account are not accounts of a user.

        In languages with cases, the same forms may be in any order.
        """
        if self.language in _WITH_CASES and sorted(self.stems.values()) == sorted(others.stems.values()):
            return True
        # The position of the price does not count: "the price of the plan", "how much does the plan cost".
        here, there = ([stem for stem in stems if stem != "cost"] for stems in (self.stems, others.stems))
        return len(here) == len(there) and all(
            self._stands_for(a, b, loosely=True) for a, b in zip(here, there, strict=True)
        )

    def _stands_for(self, stem: str, other: str, *, loosely: bool) -> bool:
        if stem == other:
            return True
        # Names have no forms: Austria is not Australia.
        if stem in self.names or other in self.names:
            return False
        return _is_form_of(stem, other, self.language) or (loosely and _has_root_of(stem, other))


@lru_cache(_MANY_QUESTIONS)
def _terms_of(question: str, language: str | None) -> _Terms:
    """The content words of a question, without numbers, and without nouns before a name ("the river Elbe")."""
    named = {word for name in _names(question) for word in words(name)}
    said = without_asking(question)
    left_out = stop_words(language) | generic_words() | {word for word in said if quantities(word)}
    kept = [
        word
        for word, following in zip_longest(said, said[1:])
        if word not in left_out and not (following in named and word in class_nouns())
    ]
    alike = stems_alike(language)
    stems = [alike.get(stem, stem) for stem in stem_words(kept, language)]
    return _Terms(
        dict(zip(stems, kept, strict=True)), frozenset(stem_words(sorted(named), language)), language
    )


def _has_root_of(term: str, other: str) -> bool:
    """Whether two stems may be of one root: `утвержда` and `утвержден`."""
    least = max(_SHARED_BEGINNING, max(len(term), len(other)) - _LONGEST_SUFFIX)
    return shared_beginning(term, other) >= least


def _is_form_of(term: str, other: str, language: str | None) -> bool:
    """Whether two stems may be of one word, because stems sometimes differ in their last letters."""
    shared = shared_beginning(term, other)
    shorter, longer = sorted((len(term), len(other)))
    # The Russian stemmer separates more forms than others ("обреза", "обрезк"). Elsewhere "formal" is not "format".
    ends = 1 if language == "ru" and _CYRILLIC.match(term) else 0
    return shared >= _SHARED_BEGINNING and shorter - shared <= ends and longer - shared <= _LONGEST_END
