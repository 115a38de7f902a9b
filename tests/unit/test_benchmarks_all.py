"""The run of all benchmarks: it names what it leaves out, goes on after a failure, and draws what was found."""

from __future__ import annotations

import argparse
import json
import re
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

import pytest
from benchmarks import __main__ as everything
from benchmarks.charts import draw
from benchmarks.parts import PARTS, Part
from benchmarks.plots import Chart, svg
from benchmarks.stacks.measure import ndcg


def cell(milliseconds: float, recall: float) -> dict[str, float]:
    return {"p50_ms": milliseconds, "recall": recall}


def engine(milliseconds: float, recall: float) -> dict[str, object]:
    cells = {"no filter": cell(milliseconds, recall)}
    return {"cells": cells, "build_s": 2.0, "disk_mb": 10.0, "memory": {"rss_mb": 100.0}}


def report(folder: Path, kind: str = "vectors", date: str = "2026-01-02") -> None:
    section = {
        "title": "1,000 vectors",
        "size": 1000,
        "measure": "recall@10",
        "engines": {"sourcebook": engine(1.0, 1.0), "other & co": engine(8.0, 0.8)},
    }
    text = json.dumps({"date": date, "sections": {f"{kind} 1000": section}})
    (folder / f"speed-{date}.json").write_text(text, encoding="utf-8")


def parsed(module: str, words: list[str]) -> argparse.Namespace:
    """What `python -m MODULE` makes of the words."""
    is_package = hasattr(import_module(module), "__path__")
    return import_module(f"{module}.__main__" if is_package else module).parser().parse_args(words)


def test_a_chart_is_a_picture_that_says_its_values_and_its_scale() -> None:
    chart = Chart("a", "Times & more", "median, logarithmic", [("sourcebook", 1.0), ("x", 100.0)], 1, True)
    texts = ["".join(each.itertext()) for each in ElementTree.fromstring(svg(chart)).iter()]  # noqa: S314
    assert {"Times & more", "median, logarithmic", "sourcebook", "1.0", "100.0"} <= set(texts)


def test_bars_are_as_long_as_their_values() -> None:
    picture = ElementTree.fromstring(svg(Chart("a", "t", "n", [("one", 1.0), ("three", 3.0)])))  # noqa: S314
    one, three = (float(each.attrib["width"]) for each in picture.iter() if each.tag.endswith("rect"))
    assert three == pytest.approx(3 * one, rel=0.01)


def test_what_was_measured_is_drawn_with_a_low_recall_in_the_name(tmp_path: Path) -> None:
    report(tmp_path)
    drawn = draw(tmp_path, tmp_path / "plots")
    assert [path.stem for path, _ in drawn] == [
        "speed-vectors-unfiltered",
        "speed-vectors-build",
        "speed-vectors-disk",
        "speed-vectors-memory",
    ]
    assert "other &amp; co (0.80)" in drawn[0][0].read_text(encoding="utf-8")


def test_what_was_not_measured_again_is_drawn_from_an_older_result(tmp_path: Path) -> None:
    report(tmp_path)
    report(tmp_path, "model", "2026-01-03")
    notes = {path.stem: path.read_text(encoding="utf-8") for path, _ in draw(tmp_path, tmp_path / "plots")}
    assert "2026-01-02; median in ms" in notes["speed-vectors-unfiltered"]
    assert "2026-01-03; median in ms" in notes["speed-model-unfiltered"]


def test_every_published_kind_of_result_is_drawn(tmp_path: Path) -> None:
    stems = {path.stem for path, _ in draw(everything.RESULTS, tmp_path)}
    for name in (
        "ingest",
        "speed",
        "quality",
        "answers-dev",
        "across",
        "paraphrases",
        "declining",
        "support",
        "year",
    ):
        assert any(stem.startswith(f"{name}-") for stem in stems), name


@pytest.mark.parametrize("is_quick", [False, True])
@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_every_part_takes_the_words_that_it_is_given(part: Part, is_quick: bool, tmp_path: Path) -> None:
    for name in (*part.needs, *part.likes):
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
    words = part.command(tmp_path, tmp_path / "out", is_quick)[3:]
    named = vars(parsed(part.module, words)).values()
    assert tmp_path / "out" in named
    assert (tmp_path / part.takes in named) == bool(part.needs or part.likes)


@pytest.mark.parametrize("part", [part for part in PARTS if part.likes], ids=lambda part: part.name)
def test_a_part_that_can_do_without_the_data_is_told_nothing_of_it(part: Part, tmp_path: Path) -> None:
    assert str(tmp_path / part.takes) not in part.command(tmp_path, tmp_path / "out", False)
    assert part.missed(tmp_path) == list(part.likes)
    assert part.otherwise


def test_a_part_without_its_data_is_left_out_and_named_with_what_it_lacks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--only", "year", "--data", str(tmp_path / "nowhere"), "--out", str(tmp_path)]
    assert everything.main(words) == 0
    printed = capsys.readouterr()
    page = Path(printed.out.strip()).read_text(encoding="utf-8")
    assert "left out: no retrieval/xquad-ru, retrieval/rurag-para-dev" in page
    assert "year: left out, it needs retrieval/xquad-ru, retrieval/rurag-para-dev in" in printed.err
    assert "Left out, each for what is named above: year." in printed.err
    assert "benchmarks/README.md says under Data where the rest is from" in printed.err


def test_a_quick_run_says_so_and_keeps_away_from_the_published_results(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        everything.main(["--quick", "--out", str(everything.RESULTS)])
    words = ["--quick", "--only", "year", "--data", str(tmp_path / "nowhere"), "--out", str(tmp_path)]
    capsys.readouterr()
    assert everything.main(words) == 0
    printed = capsys.readouterr()
    assert everything.QUICK in Path(printed.out.strip()).read_text(encoding="utf-8")
    assert everything.QUICK in printed.err


def test_a_part_that_fails_stops_no_other_and_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def command(self: Part, data: Path, out: Path, is_quick: bool) -> list[str]:
        return ["true" if self.name == "fine" else "false"]

    monkeypatch.setattr(everything, "PARTS", (Part("broken", "", ""), Part("fine", "", "")))
    monkeypatch.setattr(Part, "command", command)
    assert everything.main(["--out", str(tmp_path)]) == 1
    printed = capsys.readouterr()
    page = Path(printed.out.strip()).read_text(encoding="utf-8")
    assert "Measured: fine." in printed.err
    assert "Failed: broken." in printed.err
    assert "| broken |  | **failed** |" in page
    assert "| fine |  | measured |" in page


def test_ndcg_falls_with_the_place_of_the_right_document() -> None:
    assert ndcg(["a", "b"], {"a": 1}) == 1.0
    assert 0.6 < ndcg(["b", "a"], {"a": 1}) < 0.7
    assert ndcg(["b"], {"a": 1}) == 0.0


@pytest.mark.parametrize("readme", ["README.md", "README.ru.md", "README.pt.md"])
def test_the_commands_that_a_readme_names_for_its_figures_can_be_typed_as_they_stand(readme: str) -> None:
    text = (Path(__file__).parents[2] / readme).read_text("utf-8")
    commands = re.findall(r"`python -m (benchmarks[.\w]*)([^`]*)`", text)
    assert len(commands) >= 3
    for module, words in commands:
        parsed(module, words.split())
