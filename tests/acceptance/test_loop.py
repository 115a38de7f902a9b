"""The loop, whole and in Russian, on both databases: asked, approved, given first, outdated, and back in the queue."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.faces.shell import Here

from sourcebook import Settings, Sourcebook, SourceState, Tier
from sourcebook.model.moderation import DraftKind, DraftStatus, Keep

RASPBERRY = """# Ремонтантная малина

Ремонтантную малину обрезают поздней осенью, после последнего сбора ягод. Все побеги срезают вровень с землёй.
"""
BLUEBERRY = """# Голубика

Голубике нужна кислая почва с pH от 4,0 до 5,0. Поливают голубику два раза в неделю.
"""
TRACTOR = """# Техника

В коробку передач трактора заливают масло ТМ-3-18, шесть литров.
"""
QUESTION = "Когда обрезать ремонтантную малину?"
SIMILAR = "Подскажите, когда обрезают ремонтантную малину"
EDITED = "Ремонтантную малину обрезают поздней осенью. Все побеги срезают вровень с землёй."
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
        (library / "техника.md").write_text(TRACTOR, "utf-8")
        book.add(library)

        # The expert's reply reaches who asked, and is a curated answer that found its source.
        reply = book.moderation.answer_item(waiting.id, LOCAL, REPLY, keep=Keep.CURATED, category="техника")
        job = book.stores.jobs.claim(["message"], "test")
        assert (job.payload["kind"], job.payload["draft_id"]) == ("expert_answer", waiting.id)
        told = book.session(str(declined.session_id)).messages[-1]
        assert told.content.startswith("В коробку передач трактора")
        assert (reply.status, told.citations[0].document_title) == (DraftStatus.APPROVED, "Техника")
        assert book.ask(UNKNOWN).curated_id == reply.kb_id

        # The source changes: within one `add` the answer is stale, marked when it is given, and back in the queue.
        change_pruning(library)
        book.add(library)
        stale = book.ask(QUESTION)
        assert (stale.tier, stale.curated_id) == (Tier.CURATED, entry.id)
        assert str(stale.details["stale"]).startswith("a source has changed: ")
        assert SourceState.CHANGED in [citation.state for citation in stale.citations]
        (again,) = book.moderation.get_pending_moderation_items(kind=DraftKind.STALE)
        assert again.stale_kb_id == entry.id
        fixed = EDITED.replace("поздней осенью", "ранней весной")
        renewed = book.moderation.approve_moderation_item(again.id, LOCAL, answer=fixed)
        assert (renewed.id, renewed.revision, renewed.stale_since) == (entry.id, 2, None)
        assert book.ask(QUESTION).details["stale"] is None
        assert book.moderation.count_pending()[DraftKind.STALE] == 0


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
    assert "not close enough" in shown
    (gap,) = shell.json("moderate", "gaps", *at)["gaps"]
    assert (gap["question"], gap["reasons"]) == (UNKNOWN, {"declined": 1})
    answered = shell.json("moderate", "answer", str(waiting["id"]), REPLY, *at)
    assert answered["entry"]["sources"] == []
    assert shell.json("ask", UNKNOWN, *at)["curated_id"] == answered["entry"]["id"]

    edit = shell.json("kb", "edit", str(entry["id"]), "--answer", "Никогда.", *at)["draft"]
    assert shell.json("kb", "list", *at)["entries"][0]["answer"] == entry["answer"]
    shell.json("moderate", "reject", str(edit["id"]), *at)

    measured = shell.json("eval", "--from-moderation", *at)
    assert (measured["questions"], measured["results"][0]["recall"]) == (1, 1.0)

    change_pruning(library)
    shell.json("add", "docs", *at)
    assert "Stale: a source has changed" in shell.run("ask", QUESTION, *at).stdout
    (stale,) = shell.json("moderate", "list", "--kind", "stale", *at)["drafts"]
    assert stale["stale_kb_id"] == entry["id"]
    digest = shell.json("moderate", "digest", *at)["digest"]
    assert (digest["questions"], digest["declined"], digest["drafts"]) == (
        5,
        1,
        {"approved": 2, "rejected": 1},
    )
    assert [each["id"] for each in digest["became_stale"]] == [entry["id"]]
    shell.json("moderate", "reject", str(stale["id"]), "--reason", "устарело", *at)
    assert shell.json("ask", QUESTION, *at)["tier"] == "documents"
