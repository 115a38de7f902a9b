"""What the README prints works as it is printed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.faces.shell import clean_environment

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")


def blocks(title: str, language: str) -> list[str]:
    section = README.partition(f"## {title}\n")[2].partition("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home folder with the sample library as notes, and a command `sourcebook` to call."""
    shutil.copytree(ROOT / "sample" / "documents", tmp_path / "notes")
    (tmp_path / "docs").symlink_to("notes")
    command = tmp_path / "bin" / "sourcebook"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sourcebook "$@"\n')
    command.chmod(0o755)
    return tmp_path


def run(home: Path, *command: str) -> str:
    path = f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        cwd=home,
        env=clean_environment() | {"HOME": str(home), "PATH": path},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_loop_works_word_for_word(home: Path) -> None:
    (block,) = blocks("The loop", "sh")
    lines = block.splitlines()
    run(home, "sourcebook", "add", "notes")
    # Who comes here has asked something above, and its answer waits for review under the number 1.
    (above,) = [line for line in blocks("Five common things", "sh")[0].splitlines() if " ask " in line]
    run(home, "sh", "-c", above)
    declined, waiting, _, added = [run(home, "sh", "-c", line) for line in lines[:4]]
    assert "I am not sure that the base answers this question." in declined
    assert "When do I harvest gooseberries?" in waiting
    assert added.startswith("0 added")
    assert run(home, "sh", "-c", lines[0]).startswith("In July, when they give.")


def test_the_five_common_things_work_word_for_word(home: Path) -> None:
    (block,) = blocks("Five common things", "sh")
    added, found, answered, listed, checked = [run(home, "sh", "-c", line) for line in block.splitlines()]
    files = [path for path in (home / "notes").rglob("*") if path.is_file()]
    assert added.startswith(f"{len(files)} added")
    assert found.startswith("1. ")
    assert "everbearing" in found.partition("2. ")[0]
    assert "[1]" in answered
    assert "лучше дождевая" in answered.partition("[1]")[0]
    assert len(listed.splitlines()) == 1 + len(files)
    assert checked == "The base is in order.\n"


def test_the_same_works_from_python(home: Path) -> None:
    (block,) = blocks("Five common things", "python")
    said = run(home, sys.executable, "-c", block)
    assert "everbearing" in said
    assert "5 to 8 cm" in said.splitlines()[-1]
