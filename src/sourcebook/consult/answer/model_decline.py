"""Recognises a model's own "I don't know", which is shown as a decline and not as an answer."""

from __future__ import annotations

import re

_SHORT = 400
"""In characters. A longer answer says something else as well."""

_NOT = r"(?:(?:do|could) not|(?:do|ca|could)n['’]t|cannot|(?:am|was) (?:unable|not able) to)"
_DOES_NOT = r"(?:do(?:es)? not|do(?:es)?n['’]t|contains? no|has no|have no|says? nothing)"
_OPENINGS = (
    # English
    rf"i(?:['’]m)?(?: really| simply| just)? {_NOT} (?:know|find|answer|say|tell|determine|have (?:any |enough |the )?"
    r"(?:information|data|answer|knowledge|details))",
    r"i(?:['’]m| am) (?:sorry, |afraid )?(?:not sure|unable to|not able to)",
    r"i have no (?:information|data|answer|idea|knowledge|details)",
    r"(?:there is|there's|there’s) (?:no|not enough|insufficient) (?:\w+ ){0,2}(?:information|data|answer|mention)",
    r"no (?:\w+ ){0,2}(?:information|data|answer) (?:is |was |about |on )",
    r"the (?:given |provided |numbered |above )?(?:passages?|sources?|documents?|texts?|context|information)"
    rf"(?: provided)? {_DOES_NOT}",
    r"none of the (?:given |provided |numbered )?(?:passages|sources|documents)",
    r"it is (?:not|un)(?: known| clear| stated| mentioned|known|clear)",
    # Russian
    r"(?:я )?(?:этого |точно )?не (?:знаю|нашла?|могу (?:найти|ответить|сказать|помочь|дать)|наше?л)",
    r"(?:у меня )?нет (?:\w+ ){0,2}(?:информации|данных|сведений|ответа)",
    r"(?:у меня |к сожалению )?(?:недостаточно|не хватает|не имею) (?:\w+ ){0,2}(?:информации|данных|сведений)",
    r"(?:в|во) (?:\w+ ){0,2}(?:отрывках|текстах?|источниках|документах|фрагментах|материалах|базе|контексте) "
    r"(?:\w+ ){0,2}(?:нет|не (?:указан|сказан|говор|упомина|содерж|найден)\w*|ничего не|отсутству\w+)",
    r"(?:\w+ ){0,2}(?:отрывки|тексты|источники|документы|фрагменты|материалы) не (?:содержат|отвечают|говорят|дают)",
    r"(?:информаци\w+|данны\w+|сведени\w+|ответа?) (?:\w+ ){0,4}(?:нет|не найден\w*|отсутству\w+)",
    # Portuguese
    r"(?:eu )?não (?:sei|encontrei|consigo (?:encontrar|responder|dizer)|posso (?:responder|dizer|ajudar)|tenho "
    r"(?:\w+ ){0,2}(?:informaç\w+|dados|resposta|certeza)|foi possível|foram? encontrad\w+|há (?:\w+ ){0,2}"
    r"(?:informaç\w+|dados|resposta|menção)|existe[m]? (?:\w+ ){0,2}(?:informaç\w+|dados|resposta))",
    r"(?:os|as|o|a|nos|nas|no|na) (?:trechos?|passagens?|textos?|documentos?|fontes?|contexto)(?: \w+){0,2} "
    r"não (?:contêm|contém|respondem?|mencionam?|dizem|diz|informam?|falam?|há|indicam?|fornecem?)",
    r"nenhum[a]? d[aeo]s? (?:trechos|passagens|textos|documentos|fontes)",
    # Spanish
    r"(?:yo )?no (?:lo )?(?:sé|se sabe|encontré|encuentro|he encontrado|puedo (?:responder|encontrar|decir|ayudar)|"
    r"tengo (?:\w+ ){0,2}(?:informaci\w+|datos|respuesta)|hay (?:\w+ ){0,2}(?:informaci\w+|datos|respuesta|menci\w+)|"
    r"dispongo de|es posible responder)",
    r"(?:en )?(?:los|las|el|la) (?:pasajes?|fragmentos?|textos?|documentos?|fuentes?|contexto)(?: \w+){0,2} "
    r"no (?:contienen?|responden?|mencionan?|dicen?|dice|indican?|hablan?|hay|proporcionan?)",
    r"ningun[oa] de l[oa]s (?:pasajes|fragmentos|textos|documentos|fuentes)",
)
_REGRET = (
    r"(?:(?:i['’]m |i am |we['’]re )?(?:very )?sorry|i apologi[sz]e|unfortunately|based on the passages|"
    r"к сожалению|простите|извините|увы|"
    r"infelizmente|desculpe|lamento|lamentavelmente|lo siento|lamentablemente|desafortunadamente|por desgracia)"
    r"[,.!:;—– -]*(?:but |но |mas |pero )?"
)
_DECLINE = re.compile(rf"\W*(?:{_REGRET})?(?:{'|'.join(_OPENINGS)})(?!\w)", re.IGNORECASE)
_OPENING = re.compile(rf"\W*(?:{_REGRET})?(?:i|no|não|не|нет|я|the|there|none|it|у меня)?\W*", re.IGNORECASE)


def is_own_decline(answer: str) -> bool:
    """Whether an answer that cites nothing is a model's "I don't know", in English, Russian, Portuguese or Spanish."""
    return len(answer) <= _SHORT and _DECLINE.match(answer) is not None


def may_become_decline(answer: str) -> bool:
    """Whether what was written so far may still become a decline, so that it is not shown yet."""
    return len(answer) <= _SHORT and (is_own_decline(answer) or _OPENING.fullmatch(answer) is not None)
