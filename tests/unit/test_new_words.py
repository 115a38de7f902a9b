"""A stale answer as its sources say it now."""

from __future__ import annotations

import pytest

from sourcebook.curate.source_changes import in_new_words
from sourcebook.model.chat import SourceState
from sourcebook.model.curation import SourceChange


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
