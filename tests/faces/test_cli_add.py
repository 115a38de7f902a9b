"""`sourcebook add` and `sourcebook documents` as people use them: real parsers, a real base."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from tests.faces.shell import Here, Shell, clean_environment

from sourcebook.faces.cli.commands.documents import add
from sourcebook.model.add_reports import AddReport

COUNTS = ("added", "updated", "unchanged", "moved", "removed", "duplicates", "still_failed")


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Here(tmp_path)


def notes(shell: Shell, count: int = 3, folder: str = "notes") -> Path:
    place = shell.folder / folder
    place.mkdir(exist_ok=True)
    for number in range(count):
        (place / f"note{number}.md").write_text(
            f"# Note {number}\n\nA text about apples of the sort {number}.\n"
        )
    return place


def counted(report: dict[str, Any]) -> dict[str, int]:
    """What is not zero."""
    return {name: report[name] for name in COUNTS if report[name]}


def test_what_was_not_read_says_where_to_look(shell: Shell) -> None:
    (shell.folder / "empty").mkdir()
    assert "There is nothing to read there" in shell.run("add", "empty").stderr
    place = notes(shell, count=1)
    assert shell.run("add", "notes").stderr == ""
    (place / "tool.exe").write_bytes(b"MZ" + bytes(range(256)) * 8)
    said = shell.run("add", "notes")
    assert "1 not read (1 unsupported)" in said.stdout
    assert "`sourcebook documents list --failed`" in said.stderr
    (place / "cut.docx").write_bytes(b"PK\x03\x04 and no more")
    shell.run("add", "notes")
    listed = shell.run("documents", "list", "--failed")
    assert "but the rest is damaged" in listed.stdout
    assert "damaged_file: Open it in the program that made it" in listed.stderr
    assert "unsupported_file: " in listed.stderr


def test_a_file_that_is_out_of_reach_says_why_and_what_to_do(shell: Shell) -> None:
    place = notes(shell, count=2)
    shell.json("add", "notes")
    first = min(place.iterdir())
    first.unlink()
    first.symlink_to(first)
    said = shell.run("add", "notes").stderr
    assert f"notes/{first.name}: It cannot be read: " in said
    assert "unreadable: Check its permissions, or the address." in said
    assert "every `add` tries it again" in said
    page = shell.run("add", "http://nowhere.invalid/").stderr
    assert "http://nowhere.invalid/: There is no host nowhere.invalid, or no network. (unreadable)" in page


def test_a_new_file_that_is_out_of_reach_is_listed_until_it_can_be_read(shell: Shell) -> None:
    locked = notes(shell, count=2) / "locked.md"
    locked.write_text("# Locked\n\nKeep out.\n")
    locked.chmod(0)
    for added in (2, 0):
        report = json.loads(by_anybody(shell, "add", "notes", "--json").stdout)
        assert (report["added"], [f["path"] for f in report["failed"]]) == (added, ["notes/locked.md"])
        (listed,) = shell.json("documents", "list", "--failed")["documents"]
        assert (listed["file_path"], listed["status"]) == ("notes/locked.md", "failed")
        assert listed["processing_error"] == "unreadable: It cannot be read: Permission denied."
    locked.chmod(0o644)
    assert counted(shell.json("add", "notes")) == {"updated": 1, "unchanged": 2}
    assert shell.json("documents", "list", "--failed")["documents"] == []


def test_a_text_whose_file_is_out_of_reach_is_kept_and_listed_with_what_was_not_read(shell: Shell) -> None:
    note = notes(shell, count=1) / "note0.md"
    shell.json("add", "notes")
    (before,) = shell.json("documents", "list")["documents"]
    note.chmod(0)
    for _ in range(2):
        report = json.loads(by_anybody(shell, "add", "notes", "--json").stdout)
        assert [(f["path"], f["code"]) for f in report["failed"]] == [("notes/note0.md", "unreadable")]
        (listed,) = shell.json("documents", "list", "--failed")["documents"]
        assert listed["processing_error"] == "unreadable: It cannot be read: Permission denied."
        assert (listed["id"], listed["file_hash"]) == (before["id"], before["file_hash"])
    note.chmod(0o644)
    assert counted(shell.json("add", "notes")) == {"unchanged": 1}
    assert shell.json("documents", "list")["documents"][0]["status"] == "completed"


def by_anybody(shell: Shell, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command as somebody whom permissions stop. They do not stop root, unless it gives up that right."""
    drop: list[str] = []
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("root cannot give up its rights here: setpriv is missing")
        rights = "-dac_override,-dac_read_search"
        drop = ["setpriv", "--bounding-set", rights, "--inh-caps", rights]
    return subprocess.run(
        [*drop, sys.executable, "-m", "sourcebook", *arguments],
        cwd=shell.folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_what_is_not_read_is_called_so_by_every_command(shell: Shell) -> None:
    place = notes(shell, count=1)
    (place / "tool.exe").write_bytes(b"MZ" + bytes(range(256)) * 8)
    assert "1 not read (1 unsupported)" in shell.run("add", "notes").stdout
    assert "1 still not read" in shell.run("add", "notes").stdout
    assert "\tnot read\t" in shell.run("documents", "list", "--failed").stdout
    assert shell.json("documents", "list", "--failed")["documents"][0]["status"] == "failed"


def test_empty_files_are_named_with_the_others_that_could_not_be_read(shell: Shell) -> None:
    place = notes(shell, 1)
    (place / "a.docx").touch()
    (place / "b.txt").touch()
    (place / "blank.md").write_text(" \n\n")
    said = shell.run("add", "notes")
    assert (said.returncode, "3 not read (3 empty)" in said.stdout) == (0, True)
    listed = shell.run("documents", "list", "--failed")
    for name in ("a.docx", "b.txt"):
        assert re.search(rf"notes/{name}\t.*\tempty_file: The file is empty \(0 bytes\)", listed.stdout)
    assert re.search(r"notes/blank.md\t.*only white space", listed.stdout)
    assert "empty_file: If it should have some, save or copy it once more" in listed.stderr
    documents = shell.json("documents", "list", "--failed")["documents"]
    assert [document.get("other_paths") for document in documents] == [["notes/b.txt"], None]
    (place / "b.txt").write_text("Quinces are hard.\n")
    assert counted(shell.json("add", "notes")) == {"updated": 1, "unchanged": 1, "still_failed": 2}
    assert "b.txt" not in shell.run("documents", "list", "--failed").stdout


def test_a_folder_whose_files_were_all_emptied_is_asked_about_first(shell: Shell) -> None:
    place = notes(shell, 4)
    shell.json("add", "notes")
    for file in place.iterdir():
        file.write_text("")
    said = shell.run("add", "notes")
    assert (said.returncode, "4 are now ignored, too large, empty" in said.stderr) == (4, True)


def test_a_folder_is_followed_through_its_life(shell: Shell) -> None:
    place = notes(shell)
    assert counted(Shell(shell.folder).json("add", "notes")) == {"added": 3}
    assert counted(shell.json("add", "notes")) == {"unchanged": 3}
    os.utime(place / "note2.md", (1, 1))
    (place / "note0.md").rename(place / "renamed.md")
    (place / "note1.md").write_text("# Note 1\n\nA text about pears.\n")
    shutil.copy(place / "note2.md", place / "copy.md")
    expected = {"moved": 1, "updated": 1, "unchanged": 1, "duplicates": 1}
    assert counted(shell.json("add", "notes")) == expected
    (place / "note2.md").unlink()
    assert counted(shell.json("add", "notes")) == {"removed": 1, "unchanged": 3}
    found = shell.json("search", "pears", "--mode", "keyword")["results"]
    assert [result["document_path"] for result in found] == ["notes/note1.md"]
    assert shell.json("doctor")["ok"] is True


def test_a_plan_is_printed_and_nothing_is_done(shell: Shell) -> None:
    place = notes(shell)
    plan = shell.json("add", "notes", "--dry-run")
    assert [(step["action"], step["path"]) for step in plan["plan"]] == [
        ("add", "notes/note0.md"),
        ("add", "notes/note1.md"),
        ("add", "notes/note2.md"),
    ]
    assert not (shell.folder / "data").exists()
    assert counted(shell.json("add", "notes")) == {"added": 3}
    (place / "note0.md").rename(place / "zero.md")
    done = shell.run("add", "notes", "--dry-run")
    assert done.stdout == "action\tpath\tfrom\nmove\tnotes/zero.md\tnotes/note0.md\n"
    assert "1 moved" in done.stderr


@pytest.mark.parametrize("how", ["missing", "empty"])
def test_a_folder_that_is_gone_is_exit_4_and_removals_can_be_allowed(shell: Shell, how: str) -> None:
    place = notes(shell)
    shell.json("add", "notes")
    shutil.rmtree(place)
    if how == "empty":
        place.mkdir()
    error = shell.json("add", "notes", exit_code=4)["error"]
    assert (error["code"], "--allow-removals" in error["hint"]) == ("too_many_removals", True)
    assert shell.json("add", "notes", "--dry-run", exit_code=4)["refused"]
    assert counted(shell.json("add", "notes", "--allow-removals")) == {"removed": 3}
    assert shell.json("documents", "list")["documents"] == []


def test_a_file_that_fails_is_listed_with_its_reason_and_tried_again_on_demand(shell: Shell) -> None:
    place = notes(shell, 1)
    (place / "broken.pdf").write_bytes(b"%PDF-1.7\nnot really")
    (place / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    report = shell.json("add", "notes", exit_code=1)
    (failure,) = report["failed"]
    assert set(failure) == {"path", "code", "message"}
    assert (failure["path"], report["skipped"]) == ("notes/broken.pdf", {"needs_ocr": 1})
    (failed,) = shell.json("documents", "list", "--status", "failed")["documents"]
    assert failed["processing_error"].startswith(failure["code"])
    again = shell.run("add", "notes")
    assert ("1 unchanged" in again.stdout, "2 still not read" in again.stdout) == (True, True)
    assert "--retry-failed" in again.stderr
    assert len(shell.json("add", "notes", "--retry-failed", exit_code=1)["failed"]) == 1
    done = shell.run("add", "notes/photo.png")
    assert (done.returncode, "notes/photo.png: " in done.stderr) == (1, True)


def test_labels_are_remembered_and_taken_away(shell: Shell) -> None:
    place = notes(shell, 1)
    shell.json("add", "notes", "--category", "fruit", "--subcategory", "apples")
    (place / "more.md").write_text("# More\n\nOf the same.\n")
    shell.json("add", "notes")
    documents = shell.json("documents", "list")["documents"]
    assert {(d["category"], d["subcategory"]) for d in documents} == {("fruit", "apples")}
    assert counted(shell.json("add", "notes", "--category", "")) == {"updated": 2}
    assert {d["category"] for d in shell.json("documents", "list")["documents"]} == {None}


def test_standard_input_is_added_under_its_name(shell: Shell) -> None:
    def pipe(text: str, *arguments: str) -> dict[str, Any]:
        with patch("sys.stdin", TextIOWrapper(BytesIO(text.encode()))):
            return shell.json("add", "-", *arguments)

    process = subprocess.run(
        [sys.executable, "-m", "sourcebook", "add", "-", "--json", "--name", "piped.md"],
        cwd=shell.folder,
        env=clean_environment(),
        input=b"# Piped\n\nAbout quinces.\n",
        capture_output=True,
        check=True,
    )
    assert counted(json.loads(process.stdout)) == {"added": 1}
    assert counted(pipe("# Piped\n\nAbout quinces.\n", "--name", "piped.md")) == {"unchanged": 1}
    pipe("# Piped\n\nAbout medlars.\n", "--name", "piped.md")
    (document,) = shell.json("documents", "list")["documents"]
    assert (document["file_path"], document["title"]) == ("piped.md", "Piped")
    assert counted(pipe("# Nameless\n\nAbout sloes.\n")) == {"added": 1}
    assert len(list((shell.folder / "data" / "knowledge_base.db.files").glob("??/*"))) == 2
    assert shell.json("add", "-", "--watch", exit_code=2)["error"]["code"] == "usage"


def test_a_document_is_shown_hidden_and_removed_by_id_or_path(shell: Shell) -> None:
    notes(shell)
    notes(shell, 1, "others")
    (shell.folder / "others" / "note0.md").write_text("# Another\n\nA text about pears.\n")
    shell.json("add", "notes", "others")
    shown = shell.json("documents", "show", "notes/note0.md")["document"]
    assert (shown["title"], shown["passages"], shown["status"]) == ("Note 0", 1, "completed")
    assert [path["path"] for path in shown["paths"]] == ["note0.md"]
    assert shown["preview"].startswith("# Note 0")
    assert shown["held_by"] == [str(shell.folder / "notes")]
    assert shell.json("documents", "show", shown["id"])["document"] == shown
    absolute = str(shell.folder / "notes" / "note0.md")
    assert shell.json("documents", "show", absolute)["document"] == shown
    error = shell.json("documents", "show", "note0.md", exit_code=2)["error"]
    assert error["code"] == "ambiguous_name"
    assert "others/note0.md" in error["message"]
    assert shell.json("documents", "show", "nowhere.md", exit_code=3)["error"]["code"] == "document_not_found"
    plain = shell.run("documents", "show", "note1.md")
    assert "title\tNote 1" in plain.stdout

    def apples() -> int:
        return len(shell.json("search", "apples", "--mode", "keyword")["results"])

    assert apples() == 3
    shell.json("documents", "hide", "note1.md", "note2.md")
    assert apples() == 1
    assert "completed, hidden" in shell.run("documents", "list").stdout
    shell.json("documents", "unhide", "note1.md")
    assert apples() == 2
    done = shell.run("documents", "remove", "note1.md")
    assert (done.returncode, "come back with the next" in done.stderr) == (0, True)
    assert apples() == 1
    assert counted(shell.json("add", "notes")) == {"added": 1, "unchanged": 2}
    (shell.folder / "notes" / "note1.md").unlink()
    assert "come back" not in shell.run("documents", "remove", "notes/note1.md").stderr


@contextmanager
def started(shell: Shell, *arguments: str) -> Generator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "sourcebook", *arguments],
        cwd=shell.folder,
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def until(condition: Callable[[], bool], seconds: float = 300.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def documents(shell: Shell) -> int:
    done = shell.run("documents", "list", "--json")
    return len(json.loads(done.stdout)["documents"]) if done.returncode == 0 else 0


MANY = 3000
"""So many files that an add is at work for long after its first document can be seen."""


@pytest.mark.parametrize("as_json", [True, False])
def test_an_interrupted_add_keeps_what_it_finished_and_sums_up(shell: Shell, as_json: bool) -> None:
    place = notes(shell, 0)
    for number in range(MANY):
        text = " ".join(f"word{number}x{word} grows on a tree." for word in range(60))
        (place / f"long{number:04d}.md").write_text(f"# Long {number}\n\n{text}\n")
    with started(shell, "add", "notes", *(["--json"] if as_json else [])) as process:
        until(lambda: documents(shell) > 0)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=200)
    assert process.returncode == 130
    if as_json:
        report = json.loads(stdout)
        assert (report["interrupted"], report["error"]["message"]) == (True, "Interrupted.")
        assert stderr == ""
        assert report["added"] == documents(shell) > 0
    else:
        assert " added, " in stdout
        assert stderr.splitlines() == [
            "",
            "Stopping: what is finished is kept. Ctrl-C again ends at once.",
            "Error: Interrupted.",
            "Finished work is kept.",
        ]
    assert documents(shell) < MANY
    assert shell.json("doctor")["ok"] is True


def test_a_watch_adds_what_changes_until_it_is_interrupted(shell: Shell) -> None:
    place = notes(shell, 1)
    with started(shell, "add", "notes", "--watch", "--json") as process:
        until(lambda: documents(shell) == 1)
        # Written aside and moved there, so that nobody sees it half written.
        (shell.folder / "later").write_text("# Later\n\nA text about pears.\n")
        (shell.folder / "later").rename(place / "later.md")
        until(lambda: documents(shell) == 2)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=200)
    assert (process.returncode, stderr) == (130, "")
    assert counted(json.loads(stdout)) == {"added": 2, "unchanged": 1}


def test_a_watch_says_that_a_file_is_over_the_limit(shell: Shell) -> None:
    place = notes(shell, 1)
    (shell.folder / "sourcebook.toml").write_text("max_file_mb = 0.001\n")
    with started(shell, "add", "notes", "--watch") as process:
        until(lambda: documents(shell) == 1)
        (shell.folder / "large").write_text("# Large\n\n" + "A text about pears. " * 100)
        (shell.folder / "large").rename(place / "large.md")
        until(lambda: "large.md" in shell.run("documents", "list", "--failed").stdout)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=200)
    assert "1 not read (1 too large)" in stderr
    assert "lists what was not read" in stderr


def test_an_add_that_was_stopped_at_once_does_not_say_that_there_is_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    add.tell_what_was_left(AddReport(interrupted=True))
    assert capsys.readouterr().err == ""
    add.tell_what_was_left(AddReport())
    assert "nothing to read" in capsys.readouterr().err


def test_names_that_mean_harm_are_only_names(shell: Shell) -> None:
    place = notes(shell, 0)
    names = (
        "-rf.md",
        "--help.md",
        "a\nb.md",
        "\x1b[31mred.md",
        "\u202egnp.md",
        "<img onerror=1>.md",
        "ё" * 120 + ".md",
    )
    for number, name in enumerate(names):
        (place / name).write_text(f"# Harm {number}\n\nText {number} about thorns.\n")
    (place / os.fsdecode(b"caf\xe9.md")).write_text("# Coffee\n\nAbout coffee.\n")
    assert counted(shell.json("add", "notes")) == {"added": len(names) + 1}
    assert counted(shell.json("add", "notes")) == {"unchanged": len(names) + 1}
    plain = shell.run("documents", "list").stdout
    assert "\x1b" not in plain
    assert "\u202e" not in plain
    assert "caf\\xe9.md" in plain
    assert "title\tHarm 0" in shell.run("documents", "show", "--", "-rf.md").stdout
