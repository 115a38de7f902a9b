"""Build the wheel and the sdist, and try the wheel in an empty environment, outside the repository.

python -m scripts.release          builds into dist/ and checks; publishing is left to you
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
_NOT_SHIPPED = ("tests/", "benchmarks/", ".git", ".env")


def main() -> None:
    """Build and check. Exits with an error that names what failed."""
    shutil.rmtree(DIST, ignore_errors=True)
    _run([sys.executable, "-m", "hatchling", "build", "-d", str(DIST)], ROOT)
    wheel = _only("*.whl")
    _only("*.tar.gz")
    _require_contents(wheel)
    with tempfile.TemporaryDirectory() as folder:
        _try_it(wheel, Path(folder))
    print(f"{wheel.name} works in an empty environment.")


def _only(pattern: str) -> Path:
    found = list(DIST.glob(pattern))
    if len(found) != 1:
        raise SystemExit(f"expected one {pattern} in {DIST}, found {len(found)}")
    return found[0]


def _require_contents(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    unwanted = [name for name in names if name.startswith(_NOT_SHIPPED)]
    missing = [
        wanted
        for wanted in ("sourcebook/py.typed", "sourcebook/_sample/", "sourcebook/_manual/")
        if not any(name.startswith(wanted) for name in names)
    ]
    if unwanted or missing:
        raise SystemExit(f"the wheel holds {unwanted[:3]} and lacks {missing}")


def _try_it(wheel: Path, folder: Path) -> None:
    """Install it, add a note, ask, and read the answer."""
    environment = folder / "environment"
    venv.create(environment, with_pip=True)
    programs = environment / ("Scripts" if os.name == "nt" else "bin")
    _run([str(programs / "python"), "-m", "pip", "install", "--quiet", str(wheel)], folder)
    (folder / "note.md").write_text("# Raspberries\n\nPrune raspberries in late autumn.\n", encoding="utf-8")
    sourcebook = str(programs / "sourcebook")
    _run([sourcebook, "add", "note.md"], folder)
    answer = json.loads(_run([sourcebook, "ask", "When do I prune raspberries?", "--json"], folder))
    if "late autumn" not in answer["answer"] or not answer["citations"]:
        raise SystemExit(f"the installed wheel answered {answer['answer']!r}")
    _run([sourcebook, "doctor"], folder)


def _run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=False)  # noqa: S603
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
