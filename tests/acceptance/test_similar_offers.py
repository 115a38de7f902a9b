"""An approved answer to a similar question is offered, taken, and its wording learned: on both databases."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from tests.faces.shell import Here

from sourcebook import Settings, Sourcebook, Tier, Visit
from sourcebook.errors import CuratedAnswerNotFound
from sourcebook.faces.draft_json_shapes import resembling
from sourcebook.model.curation import WordingStatus
from sourcebook.model.moderation import DraftStatus
from sourcebook.settings import masked

KNOWN = "What is the hotel limit in London?"
ASKED = "What is the maximum for London hotels?"
ANSWER = "In London a hotel may cost 180 pounds a night."
OTHER = "Who feeds the office cat?"


@pytest.fixture
def book(db: str) -> Sourcebook:
    return Sourcebook(settings=Settings(db=db))


def test_an_offer_is_taken_and_the_wording_learned_from_two_people(book: Sourcebook) -> None:
    with book:
        entry = book.curated.insert(ANSWER, category="travel", question=KNOWN)
        anna, boris, vera = (book.people.create_user(username=name).id for name in ("anna", "boris", "vera"))
        for number, person in enumerate((anna, boris)):
            asked = book.reception.ask(Visit(person, "web:1", ASKED, f"q{number}"))
            assert [(one.id, one.question) for one in asked.answer.similar] == [(entry.id, KNOWN)]
            draft = book.moderation.get_item(asked.draft_id or 0)
            assert [one["id"] for one in resembling(draft)] == [entry.id]
            taken = book.reception.ask(Visit(person, "web:1", ASKED, f"t{number}", similar=entry.id))
            assert (taken.answer.tier, taken.answer.curated_id, taken.charged) == (Tier.CURATED, entry.id, 0)
            again = book.reception.ask(Visit(person, "web:1", ASKED, f"t{number}", similar=entry.id))
            assert (again.was_repeated, again.answer.curated_id) == (True, entry.id)
            closed = book.moderation.get_item(draft.id)
            assert (closed.status, closed.kb_id) == (DraftStatus.CANCELLED, entry.id)
            (learned,) = book.curated.get(entry.id).wordings
            assert (learned.question, learned.people) == (ASKED, number + 1)
        (wording,) = book.curated.get(entry.id).wordings
        assert wording.status is WordingStatus.CONFIRMED
        third = book.reception.ask(Visit(vera, "web:1", ASKED.lower(), "q9"))
        assert (third.answer.tier, third.answer.curated_id) == (Tier.CURATED, entry.id)
        book.curated.reject_wording(wording.id)
        assert book.ask(ASKED).curated_id is None


def test_nobody_can_attach_a_question_to_an_answer_that_is_not_offered_for_it(book: Sourcebook) -> None:
    with book:
        entry = book.curated.insert(ANSWER, category="travel", question=KNOWN)
        with pytest.raises(CuratedAnswerNotFound):
            book.ask(OTHER, similar=entry.id)
        with pytest.raises(CuratedAnswerNotFound):
            book.ask("What is the hotel limit in Paris?", similar=entry.id)
        with pytest.raises(CuratedAnswerNotFound):
            book.ask(ASKED, similar=entry.id + 1)
        assert book.curated.get(entry.id).wordings == ()


def test_wordings_on_the_command_line(db: str, tmp_path: Path) -> None:
    shell, at = Here(tmp_path), ("--db", db)
    added = shell.json(
        *("kb", "add", ANSWER, "--category", "travel", "--question", KNOWN),
        *("--also", "How much may a London hotel be?", *at),
    )["entry"]
    assert [one["is_matched"] for one in added["wordings"]] == [True]
    offered = shell.json("ask", ASKED, *at)
    assert (offered["tier"], offered["similar"][0]["id"]) == ("none", added["id"])
    told = shell.run("ask", ASKED, *at, "--collection", "default").stderr
    command = ["sourcebook", "ask", ASKED, "--similar", str(added["id"]), "--db", str(masked(db))]
    assert shlex.join([*command, "--collection", "default"]) in told
    draft = shell.json("moderate", "show", str(offered["draft_id"]), *at)["draft"]
    assert draft["resembles"][0]["id"] == added["id"]
    assert shell.json("ask", ASKED, "--similar", str(added["id"]), *at)["curated_id"] == added["id"]
    assert shell.json("ask", ASKED, *at)["tier"] == "curated"  # who sits at the keyboard may decide
    assert ASKED in shell.run("kb", "show", str(added["id"]), *at).stdout
    (learned,) = [w for w in shell.json("kb", "wordings", "--all", *at)["wordings"] if w["question"] == ASKED]
    assert shell.json("kb", "reject", str(learned["id"]), *at)["wording"]["status"] == "rejected"
    assert shell.json("ask", ASKED, *at)["tier"] == "none"
    assert shell.json("kb", "accept", str(learned["id"]), *at)["wording"]["is_matched"] is True
    assert (
        shell.json("kb", "also", str(added["id"]), "London hotels?", *at)["wording"]["status"] == "accepted"
    )


def test_curated_answers_go_with_a_bundle(db: str, tmp_path: Path) -> None:
    with Sourcebook(settings=Settings(db=db)) as book:
        book.add_text("The hotel limit in London is 180 pounds a night.", id="travel", title="Travel")
        source = book.curated.source("travel", supports=ANSWER)
        book.curated.insert(ANSWER, category="travel", question=KNOWN, sources=[source], also=[ASKED])
        assert book.maintenance.export(tmp_path / "bundle").curated == 1
    with Sourcebook(settings=Settings(db=str(tmp_path / "other.db"))) as other:
        report = other.maintenance.import_bundle(tmp_path / "bundle")
        assert (report.curated, report.curated_unchanged) == (1, 0)
        (entry,) = other.curated.all()
        assert (entry.question, entry.answer, entry.sources[0].quote) == (KNOWN, ANSWER, source.quote)
        assert (entry.stale_since, [w.question for w in entry.wordings]) == (None, [ASKED])
        assert other.ask(ASKED).curated_id == entry.id
        again = other.maintenance.import_bundle(tmp_path / "bundle")
        assert (again.curated, again.curated_unchanged, len(other.curated.all())) == (0, 1, 1)


def test_an_approval_keeps_its_time_in_a_bundle(db: str, tmp_path: Path) -> None:
    (tmp_path / "answers").mkdir()
    answer = f"---\nquestion: {KNOWN}\napproved: 2025-11-13\n---\n\n{ANSWER}\n"
    (tmp_path / "answers" / "london.md").write_text(answer, encoding="utf-8")
    with Sourcebook(settings=Settings(db=db)) as book:
        book.add_text("The hotel limit in London is 180 pounds a night.", id="travel", title="Travel")
        book.answer_files.read(tmp_path / "answers")
        book.maintenance.export(tmp_path / "bundle")
    with Sourcebook(settings=Settings(db=str(tmp_path / "other.db"))) as other:
        other.maintenance.import_bundle(tmp_path / "bundle")
        (entry,) = other.curated.all()
        assert entry.approved_at == 1_762_992_000


def test_an_emptied_file_is_a_change(db: str, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    note, page = folder / "note.md", folder / "page.html"
    note.write_text("# Hotels\n\nThe hotel limit in London is 180 pounds a night.\n")
    page.write_text("<p>The office cat is fed by the porter every morning.</p>")
    with Sourcebook(settings=Settings(db=db)) as book:
        book.add(folder)
        for question, answer, name in ((KNOWN, ANSWER, "note.md"), (OTHER, "The porter.", "page.html")):
            source = book.curated.source(name, supports="The hotel limit in London. The office cat is fed.")
            book.curated.insert(answer, category="k", question=question, sources=[source])
        note.write_text("  \n")
        page.write_text("<html><body></body></html>")
        assert book.add(folder).stale == 2
        assert all(entry.stale_since is not None for entry in book.curated.all())
        assert book.search("hotel limit in London cat porter") == []
        given = book.ask(KNOWN)
        assert (given.tier, bool(given.details["stale"])) == (Tier.CURATED, True)
