"""The form that an answer to a question should have: with a number, a name, a command …"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache

from sourcebook.consult.question.asked_for.asked_value import ValueKind, asked_values
from sourcebook.consult.question.asked_for.definitions import asked_definition
from sourcebook.consult.question.asked_for.given_value import gives_value
from sourcebook.consult.question.asked_for.kinds import MEASURED, QuestionKind, gives, kinds_of
from sourcebook.consult.question.words.light_verbs import verb_of_way
from sourcebook.text.analysis import words
from sourcebook.text.numbers import quantities
from sourcebook.text.vocabulary.word_lists import alternatives


class AnswerForm(StrEnum):
    NUMBER = "number"
    TIME = "time"
    NAME = "name"
    COMMAND = "command"
    DEFINITION = "definition"
    REASON = "reason"
    COUNT = "count"
    """A number before the things that are counted: nine architectures."""
    MOMENT = "moment"
    """An event instead of a date: when the leaves have fallen."""


SURE_FORMS = frozenset(
    {
        AnswerForm.NUMBER,
        AnswerForm.COUNT,
        AnswerForm.TIME,
        AnswerForm.COMMAND,
        AnswerForm.DEFINITION,
    }
)
"""Forms that are easy to recognise: a sentence without them hardly answers."""

_LIST = "answer_forms.txt"
_COMMAND = re.compile(
    r"\b(?:commands?|run|install|configure|enable|disable|turn (?:on|off)|set|options?|how do i|how can i|how to"
    r"|команд\w+|запуст\w+|установ\w+|настро\w+|включ\w+|отключ\w+|опци\w+|параметр\w*|как (?:мне )?\w+(?:ть|ти)\b"
    r"|comandos?|instal(?:o|ar?|e)|execut(?:o|ar?|e)|configur(?:o|ar?|e)|opção|opções|(?:des)?ativ(?:o|ar|e)"
    r"|como (?:se )?(?:\w+[aei]r|\w+o|faço|posso))\b|\b(?:как|como|how)\s*\?",
    re.IGNORECASE,
)
# Things with a name in code: which parameter, какая функция, que pacote.
_NAMED_IN_CODE = re.compile(
    r"\b(?:which|what|name of the)\b(?: \w+){0,2} (?:packages?|parameters?|arguments?|functions?|class(?:es)?|method"
    r"|decorators?|attributes?|variables?|modules?|librar(?:y|ies)|exceptions?|headers?|flags?|settings?|fields?)\b"
    r"|\b(?:как(?:ой|ая|ое|ие|им|ую|ом|ого|ими)|котор\w+)\b(?: \w+){0,2} (?:пакет|функци|класс|метод|декоратор"
    r"|переменн|библиотек|модул|исключени|атрибут|аргумент|заголов|флаг|пол[еяю])\w*"
    r"|\b(?:qual|quais|que)\b(?: \w+){0,2} (?:pacotes?|parâmetros?|argumentos?|funç(?:ão|ões)|classes?|métodos?"
    r"|decorador(?:es)?|atributos?|variáve(?:l|is)|módulos?|bibliotecas?|exceç(?:ão|ões)|cabeçalhos?)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\b(?:what (?:share|size|version|port|percentage|rate|number|age|price|code)"
    r"|(?:which|what) (?:\w+ )?(?:version|port|code)"
    r"|скольк\w+|как(?:ой|ая|ое|ого|ую|им|ом) (?:\w+ )?(?:размер|дол[яию]|верси|порт|процент|номер|код)\w*"
    r"|(?:qual|que) (?:é )?(?:[ao] )?(?:\w+ )?(?:taxa|porcentagem|percentagem|porta|porto|versão|tamanho|número"
    r"|código))\b",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\b(?:(?:which|what) (?:year|date|day|month)|date of|release date"
    r"|как(?:ой|ого|ом|ую) (?:\w+ ){0,2}(?:год|года|году|числа|дату|дата)"
    r"|(?:qual|que) (?:ano|data|dia|mês))\b",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"\b(?:name of|named|called|как зовут|как называется|название|nome d\w+|chama)\b", re.IGNORECASE
)

_NUMBERING = re.compile(r"(?m)^[\s#*]*(?:\d{1,2}\.){1,4}(?:\d{1,2})?\s+|^\s*\[\d+\]\s")
"""The number of a heading, an item or a footnote, which counts nothing."""
_HOLDS_CODE = re.compile(
    r"`[^`\n]+`|^\s*[$#]\s+\S|\w\(\)|(?<!\w)--?[a-z][\w-]*|\b\w+\(\d\)|\b\w+_\w+\b|\w+=\w+|→|(?<!\w)/\w+/\w",
    re.MULTILINE,
)
_HOLDS_NAME = re.compile(r"(?<=[\w,]\s)[«\"“”(*`\[]*[A-ZÀ-ÖØ-ÞА-ЯЁ][\w.-]+|@\w+|`[^`\n]+`")
# A past event has a date.
_PAST = re.compile(
    r"\b(?:did|was|were|had|\w{3,}(?:л|ла|ло|ли|лся|лась|лось|лись|ена?|ено|ены|ана|аны|ано)"
    r"|foi|foram|era|\w{2,}(?:ou|eu|iu|aram|eram|iram)|fue|fueron|\w{2,}(?:ió|aron|ieron))\b",
    re.IGNORECASE,
)
_SEEN_OTHERWISE = frozenset(
    {ValueKind.TIME, ValueKind.COUNT, ValueKind.AGE, ValueKind.FREQUENCY, ValueKind.PERCENTAGE}
)
"""Kinds whose values look like any other number."""

_COUNTED = re.compile(
    r"\b(?:how many|скольк(?:о|их|им|ими)|quant[oa]s|cuánt[oa]s)\s+(?:(?:of|de|всего|different|разных)\s+)?"
    r"(?P<noun>[^\W\d_]{3,})",
    re.IGNORECASE,
)


_ASKING = (
    r"(?:who|when|where|why|how (?:many|much|long)|(?:in |on |at )?(?:what|which)"
    r"|кто|когда|где|почему|зачем|сколько|(?:в |на |с )?как(?:ой|ая|ое|ие|ом|ого|ую)"
    r"|quem|quando|onde|por ?qu[eê]|quant[oa]s?|(?:em )?(?:qual|quais|que ano|que dia))"
)
_ASKS_TWICE = re.compile(rf"\b{_ASKING}\b.*\b(?:and|и|а|e|y)\s+{_ASKING}\b", re.IGNORECASE | re.DOTALL)


class AskedForms:
    """The forms that a question asks for, and whether a sentence has them."""

    def __init__(self, question: str) -> None:
        self.kinds = kinds_of(question)
        self._question = question
        self._values = asked_values(question) - _SEEN_OTHERWISE
        counted = _COUNTED.search(question)
        self._counted = _counted_things(counted["noun"]) if counted else None
        self._counted_column = _counted_column(counted["noun"]) if counted else None
        forms = {AnswerForm.NUMBER} if self._values else _forms(question, self.kinds)
        self.forms = frozenset(forms | {AnswerForm.COUNT} if counted else forms)
        self.asks_twice = _ASKS_TWICE.search(question) is not None
        """Whether it asks for two things: who and when."""
        self._said = frozenset(words(question))
        self.definition = asked_definition(question)

    def met_by(self, sentence: str) -> frozenset[AnswerForm]:
        """The asked forms that the sentence has."""
        return frozenset(form for form in self.forms if self._has(form, sentence))

    def _has(self, form: AnswerForm, sentence: str) -> bool:
        match form:
            case AnswerForm.NUMBER | AnswerForm.TIME:
                said = _NUMBERING.sub("", sentence)
                if self._values:
                    return gives_value(said, self._values, self._question)
                return gives(said, self.kinds) or any(
                    word[0].isdigit() and word not in self._said for word in words(said)
                )
            case AnswerForm.COUNT:
                things, column = self._counted, self._counted_column
                if things is None or column is None:
                    return False
                after_number = any(things.match(sentence, found.end) for found in quantities(sentence))
                return after_number or column.search(sentence) is not None
            case AnswerForm.MOMENT:
                return _holds_moment().search(sentence) is not None
            case AnswerForm.NAME:
                return any(
                    not self._said.issuperset(words(match[0])) for match in _HOLDS_NAME.finditer(sentence)
                )
            case AnswerForm.COMMAND:
                return _HOLDS_CODE.search(sentence) is not None
            case AnswerForm.DEFINITION:
                return self.definition is not None and self.definition.is_in(sentence)
            case AnswerForm.REASON:
                return _holds_reason().search(sentence) is not None


@cache
def _holds_moment() -> re.Pattern[str]:
    moment, period = alternatives(_LIST, "moment"), alternatives(_LIST, "period")
    # "Each year" tells when, "each answer" does not.
    return re.compile(
        rf"\b(?:{moment}\b|(?:every|each|кажд\w+|cada) (?:[\w-]+ )?{period})(?![^.]{{0,3}}$)", re.IGNORECASE
    )


@cache
def _holds_reason() -> re.Pattern[str]:
    return re.compile(rf"\b{alternatives(_LIST, 'reason')}\b", re.IGNORECASE)


def _forms(question: str, kinds: frozenset[QuestionKind]) -> set[AnswerForm]:
    found: set[AnswerForm] = set()
    if kinds & MEASURED:
        return {AnswerForm.NUMBER}
    if _NUMBER.search(question):
        found.add(AnswerForm.NUMBER)
    if QuestionKind.TIME in kinds or _TIME.search(question):
        found.add(AnswerForm.TIME)
    if QuestionKind.TIME in kinds and not _PAST.search(question):
        found.add(AnswerForm.MOMENT)
    if QuestionKind.PERSON in kinds or _NAME.search(question):
        found.add(AnswerForm.NAME)
    if QuestionKind.REASON in kinds:
        found.add(AnswerForm.REASON)
    if _COMMAND.search(question) or _NAMED_IN_CODE.search(question) or verb_of_way(question):
        found.add(AnswerForm.COMMAND)
    if asked_definition(question) is not None:
        found.add(AnswerForm.DEFINITION)
    return found


def _counted_things(noun: str) -> re.Pattern[str]:
    """What follows a number of these things: their name, after at most two other words."""
    return re.compile(rf"(?:\s+[\w-]+){{0,2}}?\s+{re.escape(noun[: max(4, len(noun) - 3)])}", re.IGNORECASE)


def _counted_column(noun: str) -> re.Pattern[str]:
    """A column of these things with a number: "Days per year: 25"."""
    return re.compile(rf"\b{re.escape(noun[: max(4, len(noun) - 3)])}[^;:\n]{{0,40}}:\s*\d", re.IGNORECASE)
