"""Questions that only the conversation makes whole: "and when in spring?"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sourcebook.consult.question.everyday_words import everyday_stems
from sourcebook.text.analysis import words
from sourcebook.text.stems import stem_words
from sourcebook.text.stopwords import stop_words

_SHORT = 3
"""With this many content words or fewer, a question that follows another is rarely a whole question."""

_ENOUGH = 2
"""This many content words tell what is asked, without the question before."""

# What points back: words that begin a continuation, and words that stand for something already named.
_CONTINUING_WORDS = """
    and but or so then also else instead а и но или тогда ещё еще тоже также e ou mas então também y o pero entonces
    """
_CONTINUING = frozenset(_CONTINUING_WORDS.split())
_POINTING_WORDS = """
    it its they them their this that these those he she him her his one ones there
    он она оно они его ее её их им ему ей ней него них этот эта это эти этого этой этих тот та те того той тех там
    ele ela eles elas isso isto esse essa esses essas este esta estes estas dele dela deles delas lá
    él ella ellos ellas eso esto ese esa esos esas allí allá ahí ali
    """
_POINTING = frozenset(_POINTING_WORDS.split())
# Where everything is that is asked about: what is there may be told elsewhere than what was asked before.
_THERE = frozenset(["there", "там", "туда", "оттуда", "lá", "ali", "allí", "allá", "ahí"])
# How an asker addresses whoever answers: "where are you?" is not about the subject of the conversation.
_YOU = frozenset(["you", "вы", "вас", "вам", "você", "vocês", "ustedes", "usted", "vosotros", "estáis"])
_ASKING_WORDS = """
    what when where why how which who much many long often far
    что когда где куда почему зачем как какой какая какое какие какую сколько кто чем чего
    que quando onde por porque como qual quais quanto quanta quantos quantas quem
    qué cuándo dónde cómo cuál cuánto cuánta cuántos
    """
_ASKING = frozenset(_ASKING_WORDS.split())
# "Is there a car park?" points nowhere, and "How do I get there?" does.
_EXISTENTIAL = re.compile(
    r"\b(?:is|are|was|were|will|be) there\b|\bthere (?:is|are|was|were|will|be)\b", re.IGNORECASE
)
_CYRILLIC = re.compile(r"[а-яё]", re.IGNORECASE)
# A question that names its subject begins with more than a pointer would need.
_LONG = 8


def wordings(question: str, earlier: Sequence[str], language: str | None) -> list[str]:
    """The ways to search for a question, to be tried in this order.

    One that points back is searched with the last whole question before it. One that is only short may be whole by
    itself, so it is tried as it is first; and one that only says "there" as it is last, if it says more.
    """
    whole = completed(question, earlier, language)
    if whole == question:
        return [question]
    if not _points(question):
        return [question, whole]
    return [whole, question] if _says_what_is_there(question, language) else [whole]


def completed(question: str, earlier: Sequence[str], language: str | None) -> str:
    """The question with the last whole question before it, if it may point back there."""
    # A question in another script starts a new subject. Digits have no script, and one word may be a name: "VPN?".
    if any(map(str.isalpha, question)) and len(words(question)) > 1:
        earlier = [one for one in earlier if _is_cyrillic(one) == _is_cyrillic(question)]
    if not earlier or not points_back(question, language):
        return question
    base = next((q for q in reversed(earlier) if not points_back(q, language)), earlier[0])
    return f"{base} {question}"


def points_back(question: str, language: str | None) -> bool:
    """Whether a question may need the one before it: because it says so, or because it is so short."""
    found = words(question)
    if not found:
        return False
    content = _content(found, language)
    if len(found) > _LONG and len(content) > _SHORT:
        return False
    return _points(question) or (len(content) < _SHORT and not _asks_about_us(found, content, language))


def _content(found: Sequence[str], language: str | None) -> list[str]:
    """The words that say something, without those that only ask or point."""
    stops = stop_words(language)
    return [w for w in found if w not in stops and w not in _ASKING and w not in _POINTING | _CONTINUING]


def _asks_about_us(found: Sequence[str], content: Sequence[str], language: str | None) -> bool:
    """Whether a question asks about who answers, and names nothing else: "where are you?"."""
    if found[0] not in _ASKING or _YOU.isdisjoint(found):
        return False
    said = [word for word in content if word not in _YOU]
    return everyday_stems(language).issuperset(stem_words(said, language))


def _says_what_is_there(question: str, language: str | None) -> bool:
    found = words(question)
    if found[0] in _CONTINUING or not _POINTING.isdisjoint(set(found) - _THERE):
        return False
    said = stem_words(_content(found, language), language)
    return len(set(said) - everyday_stems(language) - _THERE) >= _ENOUGH


def _is_cyrillic(text: str) -> bool:
    return _CYRILLIC.search(text) is not None


def _points(question: str) -> bool:
    found = words(_EXISTENTIAL.sub(" ", question))
    return found[:1] != [] and (found[0] in _CONTINUING or any(word in _POINTING for word in found))
