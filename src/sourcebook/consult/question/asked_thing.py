"""The thing that a question asks for: whether there is one, whether it is allowed, or what it costs.

A text without it does not answer.
"""

from __future__ import annotations

import re

_ARTICLE = (
    r"(?:(?:an?|any|some|the|your|um|uma|o|a|os|as|un|una|el|la|los|las|algum|alguma|algún|alguna)\s+)?"
)
# Where it is asked about, before the thing: "есть ли в библиотеке …", "na pousada tem …".
_PLACE = r"(?:(?:в|во|на|при|у|n[oa]s?|em|en)\s+(?:(?:вашей|вашем|этой|этом|нашей|нашем|el|la|los|las)\s+)?\w+,?\s+)"
_ASKED = re.compile(
    rf"""
    ^\W*(?:(?:and|hello|hi|а|и|e|y)\W+)?
    (?:
        (?:is|are|was|were)\ there\s+
      | (?:is|are)\ (?=[^?]{{2,40}}\ (?:allowed|permitted|forbidden|prohibited)\b)
      | do(?:es)?\ [^?]{{1,30}}?\ (?:have(?!\s+to\b)|sell|offer|serve|rent|stock)\s+
      | how\ much\ (?:is|are|do|does|would|did)\s+
      | what\ (?:do|does|did)\ (?=[^?]+\ cost)
      | how\ (?:long|heavy|old|tall|wide|deep|thick|high|big|large|hot)\ (?:is|are|was|were)\s+
      | (?:how\ much|what)\ do(?:es)?\ (?=[^?]+\ weigh)
      | what\ (?:is|are)\ the\ (?=(?:warrant(?:y|ies)|guarantees?|salar(?:y|ies)|passwords?|phone|telephone|wages?)\b)
      | what\ (?:is|are)\ the\ prices?\ (?:of|for)\s+
      | {_PLACE}?(?:есть|имеется|имеются|бывают?|существует|существуют|предусмотрен[аоы]?)(?:\ ли)?\s+
      | (?:разрешен[аоы]|разрешается|запрещен[аоы]|запрещается)\ ли\s+
      | é\ (?:permitid[oa]|proibid[oa])\s+ | ¿?está\ (?:permitid[oa]|prohibid[oa])\s+
      | (?:сколько\ (?:стоит|стоят|стоила?)|поч[её]м|как(?:ая|ова)\ цена(?:\ на)?)\s+
      | сколько\ (?:весит|весят|длится|длятся)\s+
      | как(?:ой|ая|ова)\s+(?:срок\s+)?(?=(?:гарант|зарплат|оклад|парол|телефон))
      | как(?:ой|ова|ая)\s+(?:длин[аы]|ширин[аы]|высот[аы]|глубин[аы]|вес|толщин[аы]|площадь|мощность|объ[её]м)\s+
      | (?:quanto\ (?:pesam?|medem?|(?:tempo\ )?duram?)|cuánto\ (?:pesan?|miden?|(?:tiempo\ )?duran?))\s+
      | (?:qual|cuál)\ (?:é\ |es\ )?(?:a|o|la|el)\ (?=(?:garantia|garantía|salário|salario|sueldo|senha|contraseña)\b)
      | qual\ (?:é\ )?[oa]\ (?:peso|comprimento|largura|altura|profundidade|espessura|área|potência)\ d[eoa]s?\s+
      | {_PLACE}?(?:há|tem|têm|existem?|possuem?|vendem?|oferecem?)\s+
      | quanto\ (?:custam?|é|são|sai|fica)\s+
      | qual\ (?:é\ )?o\ preço\ d[eoa]s?\s+
      | ¿?{_PLACE}?(?:hay|tienen?|venden?|ofrecen?)\s+
      | ¿?cuánto\ (?:cuestan?|valen?)\s+
      | ¿?cuál\ es\ el\ precio\ del?\s+
    )
    {_PLACE}?{_ARTICLE}(?P<thing>[^?.!,;:(]+)
    """,
    re.IGNORECASE | re.VERBOSE,
)
# What follows the thing: where, when, for whom, of what.
_REST = re.compile(
    r"\s(?:in|at|on|for|near|from|with|without|during|to|by|of|per|if|when|that|which|here|cost|weigh"
    r"|allowed|permitted|forbidden|prohibited"
    r"|в|во|на|у|при|для|за|с|со|к|по|около|рядом|от|до|если|здесь|тут"
    r"|em|no|na|nos|nas|num|numa|para|por|perto|com|sem|ao|à|a|aqui|se|en|con|sin|cerca|aquí)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_LONGEST = 4
_NOBODY = re.compile(r"^(?:у\s+)?(?:вас|нас|it|this|that|they|это|isso|isto|esto)\s*", re.IGNORECASE)


def asked_thing(question: str) -> str | None:
    """The words that name the thing; None if the question asks for something else, or names it at length."""
    found = _ASKED.search(question)
    if found is None:
        return None
    thing = _REST.sub("", _NOBODY.sub("", found["thing"].strip())).strip()
    return thing if thing and len(thing.split()) <= _LONGEST else None
