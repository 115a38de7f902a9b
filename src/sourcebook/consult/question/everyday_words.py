"""Words that people ask with and that say little about what they ask: "I want to know exactly which tool I need"."""

from __future__ import annotations

from functools import cache

from sourcebook.text.case_and_accents import folded
from sourcebook.text.stems import stem_words

_WORDS = {
    "en": """
        want need know tell explain show use work make get find happen choose possible exactly exact compare own
        automatically mean call give take kind type way tool thing help please try able actually really anything
        something someone everything right much many
        """,
    "ru": """
        хочу хочется хотел нужно нужен нужна нужны надо знаю знать узнать скажите расскажите объясните покажите можно
        могу можете сделать делать делает задать задаёт выбрать взять использовать использую используется работает
        называется значит означает именно точно сам сама само находится стоит стал мой моя моё мои можем получить
        был была было были будет будут пожалуйста подскажите вообще есть имеется вас вам нас нам ваш ваша ваше ваши
        """,
    "pt": """
        quero quer gostaria preciso precisa posso pode saber sei dizer diga explique mostre fazer faço faz usar uso usa
        devo deve funciona chama significa fica ficam sozinho exatamente existe tem maneira jeito tipo coisa ajuda há
        é são era eram foi foram será serão está estão estava você vocês meu minha meus minhas frequência
        """,
    "es": """
        quiero quiere quisiera necesito necesita puedo puede saber sé decir diga explique muestre hacer hago hace usar
        uso usa debo debe funciona llama significa queda quedan solo exactamente existe tiene manera modo tipo cosa
        ayuda hay era eran será serán está están usted ustedes mi mis frecuencia
        """,
}


@cache
def everyday_stems(language: str | None) -> frozenset[str]:
    """Their stems in a language; of a language without a list there are none."""
    return frozenset(stem_words([folded(word) for word in _WORDS.get(language or "", "").split()], language))
