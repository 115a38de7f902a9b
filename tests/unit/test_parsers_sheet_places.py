"""Which rows of a sheet have a place together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcebook.ingest.parsers.office import sheets
from sourcebook.ingest.parsers.office.sheets import MOST_RUNS, SheetText
from sourcebook.ingest.parsers.table_rows import Row

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pytest


def places(rows: Iterable[Row]) -> list[str]:
    sheet = SheetText()
    sheet.add("Data", rows, is_only=False)
    return [heading.name for heading in sheet.built.headings if heading.level == 2]


def test_rows_that_follow_each_other_have_one_place() -> None:
    assert places(Row(number, {0: "1"}) for number in range(1, 21)) == ["A1:A20"]


def test_a_place_names_few_runs_of_rows() -> None:
    first, second = places(Row(3 * number, {0: "1"}) for number in range(1, MOST_RUNS + 2))
    assert first == "A3:A3, A6:A6, A9:A9, A12:A12, A15:A15"
    assert second == "A18:A18"


def test_a_place_ends_before_it_is_long() -> None:
    assert places(Row(number, {0: "7" * 200}) for number in range(1, 6)) == ["A1:A3", "A4:A5"]


def test_each_row_is_compared_only_with_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []

    def count(before: int, number: int) -> bool:
        compared.append(number)
        return number - before in (0, 1)

    monkeypatch.setattr(sheets, "_follows", count)
    places(Row(number, {0: "1"}) for number in range(1, 101))
    assert len(compared) <= 3 * 100
