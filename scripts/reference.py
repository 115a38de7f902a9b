"""Write the pages of docs/reference that are generated from the code. A test fails if they are out of date."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import typer

from scripts import http_reference, python_reference
from sourcebook.errors import SourcebookError
from sourcebook.faces.cli.app import app
from sourcebook.faces.cli.exit_codes import ExitCode, exit_code
from sourcebook.settings import PREFIX, Settings

REFERENCE = Path(__file__).parent.parent / "docs" / "reference"
WIDTH = 100


def cli() -> str:
    command: Any = typer.main.get_command(app)
    codes = "\n".join(f"| {code.value} | {code.name.lower().replace('_', ' ')} |" for code in ExitCode)
    return f"""# Command line

Data goes to stdout, everything else to stderr. `--json` prints exactly one JSON document; an error is
`{{"error": {{"code", "message", "hint"}}}}` with the codes of [errors.md](errors.md). `--db`, `--json` and
`--log-level` may come before or after the command.

| exit code | meaning |
|---|---|
{codes}

{"".join(_help(command, "sourcebook", None))}"""


def _help(command: Any, name: str, parent: Any) -> Iterator[str]:
    ctx = command.make_context(name, [], parent=parent, resilient_parsing=True, terminal_width=WIDTH)
    yield f"## `{ctx.command_path}`\n\n```text\n{ctx.command.get_help(ctx).rstrip()}\n```\n\n"
    for child_name, child in getattr(command, "commands", {}).items():
        yield from _help(child, child_name, ctx)


def errors() -> str:
    rows = "\n".join(
        f"| {'· ' * depth}`{type(error).__name__}` | `{error.code}` | {exit_code(error).value} "
        f"| {error.message} | {error.hint} |"
        for error, depth in _tree(SourcebookError, 0)
    )
    return f"""# Errors

Every error that Sourcebook raises on purpose is a `SourcebookError` with a `code` for programs, a `message`, and a
`hint` that says what to do next. Catching a class also catches the classes indented below it.

| class | code | exit code | message | what to do |
|---|---|---|---|---|
{rows}
"""


def _tree(kind: type[SourcebookError], depth: int) -> Iterator[tuple[SourcebookError, int]]:
    yield kind(), depth
    for child in kind.__subclasses__():
        if child.__module__.startswith("sourcebook.errors."):
            yield from _tree(child, depth + 1)


def settings() -> str:
    rows = "\n".join(
        f"| `{key}` | `{PREFIX}{key.upper()}` | `{field.default}` | {field.description} |"
        for key, field in Settings.model_fields.items()
    )
    return f"""# Settings

A flag beats the environment, the environment beats `.env`, `.env` beats `sourcebook.toml` (both in the current
folder), and that beats the default. `sourcebook config show` prints every value and where it came from, with passwords
masked. An unknown key or `{PREFIX}…` variable is an error that suggests the nearest name. An empty variable
counts as not set.

| key in `sourcebook.toml` | variable | default | meaning |
|---|---|---|---|
{rows}

If `db` is not set but `DB_HOST` is, the base's address is built from `DB_HOST`, `DB_PORT`, `DB_NAME`, `DB_USER` and
`DB_PASSWORD`.
"""


PAGES: dict[str, Callable[[], str]] = {
    "cli.md": cli,
    "errors.md": errors,
    "http.md": http_reference.page,
    "python.md": python_reference.page,
    "settings.md": settings,
}


def main() -> None:
    REFERENCE.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        (REFERENCE / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
