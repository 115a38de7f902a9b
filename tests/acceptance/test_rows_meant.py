"""A row is quoted only if the day, the person and the value that a question names may be its own."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from sourcebook import Settings, Sourcebook
from sourcebook.consult.question.words.named_people import full_names, is_another

TABLES = {
    "releases.md": "# Releases\n\n| version | name | year |\n|---|---|---|\n| 10.10 | Yosemite | 2014 |\n"
    "| 10.12 | Sierra | 2016 |\n\n# Prices\n\n| item | price |\n|---|---|\n| Coffee | 3.50 |\n| Cake | 4.12 |\n",
    "events.md": "# Events\n\n| date | event | place |\n|---|---|---|\n| 10.10 | Harvest fair | Yard |\n"
    "| 24.12 | Carols | Church |\n",
    "people.md": "# People\n\n| name | role |\n|---|---|\n| Anna Berg | Treasurer |\n| Berg | Caretaker |\n",
}


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Generator[Sourcebook]:
    folder = tmp_path_factory.mktemp("tables")
    for name, text in TABLES.items():
        (folder / name).write_text(text, encoding="utf-8")
    with Sourcebook(settings=Settings(db=str(folder / "base.db"), chat_model="none")) as opened:
        opened.add(folder)
        yield opened


@pytest.mark.parametrize(
    "question",
    [
        "what is on 12 October",
        "what is on 3 May",
        "what is on 4 December",
        "what role does Peter Berg have",
        "what is the price of Yosemite",
    ],
)
def test_rows_of_something_else_are_not_quoted(book: Sourcebook, question: str) -> None:
    answer = book.ask(question).answer
    assert not any(cell in answer for cell in ("Sierra", "Coffee", "Cake", "Berg", "Yosemite"))


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("what is on 10 October", "Harvest fair"),
        ("what is on 24 December", "Carols"),
        ("what role does Anna Berg have", "Treasurer"),
        ("how much is the cake", "4.12"),
    ],
)
def test_the_row_that_is_meant_is_quoted_alone(book: Sourcebook, question: str, row: str) -> None:
    answer = book.ask(question).answer
    assert row in answer
    assert "Yosemite" not in answer
    assert "Caretaker" not in answer


def test_somebody_with_another_first_name_is_somebody_else() -> None:
    (asked,) = full_names("What is the phone of Peter Berg?")
    assert is_another(asked, "Anna Berg")
    assert not any(
        is_another(asked, cell) for cell in ("Berg", "P. Berg", "Berg Peter", "Peter Hill Berg", "Anna Hill")
    )
    assert full_names("What is the phone of Dr Berg?") == []
    assert full_names("Где Анна?") == []
