"""Every example of the page on adapters runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sourcebook import Sourcebook

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "adapters.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(
    "example", EXAMPLES, ids=[f"example {number}" for number in range(1, len(EXAMPLES) + 1)]
)
def test_an_example_of_the_page_runs(
    example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module in ("langchain_core", "llama_index", "haystack"):
        if module in example:
            pytest.importorskip(module)
    (tmp_path / "data").mkdir()
    with Sourcebook(tmp_path / "data" / "knowledge_base.db") as book:
        book.add_text("Prune raspberries in late autumn.", id="note", title="Raspberries")
    monkeypatch.chdir(tmp_path)
    exec(compile(example, str(PAGE), "exec"), {})  # noqa: S102 - the page is ours
