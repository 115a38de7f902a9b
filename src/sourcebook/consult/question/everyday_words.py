"""Words that people ask with and that say little about what they ask: "I want to know exactly which tool I need"."""

from __future__ import annotations

from functools import cache

from sourcebook.text.case_and_accents import folded
from sourcebook.text.stems import stem_words

_WORDS = {
    "en": """
        want need know tell explain show use work make get find happen choose possible exactly exact compare own
        automatically mean call give take kind type way tool thing help please try able actually really anything
        something someone everything right much many can may might must will done go going come put say ask see
        look let keep bring here too also just still already only even ever never again back away out up down
        off around over under before after during until since soon now then today tomorrow long far always
        sometimes usually whether very more most less least every all other another same different few lot lots
        stuff anybody anyone everyone cannot without within between onto per like allowed supposed best
        """,
    "ru": """
        хочу хочется хотел нужно нужен нужна нужны надо знаю знать узнать скажите расскажите объясните покажите
        можно могу можете сделать делать делает задать задаёт выбрать взять использовать использую используется
        работает называется значит означает именно точно сам сама само находится стоит стал мой моя моё мои
        можем получить был была было были будет будут пожалуйста подскажите вообще есть имеется вас вам нас нам
        ваш ваша ваше ваши если чтобы потому который такой весь все каждый свой наш твой нибудь нельзя должен
        быть нет тоже также еще уже только даже очень более менее много мало несколько другой прийти приходить
        идти идет пойти дать найти оставить положить там тут здесь сейчас потом после перед вещь дело меня тебя
        них происходит случится бывает полагается разрешается сегодня завтра без через
        """,
    "pt": """
        quero quer gostaria preciso precisa posso pode saber sei dizer diga explique mostre fazer faço faz usar
        uso usa devo deve funciona chama significa fica ficam sozinho exatamente existe tem maneira jeito tipo
        coisa ajuda há é são era eram foi foram será serão está estão estava você vocês meu minha meus minhas
        frequência ter tenho haver ir vou vai vão vir venho dar dá porque já ainda também só mais menos muito
        pouco todo toda cada outro outra mesmo nosso aqui lá agora depois antes durante até desde sem sobre
        entre alguém alguma algum acontece levar pegar pego pra pro esse hoje amanhã
        """,
    "es": """
        quiero quiere quisiera necesito necesita puedo puede saber sé decir diga explique muestre hacer hago
        hace usar uso usa debo debe funciona llama significa queda quedan solo exactamente existe tiene manera
        modo tipo cosa ayuda hay era eran será serán está están usted ustedes mi mis frecuencia poder tener
        tengo haber ir voy va venir dar porque ya todavía también más menos mucho poco todo toda cada otro otra
        mismo nuestro aquí allí ahora después antes durante hasta desde sin sobre entre alguien alguna algún
        pasa llevar tomar ese hoy mañana
        """,
    "de": """
        der die das den dem des ein eine einen einem einer eines und oder aber als auch in im an am auf aus bei mit
        nach von vom vor zu zum zur für über unter durch ohne um gegen bis seit ich du er sie es wir ihr man mir mich
        dir dich uns euch mein meine meinen meinem meiner dein deine sein seine unser unsere euer eure kein keine ist
        sind bin war waren wird werden wurde hat haben habe habt kann kannst können könnt darf dürfen muss müssen soll
        sollen will wollen möchte brauche braucht gibt geben geht gehen mache macht machen tun komme kommt bekomme
        bekommt finde wissen weiß sagen bitte eigentlich denn noch schon nur sehr mehr viel viele alle jeder jede
        andere neu hier dort da dann jetzt heute morgen wenn ob dass nicht so etwas jemand überhaupt passiert heißt
        """,
}


@cache
def everyday_stems(language: str | None) -> frozenset[str]:
    """Their stems in a language; of a language without a list there are none."""
    return frozenset(stem_words([folded(word) for word in _WORDS.get(language or "", "").split()], language))
