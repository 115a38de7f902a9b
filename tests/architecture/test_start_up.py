"""What a command loads before it does anything. A terminal is used all day: nobody waits for what is not asked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from sourcebook import Sourcebook
from sourcebook.faces.cli.app import app
from sourcebook.faces.cli.command_table import COMMANDS, GROUPS

PLACE = "sourcebook.faces.cli.commands."
ROOMS = {"sourcebook.client", "sourcebook.settings", "sourcebook.storage", "sourcebook.consult", "numpy"}
ALL = {(name,): entry for name, entry in COMMANDS.items()} | {
    (group, name): entry for group, (_, commands) in GROUPS.items() for name, entry in commands.items()
}


def loaded_by(folder: Path, *arguments: str) -> set[str]:
    """The modules that are loaded when the command ends."""
    code = (
        "import sys; from sourcebook.faces.cli import main; code = main(sys.argv[1:]); "
        "print('loaded:', *sys.modules, file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True, cwd=folder
    )
    return set(done.stderr.rpartition("loaded: ")[2].split())


def commands_in(loaded: set[str]) -> set[str]:
    return {name.removeprefix(PLACE) for name in loaded if name.startswith(PLACE) and name.count(".") == 5}


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["kb", "--help"]])
def test_help_and_version_load_no_command_and_no_room(arguments: list[str], tmp_path: Path) -> None:
    loaded = loaded_by(tmp_path, *arguments)
    assert "typer" in loaded
    assert commands_in(loaded) == set()
    assert loaded & ROOMS == set()


def test_a_command_loads_no_other_command_and_not_what_answers_questions(tmp_path: Path) -> None:
    with Sourcebook(tmp_path / "data" / "knowledge_base.db") as book:
        book.add_text("Prune raspberries in late autumn.")
    loaded = loaded_by(tmp_path, "documents", "list")
    assert commands_in(loaded) == {"documents.documents"}
    assert loaded & {"sourcebook.consult.ask", "sourcebook.faces.http", "asyncpg", "yaml"} == set()


def test_the_client_loads_its_doors_without_what_is_behind_them(tmp_path: Path) -> None:
    code = "import sys, sourcebook.sync; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert {"sourcebook.doors.quality", "sourcebook.doors.answer_files"} <= loaded
    assert loaded & {"sourcebook.consult.ask", "numpy", "markdown_it", "yaml", "pathspec"} == set()


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_the_table_says_of_a_command_what_its_help_says(path: tuple[str, ...]) -> None:
    group: Any = get_command(app)
    *above, name = path
    for step in above:
        group = group.commands[step]
    listed = group.commands[name]
    called = listed.make_context(name, [], resilient_parsing=True).command
    assert called is not listed
    assert (called.name, listed.help) == (name, called.get_short_help_str(1000))
