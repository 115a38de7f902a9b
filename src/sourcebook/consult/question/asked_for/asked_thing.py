"""The thing that a question asks about: whether there is one, whether it may be brought, when it opens, what it costs.

A text that does not name it does not answer: that dogs are welcome does not tell whether children are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from sourcebook.consult.question.asked_for.asks_about import asks_about

_ARTICLE = (
    r"(?:(?:an?|any|some|the|your|um|uma|o|a|os|as|un|una|el|la|los|las|algum|alguma|algún|alguna)\s+)?"
)
# A place before the thing: "есть ли в библиотеке …", "na pousada tem …".
_PLACE = r"(?:(?:в|во|на|при|у|n[oa]s?|em|en)\s+(?:(?:вашей|вашем|этой|этом|нашей|нашем|el|la|los|las)\s+)?\w+,?\s+)"
_ASKED = re.compile(
    rf"""
    ^\W*(?:(?:and|hello|hi|а|и|e|y)\W+)?
    (?:
        (?:is|are|was|were)\ there\s+
      | (?:is|are)\ (?=[^?]{{2,40}}\ (?:allowed|permitted|forbidden|prohibited)\b)
      | do(?:es)?\ [^?]{{1,30}}?\ (?:have(?!\s+to\b)|sell|offer|serve|rent|stock|accept|treat|repair|fix|buy)\s+
      | how\ much\ (?:is|are|do|does|would|did)\s+
      | what\ (?:do|does|did)\ (?=[^?]+\ cost)
      | how\ (?:long|heavy|old|tall|wide|deep|thick|high|big|large|hot)\ (?:is|are|was|were)\s+
      | (?:how\ much|what)\ do(?:es)?\ (?=[^?]+\ weigh)
      | what(?:\ is|\ are|['’]s)\ the
            \ (?=(?:warrant(?:y|ies)|guarantees?|salar(?:y|ies)|phone|telephone|wages?|(?:\w+\ ){{0,2}}passwords?)\b)
      | what\ (?:is|are)\ the\ prices?\ (?:of|for)\s+
      | {_PLACE}?(?:есть|имеется|имеются|бывают?|существует|существуют|предусмотрен[аоы]?)(?:\ ли)?\s+
      | (?:вы\ )?(?:прода[её]те|принимаете|бер[её]те|сда[её]те|подаёте|подаете|лечите|чините
            |ремонтируете|покупаете)(?:\ ли)?\s+
      | (?:разрешен[аоы]|разрешается|запрещен[аоы]|запрещается)\ ли\s+
      | é\ (?:permitid[oa]|proibid[oa])\s+ | ¿?está\ (?:permitid[oa]|prohibid[oa])\s+
      | (?:сколько\ (?:стоит|стоят|стоила?)|поч[её]м|как(?:ая|ова)\ цена(?:\ на)?)\s+
      | сколько\ (?:весит|весят|длится|длятся)\s+
      | как(?:ой|ая|ова)\s+(?:срок\s+)?(?=(?:гарант|зарплат|оклад|парол|телефон))
      | как(?:ой|ова|ая)\s+(?:длин[аы]|ширин[аы]|высот[аы]|глубин[аы]|вес|толщин[аы]|площадь|мощность|объ[её]м)\s+
      | (?:quanto\ (?:pesam?|medem?|(?:tempo\ )?duram?)|cuánto\ (?:pesan?|miden?|(?:tiempo\ )?duran?))\s+
      | (?:qual|cuál)\ (?:é\ |es\ )?(?:a|o|la|el)\ (?=(?:garantia|garantía|salário|salario|sueldo|senha|contraseña)\b)
      | qual\ (?:é\ )?[oa]\ (?:peso|comprimento|largura|altura|profundidade|espessura|área|potência)\ d[eoa]s?\s+
      | {_PLACE}?(?:há|tem|têm|existem?|possuem?|vendem?|oferecem?|servem|aceitam|alugam|consertam|compram)\s+
      | quanto\ (?:custam?|é|são|sai|fica)\s+
      | qual\ (?:é\ )?o\ preço\ d[eoa]s?\s+
      | ¿?{_PLACE}?(?:hay|tienen?|venden?|ofrecen?|sirven|aceptan|admiten|alquilan|reparan|compran)\s+
      | ¿?cuánto\ (?:cuestan?|valen?)\s+
      | ¿?cuál\ es\ el\ precio\ del?\s+
    )
    {_PLACE}?{_ARTICLE}(?P<thing>[^?.!,;:(]+)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_MAY = r"(?:can|may|could)\ (?:i|we|you|one|guests|members|visitors)"
_MOZHNO = r"можно(?:\ ли)?\ (?:(?:мне|нам|у\ вас|к\ вам|здесь|там)\ )?"
_POSSO = r"(?:posso|podemos|pode-se|podem|dá\ (?:para|pra)|é\ possível)"
_PUEDO = r"(?:puedo|podemos|se\ puede|es\ posible)"
_LATIN_ASKING = r"qu[eéê]|[oa]\ que|quais|quant|cuánt|cuál|com[oa]\b|cómo|por\b"
# What may be brought, done or paid with, what is needed or free, when it opens, who teaches it.
_ASKED_OF_A_PAGE = re.compile(
    rf"""
    ^\W*+(?:(?:and|hello|hi|а|и|e|y)\W+)?
    (?:
        {_MAY}\ (?:also\ )?(?:(?:come|enter|travel|go\ in|move\ in)\ with|pay\ (?:with|by|in|using)
            |bring|rent|hire|borrow|buy|wear)\s+
      | {_MAY}\ (?=(?:smoke|swim|park|fish|camp|eat|cook|sleep)\b)
      | do\ (?:i|we|you)\ (?:need|require|accept)\ (?!to\b)
      | (?:when|(?:at\ )?what\ time|until\ when)\ (?:do|does|will)
            \ (?=[^?]{{2,40}}\ (?:open|close|start|begin|end|finish)\b)
      | (?:is|are)\ (?=[^?]{{2,40}}\ (?:free|paid|included|provided|welcome|compulsory|mandatory|obligatory)\b)
      | who\ (?:teaches|coaches|trains|treats|repairs|sells|looks\ after|takes\ care\ of)\s+
      | {_MOZHNO}(?:(?:при\w+|за\w+|войти|ходить|жить|проживать|остановиться)\ )?
            со?\ (?=\w+(?:[оеё]м|[оеё]й|ю|[яаь]ми|[иы]ми?)\b)
      | {_MOZHNO}(?=(?:курить|купаться|парковаться|рыбачить|ночевать|готовить)\b)
      | {_MOZHNO}(?:взять|брать|арендовать|купить|заказать|прин[ео]с\w+|прив[её]\w+|провезти|(?:о|за)?платить)
            \ (?:напрокат\ |в\ аренду\ |с\ собой\ )?
      | нуж(?:ен|на|ны)(?:\ ли)?\s+
      | (?:когда|во\ сколько|до\ скольки|со\ скольки)\ (?:(?:от|за)крыва[ею]тся|открыт[аоы]?|работа[ею]т
            |начина[ею]тся|заканчива[ею]тся|проход[ия]т|быва[ею]т)\s+
      | кто\ (?:вед[её]т|препода[её]т|учит|тренирует|лечит|ремонтирует|чинит|прода[её]т|ухаживает\ за)\s+
      | (?!как|что|кто|где|сколько|почему)
            (?=[^?]{{2,40}}\ (?:бесплатн\w+|платн\w+|вход[ия]т|включ[её]н\w*|обязател\w+)\b)
      | {_POSSO}\ (?:(?:entrar|vir|ir|viajar|ficar|pagar|chegar)\ com|levar|trazer|alugar|comprar|usar)\s+
      | {_POSSO}\ (?=(?:fumar|nadar|estacionar|acampar|comer|dormir|pescar)\b)
      | (?:preciso|precisa|precisamos|é\ preciso)\ (?:de\ )?(?!\w+[aeio]r\b)
      | (?:quando|(?:a|até)\ que\ horas)\ (?:abrem?|fecham?|começam?|terminam?|acabam?
            |(?:é|são)(?=\ (?:os?|as?|uma?)\ ))\s+
      | quem\ (?:atende|ensina|dá|treina|trata|conserta|vende|cuida\ d[eoa]s?)\s+
      | {_PUEDO}\ (?:(?:entrar|venir|ir|viajar|pagar|llegar)\ con|llevar|traer|alquilar|comprar|usar)\s+
      | {_PUEDO}\ (?=(?:fumar|nadar|aparcar|acampar|comer|dormir|pescar)\b)
      | (?:necesito|necesitamos|se\ necesita|hace\ falta)\ (?!\w+[aei]r\b)
      | (?:cuándo|(?:a|hasta)\ qué\ hora)\ (?:abren?|cierran?|empiezan?|comienzan?|terminan?|acaban?
            |(?:es|son)(?=\ (?:el|la|los|las)\ ))\s+
      | quién(?:es)?\ (?:atienden?|enseñan?|dan?|entrenan?|tratan?|reparan?|venden?|cuidan?(?:\ de)?)\s+
      | (?!{_LATIN_ASKING})(?={_ARTICLE}[^?]{{2,40}}\ (?:é|são|es|son|está|están)
            \ (?:grátis|gratis|gratuit[oa]s?|incluíd[oa]s?|incluid[oa]s?|obrigatóri[oa]s?|obligatori[oa]s?)\b)
    )
    {_PLACE}?{_ARTICLE}(?P<thing>[^?.!,;:(]+)
    """,
    re.IGNORECASE | re.VERBOSE,
)
# What follows the thing: where, when, for whom, of what.
_REST = re.compile(
    r"\s(?:in|at|on|for|near|from|with|without|during|to|by|of|per|if|when|that|which|here|cost|weigh"
    r"|allowed|permitted|forbidden|prohibited|open|close|start|begin|end|finish"
    r"|free|paid|included|provided|welcome|compulsory|mandatory|obligatory|valid|available|due"
    r"|в|во|на|у|при|для|за|с|со|к|по|около|рядом|от|до|если|здесь|тут|и|или|ещ[её]|уже"
    r"|бесплатн\w+|платн\w+|вход[ия]т|включ[её]н\w*|обязател\w+"
    r"|em|no|na|nos|nas|num|numa|para|por|perto|com|sem|ao|à|a|aqui|se|en|con|sin|cerca|aquí|é|são|es|son|está|están)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_LONGEST = 4
_NOBODY = re.compile(r"^(?:у\s+)?(?:вас|нас|you|we|it|this|that|they|это|isso|isto|esto)\b\s*", re.IGNORECASE)
_OWNERS = re.compile(
    r"^(?:my|our|his|her|свое[йм]|своими?|моей|моим|minha|meu|nossa|nosso|mi|mis|nuestr[oa])\s+",
    re.IGNORECASE,
)
# What is done with the thing: "сколько стоит вызвать врача", "quanto custa alugar uma bicicleta".
_DONE_WITH = re.compile(
    r"^\s*(?:[а-яё]{3,}(?:(?<!ос)ть|ти|чь)(?:ся)?\s+(?=\w)|\w{2,}[aeiô]r\s+(?:[oa]s?|uma?s?|el|l[ao]s?|un[ao]?s?)\s+(?=\w))",
    re.IGNORECASE,
)

_ADJECTIVE = re.compile(r"(?:[иыо]й|[ая]я|[ое]е|[иы]е|[ую]ю|[ое]го|[иы]х|[иы]ми?)$")


@dataclass(frozen=True, slots=True)
class AskedThing:
    """The words that name the thing.

    `is_of_a_page`: the title of a page may name it as well as a sentence does.
    """

    words: str
    is_of_a_page: bool = False
    with_rest: str = field(default="", compare=False)
    """The thing with the rest of the question: "a discount for pensioners"."""

    @property
    def is_secret(self) -> bool:
        """Whether it is a password, which has no other name."""
        return asks_about(self.words, "secret")

    def head(self, language: str | None) -> str | None:
        """The head noun: "club" of "reading club". None for languages whose word order is not known."""
        said = [word for word in self.words.split() if word.isalpha()]
        if language == "ru":
            said = [word for word in said if not _ADJECTIVE.search(word)]
        elif language == "en":
            said.reverse()
        elif language not in ("pt", "es"):
            return None
        return said[0] if said else None


def asked_thing(question: str) -> AskedThing | None:
    """The thing that the question asks about; None if it asks in another way, or the name is too long."""
    found = _ASKED.search(question)
    of_a_page = None if found else _ASKED_OF_A_PAGE.search(question)
    if (found := found or of_a_page) is None:
        return None
    # "When do you open" names no thing.
    named = _DONE_WITH.sub("", _OWNERS.sub("", _NOBODY.sub(" ", found["thing"].strip())))
    thing = _REST.sub("", named).strip()
    if not thing or len(thing.split()) > _LONGEST:
        return None
    return AskedThing(thing, of_a_page is not None, question[found.start("thing") :])
