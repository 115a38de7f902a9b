"""Questions in another language than the texts, with the real embedder: on a few pages, and among pages in both."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from sourcebook import Settings, Sourcebook, Tier

ENGLISH = {
    "dress": "Smart casual is fine on most days: a shirt or a jumper, trousers or a skirt. When clients visit, please "
    "wear a jacket. On Fridays jeans are welcome.",
    "travel": "Book trains through the travel desk. Hotels may cost up to 180 pounds a night in London and 120 pounds "
    "elsewhere. Meals are paid at a flat rate of 35 pounds a day.",
}
RUSSIAN = {
    "bicycle": "Гарантия на раму велосипеда составляет пять лет. Покупатель обращается в мастерскую с чеком.",
    "library": "Библиотека открыта по будням с десяти до семи. Книги выдаются на три недели.",
}


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> Generator[Sourcebook]:
    yield from _book(tmp_path_factory.mktemp("english"), ENGLISH)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Generator[Sourcebook]:
    yield from _book(tmp_path_factory.mktemp("both"), ENGLISH | RUSSIAN)


@pytest.fixture(scope="module")
def translated(tmp_path_factory: pytest.TempPathFactory) -> Generator[Sourcebook]:
    folder = tmp_path_factory.mktemp("translated")
    for name, text in ERRORS.items():
        (folder / "docs" / name).mkdir(parents=True)
        (folder / "docs" / name / "errors.md").write_text(f"# Errors\n\n{text}\n", encoding="utf-8")
    for book in _book(folder, {}):
        book.add(str(folder / "docs"))
        yield book


def _book(folder: Path, texts: dict[str, str]) -> Generator[Sourcebook]:
    with Sourcebook(settings=Settings(db=str(folder / "base.db"), chat_model="none")) as opened:
        for name, text in texts.items():
            opened.add_text(text, id=name, title=name.title())
        yield opened


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("Какой дресс-код в офисе?", "dress"),
        ("Posso usar jeans na sexta-feira?", "dress"),
        ("Qual é o limite de hotel em Londres?", "travel"),
        ("Сколько может стоить гостиница в Лондоне?", "travel"),
    ],
)
def test_two_pages_answer_a_question_in_another_language(
    english: Sourcebook, question: str, document: str
) -> None:
    answer = english.ask(question)
    assert answer.tier is Tier.DOCUMENTS
    assert answer.citations[0].document_id == document
    assert answer.details["other_language"] == "en"


@pytest.mark.parametrize(
    "question",
    ["Какая температура плавления олова?", "Qual é a capital da Noruega?", "Кто основал компанию?"],
)
def test_two_pages_decline_what_they_do_not_hold_in_another_language(
    english: Sourcebook, question: str
) -> None:
    assert english.ask(question).tier is Tier.NONE


def test_a_fact_in_another_language_is_found_among_texts_in_that_of_the_question(both: Sourcebook) -> None:
    answer = both.ask("Сколько может стоить гостиница в Лондоне?")
    assert answer.citations[0].document_id == "travel"
    assert answer.details["other_language"] == "en"
    own = both.ask("Какая гарантия на раму велосипеда?")
    assert (own.citations[0].document_id, own.details["other_language"]) == ("bicycle", None)
    assert both.ask("Какая температура плавления олова?").tier is Tier.NONE


TOWNS = "Bath Cardiff Dover Exeter Falmouth Gosport Hull Ipswich Leith Margate Norwich Oban Poole Whitby"
HARBOURS = {
    name: f"The hotel by the harbour of {name} has rooms for business guests. A trip along the coast takes "
    f"{hours} hours, and boats leave twice a day. The speed limit in the harbour is {hours + 1} knots per hour."
    for hours, name in enumerate(TOWNS.split(), start=2)
}
TRAVEL = {
    "trips": "Лимит на гостиницу — 120 евро за ночь в Лиссабоне и 95 евро в Таллине. Билеты покупает бухгалтерия.",
    "winter": "Последнюю лодку поднимают из воды до 25 октября. Аккумуляторы хранят в тёплой мастерской.",
}


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("Which hotel limit per night applies to business trips in Lisbon?", "trips"),
        ("By when must the last boat be out of the water?", "winter"),
    ],
)
def test_many_texts_that_share_words_with_a_question_do_not_hide_what_is_near_in_another_language(
    tmp_path: Path, question: str, document: str
) -> None:
    for book in _book(tmp_path, HARBOURS | TRAVEL):
        declined = book.ask(question)
        assert declined.tier is Tier.NONE
        assert TRAVEL[document] in declined.nearest_excerpts
        own = book.ask("What is the speed limit in the harbour of Oban?")
        assert [each.document_id for each in own.citations] == ["Oban"]
        unrelated = book.ask("Who repairs the sails?").nearest
        assert not TRAVEL.keys() & {each.chunk.document_id for each in unrelated}


ERRORS = {
    "guide-en": "You do not return an HTTPException, you raise it. Larch then answers with the code 400.",
    "guide-pt": "Uma HTTPException não é devolvida com return: faça raise. O Larch responde com o código 400.",
    "guide-ru": "Исключение HTTPException не возвращают через return, его вызывают через raise. Код ответа — 400.",
}


@pytest.mark.parametrize(
    ("question", "folder"),
    [
        ("Should I return or raise an HTTPException?", "guide-en"),
        ("Devo dar return ou raise numa HTTPException?", "guide-pt"),
        ("HTTPException возвращают через return или raise?", "guide-ru"),
    ],
)
def test_of_three_translations_the_one_in_the_language_of_the_question_answers(
    translated: Sourcebook, question: str, folder: str
) -> None:
    answer = translated.ask(question)
    (citation,) = answer.citations
    assert folder in citation.document_path
    assert answer.details["other_language"] is None


def test_a_text_that_is_merely_near_does_not_answer_in_another_language_than_the_base_holds(
    tmp_path: Path,
) -> None:
    rules = (
        "The rent for a full plot is 64 pounds a year. Rent is due on 1 October. Whoever has not paid by 15 November "
        "loses the plot, and it is offered to the next person on the waiting list."
    )
    workshop = (
        "Сколько стоит аренда верстака? Час стоит 350 рублей, день 1800 рублей. Что делать, если станок сломался? "
        "Нажмите красную кнопку и позовите мастера. Если до занятия меньше суток, возвращаем половину денег."
    )
    for book in _book(tmp_path, {"rules": rules, "workshop": workshop}):
        late = book.ask("What happens if I pay late?")
        assert late.details.get("other_language") is None
        assert "workshop" not in [each.document_id for each in late.citations]
        assert book.ask("How much does a workbench cost per hour?").citations[0].document_id == "workshop"
