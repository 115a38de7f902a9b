from __future__ import annotations

import pytest

from sourcebook.consult.question.named_days import Day, named_days


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
