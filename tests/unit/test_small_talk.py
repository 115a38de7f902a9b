from __future__ import annotations

import pytest

from sourcebook.consult.question.conversation.small_talk import SmallTalk, small_talk

GREETINGS = """
Hi|hello!|Hey there|Good morning 🙂|Hello, bot!|How are you?|Привет|привет!!!|Здравствуйте
Добрый день!|Доброе утро, друзья
Доброго времени суток|Как дела?|Olá|Oi, tudo bem?|Bom dia!|Boa tarde a todos|¡Hola!|Buenos días
Hola, ¿qué tal?|HELLO
Здравствуйте, у меня вопрос
Привет! Ты кто?|Who are you?|Hi, what can you do?|Что ты умеешь?|Quem é você?
"""
THANKS = """
Thanks|Thank you very much!|thx|ok|Great, thanks a lot|Thanks for the answer 👍|Спасибо
Спасибо большое!|Большое спасибо за ответ
Благодарю вас|спс|Понятно, спасибо|Ок|До свидания|Obrigado!|Muito obrigada pela ajuda|Valeu|Gracias
Muchas gracias por la respuesta
Vale|👍|🙏🙏|❤️|Hello and thank you
"""
NOTHING = (
    "?|??|...|!|🤔|😡?|-|…|да|нет|test|Тест|Можно задать вопрос?|I have a question|Tenho uma pergunta|Sí| |»"
)
QUESTIONS = """
Привет! Когда обрезать малину?|Спасибо, а когда поливать?|Hello, when do I prune raspberries?
Thanks, and in spring?|pH|42
малина|raspberries|Почему?|Why?|And when?|А осенью?|Por quê?|¿Cuándo?|Good soil for blueberries
Пока растёт|Класс опасности
Добрый день, подскажите норму полива|Oi, quando podar?|C++|What is a test?
What do you do?|Кто вы и что продаёте?
Хорошо ли поливать вечером?|no water|3 л?
"""


def cases(text: str) -> list[str]:
    return [case for line in text.strip("\n").split("\n") for case in line.split("|")]


@pytest.mark.parametrize("message", cases(GREETINGS))
def test_a_greeting(message: str) -> None:
    assert small_talk(message) is SmallTalk.GREETING


@pytest.mark.parametrize("message", cases(THANKS))
def test_thanks(message: str) -> None:
    assert small_talk(message) is SmallTalk.THANKS


@pytest.mark.parametrize("message", cases(NOTHING))
def test_nothing_asked(message: str) -> None:
    assert small_talk(message) is SmallTalk.NOTHING_ASKED


@pytest.mark.parametrize("message", cases(QUESTIONS))
def test_what_may_be_a_question_is_one(message: str) -> None:
    assert small_talk(message) is None
