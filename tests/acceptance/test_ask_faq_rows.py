"""A sheet or table of questions and answers: the answer is quoted whole, without the names of the columns."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from sourcebook import Settings, Sourcebook, Tier

FAQ = """question,answer,updated
How do I reset my password?,"Open Settings and press Reset; you get a mail. It is valid for an hour.",2026-01-10
Can I change the address after ordering?,"Yes, until the parcel has been handed to the courier.",2026-01-10
What does express delivery cost?,Express delivery costs 9.90 euros within the EU.,2026-02-01
"""
TABLE = """# Вопросы жильцов

| № | Вопрос | Ответ |
|---|---|---|
| 1 | Когда дают горячую воду? | Горячую воду дают **круглосуточно**, кроме июля. О датах пишут на двери. |
| 2 | Кому звонить, если застрял лифт? | Диспетчеру лифтов: 8 495 111-22-33. |
"""
SERVICES = """Услуга;Цена, руб.;Примечание
Уборка комнаты;900;Заявка до 12:00. Бельё не входит.
Химчистка ковра;2500;Только по будням. Ковёр забирает курьер.
"""


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Generator[Sourcebook]:
    folder = tmp_path_factory.mktemp("sheets")
    (folder / "docs").mkdir()
    (folder / "docs" / "faq.csv").write_text(FAQ, encoding="utf-8")
    (folder / "docs" / "services.csv").write_text(SERVICES, encoding="utf-8")
    (folder / "docs" / "house.md").write_text(TABLE, encoding="utf-8")
    with Sourcebook(settings=Settings(db=str(folder / "base.db"), chat_model="none")) as opened:
        assert opened.add(str(folder / "docs")).added == 3
        yield opened


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (
            "How do I reset my password?",
            "**How do I reset my password?**\n\n"
            "Open Settings and press Reset; you get a mail. It is valid for an hour. [1]",
        ),
        ("What is the price of express delivery?", "Express delivery costs 9.90 euros within the EU. [1]"),
        (
            "Can I still change the address after ordering?",
            "**Can I change the address after ordering?**\n\n"
            "Yes, until the parcel has been handed to the courier. [1]",
        ),
        (
            "Когда дают горячую воду?",
            "Горячую воду дают **круглосуточно**, кроме июля. О датах пишут на двери. [1]",
        ),
        (
            "Застрял лифт, кому звонить?",
            "**Кому звонить, если застрял лифт?**\n\nДиспетчеру лифтов: 8 495 111-22-33. [1]",
        ),
    ],
)
def test_the_answer_of_a_row_is_quoted_whole(book: Sourcebook, question: str, answer: str) -> None:
    found = book.ask(question)
    assert (found.tier, found.answer) == (Tier.DOCUMENTS, answer)
    (citation,) = found.citations
    assert citation.verified
    assert citation.quote.endswith(found.answer.removesuffix(" [1]").rpartition("\n")[2])


def test_a_row_is_not_cut_within_a_cell(book: Sourcebook) -> None:
    answer = book.ask("Сколько стоит химчистка ковра?").answer
    assert "2500" in answer
    assert "Только по будням. Ковёр забирает курьер." in answer
