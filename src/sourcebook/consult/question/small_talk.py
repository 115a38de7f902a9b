"""What people say that asks nothing: greetings, thanks, a question mark alone. No expert is troubled with it.

A message is small talk only if all of it is: in "Hello! When do I prune raspberries?" there is a question.
"""

from __future__ import annotations

import re
from enum import StrEnum

from sourcebook.text.case_and_accents import folded


class SmallTalk(StrEnum):
    """What a message is that asks nothing."""

    GREETING = "greeting"
    THANKS = "thanks"
    """Thanks, agreement, a farewell: the end of something that went well."""
    NOTHING_ASKED = "nothing_asked"


_GREETINGS = """
hi|hello|hey|hiya|howdy|greetings|good morning|good afternoon|good evening|good day|good night
how are you|what's up
привет|приветик|приветствую|здравствуй|здравствуйте|здрасте|здрасьте|салют|хай|добрый день
доброе утро|добрый вечер
доброго дня|доброго времени суток|доброй ночи|как дела|как вы|как ты
ola|olá|oi|alo|alô|bom dia|boa tarde|boa noite|tudo bem|tudo bom|como vai|como esta|como está|e ai|e aí
hola|buenas|buenos dias|buenos días|buenas tardes|buenas noches|que tal|qué tal|como estas|cómo estás
"""
_THANKS = """
thanks|thank you|thx|ty|tysm|cheers|much appreciated|great|perfect|excellent|awesome|cool|nice|ok
okay|got it|i see
understood|clear|all clear|bye|goodbye|bye bye|see you|that helped|that helps|very helpful
спасибо|спасибочки|спс|пасиб|пасибо|благодарю|благодарствую|признательна|признателен|ок|окей
понятно|понял|поняла|ясно
хорошо|отлично|супер|класс|здорово|прекрасно|замечательно|круто|очень помогли|вы помогли|помогло
до свидания|пока|всего доброго
всего хорошего|удачи
obrigado|obrigada|valeu|agradeco|agradeço|grato|grata|certo|perfeito|entendi|otimo|ótimo|excelente
tchau|adeus|ate logo|até logo
ate mais|até mais|ajudou muito
gracias|vale|perfecto|entendido|de acuerdo|genial|estupendo|adios|adiós|hasta luego|chao|chau
"""
_NOTHING = """
yes|no|yep|nope|yeah|test|testing|help|start|question|a question|i have a question|can i ask
may i ask|are you there|anybody there
да|нет|ага|угу|тест|проверка|помощь|помогите|вопрос|есть вопрос|у меня вопрос|у меня есть вопрос
можно вопрос|можно задать вопрос
алло|ау|вы тут|ты тут|вы здесь|ты здесь|кто здесь|начать|старт
sim|nao|não|teste|testando|ajuda|pergunta|uma pergunta|tenho uma pergunta|posso perguntar|esta ai|está aí
si|sí|prueba|ayuda|pregunta|una pregunta|tengo una pregunta|puedo preguntar
"""
_FILLERS = """
there|all|everyone|everybody|bot|dear|very much|so much|a lot|a million|many|again|for the answer
for your answer|for the help
for your help|for this|very|so|too|and|to you|you|it's|it is|that's|my friend|friend|friends|sir
madam|please
всем|вам|тебе|большое|огромное|за ответ|за помощь|за информацию|за все|за подробный ответ|очень
ещё раз|еще раз|и|а|бот|друзья
уважаемый|уважаемые|дорогой|дорогие|коллеги|эксперт|вас|тебя|все|мне|пожалуйста|ну|от души|заранее
muito|muita|muitas|muitos|mesmo|pela resposta|pela ajuda|por tudo|a todos|todos|pessoal|bot|amigo
amigos|e|de novo
outra vez|por favor|voce|você|vocês|senhor|senhora
muchas|mil|muchisimas|muchísimas|por la respuesta|por su respuesta|por la ayuda|por todo|amigo
amigos|a todos|y|otra vez|de nuevo
"""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_KIND_SIGNS = frozenset("👍🙏❤💛💚💙💜🧡😊🙂😀😃😄😍🥰🤗👌✅🌹💐🎉👏😘🤝💪🔥")


def _phrases(text: str) -> frozenset[tuple[str, ...]]:
    return frozenset(
        tuple(_words(phrase)) for line in text.split("\n") for phrase in line.split("|") if phrase
    )


def _words(text: str) -> list[str]:
    return _WORD.findall(folded(text).replace("’", "'"))


_BY_KIND = {
    SmallTalk.THANKS: _phrases(_THANKS),
    SmallTalk.GREETING: _phrases(_GREETINGS),
    SmallTalk.NOTHING_ASKED: _phrases(_NOTHING),
}
_KINDS: dict[tuple[str, ...], SmallTalk | None] = dict.fromkeys(_phrases(_FILLERS))
for _kind, _said in reversed(_BY_KIND.items()):
    _KINDS.update(dict.fromkeys(_said, _kind))
_LONGEST = max(map(len, _KINDS))
_MOST_WORDS = 12


def small_talk(message: str) -> SmallTalk | None:
    """What a message is, if nothing is asked in it; None if something may be. English, Russian, Portuguese, Spanish."""
    words = _words(message)
    if not words:
        return (
            SmallTalk.THANKS if _KIND_SIGNS & set(message) and "?" not in message else SmallTalk.NOTHING_ASKED
        )
    if len(words) > _MOST_WORDS:
        return None
    found = _kinds_of(words)
    if not found:
        return None
    # A greeting with thanks counts as thanks; a greeting with "may I ask something?" counts as a greeting.
    return next((kind for kind in _BY_KIND if kind in found), None)


def _kinds_of(words: list[str]) -> set[SmallTalk | None]:
    """The kinds of the phrases that the words are made of; none if a word is left over."""
    found: set[SmallTalk | None] = set()
    at = 0
    while at < len(words):
        sizes = range(min(_LONGEST, len(words) - at), 0, -1)
        size = next((n for n in sizes if tuple(words[at : at + n]) in _KINDS), 0)
        if not size:
            return set()
        found.add(_KINDS[tuple(words[at : at + size])])
        at += size
    return found
