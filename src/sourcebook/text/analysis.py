"""From text to the terms that are indexed and searched: the same for documents, questions and both databases."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import add

from sourcebook.text.case_and_accents import folded
from sourcebook.text.letters import CYRILLIC, HAN, MARKS, UNSPACED
from sourcebook.text.spellings import in_one_spelling
from sourcebook.text.stems import stem_words
from sourcebook.text.vocabulary.stopwords import asking_words, stop_words

ANALYSER_VERSION: int = 4
"""Raising it makes every base index its words again. Any change that gives some text other terms must raise it."""

MAX_QUESTION_CHARACTERS = 4096
MAX_QUESTION_WORDS = 64
MIN_PREFIX = 2
_WORTH_OF_SAYING_AGAIN = 0.75

_WIDE = re.compile("[\uff01-\uffee]+")
_STRESS = re.compile(f"(?<=[{CYRILLIC}])\u0301+")
_HAN = re.compile(f"[{HAN}]")
_UNSPACED = re.compile(f"[{UNSPACED}]+")

_LETTER = rf"[\w{MARKS}]"
# The group holds at most 64 characters; what follows it is eaten, so that the rest of a long word is not a word.
_WORD_PATTERN = rf"(\w{_LETTER}{{0,63}}){_LETTER}*"
_WORD = re.compile(_WORD_PATTERN)
# One star ends a prefix. Two stars are Markdown, and a star between letters belongs to neither word.
_WORD_AND_STAR = re.compile(rf"{_WORD_PATTERN}(\*(?![\w*]))?")


def words(text: str) -> list[str]:
    """The words of any text in their order: runs of letters and digits, folded, at most 64 characters each.

    Scripts without spaces give overlapping pairs of characters, and Chinese characters also alone.
    """
    return _WORD.findall(_in_pairs(_readable(text)))


@dataclass(frozen=True, slots=True)
class AnalysedText:
    """The terms of a text in their order, and how many words it has with the stop words."""

    terms: list[str]
    length: int


def analyse_text(text: str, language: str | None) -> AnalysedText:
    """The terms of a text: stems of its words without stop words; of all its words if it has no others.

    The length counts stop words too: ranking by it measures better than by the number of terms.
    """
    content = analyse_content(text, language)
    if content.terms or not content.length:
        return content
    return AnalysedText(stem_words(words(text), language), content.length)


def analyse_content(text: str, language: str | None) -> AnalysedText:
    """The same, but without terms if there are only stop words: for a part of a text that has other words."""
    found = words(text)
    stops = stop_words(language)
    kept = [word for word in found if word not in stops] if stops else found
    return AnalysedText(stem_words(kept, language), len(found))


def analyse(text: str, language: str | None) -> list[str]:
    """The terms of a text alone."""
    return analyse_text(text, language).terms


@lru_cache(2048)
def distinct_terms(text: str, language: str | None) -> frozenset[str]:
    """The terms of a text, each once. Remembered: a question compares the same few sentences again and again."""
    return frozenset(analyse_text(text, language).terms)


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """What a question looks for: any of the terms, or any term that begins with one of the prefixes."""

    terms: tuple[str, ...]
    prefixes: tuple[str, ...]
    times: Mapping[str, int] = field(default_factory=dict[str, int])
    """How often the question says a term, for those that it says more than once."""

    def emphasis(self, term: str) -> float:
        """How much a term counts: more if it is repeated, but less than once for each time."""
        return 1.0 + _WORTH_OF_SAYING_AGAIN * math.log(self.times.get(term, 1))


def analyse_question(text: str, languages: Sequence[str]) -> QuestionWords:
    """The terms of a question in every one of the languages, each once, in the order of the words.

    Words that only ask, such as `who` and `when`, are left out if there are others. A word with a trailing `*` is a
    prefix too, and is never left out. Without languages the words stay as they are. Any text is safe; only its first
    4096 characters and 64 words count.
    """
    readable = _readable(_cleaned(text[:MAX_QUESTION_CHARACTERS]))
    starred = [word for word, star in _WORD_AND_STAR.findall(readable) if star and len(word) >= MIN_PREFIX]
    found = _WORD.findall(_in_pairs(readable))[:MAX_QUESTION_WORDS]
    content = _without_stop_words(found, languages, kept=frozenset(starred))
    stems = [stem_words(content, language) for language in languages] or [content]
    return QuestionWords(
        terms=_distinct(stem for stems_of_word in zip(*stems, strict=True) for stem in stems_of_word),
        prefixes=_distinct(starred[:MAX_QUESTION_WORDS]),
        times=_repeated(zip(*stems, strict=True)),
    )


def _cleaned(text: str) -> str:
    return text.replace("\x00", "").encode("utf-8", "ignore").decode()


def _readable(text: str) -> str:
    """The text without invisible joiners, stress marks, and differences of width, case and hyphens."""
    if not text.isascii():
        for invisible in "\u00ad\u200c\u200d\u2060\ufeff":
            text = text.replace(invisible, "")
        text = _WIDE.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
    text = folded(text)
    if "\u0301" in text:
        text = _STRESS.sub("", text)
    # The Turkish capital İ leaves its dot behind when it becomes small.
    return in_one_spelling(text.replace("i\u0307", "i").replace("_", " "))


def _in_pairs(text: str) -> str:
    """The text with every run of an unspaced script replaced by its pairs of characters, set apart by spaces."""
    return text if text.isascii() else _UNSPACED.sub(_pairs, text)


def _pairs(match: re.Match[str]) -> str:
    run = match[0]
    if len(run) == 1:
        return f" {run} "
    return " ".join(("", *map(add, run, run[1:]), *_HAN.findall(run), ""))


def _without_stop_words(found: list[str], languages: Sequence[str], kept: frozenset[str]) -> list[str]:
    stops = frozenset[str]().union(*map(stop_words, languages)) - kept
    content = [word for word in found if word not in stops] or found
    asking = frozenset[str]().union(*map(asking_words, languages)) - kept
    return [word for word in content if word not in asking] or content


def _repeated(stems_of_words: Iterable[Iterable[str]]) -> dict[str, int]:
    """How often each repeated term occurs. A word counts once, even if two languages give it the same stem."""
    said = Counter(stem for stems in stems_of_words for stem in set(stems))
    return {term: times for term, times in said.items() if times > 1}


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))
