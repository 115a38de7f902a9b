from __future__ import annotations

import pytest

from sourcebook.consult.question.words.named_days import Day, named_days


@pytest.mark.parametrize(
    "text",
    [
        "Who is on duty on 6 May?",
        "on May 6th",
        "the 6th of May",
        "кто дежурит 6 мая?",
        "em 6 de maio",
        "el 6 de mayo de 2026",
        "06/05/2026",
        "6.5.2026",
        "2026-05-06",
        "Date: 06.05; Show: The Snow Queen",
        "| 6/5 | The Snow Queen |",
    ],
)
def test_a_day_is_known_however_it_is_written(text: str) -> None:
    assert named_days(text) == {Day(5, 6)}


@pytest.mark.parametrize(
    "text",
    [
        "From 06:05 to 17:30",
        "£6.05",
        "version 6.5",
        "Price: 6.50; Size: 6.5 kg",
        "maybe 6",
        "You may 99 times",
        "6",
        "",
        "13/13/2026",
    ],
)
def test_times_prices_and_versions_are_no_days(text: str) -> None:
    assert named_days(text) == frozenset()


def test_other_dates_of_a_text_tell_which_number_is_the_month() -> None:
    assert named_days("05/06/2026", "05/06/2026 … 05/31/2026") == {Day(5, 6)}
    assert named_days("05/06/2026", "05/06/2026 … 31/05/2026") == {Day(6, 5)}


def test_a_day_without_its_year_counts_only_in_a_column_of_days() -> None:
    tables = (
        "# Bakery\n\n| item | price |\n|---|---|\n| Cake | 4.12 |\n| Soup | 10.11 |\n\n"
        "# Releases\n\n| version | name |\n|---|---|\n| 10.10 | Yosemite |\n\n"
        "# Rota\n\n| date | on duty |\n|---|---|\n| 17.10 | Ann |\n| 24.10 | Bob |\n"
    )
    assert named_days(tables) == {Day(10, 17), Day(10, 24)}
    assert named_days("date: 17.10 · on duty: Ann", tables) == {Day(10, 17)}
    assert named_days("version: 10.10 · name: Yosemite", tables) == frozenset()


@pytest.mark.parametrize(
    "row",
    [
        "Due date: 4.12; Item: rent",
        "Date of issue: 4.12; Item: pass",
        "Дата: 4.12; Кто: Анна",
        "Data: 4.12; Quem: Ana",
        "Día: 4.12; Quién: Ana",
    ],
)
def test_the_name_of_a_column_tells_that_it_is_of_days(row: str) -> None:
    assert named_days(row) == {Day(12, 4)}


@pytest.mark.parametrize(
    "row", ["Price per day: 4.12; Item: bike", "Цена за день: 4.12; Что: лыжи", "Out: 4.12; In: 5"]
)
def test_other_columns_are_not_of_days(row: str) -> None:
    assert named_days(row) == frozenset()


def test_a_column_of_full_dates_is_of_days_whatever_its_name() -> None:
    rows = "Show: Swan Lake; Evening: 4.12.2026\nShow: Carmen; Evening: 5.12"
    assert named_days("Show: Carmen; Evening: 5.12", rows) == {Day(12, 5)}
    assert named_days("Show: Carmen; Evening: 5.12", rows + "\nShow: Tosca; Evening: 3.50") == frozenset()


def test_the_column_tells_which_number_is_the_month() -> None:
    rows = "Date: 5.6; Who: Ann\nDate: 5.31; Who: Bob"
    assert named_days("Date: 5.6; Who: Ann", rows) == {Day(5, 6)}
