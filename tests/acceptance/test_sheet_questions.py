"""Questions about the rows of a sheet, with the real embedder."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from sourcebook import Settings, Sourcebook

PEOPLE = ("Aisha Khan", "Tom Beale", "Peter Marsh", "Rui Teixeira", "Oksana Litvin")
DAYS = range(4, 21)


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Generator[Sourcebook]:
    folder = tmp_path_factory.mktemp("sheet")
    rows = [
        f"{day:02}/05/2026,{'Night' if day % 2 else 'Day'},{'21:30' if day % 2 else '09:00'},{PEOPLE[day % 5]}"
        for day in DAYS
    ]
    (folder / "rota.csv").write_text("Date,Shift,From,On duty\n" + "\n".join(rows) + "\n", encoding="utf-8")
    (folder / "stock.csv").write_text(
        "Item,Price,In stock\nFirst-aid kit,£32.99,6\nTorch,£9.50,9\n", encoding="utf-8"
    )
    with Sourcebook(settings=Settings(db=str(folder / "base.db"), chat_model="none")) as opened:
        opened.add(folder)
        yield opened


@pytest.mark.parametrize("day", [6, 9, 12, 17])
def test_a_question_about_a_day_is_answered_by_the_row_of_that_day_alone(book: Sourcebook, day: int) -> None:
    answer = book.ask(f"Who is on duty on {day} May?").answer
    assert f"Date: {day:02}/05/2026" in answer
    assert PEOPLE[day % 5] in answer
    assert answer.count("Date:") == 1
