"""Rows of a table say the names of their columns, also of those that stand in two rows."""

from __future__ import annotations

import pytest

from sourcebook.text.layout.tables import named_rows


def said(*rows: str) -> list[str]:
    return list(named_rows("\n".join(["Before.", "", *rows])).values())


def test_names_in_two_rows_are_told_together() -> None:
    assert said(
        "| Stop | Weekdays |  | Sunday |  |",
        "|  | first | last | first | last |",
        "| Ilha | 06:10 | 22:40 | 08:00 | 20:00 |",
    ) == [
        "Stop: Ilha · Weekdays, first: 06:10 · Weekdays, last: 22:40 · Sunday, first: 08:00 · Sunday, last: 20:00"
    ]


def test_the_corner_above_the_first_name_may_be_empty() -> None:
    rows = ("|  | Weekdays |  | Fare |", "| Stop | first | last |  |", "| Ilha | 06:10 | 22:40 | 2 |")
    assert said(*rows) == ["Stop: Ilha · Weekdays, first: 06:10 · Weekdays, last: 22:40 · Fare: 2"]


def test_years_may_name_groups_and_columns() -> None:
    rows = ("| Item | 2025 |  |", "|  | plan | real |", "| Sugar | 1 | 2 |")
    assert said(*rows) == ["Item: Sugar · 2025, plan: 1 · 2025, real: 2"]
    rows = ("| Item | Plan |  |", "|  | 2025 | 2026 |", "| Sugar | 1 | 2 |")
    assert said(*rows) == ["Item: Sugar · Plan, 2025: 1 · Plan, 2026: 2"]


@pytest.mark.parametrize(
    "rows",
    [
        ("| Name | Phone |  |", "| Ann |  | called twice |", "| Tom | 12 |  |"),
        ("| Name | Phone |  |", "|  | 12 | 15 |", "| Tom | 12 |  |"),
        ("| Name | Phone |  |", "|  | 12-30 |  |", "| Tom | 12 |  |"),
        ("| Name |  | Sum |", "| Sugar | sweet | 2 |", "| Tea | hot | 3 |"),
    ],
)
def test_a_row_of_values_is_no_second_header(rows: tuple[str, ...]) -> None:
    assert not any(", " in row.split(": ")[0] for row in said(*rows))


def test_a_row_with_empty_cells_below_a_header_is_a_row() -> None:
    rows = ("| Item | Note | Sum |", "| Sugar |  | 2 |", "| Tea | hot | 3 |")
    assert said(*rows) == ["Item: Sugar · Sum: 2", "Item: Tea · Note: hot · Sum: 3"]


def test_the_corner_of_a_table_may_be_empty() -> None:
    rows = ("|  | Lime honey, kg | Spring honey, kg |", "| 2024 | 38.5 | 25 |", "| 2025 | 52 | 17 |")
    assert said(*rows)[1] == "2025 · Lime honey, kg: 52 · Spring honey, kg: 17"
    assert said("|  | Phone | Room |", "|  | 12 | 3 |", "| Anna | 13 | 4 |") == []
