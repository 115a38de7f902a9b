"""The command as a shell sees it: its two streams and its exit code, of a real process where that may matter."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.faces.shell import Here, Shell, clean_environment

from sourcebook._version import __version__

SECRET = "hunter-two"


@pytest.fixture
def process(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Here(tmp_path)


def test_version_is_printed_on_stdout(process: Shell) -> None:
    done = process.run("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"sourcebook {__version__}\n", "")


def test_version_as_json(shell: Shell) -> None:
    assert shell.json("--version") == {"version": __version__}


def test_help_lists_the_commands(shell: Shell) -> None:
    done = shell.run("--help")
    assert done.returncode == 0
    for command in ("add", "search", "documents", "collections", "config", "doctor", "demo"):
        assert f"\n  {command} " in done.stdout


def test_no_command_shows_the_help_and_is_a_usage_error(process: Shell) -> None:
    done = process.run()
    assert (done.returncode, done.stdout) == (2, "")
    assert "Usage: sourcebook" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["serch", "x"],
        ["search"],
        ["search", "x", "--top-k", "0"],
        ["search", "x", "--mode", "guess"],
        ["config", "show", "--bogus"],
        ["documents"],
        ["collections", "create", "x"],
        ["search", "x", "--where", "type ~ note"],
    ],
)
def test_a_usage_error_is_exit_2_and_one_json_document_if_asked(shell: Shell, arguments: list[str]) -> None:
    plain = shell.run(*arguments)
    assert (plain.returncode, plain.stdout) == (2, "")
    assert plain.stderr.startswith("Error: ")
    error = shell.json(*arguments, exit_code=2)["error"]
    assert set(error) == {"code", "message", "hint"}
    assert all(error.values())


@pytest.mark.parametrize(
    ("arguments", "help_of"),
    [
        (["add", "d", "--category"], "add"),
        (["ask", "x", "--bogus"], "ask"),
        (["moderate", "reject"], "moderate reject"),
        (["moderate", "bogus"], "moderate"),
        (["--db"], ""),
    ],
)
def test_a_mistake_points_to_the_help_of_its_own_command(
    shell: Shell, arguments: list[str], help_of: str
) -> None:
    hint = " ".join(("sourcebook", *help_of.split(), "--help"))
    assert shell.run(*arguments).stderr.splitlines()[-1] == f"Try `{hint}`."


def test_a_mistyped_command_suggests_the_nearest(shell: Shell) -> None:
    assert "search" in shell.run("serch").stderr


def test_config_show_tells_values_and_origins(process: Shell) -> None:
    (process.folder / "sourcebook.toml").write_text("readers = 2\n")
    (process.folder / ".env").write_text("SOURCEBOOK_COLLECTION=notes\n")
    shown = process.json("config", "show", "--db", "mine.db", SOURCEBOOK_LOG_FORMAT="json")["settings"]
    assert shown["db"] == {"value": "mine.db", "origin": "flag"}
    assert shown["log_format"] == {"value": "json", "origin": "environment"}
    assert shown["collection"] == {"value": "notes", "origin": ".env"}
    assert shown["readers"] == {"value": 2, "origin": "sourcebook.toml"}
    assert shown["busy_timeout"] == {"value": 30.0, "origin": "default"}


def test_config_show_off_a_terminal_is_separated_by_tabs(shell: Shell) -> None:
    lines = shell.run("config", "show").stdout.splitlines()
    assert lines[0] == "setting\tvalue\tfrom"
    assert "db\tdata/knowledge_base.db\tdefault" in lines


@pytest.mark.parametrize("order", ["before", "after"])
def test_common_options_may_stand_before_or_after_the_command(shell: Shell, order: str) -> None:
    common = ["--json", "--db", "mine.db", "--log-level", "error"]
    arguments = [*common, "config", "show"] if order == "before" else ["config", "show", *common]
    shown = json.loads(shell.run(*arguments).stdout)["settings"]
    assert (shown["db"]["value"], shown["log_level"]["value"]) == ("mine.db", "error")


def test_after_two_dashes_nothing_is_an_option(shell: Shell) -> None:
    done = shell.run("config", "show", "--", "--json")
    assert done.returncode == 2
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["kb", "show", "x"], "'ID': it must be a whole number."),
        (["search", "pump", "--top-k", "0"], "'--top-k': it must be 1 or more."),
        (["serve", "--port", "99999"], "'--port': it must be 65535 or less."),
    ],
)
def test_a_number_that_does_not_do_is_refused_in_plain_words(
    shell: Shell, arguments: list[str], said: str
) -> None:
    assert shell.json(*arguments, exit_code=2)["error"]["message"].endswith(said)


def test_a_bad_setting_is_a_usage_error_with_a_suggestion(shell: Shell) -> None:
    error = shell.json("config", "show", exit_code=2, SOURCEBOOK_READER="4")["error"]
    assert error["code"] == "bad_setting"
    assert "SOURCEBOOK_READERS" in error["hint"]


def test_secrets_are_shown_nowhere(process: Shell, shell: Shell) -> None:
    address = f"postgresql://bot:{SECRET}@127.0.0.1:1/garden"
    for arguments in (["config", "show"], ["doctor"], ["search", "x"]):
        done = shell.run(*arguments, "--db", address)
        assert SECRET not in done.stdout + done.stderr
    done = process.run("--log-level", "debug", "doctor", "--db", address)
    assert SECRET not in done.stdout + done.stderr


@pytest.mark.parametrize("kind", ["bash", "zsh", "fish"])
def test_the_completion_script_is_printed(process: Shell, kind: str) -> None:
    done = process.run(_SOURCEBOOK_COMPLETE=f"source_{kind}")
    assert done.returncode == 0
    assert "_SOURCEBOOK_COMPLETE" in done.stdout


def test_completion_knows_the_commands(process: Shell) -> None:
    done = process.run(_SOURCEBOOK_COMPLETE="complete_bash", COMP_WORDS="sourcebook do", COMP_CWORD="1")
    assert set(done.stdout.split()) == {"documents", "doctor"}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a file that is always full")
@pytest.mark.parametrize(
    "arguments",
    [
        ["config", "show", "--json"],
        ["config", "show"],
        ["serch", "--json"],
        ["--version"],
        ["--json", "--help"],
    ],
)
def test_a_full_disk_behind_stdout_is_told_in_one_line(shell: Shell, arguments: list[str]) -> None:
    with Path("/dev/full").open("wb") as stdout:
        done = subprocess.run(
            [sys.executable, "-m", "sourcebook", *arguments],
            cwd=shell.folder,
            env=clean_environment(),
            stdout=stdout,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.startswith("Error: The output could not be written")
    assert done.stderr.count("\n") == 1


INTERRUPTED_IMPORT = """
import sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            raise INTERRUPT

sys.meta_path.insert(0, Interrupting())
from sourcebook.faces.cli import main
sys.exit(main())
"""


@pytest.mark.parametrize("interrupt", ["KeyboardInterrupt", "RuntimeError from KeyboardInterrupt"])
@pytest.mark.parametrize("as_json", [True, False])
def test_an_interrupt_while_the_command_is_loaded_leaves_no_traceback(
    shell: Shell, as_json: bool, interrupt: str
) -> None:
    program = INTERRUPTED_IMPORT.replace("INTERRUPT", interrupt)
    done = subprocess.run(
        [sys.executable, "-c", program, "config", "show", *(["--json"] if as_json else [])],
        cwd=shell.folder,
        env=clean_environment(),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 130
    if as_json:
        assert json.loads(done.stdout)["error"]["message"] == "Interrupted."
        assert done.stderr == ""
    else:
        assert (done.stdout, done.stderr) == ("", "Error: Interrupted.\nFinished work is kept.\n")


@pytest.mark.parametrize("arguments", [["config", "show", "--json"], ["config", "show"]])
def test_a_reader_that_leaves_early_is_no_error(shell: Shell, arguments: list[str]) -> None:
    command = [sys.executable, "-m", "sourcebook", *arguments]
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as stdout:
        done = subprocess.run(
            command,
            cwd=shell.folder,
            env=clean_environment(),
            stdout=stdout,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, b"")
