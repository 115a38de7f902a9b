"""A shell for the command: a real process in a folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

from sourcebook.faces.cli import main


class Shell:
    """Runs the command in a folder of its own, with an environment that holds nothing of ours."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "sourcebook", *arguments],
            cwd=self.folder,
            env=clean_environment() | variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=200,
            check=False,
        )

    def json(self, *arguments: str, exit_code: int = 0, **variables: str) -> Any:
        done = self.run(*arguments, "--json", **variables)
        assert done.returncode == exit_code, done.stderr
        return json.loads(done.stdout)


def clean_environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SOURCEBOOK_", "DB_"))}
    return kept | {"PYTHONPATH": str(Path(__file__).parents[2] / "src"), "PYTHONUTF8": "1"}


class Here(Shell):
    """Runs the command in this process, which is much quicker. What only a process can show needs a Shell."""

    def run(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        out, err = StringIO(), StringIO()
        environment = patch.dict(os.environ, clean_environment() | variables, clear=True)
        with environment, chdir(self.folder), redirect_stdout(out), redirect_stderr(err):
            code = main(arguments)
        return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())
