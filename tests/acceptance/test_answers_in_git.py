"""Approved answers as files beside the documents, and a check that a change of the documents breaks none."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.faces.shell import Here

from sourcebook import AsyncSourcebook
from sourcebook.settings import Settings

RETURNS = (
    "# Returns\n\nYou can return any item within 30 days of delivery. A refund takes five working days.\n"
)


@pytest.fixture
def shell(tmp_path: Path) -> Here:
    """A folder of documents and one of answers, made by `kb export`."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "returns.md").write_text(RETURNS, encoding="utf-8")
    shell = Here(tmp_path)
    shell.run("add", "docs")
    shell.run(
        "kb", "add", "You have 30 days to send it back.", "--category", "returns",
        "--question", "How long do I have?", "--source", "docs/returns.md",
        "--quote", "You can return any item within 30 days of delivery.",
    )  # fmt: skip
    shell.run("kb", "export", "answers")
    return shell


def edit(shell: Here, old: str, new: str) -> None:
    path = shell.folder / "docs" / "returns.md"
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def test_a_change_that_makes_an_answer_untrue_fails_the_check(shell: Here) -> None:
    assert shell.run("check", "docs").returncode == 0
    edit(shell, "30 days", "14 days")
    told = shell.run("check", "docs")
    assert told.returncode == 1
    assert "within 14 days of delivery" in told.stdout
    assert "another number" in told.stdout
    found = json.loads(shell.run("check", "docs", "--json").stdout)
    assert (found["checked"], found["failed"], found["answers"][0]["verdict"]) == (1, 1, "untrue")


def test_the_base_that_is_named_is_checked_and_not_the_folder(shell: Here) -> None:
    shell.run(
        "kb", "add", "Ask at the desk.", "--category", "returns", "--question", "Where?", "--db", "other.db"
    )
    (found,) = json.loads(shell.run("check", "docs", "--db", "other.db", "--json").stdout)["answers"]
    assert found["question"] == "Where?"
    (found,) = json.loads(shell.run("check", "docs", "--json").stdout)["answers"]
    assert found["question"] == "How long do I have?"
    both = shell.run("check", "docs", "--db", "other.db", "--answers", "answers", "--json").stdout
    assert json.loads(both)["answers"][0]["question"] == "How long do I have?"


def test_a_reworded_source_fails_only_a_strict_check(shell: Here) -> None:
    edit(shell, "You can return any item", "Any item can be returned")
    assert shell.run("check", "docs").returncode == 0
    assert shell.run("check", "docs", "--strict").returncode == 1


def test_continuous_integration_is_shown_the_changed_line(shell: Here) -> None:
    edit(shell, "30 days", "14 days")
    github = shell.run("check", "docs", "--format", "github").stdout.splitlines()[0]
    assert github.startswith("::error file=docs/returns.md,line=3,title=")
    gitlab = json.loads(shell.run("check", "docs", "--format", "gitlab").stdout)
    assert gitlab[0]["location"] == {"path": "docs/returns.md", "lines": {"begin": 3}}
    suite = ElementTree.fromstring(shell.run("check", "docs", "--format", "junit").stdout.encode())  # noqa: S314
    assert suite.attrib["failures"] == "1"
    assert suite.find("testcase/failure") is not None


def test_an_answer_keeps_the_time_of_its_approval_until_its_words_change(shell: Here) -> None:
    (file,) = (shell.folder / "answers").iterdir()
    lines = file.read_text("utf-8").splitlines()
    (at,) = [number for number, line in enumerate(lines) if line.startswith("approved: ")]
    lines[at] = "approved: 2025-11-13"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    shell.run("kb", "import", "answers")
    (entry,) = shell.json("kb", "list")["entries"]
    assert entry["approved_at"] == 1_762_992_000
    shell.run("kb", "import", "answers")
    assert shell.json("kb", "list")["entries"] == [entry]

    file.write_text(file.read_text("utf-8").replace("to send it back", "to return it"), encoding="utf-8")
    shell.run("kb", "import", "answers")
    (edited,) = shell.json("kb", "list")["entries"]
    assert edited["answer"].startswith("You have 30 days to return it.")
    assert edited["approved_at"] > entry["approved_at"]


def test_the_check_of_files_makes_no_base(shell: Here, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    for folder in ("docs", "answers"):
        (bare / folder).symlink_to(shell.folder / folder)
    assert Here(bare).run("check", "docs", "--answers", "answers").returncode == 0
    assert sorted(path.name for path in bare.iterdir()) == ["answers", "docs"]


def test_answers_inside_the_documents_are_not_their_own_source(shell: Here) -> None:
    (shell.folder / "answers").rename(shell.folder / "docs" / "answers")
    (shell.folder / "docs" / "returns.md").unlink()
    told = shell.run("check", "docs", "--answers", "docs/answers")
    assert told.returncode == 1
    assert "UNANSWERABLE" in told.stdout


def test_a_file_that_is_no_answer_is_a_failure_of_its_own(shell: Here) -> None:
    (shell.folder / "answers" / "broken.md").write_text("no front matter", encoding="utf-8")
    told = shell.run("check", "docs")
    assert told.returncode == 1
    assert "INVALID  answers/broken.md" in told.stdout


def test_nothing_outside_of_the_folder_of_answers_is_read_and_nothing_without_end(shell: Here) -> None:
    answers = shell.folder / "answers"
    (own,) = answers.iterdir()
    (shell.folder / "secret.md").write_text(own.read_text(encoding="utf-8"), encoding="utf-8")
    (answers / "link.md").symlink_to(shell.folder / "secret.md")
    (answers / "same.md").symlink_to(own.name)
    (answers / "folder.md").mkdir()
    os.mkfifo(answers / "pipe.md")
    (answers / "long.md").write_text(f"---\nquestion: q\n---\n{'long ' * 100_000}", encoding="utf-8")
    told = shell.run("kb", "import", "answers", "--json")
    assert told.returncode == 1
    found = json.loads(told.stdout)
    assert [(each["path"], each["message"].partition(" ")[2]) for each in found["failed"]] == [
        ("folder.md", "is not a file."),
        ("link.md", "is a link to a file outside of the folder of answers."),
        ("long.md", "is larger than 256 kB."),
        ("pipe.md", "is not a file."),
    ]
    assert found["unchanged"] == [own.name, "same.md"]


def test_an_import_names_the_words_that_it_does_not_find(shell: Here) -> None:
    edit(shell, "30 days", "14 days")
    assert shell.run("add", "docs").returncode == 0
    told = shell.run("kb", "import", "answers", "--json")
    (left_out,) = json.loads(told.stdout)["failed"]
    assert re.fullmatch(r"“[^”]*30 days[^”]*” is not in docs/returns\.md\.", left_out["message"])


def test_an_answer_is_not_written_through_a_link(shell: Here) -> None:
    (own,) = (shell.folder / "answers").iterdir()
    outside = own.rename(shell.folder / "outside.md")
    outside.write_text(outside.read_text(encoding="utf-8") + "An older text.\n", encoding="utf-8")
    own.symlink_to(outside)
    done = json.loads(shell.run("kb", "export", "answers", "--json").stdout)
    assert done["written"] == ["how-long-do-i-have-2.md"]
    assert outside.read_text(encoding="utf-8").endswith("An older text.\n")


def test_without_files_the_answers_of_the_base_are_checked(shell: Here) -> None:
    for path in (shell.folder / "answers").iterdir():
        path.unlink()
    (shell.folder / "answers").rmdir()
    edit(shell, "30 days", "14 days")
    assert shell.run("check", "docs").returncode == 1


@pytest.mark.anyio
async def test_answers_go_to_files_and_into_another_base(db: str, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "returns.md").write_text(RETURNS, encoding="utf-8")
    async with AsyncSourcebook(db) as book:
        await book.add(docs)
        source = await book.curated.source("returns.md", quote="A refund takes five working days.")
        await book.curated.insert(
            "Five working days.",
            category="returns",
            question="How long does a refund take?",
            sources=[source],
            also=["When do I get my money back?"],
        )
        done = await book.answer_files.export(tmp_path / "answers")
        assert done.written == ("how-long-does-a-refund-take.md",)
        again = await book.answer_files.export(tmp_path / "answers")
        assert (again.written, again.unchanged) == ((), done.written)
        here = await book.answer_files.read(tmp_path / "answers")
        assert (here.written, here.unchanged) == ((), done.written)

        # A reviewer edits the file: the answer of the base is replaced, and there is still one.
        file = tmp_path / "answers" / done.written[0]
        file.write_text(file.read_text(encoding="utf-8").replace("\nFive working", "\nAbout five working"))
        changed = await book.answer_files.read(tmp_path / "answers")
        assert changed.written == done.written
        assert [entry.answer for entry in await book.curated.all()] == ["About five working days."]

    async with AsyncSourcebook(tmp_path / "other.db", settings=Settings()) as other:
        left_out = await other.answer_files.read(tmp_path / "answers")
        assert [failed.code for failed in left_out.failed] == ["collection_not_found"]
        await other.add(docs)
        brought = await other.answer_files.read(tmp_path / "answers")
        assert brought.written == done.written
        (entry,) = await other.curated.all()
        assert entry.sources[0].quote == "A refund takes five working days."
        assert [wording.question for wording in entry.wordings] == ["When do I get my money back?"]
        assert (await other.ask("When do I get my money back?")).curated_id == entry.id
