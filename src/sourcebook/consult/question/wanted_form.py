"""What an answer cannot do without: "who" wants somebody, "when" a time, "how many" a number.

Only questions that begin with such a word are held to it, and whatever may be the form counts: to decline a question
that is answered is worse than to quote a sentence too much.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sourcebook.text.analysis import words
from sourcebook.text.numbers import quantities
from sourcebook.text.stopwords import asking_words, stop_words

Gives = Callable[[str], bool]
"""Whether a sentence has what is wanted."""

_BEGINNING = r"^\W*(?:(?:and|so|but|a|и|а|но|e|y)\s+)?"
_WHO = re.compile(
    rf"{_BEGINNING}(?:(?:by|to|from) whom|whom?|кто|quem|quién(?:es)?)\b(?!\s+(?:такое|am i)\b)", re.I
)
_WHEN = re.compile(rf"{_BEGINNING}(?:when|когда|quando|cuándo)\b", re.I)
_HOW_MANY = re.compile(rf"{_BEGINNING}(?:how (?:many|much)|сколько|quant[oa]s?|cuánt[oa]s?)\b", re.I)

# "We" is whoever wrote the text, and answers no "who".
_SOMEBODY = re.compile(
    r"""\b(?:
    managers?|directors?|chief|heads?|leads?|leaders?|owners?|founders?|presidents?|chair\w*|officers?|secretar\w+
    |administrators?|admins?|supervisors?|boss|bosses|foremen|foreman|masters?|employers?|employees?|staff|workers?
    |colleagues?|members?|people|persons?|man|men|woman|women|child|children|parents?|students?|pupils?|teachers?
    |professors?|doctors?|nurses?|patients?|guests?|visitors?|customers?|clients?|buyers?|sellers?|users?|readers?
    |authors?|writers?|editors?|developers?|engineers?|technicians?|mechanics?|maintainers?|contributors?|designers?
    |builders?|drivers?|operators?|inspectors?|auditors?|accountants?|lawyers?|judges?|guards?|librarians?|experts?
    |specialists?|assistants?|consultants?|agents?|brokers?|suppliers?|partners?|tenants?|landlords?|citizens?
    |residents?|volunteers?|trainers?|coach\w*|team|teams|department\w*|office|offices|board|committee|council
    |compan(?:y|ies)|firms?|organi[sz]ations?|associations?|authorit\w+|agenc\w+|ministr\w+|government|courts?|banks?
    |commission|assembly|parliament|police|brigade|reception|desk|support|helpdesk|group|groups|family|families
    |everyone|everybody|anyone|anybody|someone|somebody|nobody|no\ one|those|whoever|you|they|he|she
    |директор\w*|руковод\w+|начальни\w+|менеджер\w*|глав\w+|председател\w+|президент\w*|секретар\w+|сотрудни\w+
    |работни\w+|специалист\w*|инженер\w*|мастер\w*|врач\w*|автор\w*|член\w*|лиц[оаеу]м?|люд\w+|человек\w*|граждан\w+
    |клиент\w*|покупател\w+|продав\w+|пользовател\w+|читател\w+|организаци\w+|компани\w+|обществ\w+|отдел\w*|комитет\w*
    |совет\w*|комисси\w+|банк\w*|министерств\w+|суд|суда|судом|орган\w*|служб\w+|групп\w+|команд\w+|кажд\w+|любо\w+
    |все|всем|тот|те|никто|вы|он|она|они|бухгалтер\w*|разработчик\w*|владел\w+|основател\w+|участни\w+|акционер\w*
    |diretor\w*|gerente\w*|chefe\w*|presidente\w*|secretári\w+|responsáve\w+|funcionári\w+|trabalhador\w*|pesso\w+
    |cliente\w*|comprador\w*|vendedor\w*|usuári\w+|utilizador\w*|autor\w*|membro\w*|alun\w+|professor\w*|médic\w+
    |empresa\w*|organizaç\w+|departamento\w*|equipe\w*|equipa\w*|comit\w+|conselho\w*|comissão|banco\w*|ministério\w*
    |governo|tribunal|órgão\w*|grupo\w*|tod[oa]s|qualquer|ninguém|alguém|quem|você\w*|eles?|elas?|dono\w*
    |fundador\w*|desenvolvedor\w*|responsable\w*|emplead\w+|trabajador\w*|persona\w*|usuari\w+|miembro\w*|equipo\w*
    |nadie|alguien|quien|cualquier\w*|ellos|usted\w*
    )\b|@|\bby\s+(?!\w+ing\b)[^\W\d]|\b(?:call|contact|ask|phone|e-?mail|позвон\w+|обра[тщ]\w+|ligue|contact\w+|llam\w+)\b""",
    re.IGNORECASE | re.VERBOSE,
)
# A capital letter inside a line; behind these words it is the name of a place or a time.
_CAPITAL = re.compile(
    r"(?P<before>[\w'’-]+)?(?:[^\S\n]|[\"«“(*_\[|,:;–—`·-])*(?P<name>[^\W\d_a-zа-яё][\w'’-]*)"
)
_BEFORE_A_PLACE = frozenset(
    words("in at from near to since until of on в во на из под около с до em no na nos nas en desde")
)
# A name that begins a sentence is followed by what somebody does, or stands in a row of names.
_FIRST_NAME = re.compile(r"[^\S\n]*(?:$|[\n,:;–—(·|/]|\w+s\b|\w+ed\b|and\b|will\b|can\b|[^\W\d_a-zа-яё])")
_TIME = re.compile(
    r"""\d|\b(?:
    January|February|March|April|May|June|July|August|September|October|November|December|\w+day|days?|weeks?|months?
    |years?|hours?|minutes?|seconds?|century|spring|summer|autumn|fall|winter|morning|noon|evening|night|midnight|daily
    |weekly|monthly|yearly|annual\w*|always|never|every|each|once|when\w*|while|during|after\w*|before|until|till
    |as\ soon|as\ long|if|unless|upon|within|immediately|now|today|tomorrow|yesterday|early|earlier|late|later|ago
    |since|recently|already|then|time|times|first|next|last|end|beginning|start
    )\b|[^\W\d_]*(?:[а-яё]{3}|[ãõáéíóúâêôç])[^\W\d_]*|\b(?:quando|depois|antes|após|durante|até|sempre|nunca|ano|dia
    |mês|hora|semana|cada|se|enquanto|ao|cuando|después|hasta|siempre|año|día|mes|mientras|si)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_AMOUNT = re.compile(
    r"""\b(?:no|none|nothing|nobody|free|all|any|every|each|both|half|double|twice|once|several|few|many|some|most
    |unlimited|as\ many|as\ much|more|less|least|enough|single|pair|dozen\w*|hundreds?|thousands?|millions?|zero|only
    |нет|ничего|бесплатн\w+|все|весь|всего|любо\w+|кажд\w+|оба|обе|половин\w+|вдвое|дважды|неск\w+|мног\w+|неограничен\w+
    |пар[аыу]|десят\w+|сот\w+|сто|тысяч\w+|миллион\w+|один|одн\w+|дв\w+|тр\w+|четыр\w+|пят\w+|шест\w+|сем\w+|вос\w+|девят\w+
    |nenhum\w*|nada|grátis|gratuit\w+|tod[oa]s?|cada|ambos|metade|dobro|vári[oa]s|pouc[oa]s|muit[oa]s|ilimitad\w+|um|uma
    |un|una|ning\w+|gratis|mitad|doble|vari[oa]s|much[oa]s|cien\w*|mil\w*|dezen\w+|cent\w+
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_YEAR = re.compile(
    r"\b(?:in|since|from|until|by|of|в|с|до|em|desde|até|de|en|hasta)\s+(?:19|20)\d\d\b", re.IGNORECASE
)


def wanted_form(question: str, language: str | None) -> Gives | None:
    """What tells whether a sentence may answer a question; None if the question wants no form that can be seen."""
    if _WHO.search(question):
        said = frozenset(words(question)) | stop_words(language) | asking_words(language)
        return lambda sentence: names_somebody(sentence, said)
    if _WHEN.search(question):
        return lambda sentence: _TIME.search(sentence) is not None
    if _HOW_MANY.search(question):
        return _has_amount
    return None


def names_somebody(sentence: str, said: frozenset[str] = frozenset()) -> bool:
    """Whether a sentence names a person, or a body that acts, beside the words that were said already."""
    if any(said.isdisjoint(words(found[0])) for found in _SOMEBODY.finditer(sentence)):
        return True
    return any(_may_be_somebody(found, sentence, said) for found in _CAPITAL.finditer(sentence))


def _may_be_somebody(found: re.Match[str], sentence: str, said: frozenset[str]) -> bool:
    if not said.isdisjoint(words(found["name"])):
        return False
    if found["before"] is None:
        return _FIRST_NAME.match(sentence, found.end()) is not None
    return found["before"].lower() not in _BEFORE_A_PLACE


def _has_amount(sentence: str) -> bool:
    """Whether a sentence counts something. The year in which something was does not."""
    rest = _YEAR.sub(" ", sentence)
    return (
        bool(quantities(rest)) or any(letter.isdigit() for letter in rest) or _AMOUNT.search(rest) is not None
    )
