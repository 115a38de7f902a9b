"""Headings that name the subject of a question."""

from __future__ import annotations

import pytest

from sourcebook.consult.evidence.subject_heading import likeness_of


@pytest.mark.parametrize(
    "heading", ["Static files", "## Static files {#static-files}", "4.2 Static files (advanced)"]
)
def test_a_heading_names_the_subject_whatever_stands_around(heading: str) -> None:
    assert likeness_of(heading, {"serv": 1.0, "static": 2.0, "file": 1.0}, "en") > 0.5


@pytest.mark.parametrize(
    "heading", ["", "Files", "Testing a database with fixtures", "Response files of other kinds"]
)
def test_a_heading_that_is_about_something_else_or_about_more_does_not(heading: str) -> None:
    assert likeness_of(heading, {"serv": 1.0, "static": 2.0, "file": 1.0}, "en") == 0.0
