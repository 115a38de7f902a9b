"""The example of the how-to page on stores of one's own runs as it is printed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.faces.shell import clean_environment

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "own-stores.md"


def test_the_example_finds_the_note(tmp_path: Path) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=clean_environment(),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert first.startswith("prune raspberries in autumn ScoreBreakdown(semantic_score=0.")
    assert "chunk_id='a', collection_id='notes', rank=1" in second
    assert list(tmp_path.iterdir()) == []
