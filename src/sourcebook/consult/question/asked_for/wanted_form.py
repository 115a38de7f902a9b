"""What an answer must have: "who" wants a person, "when" a time, "how heavy" a weight, "how many" a number.

The rules are generous: declining a question that is answered is worse than quoting a sentence too much.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from unicodedata import category

from sourcebook.consult.question.asked_for.asked_value import ValueKind, asked_values
from sourcebook.consult.question.asked_for.given_value import gives_value
from sourcebook.text.analysis import words
from sourcebook.text.numbers import quantities
from sourcebook.text.vocabulary.stopwords import asking_words, stop_words
from sourcebook.text.vocabulary.word_lists import named_lines, phrases, word_forms, word_groups

Gives = Callable[[str], bool]
"""Whether a sentence has what is wanted."""

_BEGINNING = r"^\W*(?:(?:and|so|but|a|и|а|но|e|y)\s+)?"
_WHO = re.compile(
    rf"{_BEGINNING}(?:(?:by|to|from) whom|whom?|кто|кому|кем|quem|quién(?:es)?)\b(?!\s+(?:такое|am i)\b)",
    re.I,
)
_WHO_IS = re.compile(
    rf"{_BEGINNING}(?:who(?: is|'s|’s| are| was)(?: the| your| our)?|кто(?: такой)?|quem (?:é|são|era)(?: [oa]s?)?"
    r"|quién(?:es)? (?:es|son)(?: el| la| los)?)\s+(?P<role>[\w-]+(?:\s+[\w-]+)?)",
    re.I,
)
_NAME_OF = re.compile(rf"{_BEGINNING}(?:как\s+(?:его\s+|ее\s+|её\s+)?зовут|какая\s+фамилия)\b", re.I)
_WHEN = re.compile(rf"{_BEGINNING}(?:when|когда|quando|cuándo|wann)\b", re.I)
_BORN = re.compile(r"\b(?:was|were) (?:\S+ ){1,4}born\b|\bродил(?:ся|ась|ись)\b|\bnasceu\b|\bnació\b", re.I)
_BIRTH = re.compile(r"\bborn\b|birth|рожд|родил|nasc|naci[dóm]|\(\d{4}\s?[–—-]", re.I)
_WHERE = re.compile(rf"{_BEGINNING}(?:where|где|куда|onde|aonde|dónde|adónde)\b", re.I)
_HOW_MANY = re.compile(
    rf"{_BEGINNING}(?:(?P<many>how many|quant[oa]s|cuánt[oa]s)|how much|сколько|quant[oa]|cuánt[oa])"
    r"(?P<is> (?:is|are|was|were|é|são|es|son)\b)?\b",
    re.I,
)

_CONTACT = re.compile(
    r"@|\bby\s+(?!\w+ing\b)[^\W\d]"
    r"|\b(?:call|contact|ask|phone|e-?mail|позвон\w+|обра[тщ]\w+|ligue|contact\w+|llam\w+)\b",
    re.IGNORECASE,
)
_PROFESSION = re.compile(r"\w{4,}(?:ists?|istas?|ист(?:ы|а|ов|ом|у|ам|ами)?)")
_CONTACT_NAME = re.compile(r"\w@\w")
_SENTENCE_END = re.compile(r"[.!?;]\s|\n")
# What connects a role with a person.
_EQUALS = re.compile(
    r"\b(?:is|are|was|as|by|é|são|foi|como|por|es|son|является|это)\b|[:–—|(]", re.IGNORECASE
)
_IS = r"[^\w\n]*(?:\b(?:is|are|was|é|são|es|son|является|это)\b|[—–:])\s*\w"
# Where a word begins, or a part of one behind a hyphen, with what may be a capital letter of any script.
_BEGIN_OF_WORD = re.compile(r"(?<![^\W_])(?![a-zа-яё])[^\W\d_]")
_OTHER_LETTER = re.compile(r"[^\W\d_a-zA-Zа-яёА-ЯЁ]")
_REST_OF_WORD = re.compile(r"[\w'’-]*")
_SPACE_IN_LINE = re.compile(r"[^\S\n]+")
_BETWEEN_WORDS = frozenset('"«“(*_[|,:;–—`·#.-')
_INSIDE_WORDS = frozenset("_'’-")
_BULLETS = "-–—*•"
# After these words, a capitalised word is a place or a time.
_BEFORE_A_PLACE = frozenset(
    words(
        "in at from near to since until of on в во на из под около с до em no na nos nas do da dos das en desde"
    )
)
# A name at the beginning of a sentence is followed by a verb, or by other names.
_FIRST_NAME = re.compile(
    r"[^\S\n]*(?:$|[\n,:;–—(·|/]|\w+s\b|\w+(?:ed|ou|eu|iu|ó|aba|л|ла|ли|лся|лась)\b|and\b|will\b|can\b)"
)
_DATE = re.compile(
    r"\b\d{1,2}[./-]\d{1,2}\b|\b\d{1,2}:\d\d\b|\b[12]?\d{3}\b|\b[XVI]{2,}\b|\b\d{1,2}(?:st|nd|rd|th|º)\b"
    r"|(?<=\w\s)May\b|\bMay\s\d"
)
# An hour without minutes: "at 8 am", "a las 10", "from nine".
_HOUR = re.compile(
    r"\b\d{1,2}\s?(?:[ap]\.?\s?m\b|o['’]clock)|\b\d{1,2}h(?:\d\d)?\b"
    r"|\b(?:at|from|until|till|às|das|(?:a|de|desde|hasta) las)\s+(?:(?:[01]?\d|2[0-4])\b|nine|ten|eight|seven|noon)"
    r"(?!\S?\d|\s?[%€$£₽]|\s(?:euros?|pounds?|dollars?|percent|per|people|members?|[kc]?m|kg|degrees|graus|grados)\b)",
    re.IGNORECASE,
)
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_REACH = 3
_MONEY = frozenset({ValueKind.MONEY})
_SHORTEST_STEM = 4
_YEAR = re.compile(
    r"\b(?:in|since|from|until|by|of|в|с|до|em|desde|até|de|en|hasta)\s+(?:19|20)\d\d\b", re.IGNORECASE
)
_NO_AMOUNT = re.compile(
    r"\b\d{1,2}(?::|h(?=\d))\d{2}\b|\b\d{1,2}\s?h\b|\b\d{1,3}(?:\.?[ºª]|st\b|nd\b|rd\b|th\b|-?(?:й|я|го|му|м|ой|ую|е)\b)",
    re.IGNORECASE,
)
_SUM = re.compile(
    r"[€$£₽]\s?\d[\d.,\s]*\d|[€$£₽]\s?\d|\b\d(?:[\d.,\s]*\d)?\s?(?:[€$£₽]|(?:euros?|pounds?|dollars?|EUR|GBP|USD|reais"
    r"|pesos?|руб\w*)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Capital:
    """A run of capitalised words: its span, and that of the word before it."""

    text: str
    word: int
    gap_start: int
    start: int
    end: int

    @property
    def name(self) -> str:
        return self.text[self.start : self.end]

    @property
    def before(self) -> str:
        return self.text[self.word : self.gap_start]

    @property
    def gap(self) -> str:
        return self.text[self.gap_start : self.start]


def wanted_form(question: str, language: str | None) -> Gives | None:
    """A test whether a sentence has the wanted form; None if the question wants none that can be recognised."""
    if _NAME_OF.search(question):
        return lambda text: _names_by_name(text, frozenset(words(question)))
    if asks_who(question):
        idle = stop_words(language) | asking_words(language)
        said = frozenset(words(question)) | idle
        if _is_role(question):
            return lambda text: _names_holder(text, said, said - idle)
        return lambda text: names_somebody(_CODE.sub(" ", text), said)
    if _BORN.search(question):
        return lambda text: _BIRTH.search(text) is not None
    if _WHEN.search(question):
        asked = frozenset(words(question))
        return lambda text: _tells_when(text, asked)
    if _WHERE.search(question):
        return _tells_where
    if kinds := asked_values(question):
        gives_time = ValueKind.TIME in kinds
        return lambda text: gives_value(text, kinds, question) or (gives_time and _tells_when(text))
    if found := _HOW_MANY.search(question):
        thing = next(iter(words(question[found.end() :])), "")
        is_worth = found["is"] is not None
        is_counted = found["many"] is not None
        return lambda text: (
            _has_amount(_without_sums(text) if is_counted else text, thing)
            or (is_worth and gives_value(text, _MONEY, question))
        )
    return None


def asks_who(question: str) -> bool:
    return _WHO.search(question) is not None


def names_somebody(sentence: str, said: frozenset[str] = frozenset()) -> bool:
    """Whether a sentence names a person, a role or a body, other than those in `said`."""
    people = word_forms("people.txt")
    if any(
        (people.holds(word) or _PROFESSION.fullmatch(word)) and word not in said for word in words(sentence)
    ):
        return True
    if any(said.isdisjoint(words(found[0])) for found in _CONTACT.finditer(sentence)):
        return True
    return _has_no_case(sentence) or any(
        _may_be_somebody(found, sentence, said) for found in _capitals(sentence)
    )


def _is_role(question: str) -> bool:
    """Whether the question asks who has a role: "who is the landlord"."""
    found = _WHO_IS.search(question)
    return found is not None and any(map(word_forms("people.txt").holds, words(found["role"])))


def _names_holder(text: str, said: frozenset[str], role: frozenset[str]) -> bool:
    """Whether the text has a name, or somebody in a sentence with the role.

    A sentence about the tenant alone does not tell who the landlord is.
    """
    if _CONTACT_NAME.search(text) or _names_by_name(text, said):
        return True
    if any(re.search(rf"\b{re.escape(word)}\w*{_IS}", text, re.IGNORECASE) for word in role):
        return True
    return any(
        not role.isdisjoint(words(sentence)) and names_somebody(sentence, said) and _EQUALS.search(sentence)
        for sentence in _SENTENCE_END.split(text)
    )


def _names_by_name(text: str, said: frozenset[str]) -> bool:
    return _has_no_case(text) or any(_is_name(found, said) for found in _capitals(text))


def _is_name(found: _Capital, said: frozenset[str]) -> bool:
    """Whether capitalised words are a name: not at the beginning of a sentence, unless alone in a line."""
    if not said.isdisjoint(words(found.name)) or _is_place(found) or _is_time(found) or "#" in found.gap:
        return False
    rest = found.text[found.end : found.end + 2]
    return not _begins_sentence(found) or not rest.strip() or rest[:1] in ",:–—(|"


def _capitals(text: str) -> Iterator[_Capital]:
    """The runs of capitalised words in a text, in linear time.

    The first word of a line is always capitalised: if others follow, it is the word before them.
    """
    last, opening = 0, None
    for begin in _BEGIN_OF_WORD.finditer(text):
        start = begin.start()
        if start < (opening.end if opening else last) or not _is_capital(begin[0]):
            continue
        end = _end_of_name(text, start)
        word, gap = _before(text, start, last)
        if opening and word > opening.start:
            yield _last_part(opening)
            last = opening.end
        opening = None
        if word < gap or gap < start:
            yield _Capital(text, word, gap, start, end)
        elif (first := _end_of(_REST_OF_WORD, text, start)) < end:
            yield _Capital(text, start, first, _end_of(_SPACE_IN_LINE, text, first), end)
        else:
            opening = _Capital(text, word, gap, start, end)
            continue
        last = end
    if opening:
        yield _last_part(opening)


def _last_part(opening: _Capital) -> _Capital:
    """The last capitalised part of a word that begins a line."""
    text, start, end = opening.text, opening.start, opening.end
    parts = [begin.start() for begin in _BEGIN_OF_WORD.finditer(text, start, end) if _is_capital(begin[0])]
    return _Capital(text, start, parts[-1], parts[-1], end)


def _has_no_case(text: str) -> bool:
    """Whether a text has letters of a script without capitals, such as Hebrew, Arabic or Chinese."""
    return any(
        _is_georgian(letter) or (category(letter) == "Lo" and letter not in "ªº")
        for letter in _OTHER_LETTER.findall(text)
    )


def _is_georgian(letter: str) -> bool:
    """Georgian has capital letters, but names do not begin with one."""
    return "\u10d0" <= letter <= "\u10ff"


def _is_capital(letter: str) -> bool:
    return letter.isupper() or letter.istitle()


def _end_of_name(text: str, start: int) -> int:
    while True:
        end = _end_of(_REST_OF_WORD, text, start)
        start = _end_of(_SPACE_IN_LINE, text, end)
        if start == end or not _is_capital(text[start : start + 1]):
            return end


def _end_of(pattern: re.Pattern[str], text: str, start: int) -> int:
    found = pattern.match(text, start)
    return start if found is None else found.end()


def _before(text: str, start: int, last: int) -> tuple[int, int]:
    """The span of the word before a name. A dash that begins a line counts as a word."""
    gap = start
    while gap > last and (
        text[gap - 1] in _BETWEEN_WORDS or (text[gap - 1].isspace() and text[gap - 1] != "\n")
    ):
        gap -= 1
    word = gap
    while word > last and (text[word - 1].isalnum() or text[word - 1] in _INSIDE_WORDS):
        word -= 1
    return word, gap if word < gap else min(_end_of(_REST_OF_WORD, text, gap), start)


def _is_place(found: _Capital) -> bool:
    return found.before.lower() in _BEFORE_A_PLACE


def _begins_sentence(found: _Capital) -> bool:
    return not found.before.strip(_BULLETS) or "." in found.gap


def _may_be_somebody(found: _Capital, sentence: str, said: frozenset[str]) -> bool:
    if not said.isdisjoint(words(found.name)) or _is_time(found) or "#" in found.gap:
        return False
    if _begins_sentence(found):
        return " " in found.name or _FIRST_NAME.match(sentence, found.end) is not None
    return not _is_place(found)


def _is_time(found: _Capital) -> bool:
    """Whether the capitalised words are only days and months."""
    (times,) = word_groups("time_words.txt", "word")
    return all(map(times.holds, words(found.name)))


def _tells_when(sentence: str, asked: frozenset[str] = frozenset()) -> bool:
    """Whether a sentence has a time other than those in the question: "on Saturday" does not tell when on Saturday."""
    (times,) = word_groups("time_words.txt", "word")
    said = [word for word in words(sentence) if word not in asked]
    return (
        _DATE.search(sentence) is not None
        or _HOUR.search(sentence) is not None
        or any(map(times.holds, said))
        or _has_phrase("time_words.txt", said)
    )


def _tells_where(sentence: str) -> bool:
    """Whether a sentence has a place: a preposition before a word that is no time, a word for a place, or a name."""
    said = words(sentence)
    before, places = word_groups("place_words.txt", "before", "place")
    (times,) = word_groups("time_words.txt", "word")
    if any(map(places.holds, said)) or _has_phrase("place_words.txt", said):
        return True
    if _has_no_case(sentence) or any(not _begins_sentence(found) for found in _capitals(sentence)):
        return True
    return any(
        before.holds(word) and not behind[0].isdigit() and not times.holds(behind)
        for word, behind in pairwise(said)
    )


def _has_amount(sentence: str, thing: str) -> bool:
    """Whether a sentence has an amount, other than a year or a time of day."""
    rest = _NO_AMOUNT.sub(" ", _YEAR.sub(" ", sentence))
    if quantities(rest) or any(letter.isdigit() for letter in rest):
        return True
    said = words(rest)
    anywhere, before = word_groups("amount_words.txt", "anywhere", "before")
    return any(
        anywhere.holds(word)
        or (before.holds(word) and any(_is_form_of(thing, each) for each in said[place + 1 :][:_REACH]))
        for place, word in enumerate(said)
    )


def _without_sums(text: str) -> str:
    """A text without sums of money: 18 euros do not tell how many pupils there are."""
    return _SUM.sub(" ", text)


def _is_form_of(thing: str, word: str) -> bool:
    return word.startswith(thing[: max(_SHORTEST_STEM, len(thing) - 3)])


def _has_phrase(name: str, said: list[str]) -> bool:
    return _phrases_of(name).search(f" {' '.join(said)} ") is not None


@cache
def _phrases_of(name: str) -> re.Pattern[str]:
    """The phrases in the `phrase:` lines of a list."""
    listed = (rest for group, rest in named_lines(name) if group == "phrase")
    return re.compile("|".join(each for rest in listed for each in phrases(rest)))
