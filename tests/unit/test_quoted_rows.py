"""Rows of tables in quotes, as a person reads them."""

from __future__ import annotations

import pytest

from sourcebook.curate.quoted_rows import shown_row, told_quote

HEAD = "| Day | Shop |\n|---|---|"
FRIDAY, SATURDAY = "| Friday | 11:00 – 17:00 |", "| Saturday | closed |"


@pytest.mark.parametrize(
    ("quote", "answer", "told"),
    [
        ("We open\nat nine.", "", "We open at nine."),
        (f"{HEAD}\n{FRIDAY}", "", "Day: Friday · Shop: 11:00 – 17:00"),
        (
            f"{HEAD}\n{FRIDAY}\n{SATURDAY}",
            "",
            "Day: Friday · Shop: 11:00 – 17:00; Day: Saturday · Shop: closed",
        ),
        (f"In winter:\n\n{HEAD}\n{FRIDAY}", "", "In winter:  Day: Friday · Shop: 11:00 – 17:00"),
        (FRIDAY, "", "Friday · 11:00 – 17:00"),
        (FRIDAY, "- Day: Friday · Shop: 11:00 – 17:00 [1]", "Day: Friday · Shop: 11:00 – 17:00"),
    ],
)
def test_a_row_is_told_with_the_names_of_its_columns(quote: str, answer: str, told: str) -> None:
    assert told_quote(quote, answer).split() == told.split()


TABLE = f"{HEAD}\n| Friday | North door. Ring the bell. |\n{SATURDAY}\n"


@pytest.mark.parametrize(
    ("sentence", "row"),
    [
        ("Day: Saturday · Shop: closed", SATURDAY),
        ("Shop: closed", SATURDAY),
        ("Ring the bell.", "| Friday | North door. Ring the bell. |"),
        ("No", None),
        ("The shop is closed on Saturday.", None),
    ],
)
def test_a_sentence_shows_a_row_by_whole_words_of_it(sentence: str, row: str | None) -> None:
    found = shown_row(sentence, TABLE, TABLE)
    assert (None if found is None else TABLE[slice(*found)]) == row
