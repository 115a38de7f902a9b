"""Questions that are asked inside a conversation: the expert knows it, and the answer stays in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sourcebook import Settings, Sourcebook, Tier
from sourcebook.faces import draft_json_shapes
from sourcebook.faces.cli.terminal.draft_text import draft_lines, saved_lines
from sourcebook.faces.telegram.messages import answer_and_draft_texts
from sourcebook.locale import texts

CLASSES = """# Raku day

The raku day costs £95 and takes six hours. It is held on the first Sunday of the month.
"""
PARTIES = """# Parties

A clay animals party costs £145 and takes two hours.
"""
MEMBERS = """# Members

People can join as members once they have completed a course.
"""
FIRST, SHORT = "How much is the raku day?", "How many people can join?"
LOCAL = 1


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name, text in (("classes", CLASSES), ("parties", PARTIES), ("members", MEMBERS)):
        (folder / f"{name}.md").write_text(text, "utf-8")
    return folder


def asked_after(book: Sourcebook, first: str, question: str = SHORT) -> int:
    """The draft of a question that is asked after another one."""
    session = book.ask(first).session_id
    return int(str(book.ask(question, session=session).details["draft_id"]))


def test_an_expert_sees_what_was_asked_before(db: str, library: Path) -> None:
    with Sourcebook(settings=Settings(db=db)) as book:
        book.add(library)
        draft = book.moderation.get_item(asked_after(book, FIRST))
        assert draft_json_shapes.draft(draft)["asked_after"] == FIRST
        assert f"Asked after: {FIRST}" in draft_lines(draft, [], None)
        assert f"Перед этим спросили: {FIRST}" in answer_and_draft_texts.draft(texts("ru"), draft).text


def test_an_answer_about_what_was_asked_before_is_not_given_elsewhere(db: str, library: Path) -> None:
    with Sourcebook(settings=Settings(db=db)) as book:
        book.add(library)
        draft = book.moderation.get_item(asked_after(book, FIRST))
        entry = book.moderation.approve_moderation_item(
            draft.id, LOCAL, answer="8 people can join the raku day."
        )
        assert entry.question == f"{FIRST} {SHORT}"
        assert f"  Question: {entry.question}" in list(saved_lines(draft, entry, is_guessed=False))
        other = book.ask("How much is a clay animals party?").session_id
        elsewhere = book.ask(SHORT, session=other)
        assert elsewhere.tier is not Tier.CURATED
        same = book.ask(FIRST).session_id
        assert book.ask(SHORT, session=same).curated_id == entry.id


def test_an_answer_that_is_not_about_it_is_kept_for_the_question_alone(db: str, library: Path) -> None:
    with Sourcebook(settings=Settings(db=db)) as book:
        book.add(library)
        draft = asked_after(book, FIRST, "Is there a car park?")
        book.moderation.answer_item(draft, LOCAL, "Yes, behind the studio.")
        assert book.ask("Is there a car park?").tier is Tier.CURATED
