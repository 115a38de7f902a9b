"""The commands that keep a base: backup, restore and doctor, and what every command says of a damaged file."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.faces.shell import Here, Shell, clean_environment

from sourcebook import Sourcebook

NOTES = {
    "raspberries.md": "# Raspberries\n\nPrune everbearing raspberries in late autumn, after the last berries.\n",
    "tomatoes.md": "# Tomatoes\n\nWater tomatoes in the morning, at the root, twice a week.\n",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a base of two notes, and a backup of it. Tests only read it."""
    folder = tmp_path_factory.mktemp("library")
    (folder / "notes").mkdir()
    for name, text in NOTES.items():
        (folder / "notes" / name).write_text(text, encoding="utf-8")
    shell = Here(folder)
    assert shell.json("add", "notes", "--db", "base.db")["added"] == 2
    shell.json("backup", "kept", "--db", "base.db")
    return folder


@pytest.fixture
def shell(library: Path, tmp_path: Path) -> Shell:
    """A copy of it."""
    shutil.copytree(library, tmp_path / "copy")
    return Here(tmp_path / "copy")


def error_of(shell: Shell, *arguments: str, exit_code: int, **variables: str) -> dict[str, str]:
    return shell.json(*arguments, exit_code=exit_code, **variables)["error"]


def test_a_backup_is_written_told_of_and_restored(shell: Shell) -> None:
    report = shell.json("backup", "backups/monday", "--db", "base.db")
    assert set(report) == {"path", "size", "digest", "counts", "stored_files"}
    assert report["counts"]["documents"] == 2
    assert (shell.folder / "backups" / "monday").stat().st_size == report["size"]

    restored = shell.json("restore", "backups/monday", "--db", "elsewhere/base.db")
    assert set(restored) == {"base", "digest", "former", "counts", "stored_files"}
    assert (restored["digest"], restored["former"]) == (report["digest"], None)
    found = shell.json("search", "everbearing", "--mode", "keyword", "--db", "elsewhere/base.db")
    assert len(found["results"]) == 1


def test_for_people_the_outcome_is_a_sentence_and_the_rest_goes_to_stderr(shell: Shell) -> None:
    done = shell.run("backup", "monday", "--db", "base.db")
    assert done.stdout.startswith("2 documents, 0 curated answers, 0 sessions and 0 uploads are in monday (")
    assert done.stderr == ""
    done = shell.run("restore", "monday", "--force", "--db", "base.db")
    assert done.stdout == "base.db now has 2 documents, 0 curated answers, 0 sessions and 0 uploads.\n"
    assert done.stderr.startswith("The old base is kept as ")


def test_nothing_is_replaced_without_force(shell: Shell) -> None:
    assert error_of(shell, "backup", "kept", "--db", "base.db", exit_code=4)["code"] == "conflict"
    shell.json("backup", "kept", "--force", "--db", "base.db")
    error = error_of(shell, "restore", "kept", "--db", "base.db", exit_code=4)
    assert error["code"] == "conflict"
    assert "--force" in error["hint"]
    former = shell.json("restore", "kept", "--force", "--db", "base.db")["former"]
    assert Path(former).is_file()


def test_what_cannot_be_restored_says_why(shell: Shell) -> None:
    assert error_of(shell, "restore", "nothing", "--db", "b.db", exit_code=3)["code"] == "path_not_found"
    (shell.folder / "letters").write_text("These are my letters." * 1000)
    error = error_of(shell, "restore", "letters", "--db", "b.db", exit_code=5)
    assert error["code"] == "backup_damaged"
    assert not (shell.folder / "b.db").exists()
    assert error_of(shell, "backup", "new", "--db", "nothing.db", exit_code=5)["code"] == "base_unreachable"


@pytest.mark.parametrize("command", ["backup", "restore"])
def test_a_base_on_a_server_is_backed_up_by_its_own_tools(shell: Shell, command: str) -> None:
    error = error_of(shell, command, "kept", "--db", "postgresql://me:secret@host/berries", exit_code=2)
    assert "pg_dump --format=custom --file=FILE postgresql://me@host/berries" in error["hint"]
    assert "pg_restore" in error["hint"]
    assert "sourcebook export" in error["hint"]
    assert "secret" not in str(error)


@pytest.mark.skipif(os.name != "posix", reason="only POSIX systems limit the size of a file")
def test_a_disk_that_takes_no_more_is_a_storage_error_and_nothing_is_left(shell: Shell) -> None:
    import resource  # not on every system

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    done = subprocess.run(
        [sys.executable, "-m", "sourcebook", "backup", "small/kept", "--db", "base.db"],
        cwd=shell.folder,
        env=clean_environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=200,
        check=False,
        preexec_fn=limited,
    )
    assert done.returncode == 5
    assert done.stderr.startswith("Error: ")
    assert "Traceback" not in done.stderr
    assert list((shell.folder / "small").iterdir()) == []


# The doctor


def test_a_healthy_base_is_in_order(shell: Shell) -> None:
    report = shell.json("doctor", "--db", "base.db")
    assert (report["ok"], report["findings"], report["repairs"]) == (True, [], [])
    assert {"sourcebook", "python", "sqlite", "base"} <= set(report["versions"])
    assert {"postgres", "ocr", "onnx"} <= set(report["extras"])
    assert [part["name"] for part in report["optional_parts"]] == sorted(report["extras"])
    assert all(
        part["installed"] == (report["extras"][part["name"]] == "installed")
        for part in report["optional_parts"]
    )
    assert set(report["disk"]) == {"base_bytes", "free_bytes"}
    assert report["counts"]["documents"] == 2
    assert report["open_jobs"] == {}
    done = shell.run("doctor", "--db", "base.db")
    assert done.stdout == "The base is in order.\n"
    assert "sqlite: " in done.stderr


def test_the_doctor_says_what_work_is_open(shell: Shell) -> None:
    with Sourcebook(shell.folder / "base.db") as book:
        asked = book.moderation.call_human("Who has the key?")
        book.moderation.answer_item(asked.id, 1, "The janitor.")
    assert shell.json("doctor", "--db", "base.db")["open_jobs"] == {"message": 1}
    told = shell.run("doctor", "--db", "base.db").stderr
    assert "  open jobs: 1 × notices to askers, kept in case a Telegram bot is set up\n" in told
    told = shell.run("doctor", "--db", "base.db", SOURCEBOOK_TELEGRAM_TOKEN="1:token").stderr
    assert "  open jobs: 1 × messages for the Telegram bot to send\n" in told


def test_what_is_wrong_is_said_and_repaired_and_then_it_is_in_order(shell: Shell) -> None:
    change_a_letter(shell.folder / "base.db")
    found = shell.json("doctor", "--db", "base.db", exit_code=5)
    (finding,) = found["findings"]
    assert (found["ok"], finding["code"], finding["weight"]) == (False, "changed_texts", "fault")
    assert [Path(row).name for row in finding["rows"]] == ["tomatoes.md"]
    done = shell.run("doctor", "--db", "base.db")
    assert done.returncode == 5
    assert "changed_texts (1): " in done.stdout
    assert done.stdout.endswith("The base needs attention.\n")

    repaired = shell.json("doctor", "--repair", "--db", "base.db")
    assert [repair["code"] for repair in repaired["repairs"]] == ["heal_text", "put_words"]
    assert repaired["ok"] is True
    assert shell.json("doctor", "--repair", "--db", "base.db")["repairs"] == []


def change_a_letter(base: Path) -> None:
    """In the text of a document, and not in its passages."""
    content = base.read_bytes()
    before, after = b"Water tomatoes in the morning", b"Water tomatoes in the evening"
    assert content.count(before) >= 2
    at = content.index(b"# Tomatoes" if b"# Tomatoes" in content else before)
    place = content.index(before, at)
    base.write_bytes(content[:place] + after + content[place + len(before) :])


def test_what_killed_programs_left_is_removed_by_a_repair(shell: Shell) -> None:
    for name in (".monday.unfinished-999999999", ".base.db.restoring-999999999-wal"):
        (shell.folder / name).write_bytes(b"half of it")
        os.utime(shell.folder / name, (0, 0))
    mine = shell.folder / f".tuesday.unfinished-{random.randrange(10**6)}x"
    mine.write_bytes(b"not ours")
    found = shell.json("doctor", "--db", "base.db", exit_code=5)
    assert [(f["code"], f["count"]) for f in found["findings"]] == [("leftovers", 2)]
    repaired = shell.json("doctor", "--repair", "--db", "base.db")
    assert [(r["code"], r["count"]) for r in repaired["repairs"]] == [("leftovers", 2)]
    assert [p.name for p in shell.folder.glob(".*")] == [mine.name]


COMMANDS = (
    ("search", "tomatoes"),
    ("search", "tomatoes", "--mode", "keyword"),
    ("documents", "list"),
    ("collections", "list"),
    ("add", "notes"),
    ("export", "bundle"),
    ("backup", "new"),
    ("doctor",),
)


@pytest.mark.parametrize("damage", ["header", "cut", "declarations"])
def test_a_damaged_file_is_a_clean_error_of_every_command(shell: Shell, damage: str) -> None:
    base = shell.folder / "base.db"
    content = bytearray(base.read_bytes())
    match damage:
        case "header":
            content[:100] = random.Random(1).randbytes(100)
        case "cut":
            del content[len(content) // 2 :]
        case _:
            content[100:4000] = bytes(3900)
    base.write_bytes(content)
    for command in COMMANDS:
        done = shell.run(*command, "--db", "base.db")
        assert done.returncode == 5, command
        assert "Traceback" not in done.stderr
        assert "sourcebook restore" in done.stderr + done.stdout, command
    assert shell.json("restore", "kept", "--force", "--db", "base.db")["counts"]["documents"] == 2
    assert shell.json("doctor", "--db", "base.db")["ok"] is True
