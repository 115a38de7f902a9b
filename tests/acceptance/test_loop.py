"""The loop, whole and in Russian, on both databases: asked, approved, given first, outdated, and back in the queue."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.faces.shell import Here

from sourcebook import Settings, Sourcebook, Tier
from sourcebook.errors import SupportLost
from sourcebook.faces import draft_json_shapes, json_shapes
from sourcebook.faces.telegram.messages import answer_and_draft_texts
from sourcebook.locale import texts
from sourcebook.model.moderation import DraftKind, DraftStatus, Keep

RASPBERRY = """# Ремонтантная малина

Ремонтантную малину обрезают поздней осенью, после последнего сбора ягод.

Все побеги срезают вровень с землёй.
"""
BLUEBERRY = """# Голубика

Голубике нужна кислая почва с pH от 4,0 до 5,0. Поливают голубику два раза в неделю.
"""
TRACTOR = """# Техника

В коробку передач трактора заливают масло ТМ-3-18, шесть литров.
"""
QUESTION = "Когда обрезать ремонтантную малину?"
SIMILAR = "Подскажите, когда обрезают ремонтантную малину"
# In another order than the document has, so that each sentence has a source of its own.
EDITED = "Все побеги срезают вровень с землёй. Ремонтантную малину обрезают поздней осенью."
UNKNOWN = "Сколько масла заливать в коробку передач трактора?"
REPLY = "В коробку передач трактора заливают шесть литров масла ТМ-3-18."
LOCAL = 1


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "малина.md").write_text(RASPBERRY, "utf-8")
    (folder / "голубика.md").write_text(BLUEBERRY, "utf-8")
    return folder


def change_pruning(library: Path) -> None:
    page = library / "малина.md"
    page.write_text(RASPBERRY.replace("поздней осенью", "ранней весной"), "utf-8")


def rewrite_pruning(library: Path) -> None:
    """In place of what was quoted stands what shares few of its words."""
    page = library / "малина.md"
    page.write_text(
        "# Ремонтантная малина\n\nРемонтантную малину обрезают ранней весной, пока почки спят и снег не сошёл.\n",
        "utf-8",
    )


def test_an_answer_that_an_expert_rejected_is_not_given_again_until_its_text_changes(
    db: str, library: Path
) -> None:
    with Sourcebook(settings=Settings(db=db)) as book:
        book.add(library)
        given = book.ask(QUESTION)
        draft = int(str(given.details["draft_id"]))
        book.moderation.reject_moderation_item(draft, LOCAL, reason="не про наш сорт")

        # The same question in other words is declined, says why, and waits for somebody who knows.
        again = book.ask(SIMILAR)
        assert again.tier is Tier.NONE
        assert "Эксперт" in again.answer
        assert json_shapes.answer(again)["rejected"]["draft_id"] == draft
        assert again.nearest_excerpt is None
        waiting = book.moderation.get_item(int(str(again.details["draft_id"])))
        assert waiting.kind is DraftKind.DECLINED
        told = draft_json_shapes.draft(waiting)
        assert told["rejected"]["draft_id"] == draft
        assert told["nearest"][0]["section"] == "Ремонтантная малина"
        assert "не про наш сорт" in answer_and_draft_texts.draft(texts("ru"), waiting).text
        assert (
            "Ближе всего: Ремонтантная малина (малина.md)"
            in answer_and_draft_texts.draft(texts("ru"), waiting).text
        )

        # The text still answers what else it says, and adding other documents does not answer the question.
        assert book.ask("Как срезают побеги ремонтантной малины?").tier is Tier.DOCUMENTS
        (library / "техника.md").write_text(TRACTOR, "utf-8")
        assert book.add(library).answered == 0

        # A few other words in the same place do not undo what the expert said.
        change_pruning(library)
        assert book.add(library).answered == 0
        assert book.ask(SIMILAR).tier is Tier.NONE

        # When the text is another, it may answer: whoever waits is told, for both times that they asked.
        rewrite_pruning(library)
        assert book.add(library).answered == 2
        assert "ранней весной" in book.ask(QUESTION).answer


LINE = """# Line 2

The press on line 2 makes 96 seats per shift.

Visitors wear a yellow vest.
"""
PRESS = "How many parts does the press on line 2 make per shift?"


def test_a_changed_number_does_not_bring_a_rejected_answer_back(db: str, tmp_path: Path) -> None:
    page = tmp_path / "line.md"
    page.write_text(LINE, "utf-8")
    with Sourcebook(settings=Settings(db=db)) as book:
        book.add(page)
        asked = book.ask(PRESS)
        assert asked.tier is Tier.DOCUMENTS
        draft = int(str(asked.details["draft_id"]))
        book.moderation.reject_moderation_item(draft, LOCAL, reason="that is about seats, not doors")
        waiting = int(str(book.ask(PRESS).details["draft_id"]))

        page.write_text(LINE.replace("96", "90"), "utf-8")
        assert book.add(page).answered == 0
        assert book.moderation.get_item(waiting).status is DraftStatus.PENDING
        again = book.ask(PRESS)
        assert again.tier is Tier.NONE
        assert json_shapes.answer(again)["rejected"]["draft_id"] == draft

        # Much the same words in another section are another answer, for both times that it was asked.
        page.write_text(LINE + "\n## Parts\n\nThe press on line 2 makes 120 parts per shift.\n", "utf-8")
        assert book.add(page).answered == 2
        assert "120 parts" in str(book.moderation.get_item(waiting).answer)


def test_a_new_document_answers_what_was_rejected_before(db: str, library: Path) -> None:
    with Sourcebook(settings=Settings(db=db)) as book:
        book.add(library)
        book.moderation.reject_moderation_item(int(str(book.ask(QUESTION).details["draft_id"])), LOCAL)
        assert book.ask(QUESTION).tier is Tier.NONE
        (library / "сроки.md").write_text(
            "# Когда обрезать ремонтантную малину\n\nРемонтантную малину обрезают в конце октября.\n", "utf-8"
        )
        book.add(library)
        assert "в конце октября" in book.ask(QUESTION).answer


DOORS = "# Doors\n\nA shift of the old workshop delivers 40 painted doors.\n"


def test_what_an_expert_replaced_does_not_come_back_when_their_answer_is_out_of_date(
    db: str, tmp_path: Path
) -> None:
    press, doors = tmp_path / "line.md", tmp_path / "doors.md"
    press.write_text(LINE, "utf-8")
    doors.write_text(DOORS, "utf-8")
    with Sourcebook(settings=Settings(db=db)) as book:
        book.add(tmp_path)
        given = book.ask(PRESS)
        assert "96 seats" in given.answer
        entry = book.moderation.approve_moderation_item(
            int(str(given.details["draft_id"])), LOCAL, answer=DOORS.splitlines()[-1]
        )
        assert [source.document_path.endswith("doors.md") for source in entry.sources] == [True]
        doors.write_text(DOORS.replace("40", "44"), "utf-8")
        book.add(tmp_path)
        again = book.ask(PRESS)
        assert (again.tier, again.curated_id) == (Tier.CURATED, entry.id)
        assert "44 painted doors" in str(again.details["changes"])


def test_a_decline_after_a_rejection_names_what_was_not_rejected(db: str, tmp_path: Path) -> None:
    (tmp_path / "line.md").write_text(LINE, "utf-8")
    (tmp_path / "doors.md").write_text(DOORS, "utf-8")
    with Sourcebook(settings=Settings(db=db)) as book:
        book.add(tmp_path)
        book.moderation.reject_moderation_item(int(str(book.ask(PRESS).details["draft_id"])), LOCAL)
        again = book.ask(PRESS)
        assert again.tier is Tier.NONE
        assert [passage.document_path.endswith("doors.md") for passage in again.nearest] == [True]


def test_the_loop_through_the_library(db: str, library: Path) -> None:
    with Sourcebook(settings=Settings(db=db)) as book:
        book.add(library, category="ягоды")

        # The documents answer; the answer is a draft with a guess of its category.
        answer = book.ask(QUESTION)
        assert (answer.tier, answer.citations[0].verified) == (Tier.DOCUMENTS, True)
        (draft,) = book.moderation.get_pending_moderation_items()
        assert (draft.id, draft.kind, draft.category_guess) == (
            answer.details["draft_id"],
            DraftKind.ANSWER,
            "ягоды",
        )

        # Approved with an edit, it is bound to the words that bear it out, and comes first for a similar question.
        entry = book.moderation.approve_moderation_item(draft.id, LOCAL, answer=EDITED)
        assert [source.quote in RASPBERRY for source in entry.sources] == [True, True]
        similar = book.ask(SIMILAR)
        assert (similar.tier, similar.curated_id) == (Tier.CURATED, entry.id)
        assert similar.details["approved_by"] == LOCAL
        assert "draft_id" not in similar.details

        # What the base cannot answer goes to the expert, with what was looked at.
        declined = book.ask(UNKNOWN)
        assert declined.tier is Tier.NONE
        waiting = book.moderation.get_item(int(str(declined.details["draft_id"])))
        assert (waiting.kind, waiting.answer) == (DraftKind.DECLINED, None)
        assert waiting.details["passages"]

        # Documents that answer it close it with a note, and who asked is told. Who wants a person still gets one.
        person = book.moderation.call_human("Какое масло для трактора?", session_id=declined.session_id)
        (library / "техника.md").write_text(TRACTOR, "utf-8")
        assert book.add(library).answered == 1
        closed = book.moderation.get_item(waiting.id)
        assert closed.status is DraftStatus.CANCELLED
        assert str(closed.reason).startswith("the documents answer it now: ")
        assert "шесть литров" in str(closed.answer)
        job = book.stores.jobs.claim(["message"], "test")
        assert (job.payload["kind"], job.payload["draft_id"]) == ("answer_found", waiting.id)
        assert "шесть литров" in book.session(str(declined.session_id)).messages[-1].content

        # The expert's reply reaches who asked, and is a curated answer that found its source.
        reply = book.moderation.answer_item(person.id, LOCAL, REPLY, keep=Keep.CURATED, category="техника")
        job = book.stores.jobs.claim(["message"], "test")
        assert (job.payload["kind"], job.payload["draft_id"]) == ("expert_answer", person.id)
        told = book.session(str(declined.session_id)).messages[-1]
        assert told.content.startswith("В коробку передач трактора")
        assert (reply.status, told.citations[0].document_title) == (DraftStatus.APPROVED, "Техника")
        assert book.ask(person.question).curated_id == reply.kb_id

        # The source changes: within one `add` the answer is stale and back in the queue; the documents go first.
        change_pruning(library)
        book.add(library)
        stale = book.ask(QUESTION)
        assert (stale.tier, stale.curated_id) == (Tier.DOCUMENTS, None)
        assert "ранней весной" in stale.answer
        assert json_shapes.answer(stale)["outdated"]["id"] == entry.id
        (again,) = book.moderation.get_pending_moderation_items(kind=DraftKind.STALE)
        assert again.stale_kb_id == entry.id
        around, change = book.moderation.changes(again.id)
        assert [(run.kind, run.text) for run in change.words if run.kind != "same"] == [
            ("removed", "поздней осенью,"),
            ("added", "ранней весной,"),
        ]
        assert [(part.part, part.after) for part in around.context] == [
            ("sentence_before", "Ремонтантную малину обрезают ранней весной, после последнего сбора ягод.")
        ]
        with pytest.raises(SupportLost):
            book.moderation.approve_moderation_item(again.id, LOCAL)
        fixed = EDITED.replace("поздней осенью", "ранней весной")
        renewed = book.moderation.approve_moderation_item(again.id, LOCAL, answer=fixed)
        assert (renewed.id, renewed.revision, renewed.stale_since) == (entry.id, 2, None)
        assert book.ask(QUESTION).details["stale"] is None
        assert book.moderation.count_pending()[DraftKind.STALE] == 0


def test_a_stale_answer_is_renewed_in_the_new_words_of_its_source(
    db: str, library: Path, tmp_path: Path
) -> None:
    shell = Here(tmp_path)
    at = ("--db", db)
    shell.json("add", "docs", *at)
    shell.json("ask", QUESTION, *at)
    entry = shell.json("moderate", "approve", "1", *at)["entry"]
    change_pruning(library)
    shell.json("add", "docs", *at)
    (stale,) = shell.json("moderate", "list", "--kind", "stale", *at)["drafts"]
    new = entry["answer"].replace("поздней осенью", "ранней весной")
    assert shell.json("moderate", "show", str(stale["id"]), *at)["draft"]["in_new_words"] == new
    assert new in shell.run("moderate", "show", str(stale["id"]), *at).stdout
    refused = shell.json("moderate", "approve", str(stale["id"]), *at, exit_code=4)["error"]
    assert (refused["code"], "--new-words" in refused["hint"]) == ("support_lost", True)
    renewed = shell.json("moderate", "approve", str(stale["id"]), "--new-words", *at)["entry"]
    assert (renewed["id"], renewed["answer"], renewed["revision"]) == (entry["id"], new, 2)
    again = shell.json("ask", QUESTION, *at)
    assert (again["tier"], again["answer"].count("ранней весной")) == ("curated", 1)
    # Once more: what was decided is refused for that, and not for its words.
    twice = shell.json("moderate", "approve", str(stale["id"]), "--new-words", *at, exit_code=4)["error"]
    assert twice["code"] == "already_decided"


def test_an_answer_that_waits_while_its_source_changes_is_not_approved_unseen(
    db: str, library: Path, tmp_path: Path
) -> None:
    shell = Here(tmp_path)
    at = ("--db", db)
    shell.json("add", "docs", *at)
    shell.json("ask", QUESTION, *at)
    assert "source changed" not in shell.run("moderate", "list", *at).stdout
    change_pruning(library)
    shell.json("add", "docs", *at)
    assert "answer, source changed" in shell.run("moderate", "list", *at).stdout
    assert shell.json("moderate", "list", *at)["drafts"][0]["sources_changed"] is True
    shown = shell.run("moderate", "show", "1", *at).stdout
    assert "Its source has changed since" in shown
    assert "[-поздней осенью,-] {+ранней весной,+}" in shown
    refused = shell.json("moderate", "approve", "1", *at, exit_code=4)["error"]
    assert (refused["code"], "--new-words" in refused["hint"]) == ("support_lost", True)
    assert shell.json("kb", "list", *at)["entries"] == []
    entry = shell.json("moderate", "approve", "1", "--new-words", *at)["entry"]
    assert ("ранней весной" in entry["answer"], len(entry["sources"])) == (True, 1)


def test_a_rejection_says_whether_it_holds_for_what_the_documents_say_now(
    db: str, library: Path, tmp_path: Path
) -> None:
    shell = Here(tmp_path)
    at = ("--db", db)
    shell.json("add", "docs", *at)
    shell.json("ask", QUESTION, *at)
    rewrite_pruning(library)
    shell.json("add", "docs", *at)
    told = shell.run("moderate", "reject", "1", *at).stderr
    assert "has changed:" in told
    assert "ранней весной" in shell.json("ask", QUESTION, *at)["answer"]
    assert (
        "declined until most of the quoted text changes" in shell.run("moderate", "reject", "2", *at).stderr
    )
    assert shell.json("ask", QUESTION, *at)["tier"] == "none"


def test_the_loop_through_the_command_line(db: str, library: Path, tmp_path: Path) -> None:
    shell = Here(tmp_path)
    at = ("--db", db)
    shell.json("add", "docs", "--category", "ягоды", *at)
    assert shell.json("ask", QUESTION, *at)["tier"] == "documents"
    (draft,) = shell.json("moderate", "list", *at)["drafts"]
    assert (draft["question"], draft["category_guess"]) == (QUESTION, "ягоды")
    entry = shell.json("moderate", "approve", str(draft["id"]), "--answer", EDITED, *at)["entry"]
    assert entry["approved_by"] == LOCAL
    assert shell.json("ask", SIMILAR, *at)["curated_id"] == entry["id"]
    lost = shell.run("moderate", "reject", str(draft["id"]), *at)
    assert lost.returncode == 4
    assert "already approved by local" in lost.stderr

    assert shell.json("ask", UNKNOWN, *at)["tier"] == "none"
    (waiting,) = shell.json("moderate", "list", "--kind", "declined", *at)["drafts"]
    shown = shell.run("moderate", "show", str(waiting["id"]), *at).stdout
    assert UNKNOWN in shown
    looked_at = [line for line in shown.splitlines() if "not close enough" in line]
    assert looked_at
    assert len(set(looked_at)) == len(looked_at)
    (gap,) = shell.json("moderate", "gaps", *at)["gaps"]
    assert (gap["question"], gap["reasons"]) == (UNKNOWN, {"declined": 1})
    answered = shell.json("moderate", "answer", str(waiting["id"]), REPLY, *at)
    assert answered["entry"]["sources"] == []
    assert shell.json("ask", UNKNOWN, *at)["curated_id"] == answered["entry"]["id"]

    nothing = shell.json("kb", "edit", str(entry["id"]), *at, exit_code=2)["error"]
    assert nothing["message"] == "There is nothing to change."
    edit = shell.json("kb", "edit", str(entry["id"]), "--answer", "Никогда.", *at)["draft"]
    assert shell.json("kb", "list", *at)["entries"][0]["answer"] == entry["answer"]
    shell.json("moderate", "reject", str(edit["id"]), *at)

    measured = shell.json("eval", "--from-moderation", *at)
    assert (measured["questions"], measured["results"][0]["recall"]) == (1, 1.0)

    change_pruning(library)
    shell.json("add", "docs", *at)
    shown = shell.run("ask", QUESTION, *at).stdout
    assert shown.index("ранней весной") < shown.index("устарел") < shown.index("поздней осенью")
    (stale,) = shell.json("moderate", "list", "--kind", "stale", *at)["drafts"]
    assert stale["stale_kb_id"] == entry["id"]
    _, change = shell.json("moderate", "show", str(stale["id"]), *at)["draft"]["changes"]
    assert ("поздней осенью" in change["before"], "ранней весной" in change["after"]) == (True, True)
    assert (
        "[-поздней осенью,-] {+ранней весной,+}"
        in shell.run("moderate", "show", str(stale["id"]), *at).stdout
    )
    refused = shell.json("moderate", "approve", str(stale["id"]), *at, exit_code=4)["error"]
    assert refused["code"] == "support_lost"
    # The expert's own words are not the source's: what to make of them is for a person to say.
    assert "--new-words" not in refused["hint"]
    assert shell.json("moderate", "show", str(stale["id"]), *at)["draft"]["in_new_words"] is None
    unsure = shell.json("moderate", "approve", str(stale["id"]), "--new-words", *at, exit_code=2)["error"]
    assert "--answer" in unsure["hint"]
    digest = shell.json("moderate", "digest", *at)["digest"]
    assert (digest["questions"], digest["declined"], digest["drafts"]) == (
        5,
        1,
        {"approved": 2, "rejected": 1},
    )
    assert [each["id"] for each in digest["became_stale"]] == [entry["id"]]
    shell.json("moderate", "reject", str(stale["id"]), "--reason", "устарело", *at)
    assert shell.json("ask", QUESTION, *at)["tier"] == "documents"
