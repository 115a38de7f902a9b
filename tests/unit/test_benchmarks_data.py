"""Public sets are made of the files that others publish, and only of those that the figures were measured with."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

from benchmarks import data

from sourcebook.retrieve.evaluation.question_sets import is_retrieval_set, read_queries, read_records

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def file_of(question: str, answers: list[str], text: str = "Leeks are sown in March.") -> bytes:
    found = [{"id": "q1", "question": question, "answers": [{"text": answer} for answer in answers]}]
    other = {"id": "q2", "question": "Where?", "answers": [{"text": "in a bed"}]}
    unasked: list[object] = []
    paragraphs = [{"context": text, "qas": [*found, other]}, {"context": "Peas climb.", "qas": unasked}]
    return json.dumps({"data": [{"title": "Leeks_and_peas", "paragraphs": paragraphs}]}).encode()


def test_a_paragraph_that_is_asked_about_is_a_document_and_right_for_its_questions(tmp_path: Path) -> None:
    data.write_set(tmp_path, file_of("When are leeks sown? ", ["March", "in March", "March"]))
    assert is_retrieval_set(tmp_path)
    (record,) = read_records(tmp_path)
    assert (record.id, record.title, record.text) == ("p0", "Leeks and peas", "Leeks are sown in March.")
    first, second = read_queries(tmp_path)
    assert (first.text, list(first.answers), dict(first.judgements)) == (
        "When are leeks sown?",
        ["March", "in March"],
        {"p0": 1},
    )
    assert dict(second.judgements) == {"p0": 1}


def test_questions_of_another_language_stand_beside_the_texts(tmp_path: Path) -> None:
    data.write_set(
        tmp_path,
        file_of("When?", ["March"]),
        file_of("Когда сеют порей?", ["в марте"], "Порей сеют в марте."),
    )
    assert [record.text for record in read_records(tmp_path)] == ["Leeks are sown in March."]
    assert read_queries(tmp_path)[0].text == "Когда сеют порей?"


def test_the_same_file_makes_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        data.write_set(tmp_path / name, file_of("When?", ["March"]))
    one, two = (tmp_path / name / "corpus.jsonl.gz" for name in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()
    assert gzip.decompress(one.read_bytes()).count(b"\n") == 1


def test_another_file_of_that_name_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "xquad.en.json").write_bytes(file_of("When?", ["March"]))
    assert data.main([str(tmp_path / "sets"), "--files", str(tmp_path)]) == 1
    assert "xquad.en.json is not the file at https://" in capsys.readouterr().err
    assert not (tmp_path / "sets").exists()


def test_a_file_that_is_missing_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert data.main([str(tmp_path / "sets"), "--files", str(tmp_path)]) == 1
    assert "xquad.en.json" in capsys.readouterr().err
