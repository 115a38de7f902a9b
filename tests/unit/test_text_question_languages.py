"""A short question keeps its language, whatever names, code and quotations it holds."""

from __future__ import annotations

import pytest

from sourcebook.text.languages import detect_language
from sourcebook.text.vocabulary.function_words import languages_of_both, languages_of_prose

QUESTIONS = {
    "ru": [
        "Как подключить FastAPI к RabbitMQ?",
        "Что такое docker compose?",
        "Как настроить nginx и PostgreSQL на Ubuntu Server?",
        "Где лежит файл `settings.yaml`?",
        "Чем PostgreSQL лучше MySQL?",
        "Что значит ошибка «Connection refused»?",
        "Можно ли запускать Kubernetes без Docker Desktop?",
        "Зачем нужен параметр response_model?",
        "Сколько стоит iPhone 15 Pro Max?",
        "Кто написал Clean Architecture?",
        "Почему Visual Studio Code не видит Python?",
        "Как перевести слово background?",
        "Как обновить pip install --upgrade fastapi?",
        "Какой SLA у Amazon Web Services?",
        "Когда выйдет Windows Server 2025?",
        "Работает ли Wi-Fi в Holiday Inn Express?",
        "Куда писать логи Elasticsearch?",
        "В чём разница между Celery, RQ и Dramatiq?",
        "Как установить Let's Encrypt?",
        "Что делает git rebase --interactive?",
        "а есть ли OAuth2PasswordBearer?",
        "Как сделать CORS middleware?",
    ],
    "en": [
        "How do I reset my VPN password?",
        "How do I reset my password?",
        "What does root_path do?",
        "How do I say «спасибо» to a guest?",
        "What does the word «Почему» mean?",
        "Who wrote Война и мир?",
        "How do I get from São Paulo to Ribeirão Preto?",
        "Where is the Universidade de Brasília?",
        "Who founded Médecins Sans Frontières?",
        "Is El País published in Barcelona?",
        "How do I connect FastAPI to RabbitMQ?",
        "Does MongoDB Atlas support OpenTelemetry?",
        "What is Schadenfreude?",
        "When was Deutsche Bank founded?",
        "Can I run pgvector on Amazon RDS?",
        "Which port does redis-server use?",
        "Why is Señor Gonzalez on leave?",
        "How much is a visa to Côte d'Ivoire?",
        "What is the Wi-Fi password in Москва?",
        "where can I park?",
        "Who is Juan Carlos de la Cruz?",
        "what is `como_se_diz` for?",
        "How to use uvicorn --reload?",
        "Is there a Pão de Açúcar near the office?",
    ],
    "pt": [
        "Como uso o FastAPI com MongoDB Atlas?",
        "O que é o Docker Compose?",
        "Onde fica o ficheiro `settings.yaml`?",
        "Qual é a diferença entre Celery e RabbitMQ?",
        "Como configurar o nginx no Ubuntu Server?",
        "Quem escreveu The Great Gatsby?",
        "Quanto custa o iPhone 15 Pro Max?",
        "O que significa «Connection refused»?",
        "Para que serve o response_model?",
        "Posso usar o Visual Studio Code no Windows?",
        "Quando foi fundado o Deutsche Bank?",
        "Por que o PostgreSQL não arranca?",
        "Como instalo o Let's Encrypt?",
        "Qual é a senha do Wi-Fi?",
        "Há Holiday Inn Express em Lisboa?",
        "Quem é Juan Carlos de la Cruz?",
        "Como faço git rebase --interactive?",
        "Quais são as regras do Amazon Web Services?",
        "O que é Schadenfreude?",
        "Onde vejo os logs do Elasticsearch?",
        "Que porta usa o redis-server?",
        "Como declarar um Query Parameter?",
    ],
    "es": [
        "¿Cómo conecto FastAPI con RabbitMQ?",
        "¿Qué es Docker Compose?",
        "¿Dónde está el archivo `settings.yaml`?",
        "¿Cuál es la diferencia entre Celery y RabbitMQ?",
        "Como configuro nginx en Ubuntu Server?",
        "¿Quién escribió The Great Gatsby?",
        "¿Cuánto cuesta el iPhone 15 Pro Max?",
        "¿Qué significa «Connection refused»?",
        "¿Para qué sirve response_model?",
        "¿Puedo usar Visual Studio Code en Windows?",
        "¿Cuándo se fundó Deutsche Bank?",
        "¿Por qué no arranca PostgreSQL?",
        "Como instalo el Let's Encrypt?",
        "¿Cuál es la clave del Wi-Fi?",
        "¿Hay un Holiday Inn Express en Lisboa?",
        "¿Quién es João da Silva?",
        "¿Cómo hago git rebase --interactive?",
        "¿Qué puerto usa redis-server?",
        "¿Qué es Schadenfreude?",
        "Donde veo los logs de Elasticsearch?",
        "¿Cómo se dice «obrigado» en español?",
        "Que hace OAuth2PasswordBearer?",
    ],
}

OTHERS = {
    "hu": ["Hogyan állítom vissza a jelszavamat?"],
    "de": ["Wie verbinde ich FastAPI mit RabbitMQ?", "Was kostet das iPhone 15 und wo gibt es das?"],
    "fr": ["Comment connecter FastAPI à RabbitMQ ?", "Quelle est la différence entre les deux serveurs ?"],
    "it": ["Come si collega il server con la rete?", "Che cosa significa questa parola?"],
    "sv": ["Hur kan jag ansluta till servern i kontoret?", "Hur återställer jag mitt lösenord?"],
    "pl": ["Jak mogę się połączyć z serwerem do pracy?"],
    "cs": ["Jak se mohu připojit k serveru a kde to je?"],
    "ro": ["Cum se face conexiunea de la server la client?"],
    "ca": ["Quina és la diferència entre els dos servidors?"],
    "da": ["Hvordan kan jeg få adgang til serveren for at arbejde?"],
    "nl": ["Waar is de sleutel van het kantoor?"],
    "uk": ["Як підключити FastAPI до RabbitMQ?", "Що таке сервер і де він стоїть?"],
}


@pytest.mark.parametrize(
    ("question", "language"),
    [
        (text, language)
        for known in (QUESTIONS, OTHERS)
        for language, texts in known.items()
        for text in texts
    ],
)
def test_names_and_code_do_not_change_the_language_of_a_question(question: str, language: str) -> None:
    assert detect_language(question) == language


def test_two_questions_tell_their_language_as_one_text_would() -> None:
    asked = [*(question for questions in QUESTIONS.values() for question in questions), "42?", "", "“open"]
    for one in asked[::7]:
        for other in asked:
            both = f"{one} {other[:1].lower()}{other[1:]}"
            assert languages_of_both(one, other) == languages_of_prose(both), both
