"""Whether a sentence tells when something is done: by a month, a season, a date, an hour, or an event before it.

Stricter than `wanted_form`, for which any word of time is enough: canes that "grew in the same year" do not tell when
to cut them.
"""

from __future__ import annotations

import re
from functools import cache

from sourcebook.text.vocabulary.word_lists import alternatives

_WHEN = re.compile(
    r"^\W*(?:(?:and|so|but|и|а|но|e|y|und)\s+)?"
    r"(?:when|(?:at )?what time|what (?:month|season)|когда|в каком месяце|в какое время|во сколько|quando"
    r"|em que (?:mês|altura|época)|[aà] que horas|cu[aá]ndo|a qué hora|en qué mes|wann|um wie viel uhr)\b",
    re.IGNORECASE,
)
# The verb follows its subject ("do I prune"), or is known by its ending ("лучше сажать", "se deve podar").
_VERB = re.compile(
    r"\s+(?:(?:\w+\s+){0,4}?(?:i|we|you|one|they|people|to)\s+(?:(?:have|need)\s+to\s+)?(?P<english>[^\W\d_]{3,})"
    r"|(?:(?:мне|нам|вам|его|ее|её|их|лучше|всего|надо|нужно|можно|следует|пора|стоит|обычно|я|мы|вы|они)\s+)*"
    r"(?P<russian>[^\W\d_]+(?:ть|ти|чь|ться|тись|[еиёаяую]тся|[еиёаяую]т|[еиё]м|[еиё]те))\b"
    r"|(?:(?:é|que|se|devo|deve|devem|devemos|posso|pode|podem|tenho|temos|de|preciso|melhor|eu|nós|vocês|a\s+gente"
    r"|hay|debo|debe|deben|puedo|puede|tengo|tenemos|es|mejor)\s+)*(?P<latin>[^\W\d_]+(?:ar|er|ir))\b)",
    re.IGNORECASE,
)
_HOURS = r"\d{1,2}:\d\d|\d{1,2}\s?(?:[ap]\.?m\b|o['’]clock|uhr|час\w*|h(?:\d\d)?\b)"
_DATES = (
    r"(?:first|last|end|beginning|middle) (?:day )?of (?:the|each|every) (?:month|year|quarter|week)"
    r"|\d{1,2}(?:-?го)? числа|dia \d{1,2}\b|\d{1,2}\. des monats|"
    r"\d{1,2}[./]\d{1,2}\b|(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th|º)\b|(?<=\w\s)May|May\s\d"
)
_SPANS = (
    r"(?:within|after|before|until|till|за|через|до|после|dentro de|até|após|depois de|en|hasta|antes de|nach|vor|bis)"
    r"\s(?:\S+\s){0,2}?(?:hours?|days?|weeks?|months?|years?|час\w*|дн\w+|день|сут\w+|недел\w+|месяц\w*|полчаса"
    r"|horas?|dias?|semanas?|mês|meses|anos?|días?|años?|tagen?|wochen?|monaten?|stunden?)"
)
# An event before, instead of a date.
_MOMENTS = (
    r"(?:once|as soon as|after|before|when|until|как только|после|перед|когда|прежде чем|до того|сразу"
    r"|assim que|depois|após|antes|quando|até|en cuanto|después|tras|cuando|hasta|sobald|nachdem|bevor|wenn|nach|vor)"
    r"\s+(?=[^\W\d_])"
)
_POINTS_BACK = re.compile(
    r"\W*(?:\S+\s+){0,4}?(?:this|it|that is|это|этого|делают|isso|isto|faz-se|esto|eso|dies|das)\b",
    re.IGNORECASE,
)
_FORBIDDEN = re.compile(
    # The Portuguese "no" is a preposition: no domingo.
    r"\b(?:never|do not|don['’]t|must not|should not|не(?!\s+(?:раньше|ранее|позже|позднее))"
    r"|нельзя|никогда|não(?!\s+antes)|nunca|no(?=\s+(?:se|lo|la|los|las|hay)\b)"
    r"|nicht(?!\s+vor)|nie|kein\w*)\b",
    re.IGNORECASE,
)


@cache
def _time() -> re.Pattern[str]:
    named = "|".join(
        alternatives("told_time.txt", group) for group in ("month", "season", "day", "time_of_day")
    )
    # Not "autumn-fruiting", which is a variety.
    return re.compile(
        rf"(?<![\w-])(?:{named}|{_HOURS}|{_DATES}|{_SPANS}|{_MOMENTS})(?![\w-]*-\w)", re.IGNORECASE
    )


def asks_when(question: str) -> bool:
    return _WHEN.search(question) is not None


def asked_verb(question: str) -> str | None:
    """The verb of a question that asks when to do something: "prune". None if it has none: "when is the fair"."""
    asked = _WHEN.search(question)
    found = _VERB.match(question, asked.end()) if asked else None
    return found[found.lastgroup] if found and found.lastgroup else None


def tells_time(sentence: str) -> bool:
    """Whether a sentence has a month, a season, a day, an hour, a date, a period, or an event before."""
    return _time().search(sentence) is not None


def warns_only(sentence: str, question: str) -> bool:
    """Whether a sentence only says when not to do it, although the question does not ask that."""
    return _FORBIDDEN.search(sentence) is not None and _FORBIDDEN.search(question) is None


def points_back(sentence: str) -> bool:
    """Whether a sentence refers to the one before it: "In most gardens this is November"."""
    return _POINTS_BACK.match(sentence) is not None
