"""The speed benchmark: its data, its judgement and its tables. No other engine is needed for this."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from benchmarks.speed import bars, report
from benchmarks.speed.bm25 import ExactWords
from benchmarks.speed.catalogue import OURS
from benchmarks.speed.data import (
    FILTERS,
    TAGS,
    Columns,
    ExactNeighbours,
    Mixture,
    StoredVectors,
    asked,
    questions_near,
)
from benchmarks.speed.engine import DocumentBlock, EngineSpec, Passage
from benchmarks.speed.facts import CellFacts, EngineFacts, SectionFacts, best_of_families, engines_of
from benchmarks.speed.passages import Families, Prose, hybrid_questions
from benchmarks.speed.plot import HEIGHT, WIDTH, drawn
from benchmarks.speed.run import Plan, Run, Task

SMALL = Mixture(dimensions=16)


@pytest.fixture
def stored(tmp_path: Path) -> StoredVectors:
    return StoredVectors.write_mixture(tmp_path, SMALL, 2_000)


def cell(p50: float, recall: float | None = 1.0, short: int = 0) -> CellFacts:
    return {
        "p50_ms": p50,
        "p95_ms": 2 * p50,
        "cpu_ms": p50,
        "queries": 20,
        "recall": recall,
        "short": short,
        "outside": 0,
        "times_ours": None,
    }


def engine(family: str, cells: dict[str, CellFacts], error: str | None = None) -> EngineFacts:
    return {
        "family": family,
        "error": error,
        "build_s": 1.0,
        "build_cpu_s": 1.0,
        "disk_mb": 1.0,
        "import_s": 0.1,
        "open_s": 0.1,
        "memory": {"rss_mb": 50.0, "pss_mb": 40.0, "private_mb": 30.0, "shared_mb": 20.0},
        "second": None,
        "cells": cells,
    }


def section(engines: dict[str, EngineFacts], title: str = "A section") -> SectionFacts:
    return {
        "title": title,
        "size": 100_000,
        "k": 10,
        "taken_at": "2030-01-01T00:00:00+00:00",
        "commit": "abc",
        "seconds": 1.0,
        "notes": [],
        "measure": "recall@10",
        "engines": engines,
        "bars": bars.vector_bars(engines, 100_000, "vectors"),
    }


def a_report(**sections: SectionFacts) -> report.Report:
    return {
        "date": "2030-01-01",
        "machine": {"cpu": "A CPU", "cores": 2, "ram_gb": 8.0, "system": "Linux", "python": "3.11"},
        "versions": {"sourcebook": "0.1"},
        "sections": sections,
    }


def test_the_same_seed_gives_the_same_vectors(tmp_path: Path, stored: StoredVectors) -> None:
    again = tmp_path / "again"
    again.mkdir()
    assert np.array_equal(StoredVectors.write_mixture(again, SMALL, 2_000).vectors, stored.vectors)
    assert np.allclose(np.linalg.norm(stored.vectors, axis=1), 1, atol=1e-5)


def test_tags_let_through_exactly_what_they_promise() -> None:
    columns = Columns.draw(10_000)
    assert {tag: int((columns.tags == tag).sum()) / 10_000 for tag in TAGS} == TAGS


def test_blocks_hold_every_vector_once(stored: StoredVectors) -> None:
    blocks = list(stored)
    assert [number for block in blocks for number in block.numbers] == list(range(2_000))
    assert all(len(block.vectors) == len(block.tags) == len(block.langs) for block in blocks)


def test_questions_are_near_stored_vectors_and_equal_to_none(stored: StoredVectors) -> None:
    points = questions_near(stored, SMALL, 50)
    nearest = (points @ np.array(stored.vectors).T).max(axis=1)
    assert (nearest > 0.8).all()
    assert (nearest < 0.99999).all()


@pytest.mark.parametrize("name", FILTERS)
def test_brute_force_is_wholly_right_with_every_filter(stored: StoredVectors, name: str) -> None:
    points = questions_near(stored, SMALL, 5)
    exact = ExactNeighbours(stored, points, FILTERS, k=10)
    scores = np.where(stored.columns.matching(FILTERS[name]), points @ np.array(stored.vectors).T, -np.inf)
    for number in range(5):
        matching = int(np.isfinite(scores[number]).sum())
        best = np.argsort(-scores[number])[: min(10, matching)].tolist()
        judged = exact.judge(name, number, best)
        assert (judged.recall, judged.outside, judged.short) == (1.0, 0, False)
        assert exact.judge(name, number, best[1:]).short


def test_an_answer_against_the_filter_is_never_right(stored: StoredVectors) -> None:
    exact = ExactNeighbours(stored, questions_near(stored, SMALL, 1), FILTERS, k=10)
    others = np.flatnonzero(stored.columns.tags == "other")[:10].tolist()
    judged = exact.judge("50 %", 0, others)
    assert (judged.recall, judged.outside, judged.short) == (0.0, 10, True)


def test_a_repeated_answer_counts_once(stored: StoredVectors) -> None:
    points = questions_near(stored, SMALL, 1)
    best = int(np.argmax(np.array(stored.vectors) @ points[0]))
    exact = ExactNeighbours(stored, points, FILTERS, k=10)
    assert exact.judge("no filter", 0, [best] * 10).recall == pytest.approx(0.1)


def test_any_group_of_prose_can_be_had_alone() -> None:
    prose = Prose(1_100)
    documents = list(prose)
    assert sum(len(document.passages) for document in documents) == 1_100
    assert documents[25:50] == prose.group(1)


def test_a_hybrid_question_leads_to_its_passage() -> None:
    families = Families(Prose(600), SMALL)
    questions, sources = hybrid_questions(families, 5)
    passages = {p.number: p for document in families for p in document.passages}
    for question, source in zip(questions, sources, strict=True):
        vector = passages[source].vector
        assert vector is not None
        assert set(question.text.split()) <= set(passages[source].text.split())
        assert float(vector @ question.point) > 0.8


def test_exact_words_put_the_passage_first_that_has_them() -> None:
    texts = ["kenvo stralt bimmo", "kenvo dworn dworn", "plist plist plist"]
    passages = [Passage(number, text) for number, text in enumerate(texts)]
    documents = [DocumentBlock(0, "", None, passages[:2]), DocumentBlock(1, "", None, passages[2:])]
    exact = ExactWords(documents, ["stralt", "dworn plist", "nothing"], k=1)
    assert exact.judge("stralt", [0]).recall == 1.0
    assert exact.judge("stralt", [2]).recall == 0.0
    assert exact.judge("nothing", []).recall == 1.0


def test_a_family_is_judged_by_its_fastest_good_configuration() -> None:
    engines = {
        "a quick": engine("a", {"10 %": cell(1.0, recall=0.5)}),
        "a right": engine("a", {"10 %": cell(3.0, recall=0.991)}),
        "a slow": engine("a", {"10 %": cell(9.0)}),
        "b": engine("b", {"10 %": cell(0.1)}, error="ask: broke"),
        OURS: engine(OURS, {"10 %": cell(0.2)}),
    }
    assert [name for name, _ in best_of_families(engines, "10 %").values()] == ["a right"]


def test_bars_say_whether_they_are_reached_and_by_how_much() -> None:
    cells = {name: cell(2.0) for name in FILTERS}
    slow = {**{name: cell(4.0) for name in FILTERS}, "1 %": cell(1.0), "10 %": cell(1.0, recall=0.2)}
    edge = {name: cell(0.5) for name in FILTERS}
    engines = {
        OURS: engine(OURS, cells),
        "peer": engine("peer", slow),
        "qdrant edge": engine("qdrant edge", edge),
    }
    found = bars.vector_bars(engines, 100_000, "vectors", aims=True)
    told = {bar["bar"].removeprefix("vectors"): bar for bar in found}
    assert told[", no filter: faster than every peer"]["factor"] == 4.0
    narrow = ": faster than every peer but qdrant edge"
    assert told[f", 1 %{narrow}"]["factor"] == 2.0
    assert not told[f", 1 %{narrow}"]["reached"]
    assert told[f", 0.1 %{narrow}"]["reached"]
    assert told[f", 10 %{narrow}"]["measured"] == "nobody to compare with"
    assert told[f", 10 %{narrow}"]["reached"] is None
    assert not told[", 0.1 %: p50 at most 0.35 ms"]["reached"]
    assert told[": never fewer than k"]["reached"]


def test_words_are_compared_with_those_of_lancedb() -> None:
    engines = {
        OURS: engine(OURS, {"2 words": cell(1.0)}),
        "lancedb": engine("lancedb", {"2 words": cell(2.0)}),
    }
    (bar,) = bars.word_bars(engines, 1_000)
    assert bar["reached"]
    assert bar["factor"] == 0.5
    assert bars.word_bars({OURS: engines[OURS]}, 1_000) == []


def test_a_plot_names_every_line_and_keeps_its_points_inside() -> None:
    lines = {"no filter": [(10_000, 0.4), (1_000_000, 7.5)], "1 % & more": [(10_000, 0.2), (1_000_000, 1.0)]}
    picture = ElementTree.fromstring(drawn("Growth", "vectors", "ms", lines))  # noqa: S314 - made here
    words = "".join(picture.itertext())
    assert "no filter (7.5)" in words
    assert "1 % & more (1)" in words
    circles = [e for e in picture.iter() if e.tag.endswith("circle")]
    assert len(circles) == 4
    assert all(0 < float(c.get("cx", "0")) < WIDTH and 0 < float(c.get("cy", "0")) < HEIGHT for c in circles)


def test_the_table_shows_a_failed_engine_with_its_error() -> None:
    engines = {
        OURS: engine(OURS, {"no filter": cell(2.0)}),
        "peer": engine("peer", {}, error="build: a | b\nc"),
    }
    text = report.rendered(a_report(vectors=section(engines)))
    assert "| sourcebook | 2.00 | 4.00 | 2.00 | 1.000 | 0 | 20 | – |" in text
    assert "| peer | failed: build: a \\| b c |" in text
    assert "| nobody to compare with | not judged |" in text


def test_sections_of_the_same_day_are_gathered(tmp_path: Path) -> None:
    engines = {OURS: engine(OURS, {"no filter": cell(2.0)})}
    report.store(a_report(vectors=section(engines, "Old"), words=section(engines, "Words")), tmp_path)
    path = report.store(a_report(vectors=section(engines, "New")), tmp_path)
    text = path.with_suffix(".md").read_text("utf-8")
    assert [line for line in text.splitlines() if line.startswith("## ")] == ["## Bars", "## New", "## Words"]


def test_a_run_measures_us_and_reports_who_fails(tmp_path: Path) -> None:
    stored = StoredVectors.write_mixture(tmp_path, SMALL, 300)
    plan = Plan(queries=4, warm_up=1, batch=2, untimed=3)
    points = questions_near(stored, SMALL, 8)
    exact = ExactNeighbours(stored, points, FILTERS, plan.k)
    specs = [EngineSpec(OURS, OURS, "ours:SourcebookVectors"), EngineSpec("gone", "gone", "gone:Gone")]
    cells = {name: asked(points, where) for name, where in FILTERS.items()}
    run = replace(Run(plan, tmp_path, lambda message: None), second=OURS)
    measured = run.measure(specs, Task(stored, cells))
    assert {len(timing.answers) for timing in measured[0].cells.values()} == {7}
    facts = engines_of(measured, lambda name, number, answer: exact.judge(name, number + 1, answer))
    assert facts[OURS]["error"] is None
    assert {(c["queries"], c["recall"], c["short"]) for c in facts[OURS]["cells"].values()} == {(4, 1.0, 0)}
    assert facts[OURS]["second"] is not None
    assert "ModuleNotFoundError" in (facts["gone"]["error"] or "")
