"""What a question asks for, and which sentences have that form."""

from __future__ import annotations

import pytest

from sourcebook.consult.question.asked_for.forms import AnswerForm, AskedForms
from sourcebook.consult.question.asked_for.wanted_form import wanted_form


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("what is FTBFS", "This fixes FTBFS (Fails To Build From Source) bugs."),
        ("what does HTML mean", "Pages are written in HyperText Markup Language (**HTML**)."),
        ("what is the dod", "The Department of Defense (DoD) paid for it."),
        ("what is cors", 'CORS or "Cross-Origin Resource Sharing" is for browsers.'),
        ("what is Uvicorn", "**Uvicorn**: an ASGI server."),
        ("what is ReAct", "We present ReAct, a general paradigm to combine reasoning and acting."),
        ("что такое апстрим", "Такие проекты принято называть «апстримом»."),
        ("что такое ГОСТ", "ГОСТ — это стандарт."),
        ("o que é um webhook", "Isso normalmente é chamado de **webhook**."),
    ],
)
def test_a_sentence_that_introduces_a_term_defines_it(question: str, sentence: str) -> None:
    assert AnswerForm.DEFINITION in AskedForms(question).met_by(sentence)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("what is rest", "Have a rest (you need it)."),
        ("what is pottery", "One challenge built into pottery is the clay."),
        ("what is uvicorn", "Run it with uvicorn, then open the page."),
        ("что такое сад", "Самое трудное в саду — это вода."),
    ],
)
def test_a_sentence_that_only_names_the_term_does_not(question: str, sentence: str) -> None:
    assert AnswerForm.DEFINITION not in AskedForms(question).met_by(sentence)


@pytest.mark.parametrize(
    ("said", "is_counted"),
    [
        ("Staff get 25 days.", True),
        ("Length of service: under 2 years; Days per year: 25", True),
        ("Days are given back.", False),
        ("Days per year: see below", False),
    ],
)
def test_things_are_counted_in_a_sentence_and_in_a_column(said: str, is_counted: bool) -> None:
    forms = AskedForms("How many days do I get?")
    assert (AnswerForm.COUNT in forms.met_by(said)) is is_counted


@pytest.mark.parametrize(
    ("said", "is_somebody"),
    [
        ("Rosa Lind made it.", True),
        ("- Ask the director.", True),
        ("- Create an empty file in the directory.", False),
        ("```Python\nfrom garden import Garden\n```", False),
        ("Write `import Garden` first.", False),
    ],
)
def test_neither_code_nor_a_word_at_the_beginning_of_an_item_is_somebody(
    said: str, is_somebody: bool
) -> None:
    gives = wanted_form("Who made it?", "en")
    assert gives is not None
    assert gives(said) is is_somebody
