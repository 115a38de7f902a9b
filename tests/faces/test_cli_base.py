"""The command line on a real base, from adding to removing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import apsw
import pytest
from tests.faces.shell import Here, Shell, clean_environment

RESULT = {
    "chunk_id",
    "document_id",
    "document_path",
    "title",
    "page",
    "section",
    "content",
    "start_index",
    "end_index",
    "score",
    "score_breakdown",
    "matched",
    "metadata",
    "collection_id",
    "parent_context",
    "matched_section",
}
RASPBERRIES = "# Raspberries\n\nPrune everbearing raspberries in late autumn, after the last berries.\n"
TOMATOES = "# Томаты\n\nПоливайте томаты утром, под корень, не чаще двух раз в неделю.\n"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """A folder with two notes in two languages, indexed once. Tests only read it."""
    folder = tmp_path_factory.mktemp("library")
    notes = folder / "notes"
    notes.mkdir()
    (notes / "raspberries.md").write_text(RASPBERRIES, encoding="utf-8")
    (notes / "томаты.md").write_text(TOMATOES, encoding="utf-8")
    shell = Here(folder)
    report = shell.json("add", "notes")
    expected: dict[str, object] = {
        "added": 2,
        "updated": 0,
        "unchanged": 0,
        "moved": 0,
        "removed": 0,
        "failed": [],
    }
    assert expected.items() <= report.items()
    return shell


def test_the_base_is_made_where_the_documents_say(library: Shell) -> None:
    assert (library.folder / "data" / "knowledge_base.db").is_file()


def test_adding_again_changes_nothing(library: Shell) -> None:
    report = library.json("add", "notes")
    assert (report["added"], report["updated"], report["unchanged"]) == (0, 0, 2)


@pytest.mark.parametrize("mode", ["hybrid", "semantic", "keyword"])
def test_search_finds_the_passage_in_every_mode(library: Shell, mode: str) -> None:
    found = library.json("search", "prune everbearing raspberries", "--mode", mode, "--top-k", "1")
    assert (found["query"], found["mode"]) == ("prune everbearing raspberries", mode)
    (result,) = found["results"]
    assert set(result) == RESULT
    assert set(result["score_breakdown"]) == {"semantic_score", "keyword_score", "rerank_score"}
    assert "late autumn" in result["content"]
    assert result["document_path"].endswith("raspberries.md")


def test_a_question_in_russian_finds_a_note_in_russian(library: Shell) -> None:
    found = library.json("search", "как часто поливать томаты", "--top-k", "1")
    assert "под корень" in found["results"][0]["content"]


def test_search_for_people_is_plain_text_off_a_terminal(library: Shell) -> None:
    done = library.run("search", "prune raspberries")
    assert done.returncode == 0
    assert "late autumn" in done.stdout
    assert "\x1b" not in done.stdout + done.stderr


def test_a_filter_that_matches_nothing_finds_nothing_and_is_no_error(library: Shell) -> None:
    assert library.json("search", "raspberries", "--where", "type=poem")["results"] == []
    done = library.run("search", "raspberries", "--where", "type=poem")
    assert (done.returncode, done.stdout) == (0, "")
    assert "Nothing was found" in done.stderr


def test_documents_are_listed_without_their_text(library: Shell) -> None:
    documents = library.json("documents", "list")["documents"]
    assert sorted(Path(document["file_path"]).name for document in documents) == [
        "raspberries.md",
        "томаты.md",
    ]
    assert all("content" not in document for document in documents)
    assert "томаты.md" in library.run("documents", "list").stdout


def test_collections_are_listed_with_their_counts(library: Shell) -> None:
    (collection,) = library.json("collections", "list")["collections"]
    assert (collection["id"], collection["document_count"]) == ("default", 2)
    assert collection["chunk_count"] >= 4


def test_a_healthy_base_is_in_order(library: Shell) -> None:
    assert library.json("doctor")["ok"] is True
    assert "in order" in library.run("doctor").stdout


def test_a_reader_that_leaves_early_is_no_error(library: Shell) -> None:
    command = f'"{sys.executable}" -m sourcebook search "raspberries" --json | head -c 1'
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=library.folder,
        env=clean_environment(),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"{", b"")


def test_a_reader_that_is_gone_already_is_no_error(library: Shell) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as stdout:
        done = subprocess.run(
            [sys.executable, "-m", "sourcebook", "search", "raspberries", "--mode", "keyword"],
            cwd=library.folder,
            env=clean_environment(),
            stdout=stdout,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, b"")


# Errors and their exit codes


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Here(tmp_path)


def code_of(shell: Shell, *arguments: str, exit_code: int, **variables: str) -> str:
    error = shell.json(*arguments, exit_code=exit_code, **variables)["error"]
    assert error["message"]
    assert error["hint"]
    return error["code"]


def test_a_path_that_does_not_exist_is_not_found(shell: Shell) -> None:
    assert code_of(shell, "add", "nowhere", exit_code=3) == "path_not_found"


def test_a_collection_that_does_not_exist_is_not_found(library: Shell) -> None:
    assert code_of(library, "search", "x", "--collection", "other", exit_code=3) == "collection_not_found"


@pytest.mark.parametrize(
    "arguments",
    [
        ["search", "x"],
        ["documents", "list"],
        ["collections", "list"],
        ["collections", "remove", "x", "--yes"],
        ["doctor"],
        ["export", "bundle"],
    ],
)
def test_a_base_that_does_not_exist_is_not_made_by_who_only_asks(shell: Shell, arguments: list[str]) -> None:
    error = shell.json(*arguments, "--db", "mistyped/base.db", exit_code=5)["error"]
    assert error["code"] == "base_unreachable"
    assert "mistyped/base.db" in error["message"]
    assert "`sourcebook add PATH` makes it" in error["hint"]
    assert list(shell.folder.iterdir()) == []


def test_a_base_in_the_home_folder_is_found_by_its_tilde(shell: Shell) -> None:
    (shell.folder / "sourcebook.toml").write_text('db = "~/base.db"')
    home = str(shell.folder / "home")
    shell.json("collections", "create", "mine", "--dimensions", "3", HOME=home)
    assert (shell.folder / "home" / "base.db").is_file()
    assert shell.json("collections", "list", "--db", "~/base.db", HOME=home)["collections"]


def test_an_unchanged_file_takes_a_new_category(shell: Shell) -> None:
    (shell.folder / "note.md").write_text("# Note\n\nA text about apples.\n")
    shell.json("add", "note.md")
    assert shell.json("add", "note.md", "--category", "fruit")["updated"] == 1
    (document,) = shell.json("documents", "list")["documents"]
    assert document["category"] == "fruit"
    assert shell.json("search", "apples", "--where", "category=fruit")["results"]
    assert shell.json("doctor")["ok"] is True


def test_a_file_that_is_no_base_is_a_storage_error_and_stays_as_it_is(shell: Shell) -> None:
    other = shell.folder / "notes.db"
    other.write_text("These are my notes, and not a base.\n" * 100)
    before = other.read_bytes()
    for command in (["ask", "hi there"], ["doctor"], ["doctor", "--repair"], ["backup", "copy.db"]):
        assert code_of(shell, *command, "--db", "notes.db", exit_code=5) == "not_a_sourcebook"
    assert other.read_bytes() == before


def test_meaning_without_an_embedder_is_a_provider_error(library: Shell) -> None:
    arguments = ("search", "raspberries", "--mode", "semantic")
    assert code_of(library, *arguments, exit_code=6, SOURCEBOOK_EMBEDDER="none") == "no_embedder"


def test_words_are_found_without_an_embedder(library: Shell) -> None:
    found = library.json("search", "raspberries", "--mode", "keyword", SOURCEBOOK_EMBEDDER="none")
    assert found["results"]


def test_a_collection_is_made_once_and_removed_with_consent(shell: Shell) -> None:
    made = shell.json("collections", "create", "mine", "--dimensions", "3")["collection"]
    assert (made["id"], made["model"], made["embedding_dimensions"]) == ("mine", "caller:3", 3)
    arguments = ("collections", "create", "mine", "--dimensions", "4")
    assert code_of(shell, *arguments, exit_code=4) == "collection_conflict"
    assert code_of(shell, "collections", "remove", "mine", exit_code=2) == "usage"
    assert shell.json("collections", "remove", "mine", "--yes") == {"removed": "mine"}
    assert shell.json("collections", "list")["collections"] == []
    assert shell.json("collections", "remove", "mine") == {"removed": "mine"}
    assert "There is no collection 'mine'" in shell.run("collections", "remove", "mine").stderr


def test_a_file_that_fails_is_reported_and_the_others_are_added(shell: Shell) -> None:
    (shell.folder / "good.md").write_text("# Good\n\nA text about apples.\n")
    (shell.folder / "bad.bin").write_bytes(b"\x00\x01")
    report = shell.json("add", "bad.bin", "good.md", exit_code=1)
    assert report["added"] == 1
    (failure,) = report["failed"]
    assert set(failure) == {"path", "code", "message"}
    assert "bad.bin: " in shell.run("add", "bad.bin").stderr


def locked(base: Path) -> apsw.Connection:
    connection = apsw.Connection(str(base))
    connection.execute("begin immediate")  # pyright: ignore[reportUnknownMemberType]
    return connection


def test_a_busy_base_is_a_storage_error_that_names_the_wait(shell: Shell) -> None:
    (shell.folder / "note.md").write_text("# Note\n\nA text about apples.\n")
    shell.json("add", "note.md", "--db", "base.db")
    (shell.folder / "note.md").write_text("# Note\n\nA text about pears.\n")
    connection = locked(shell.folder / "base.db")
    try:
        arguments = ("add", "note.md", "--db", "base.db")
        assert code_of(shell, *arguments, exit_code=5, SOURCEBOOK_BUSY_TIMEOUT="0.2") == "base_busy"
    finally:
        connection.close()


def test_an_interrupt_ends_with_130_and_a_word(shell: Shell) -> None:
    (shell.folder / "note.md").write_text("# Note\n\nA text about apples.\n")
    shell.json("collections", "create", "mine", "--dimensions", "3", "--db", "base.db")
    connection = locked(shell.folder / "base.db")
    process = subprocess.Popen(
        [sys.executable, "-m", "sourcebook", "add", "note.md", "--db", "base.db", "--json"],
        cwd=shell.folder,
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        time.sleep(3)  # until it waits for the lock; an earlier interrupt ends in the same way
        os.kill(process.pid, signal.SIGINT)
        stdout, stderr = process.communicate(timeout=200)
    finally:
        process.kill()
        process.communicate()
        connection.close()
    assert process.returncode == 130
    assert json.loads(stdout)["error"]["message"] == "Interrupted."
    assert stderr == b""


def test_the_demo_goes_through_the_loop(shell: Shell) -> None:
    for _ in range(2):  # it makes its base anew each time
        shown = shell.json("demo")
        assert shown["report"]["added"] > 0
        assert [answer["language"] for answer in shown["answers"]] == ["ru", "en", "pt"]
        assert all(answer["citations"][0]["verified"] for answer in shown["answers"])
        assert [shown[step]["tier"] for step in ("declined", "curated", "stale")] == [
            "none",
            "curated",
            "documents",
        ]
        assert shown["curated"]["details"]["stale"] is None
        assert "acid-soil.md" in shown["stale"]["outdated"]["reason"]
        assert shown["waiting"] == 1
    assert code_of(shell, "demo", "--db", "data/demo.db", exit_code=4) == "conflict"
