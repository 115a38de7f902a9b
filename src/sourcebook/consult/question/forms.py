"""The form that an answer to a question should have: with a number, a name, a command …"""

from __future__ import annotations

import re
from enum import StrEnum

from sourcebook.consult.question.asked_value import ValueKind, asked_values
from sourcebook.consult.question.given_value import gives_value
from sourcebook.consult.question.kinds import MEASURED, QuestionKind, gives, kinds_of
from sourcebook.consult.question.light_verbs import verb_of_way
from sourcebook.text.analysis import words
from sourcebook.text.numbers import quantities


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
_DEFINITION = re.compile(
    r"^\W*(?:(?:what|who) (?:is|are|was|were)(?: an?| the)?|what does|define|meaning of"
    r"|что (?:такое|значит|означает|за)|кто так\w+|(?:o )?que (?:é|são|significa|quer dizer)(?: [oa]s?| uma?)?"
    r"|qué (?:es|son|significa|quiere decir)(?: el| l[ao]s?| una?)?)"
    r"\s+(?P<term>[^?]+?)(?: mean| do| означает| significa)?\s*\??\s*$",
    re.IGNORECASE,
)
_LONGEST_TERM = 4
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
_HOLDS_MOMENT = re.compile(
    r"\b(?:(?:when|once|after|before|until|till|as soon as|during|while|daily|weekly|monthly|yearly"
    r"|когда|как только|после|перед|до того|во время|пока|ежедневно|еженедельно|ежемесячно|ежегодно"
    r"|quando|assim que|depois|após|antes|até|durante|enquanto|diariamente|semanalmente|mensalmente)\b"
    # "Each year" tells when, "each answer" does not.
    r"|(?:every|each|кажд\w+|cada) (?:[\w-]+ )?(?:hour|day|week|month|year|time|season|spring|summer|autumn|winter"
    r"|morning|evening|night|час|день|дн|недел|месяц|год|лет|сезон|раз|весн|осен|зим|утр|вечер|ноч"
    r"|hora|dia|semana|mês|meses|ano|vez|estação|manhã|noite))"
    r"(?![^.]{0,3}$)",
    re.IGNORECASE,
)
# A past event has a date.
_PAST = re.compile(
    r"\b(?:did|was|were|had|\w{3,}(?:л|ла|ло|ли|лся|лась|лось|лись|ена?|ено|ены|ана|аны|ано)"
    r"|foi|foram|era|\w{2,}(?:ou|eu|iu|aram|eram|iram)|fue|fueron|\w{2,}(?:ió|aron|ieron))\b",
    re.IGNORECASE,
)
_HOLDS_REASON = re.compile(
    r"\b(?:because|since|so that|in order to|due to|thanks to|to (?:avoid|prevent|keep|make)|that's (?:what|why)"
    r"|therefore|prevents?|потому|поскольку|так как|чтобы|из-за|благодаря|ради|поэтому|в связи с"
    r"|porque|pois|para que|a fim de|devido|graças|por isso|já que|visto que|uma vez que|evita\w*|previne)\b",
    re.IGNORECASE,
)
_SAYS_WHAT = (
    r"\W{0,4}(?:\s*\([^)]*\))?\s*(?:(?:—|–|-)\s|[:,]\s+(?:(?:which|que) (?:is|are|é|são|es|son) )?(?:an?|uma?|una?)\s"
    r"|(?:is|are|was|means|stands for|refers to|denotes|does|tells|makes|allows)\b"
    r"|(?:это|является|означает|обозначает|называ\w+)\b|(?:é|são|significa|refere-se|consiste|serve)\b)"
    r"(?!\s*(?::|(?:not|не|não|no)\b))"
)
_ARTICLE = r"(?:the|an?|[oa]s?|uma?|el|l[ao]s?|una?)"
_IS_DEFINED = (
    r"\W{0,4}(?:\([^)]*\)\W{0,3})?\s*(?:(?:in|в|во|em|n[oa]|en)\s+(?:\w+\s+){1,4}?)?"
    r"(?:(?:—|–)\s|(?:is|are|was|were)\s+(?:an?|the|one of)\b"
    r"|(?:means|stands for|refers to)\b"
    r"|(?:[-–—]\s*)?(?:это|является|означает)\b|(?:é|são|era)\s+(?:uma?|[oa]s?)\b|(?:significa|refere-se|consiste)\b"
    r"|(?:es|son|era)\s+(?:una?|el|l[ao]s?)\b)(?!\s*(?:это\s+)?(?:not|не|não|no)\b)"
)
_FURTHER = r"(?: (?:(?-i:[A-ZА-ЯЁ])[\w/]*|\([^()]*\))){0,2}"
"""What may stand behind a term: "Debian GNU/Linux", "Representational State Transfer (REST)"."""
_NOT_AFTER_PREPOSITION = (
    r"(?<!\b[вскоу] )(?<!\b(?:of|in|to|by|on|at|em|no|na|de|do|da|en|на|из|от|до|за) )"
    r"(?<!\b(?:for|com|por|del|con|для|над|при|под|без) )(?<!\b(?:into|with|from|para) )"
)
_JOINS_WORDS = r"(?:(?:of|and|the|for|to|in|d[aeo]s?|e|y|del|и|в|из)\W+)?"
_LONGEST_ACRONYM = 8
_CALLED = (
    r"\b(?:call(?:ed|s)?|known as|named|назы\w+|именуем\w+|chama\w*|denomina\w*|conhecid\w+ como)\b[^.]{0,40}"
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
        term = _DEFINITION.search(question.strip())
        self.term = term["term"] if term and len(term["term"].split()) <= _LONGEST_TERM else None
        self._introduces = _introducing(self.term) if self.term else None

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
                return _HOLDS_MOMENT.search(sentence) is not None
            case AnswerForm.NAME:
                return any(
                    not self._said.issuperset(words(match[0])) for match in _HOLDS_NAME.finditer(sentence)
                )
            case AnswerForm.COMMAND:
                return _HOLDS_CODE.search(sentence) is not None
            case AnswerForm.DEFINITION:
                return self._introduces is not None and self._introduces.search(sentence) is not None
            case AnswerForm.REASON:
                return _HOLDS_REASON.search(sentence) is not None


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
    if (term := _DEFINITION.search(question.strip())) and len(term["term"].split()) <= _LONGEST_TERM:
        found.add(AnswerForm.DEFINITION)
    return found


def _counted_things(noun: str) -> re.Pattern[str]:
    """What follows a number of these things: their name, after at most two other words."""
    return re.compile(rf"(?:\s+[\w-]+){{0,2}}?\s+{re.escape(noun[: max(4, len(noun) - 3)])}", re.IGNORECASE)


def _counted_column(noun: str) -> re.Pattern[str]:
    """A column of these things with a number: "Days per year: 25"."""
    return re.compile(rf"\b{re.escape(noun[: max(4, len(noun) - 3)])}[^;:\n]{{0,40}}:\s*\d", re.IGNORECASE)


def defining(question: str) -> re.Pattern[str] | None:
    """The pattern of a sentence that begins with the definition asked for ("A swan is a bird"); None if none is."""
    asked = _DEFINITION.search(question.strip())
    if asked is None or len(asked["term"].split()) > _LONGEST_TERM:
        return None
    term = rf"\W{{0,3}}{_stem_of(asked['term'])}{_FURTHER}"
    return re.compile(rf"^\W*(?:{_ARTICLE}\s+)?{term}{_IS_DEFINED}", re.IGNORECASE)


def _introducing(term: str) -> re.Pattern[str]:
    """The pattern of a definition: the term and "is", "called" and the term, or what an acronym stands for."""
    stem = _stem_of(term)
    said = rf"(?:^|\W){_NOT_AFTER_PREPOSITION}{stem}{_SAYS_WHAT}|^\W*{stem}{_FURTHER}{_SAYS_WHAT}|{_CALLED}{stem}"
    return re.compile("|".join([said, *_written_out(term)]), re.IGNORECASE)


def _written_out(term: str) -> list[str]:
    """The patterns of an acronym beside its words: "FTBFS (Fails To Build From Source)", or the other way round."""
    letters = re.fullmatch(rf"\W*(?P<acronym>[^\W\d_]{{2,{_LONGEST_ACRONYM}}})\W*", term)
    if letters is None:
        return []
    first, *others = letters["acronym"]
    # A letter begins a word, or is a capital within one: "HyperText".
    further = [rf"[^\W\d_]*?(?:\W+{_JOINS_WORDS}{letter}|(?-i:{letter.upper()}))" for letter in others]
    written = rf"\b(?=[^\W\d_]+\W+[^\W\d_]){first}{''.join(further)}[^\W\d_]*"
    acronym = rf"\b{letters['acronym']}\b"
    return [rf"{acronym}\W{{1,4}}(?:(?:or|или|ou|o)\W+)?{written}", rf"{written}\W{{0,3}}[(,]\W*{acronym}"]


def _stem_of(term: str) -> str:
    """The pattern of a term with any endings."""
    return r"\W+".join(
        re.escape(word[: max(4, len(word) - 2)]) + r"\w{0,4}" for word in re.findall(r"\w+", term)
    )
