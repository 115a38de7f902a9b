"""What the pages tell people to type works: every Python example runs, and every command line is one."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from sourcebook import Sourcebook
from sourcebook.faces.cli.app import app

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "docs" / "quickstart.md",
    *sorted((ROOT / "docs" / "how-to").glob("*.md")),
]
# These have tests of their own, or speak of things that only the reader has.
ELSEWHERE = ("adapters", "index-store", "own-models", "own-stores")
BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
LINE = re.compile(r"(?:^|&& |\$ )sourcebook (?P<words>.+)")


def examples() -> Iterator[Any]:
    for page in PAGES:
        found = [
            block["text"] for block in BLOCK.finditer(page.read_text("utf-8")) if block["kind"] == "python"
        ]
        for number, text in enumerate(found if page.stem not in ELSEWHERE else [], start=1):
            yield pytest.param(text, id=f"{page.stem} {number}")


@pytest.mark.parametrize("example", list(examples()))
def test_a_python_example_runs(example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "sourcebook.testing.telegram" in example:
        pytest.importorskip("aiogram")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "note.md").write_text("# Raspberries\n\nPrune raspberries in late autumn.\n")
    with Sourcebook(tmp_path / "data" / "knowledge_base.db") as book:
        book.add(tmp_path / "docs")
        for number in range(1, 16):
            book.moderation.call_human(f"What about plum tree number {number}?")
    policies = tmp_path / "data" / "policies" / "rag.yaml"
    policies.parent.mkdir()
    policies.write_text("entities:\n  garden:\n    collections: [default]\n")
    command = tmp_path / "bin" / "sourcebook"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sourcebook "$@"\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{command.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    # What an example takes for granted: a file that was read, and drafts that are waiting.
    exec(compile(example, "example", "exec"), {"data": b"Apples cost two euros."})  # noqa: S102 - the page is ours


def lines() -> Iterator[Any]:
    for page in PAGES:
        for block in BLOCK.finditer(page.read_text("utf-8")):
            if block["kind"] in ("sh", "console"):
                for line in block["text"].replace("\\\n", " ").splitlines():
                    if found := LINE.search(line):
                        yield pytest.param(found["words"], id=f"{page.stem}: {found['words'][:50]}")


@pytest.mark.parametrize("words", list(lines()))
def test_a_command_line_is_one_that_the_command_takes(words: str) -> None:
    """Parsed as the shell and the command would, and not run."""
    typed = re.split(r" [|>&]|;", words)[0]
    command: Any = get_command(app)
    rest = shlex.split(typed, comments=True)
    context = command.make_context("sourcebook", list(rest), resilient_parsing=True)
    while hasattr(command, "commands"):
        name = next((word for word in rest if word in command.commands), None)
        if name is None:
            assert rest[0].startswith("--"), f"there is no command {rest[0]}"
            return
        before, rest = rest[: rest.index(name)], rest[rest.index(name) + 1 :]
        _parse(command, before, context)
        context = command.commands[name].make_context(name, [], parent=context, resilient_parsing=True)
        command = context.command
    _parse(command, rest, context)


def _parse(command: Any, words: list[str], context: Any) -> None:
    command.make_parser(context).parse_args(args=list(words))
