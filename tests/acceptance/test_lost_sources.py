"""Approved answers whose source is removed: what the documents say about something else does not take their place."""

from __future__ import annotations

from pathlib import Path

import pytest

from sourcebook import Settings, Sourcebook, Tier
from sourcebook.faces import json_shapes
from sourcebook.faces.cli.terminal.answer_text import say_sources
from sourcebook.locale import texts

CLASSES = """# Classes

The beginners' course costs £210 for six Tuesday evenings.
"""
MEMBERSHIP = """# Membership

You can become a member once you have completed our beginners' course. There is a joining fee of £30 for the course
of induction.
"""
GLAZES = "# Glazes\n\nGlazes are mixed on Fridays.\n"
QUESTION = "How much is the beginners' course?"
LOCAL = 1


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name, text in (("classes", CLASSES), ("membership", MEMBERSHIP), ("glazes", GLAZES)):
        (folder / f"{name}.md").write_text(text, "utf-8")
    return folder


def approve(book: Sourcebook, library: Path) -> int:
    book.add(library)
    given = book.ask(QUESTION)
    return book.moderation.approve_moderation_item(int(str(given.details["draft_id"])), LOCAL).id


def test_another_fact_is_not_given_as_what_the_documents_say_now(
    db: str, library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Sourcebook(settings=Settings(db=db)) as book:
        entry = approve(book, library)
        (library / "classes.md").unlink()
        book.add(library)
        given = book.ask(QUESTION)
        assert (given.tier, given.curated_id) == (Tier.CURATED, entry)
        assert "£210" in given.answer
        assert "outdated" not in given.details
        # What comes closest is shown as that, for the reader to judge.
        assert json_shapes.answer(given)["notice"] == texts("en")("stale_removed")
        say_sources(given)
        said = capsys.readouterr().out
        assert said.index("classes.md is no longer in the base") < said.index("£30")
        assert texts("en")("closest_says", name="", text="").split(":")[0] in said


def test_the_same_fact_from_another_document_is(db: str, library: Path) -> None:
    with Sourcebook(settings=Settings(db=db)) as book:
        entry = approve(book, library)
        (library / "classes.md").unlink()
        (library / "prices.md").write_text(CLASSES.replace("£210", "£230"), "utf-8")
        book.add(library)
        given = book.ask(QUESTION)
        assert given.tier is Tier.DOCUMENTS
        assert "£230" in given.answer
        outdated = given.details["outdated"]
        assert isinstance(outdated, dict)
        assert (outdated["id"], outdated["removed"]) == (entry, True)
        assert json_shapes.answer(given)["notice"] == texts("en")("outdated_removed")


HOURS = """# Opening hours

| Day | Studio | Shop |
|---|---|---|
| Monday | closed | closed |
| Friday | 9:00 – 18:00 | 11:00 – 17:00 |
| Saturday | 10:00 – 18:00 | 10:00 – 17:00 |
"""


def test_another_row_of_the_same_table_may_change(db: str, tmp_path: Path) -> None:
    folder = tmp_path / "hours"
    folder.mkdir()
    page = folder / "hours.md"
    page.write_text(HOURS, "utf-8")
    with Sourcebook(settings=Settings(db=db)) as book:
        book.add(folder)
        asked = "When is the shop open on Saturday?"
        entry = book.moderation.approve_moderation_item(int(str(book.ask(asked).details["draft_id"])), LOCAL)
        page.write_text(HOURS.replace("| Monday | closed |", "| Monday | 9:00 – 12:00 |"), "utf-8")
        book.add(folder)
        given = book.ask(asked)
        assert (given.curated_id, given.details["stale"]) == (entry.id, None)
        # Rows that say much the same stand beside it, but what is shown as new is its own.
        page.write_text(HOURS.replace("10:00 – 18:00 | 10:00 – 17:00", "closed | 11:00 – 17:00"), "utf-8")
        book.add(folder)
        given = book.ask(asked)
        assert given.tier is Tier.DOCUMENTS
        (stale,) = book.moderation.get_pending_moderation_items()
        (change,) = book.moderation.changes(stale.id)
        assert change.told_after == "Day: Saturday · Studio: closed · Shop: 11:00 – 17:00"
        assert book.moderation.in_new_words(stale.id) == f"{change.told_after} [1]"
