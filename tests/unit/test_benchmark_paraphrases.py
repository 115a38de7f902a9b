"""The benchmark of paraphrases measures what it says."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from benchmarks.paraphrases.measure import Base, measured, one_of_each_document, without_an_answer
from benchmarks.paraphrases.pairs import Pair, own_pairs, pairs_of_a_file

from sourcebook.model.answer_thresholds import CurationFacts

KNOWN = "How do I reset my password?"
SAME = "What is the way to reset the password?"
SIMILAR = "How do I change my password?"
OPPOSITE = "How do I not reset my password?"
FAR = "Who discovered penicillin?"


def base() -> Base:
    near, far = np.array([1.0, 0.0], np.float32), np.array([0.0, 1.0], np.float32)
    vectors = dict.fromkeys((KNOWN, SAME, SIMILAR, OPPOSITE), near) | {FAR: far}
    return Base([KNOWN], "en", vectors, CurationFacts())


def test_taken_found_and_wrong_are_counted() -> None:
    pairs = [
        Pair("en", "x", SAME, KNOWN, is_same=True),
        Pair("en", "x", SIMILAR, KNOWN, is_same=True),
        Pair("en", "x", FAR, KNOWN, is_same=True),
        Pair("en", "x", OPPOSITE, KNOWN, is_same=False, contradicts=True),
    ]
    row = measured(pairs, base(), "x")
    assert (row["paraphrases"], row["taken"], row["found"], row["wrong"]) == (3, 1, 2, 0)
    assert (row["look_alikes"], row["contradicting"], row["contradicting_offered"]) == (1, 1, 0)
    lost = measured([Pair("en", "x", SAME, KNOWN, is_same=False)], base(), "x")
    assert lost["wrong"] == 1


def test_offers_to_questions_without_an_answer_are_counted() -> None:
    found = without_an_answer([SIMILAR, FAR], base(), "en")
    assert (found["questions"], found["taken"], found["offered"]) == (2, 0, 1)


def test_every_language_has_enough_pairs_of_each_sort() -> None:
    pairs = own_pairs()
    for language in ("en", "ru", "pt"):
        here = [pair for pair in pairs if pair.language == language]
        assert len(here) >= 120
        assert {(pair.part, pair.is_same) for pair in here} == {
            (part, same) for part in ("build", "held-out") for same in (True, False)
        }
    assert all(pair.known and pair.asked != pair.known for pair in pairs)


def test_pairs_and_sets_are_read(tmp_path: Path) -> None:
    path = tmp_path / "more.jsonl"
    path.write_text(json.dumps({"set": "s", "language": "en", "question": KNOWN, "other": SAME}), "utf-8")
    assert pairs_of_a_file(path) == [Pair("en", "s", SAME, KNOWN, is_same=True)]
    (tmp_path / "corpus.jsonl").write_text(json.dumps({"id": "d", "title": "", "text": "x"}), "utf-8")
    queries = [json.dumps({"id": f"q{n}", "text": f"question {n}"}) for n in range(3)]
    (tmp_path / "queries.jsonl").write_text("\n".join(queries), "utf-8")
    (tmp_path / "qrels.tsv").write_text("\n".join(f"q{n}\td\t1" for n in range(3)), "utf-8")
    assert one_of_each_document(tmp_path) == (["question 0"], ["question 1", "question 2"])
