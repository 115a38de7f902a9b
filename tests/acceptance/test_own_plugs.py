"""The examples of the how-to pages on models and stores of one's own run as they are printed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.faces.shell import clean_environment

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to"


def printed_by_the_example_of(page: str, folder: Path) -> list[str]:
    (program,) = re.findall(r"```python\n(.*?)```", (HOW_TO / page).read_text("utf-8"), re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env=clean_environment(),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_store_of_ones_own_finds_the_note(tmp_path: Path) -> None:
    first, second = printed_by_the_example_of("own-stores.md", tmp_path)
    assert first.startswith("prune raspberries in autumn ScoreBreakdown(semantic_score=0.")
    assert "chunk_id='a', collection_id='notes', rank=1" in second
    assert list(tmp_path.iterdir()) == []


def test_an_embedder_and_a_chat_model_of_ones_own_answer_with_a_source(tmp_path: Path) -> None:
    answer, citation = printed_by_the_example_of("own-models.md", tmp_path)
    assert answer == "Cut everbearing raspberries to the ground in autumn [1]."
    assert citation == "1 Raspberries True"
