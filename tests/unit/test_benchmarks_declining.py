"""The benchmark of declining measures what it says."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.declining.cases import of_retrieval_set
from benchmarks.declining.curated import with_look_alikes
from benchmarks.declining.curve import best_threshold, curve, point, told_apart
from benchmarks.declining.run import Outcome

from sourcebook import QuestionPair


def outcome(closeness: float, *, answerable: bool, similarity: float = 0.0) -> Outcome:
    return Outcome("?", answerable, closeness >= 0, closeness, similarity, None)


SOME = [
    *(outcome(step / 10, answerable=True) for step in range(-2, 8)),
    *(outcome(step / 10, answerable=False) for step in range(-8, 2)),
]


def test_a_higher_threshold_answers_less_and_declines_more() -> None:
    points = curve(SOME, sure_similarity=0.75)
    assert [p.answered for p in points] == sorted((p.answered for p in points), reverse=True)
    assert [p.declined for p in points] == sorted(p.declined for p in points)
    assert (point(SOME, 0.0, 0.75).answered, point(SOME, 0.0, 0.75).declined) == (0.8, 0.8)
    assert -0.3 < best_threshold({"a": SOME}, 0.75) <= 0.3
    assert round(told_apart(SOME), 2) == 0.92


def test_a_sure_similarity_answers_below_every_threshold() -> None:
    assert point([outcome(-9, answerable=True, similarity=0.8)], 0.0, 0.75).answered == 1.0


def test_questions_lose_their_answers_with_the_documents_that_hold_them(tmp_path: Path) -> None:
    documents = [{"id": f"d{n}", "title": "", "text": f"text {n}"} for n in range(30)]
    queries = [{"id": f"q{n}", "text": f"question {n}"} for n in range(20)]
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, documents)), "utf-8")
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)), "utf-8")
    judged = [f"q{n}\td{n}\t1" for n in range(20)]
    (tmp_path / "qrels.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *judged]), "utf-8")
    cases = of_retrieval_set(tmp_path, questions=20, documents=15)
    kept = {record.id.removeprefix("d") for record in cases.records}
    assert len(cases.records) == 15
    assert {side: sum(case.is_answerable is side for case in cases.cases) for side in (True, False)} == {
        True: 10,
        False: 10,
    }
    for case in cases.cases:
        assert case.is_answerable == (case.question.removeprefix("question ") in kept)


def test_a_paraphrase_about_another_crop_is_a_look_alike() -> None:
    pair = QuestionPair("When do I prune raspberries?", "Which month is right for raspberries?", is_same=True)
    made = with_look_alikes([pair])[1:]
    assert [one.other for one in made] == [
        "Which month is right for blueberries?",
        "Which month is right for strawberries?",
    ]
    assert not any(one.is_same for one in made)
