"""A stale answer as its sources say it now."""

from __future__ import annotations

import pytest

from sourcebook.curate.source_changes import change_of, in_new_words
from sourcebook.model.chat import SourceState
from sourcebook.model.curation import ContextChange, CuratedSource, SourceChange


def changed(before: str, after: str | None) -> SourceChange:
    return SourceChange("d", "soil.md", None, SourceState.CHANGED, before, after)


@pytest.mark.parametrize(
    ("answer", "before", "after", "renewed"),
    [
        ("Use 20 g. [1] Never. [1]", "Use 20 g. Never.", "Use 35 g. Never.", "Use 35 g. [1] Never. [1]"),
        ("Use 20 g. [1]", "Use 20 g.", "Use 35 g. Wait a week.", "Use 35 g. Wait a week. [1]"),
        ("Take twenty grams. [1]", "Use 20 g.", "Use 35 g.", None),
        ("Use 20 g. [1]", "Use 20 g.", None, None),
        ("Use 20 g. Never more. [1]", "Use 20 g. Never more.", "Use 20 g.", None),
    ],
    ids=["one of two", "one becomes two", "an expert's own words", "gone", "a sentence left out"],
)
def test_quoted_sentences_are_said_as_the_source_says_them_now(
    answer: str, before: str, after: str | None, renewed: str | None
) -> None:
    assert in_new_words(answer, [changed(before, after)]) == renewed


TABLE = "| Day | Time | Service |\n| Sunday | 9:15 | Communion |\n| 24 December | 23:15 | Midnight Mass |"
NOW = TABLE.replace("23:15", "22:45")


@pytest.mark.parametrize(
    ("answer", "after", "renewed"),
    [
        (
            "Day: 24 December · Time: 23:15 · Service: Midnight Mass [1]",
            NOW,
            "Day: 24 December · Time: 22:45 · Service: Midnight Mass [1]",
        ),
        ("- 24 December · 23:15 · Midnight Mass [1]", NOW, "- 24 December · 22:45 · Midnight Mass [1]"),
        (
            "24 December · 23:15 · Midnight Mass [1]",
            f"{NOW}\n| 25 December | 10:00 | Mass |",
            "24 December · 22:45 · Midnight Mass [1]",
        ),
        ("Midnight Mass is at 23:15. [1]", NOW, None),
        ("24 December · 23:15 · Midnight Mass [1]", TABLE.replace("23:15", ""), None),
    ],
    ids=["with names", "without", "a row is added", "an expert's own words", "a cell is emptied"],
)
def test_a_row_is_said_with_the_cells_that_it_has_now(answer: str, after: str, renewed: str | None) -> None:
    assert in_new_words(answer, [changed(TABLE, after)]) == renewed


def test_a_row_that_may_have_become_either_of_two_is_not_guessed_at() -> None:
    after = TABLE.replace(
        "| 24 December | 23:15 | Midnight Mass |",
        "| 24 December | 22:00 | Carols |\n| 24 December | 23:00 | Mass |",
    )
    assert in_new_words("24 December · 23:15 · Midnight Mass [1]", [changed(TABLE, after)]) is None


def test_what_changed_in_a_table_is_told_cell_by_cell_without_the_other_rows() -> None:
    source = CuratedSource("default", "d", "services.html", TABLE, state=SourceState.CHANGED)
    change = change_of(source, f"Services\n\n{NOW}\n\nAll are welcome.\n")
    assert (change.before, change.after) == (TABLE, NOW)
    assert change.told_before == "Day: 24 December · Time: 23:15 · Service: Midnight Mass"
    assert change.told_after == "Day: 24 December · Time: 22:45 · Service: Midnight Mass"
    assert [(run.kind, run.text) for run in change.words if run.kind != "same"] == [
        ("removed", "23:15"),
        ("added", "22:45"),
    ]


@pytest.mark.parametrize(("text", "count"), [(None, 0), ("Something else.", 0), ("Use 20 g. Wait.", 1)])
def test_nothing_is_said_to_stand_around_words_that_are_gone(text: str | None, count: int) -> None:
    before = ContextChange("sentence_before", "In spring.", "In autumn.")
    source = CuratedSource(
        "c", "d", "soil.md", "Use 20 g.", state=SourceState.CHANGED, context_changes=(before,)
    )
    assert len(change_of(source, text).context) == count
