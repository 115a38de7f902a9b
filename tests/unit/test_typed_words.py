"""Questions as people type them are read as they would be written."""

from __future__ import annotations

import pytest

from sourcebook.consult.question.asking_part import asking_part
from sourcebook.consult.question.words.typed_words import in_plain_spelling


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("wheres the key", "where is the key"),
        ("Whats the price, im not a member", "What is the price, i am not a member"),
        ("do u sell tickets pls", "do you sell tickets"),
        ("dont have a card, cant i pay cash", "do not have a card, can not i pay cash"),
        ("wheres the defibrilator", "where is the defibrilator"),
        ("do u treat horses", "do you treat horses"),
        ("I cant log in", "I can not log in"),
        ("cant open door", "can not open door"),
        ("im parking outside, is that ok", "i am parking outside, is that ok"),
        ("ive lost my key", "i have lost my key"),
        ("dont", "do not"),
        ("скока стоит сауна", "сколько стоит сауна"),
        ("чё делать если потерял ключ", "что делать если потерял ключ"),
        ("q horas abre", "que horas abre"),
        ("vc tem wifi", "você tem wifi"),
        ("pq o museu fecha", "por que o museu fecha"),
        ("ha piscina", "há piscina"),
        ("ha estacionamento", "há estacionamento"),
        ("ate que horas abre", "até que horas abre"),
        ("cuanto cuesta el desayuno", "cuánto cuesta el desayuno"),
        ("en donde aparco", "en dónde aparco"),
    ],
)
def test_a_word_that_asks_is_put_as_it_is_written(typed: str, written: str) -> None:
    assert in_plain_spelling(typed) == written
    assert asking_part(typed) == written


@pytest.mark.parametrize(
    "question",
    [
        "Where is the WhatsApp group?",
        "Wo steht die U-Bahn im Plan?",
        "What's in it,  and who's there?",
        "I feel ill, what now?",
        "Q&A",
        "Ha!",
        "What is PQ in the VC rules?",
        "Who is Jony Ive?",
        "Кто такой Че Гевара?",
        "Сколько стоит скок в шахматах?",
        "Че Гевара — кто это?",
        "Ate three apples, what now?",
        "Where is the cant rail?",
        "cant rail",
        "What is PLS regression?",
        "whats app number",
        "thx",
        "Was blüht im Frühling?",
        "Wer ist im Meeting?",
        "wer ist im meeting",
        "Wann ist im Training Pause?",
        "Steht im on-call-Plan etwas?",
        "¿Ha cambiado el horario?",
        "Ha cambiado el horario?",
        "¿Qué es un VC?",
        "Ha parcheggio?",
        "Ha parcheggio l'hotel?",
        "Ha un menù per bambini?",
        "Ha aperto il negozio?",
        "Qui est VC ici ?",
        "Comment mettre quelqu'un en PLS ?",
        "comment mettre un enfant en pls",
        "Combien coûte le cours de cant ?",
        "Када почиње настава?",
    ],
)
def test_other_words_stay_as_they_were_typed(question: str) -> None:
    assert in_plain_spelling(question) == question
