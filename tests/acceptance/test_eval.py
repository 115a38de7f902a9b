"""`sourcebook eval` from outside: sets, questions of one's own, and what people asked before."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from tests.faces.shell import Here

TEXTS = {
    "Raspberries": "Summer raspberries are pruned after the harvest. Old canes are cut to the ground in August.",
    "Blueberries": "Blueberries need sour soil with a pH of 4.5. They are watered with rain water.",
    "Strawberries": "Strawberries are planted late in summer. Their runners are removed in spring.",
}
QUESTIONS = {
    "Raspberries": "When are raspberries pruned?",
    "Blueberries": "What soil do blueberries need?",
    "Strawberries": "When are the runners removed?",
}


@pytest.fixture
def shell(tmp_path: Path) -> Here:
    return Here(tmp_path)


@pytest.fixture
def retrieval_set(tmp_path: Path) -> Path:
    folder = tmp_path / "berries"
    folder.mkdir()
    twins = [("twin-1", "", "The same text twice."), ("twin-2", "", "The same text twice.")]
    records = [(title.lower(), title, text) for title, text in TEXTS.items()] + twins
    lines = [{"id": name, "title": title, "text": text} for name, title, text in records]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    asked = [{"id": f"q-{title}", "text": text} for title, text in QUESTIONS.items()]
    (folder / "queries.jsonl").write_text("".join(json.dumps(line) + "\n" for line in asked), "utf-8")
    judged = [f"q-{title}\t{title.lower()}\t1\n" for title in QUESTIONS]
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(judged), "utf-8")
    return folder


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = tmp_path / "library"
    folder.mkdir()
    for title, text in TEXTS.items():
        (folder / f"{title.lower()}.md").write_text(f"# {title}\n\n{text}\n", "utf-8")
    lines = [f"{question},{title.lower()}.md\n" for title, question in QUESTIONS.items()]
    written = "question,expected_document\n" + "".join(lines) + "How do I repair a bicycle tyre?,\n"
    (folder / "questions.csv").write_text(written, "utf-8")
    return folder


def test_a_retrieval_set_is_measured_and_leaves_nothing_behind(shell: Here, retrieval_set: Path) -> None:
    found = shell.json("eval", str(retrieval_set))
    assert (found["name"], found["documents"], found["questions"], found["k"]) == ("berries", 5, 3, 10)
    (result,) = found["results"]
    assert result["search"] == "hybrid"
    assert (result["ndcg"], result["recall"], result["mrr"]) == (1.0, 1.0, 1.0)
    assert 0 < result["p50_ms"] <= result["p95_ms"]
    assert sorted(path.name for path in shell.folder.iterdir()) == ["berries"]


def test_modes_are_shown_side_by_side_and_drawn(shell: Here, retrieval_set: Path) -> None:
    done = shell.run("eval", str(retrieval_set), "--compare", "--top-k", "3", "--plot", "figures.svg")
    assert done.returncode == 0, done.stderr
    heading, *rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert heading[:4] == ["search", "nDCG@3", "recall@3", "MRR@3"]
    assert [row[0] for row in rows] == ["hybrid", "hybrid+rerank", "semantic", "keyword"]
    drawn = ElementTree.parse(shell.folder / "figures.svg").getroot()  # noqa: S314 - written by the command itself
    words = {element.text for element in drawn.iter("{http://www.w3.org/2000/svg}text")}
    assert {"nDCG@3", "keyword", "1.000"} <= words


def test_a_drawing_with_letters_goes_to_any_other_file(shell: Here, retrieval_set: Path) -> None:
    shell.json("eval", str(retrieval_set), "--mode", "keyword", "--plot", "figures.txt")
    assert "█ 1.0000" in (shell.folder / "figures.txt").read_text("utf-8")


def test_a_kept_base_is_used_again(shell: Here, retrieval_set: Path) -> None:
    arguments = ["eval", str(retrieval_set), "--mode", "keyword", "--keep", "kept.db"]
    first = shell.json(*arguments)
    assert shell.json(*arguments)["results"][0]["ndcg"] == first["results"][0]["ndcg"]
    (collection,) = shell.json("collections", "list", "--db", "kept.db")["collections"]
    assert (collection["id"], collection["document_count"]) == ("berries", 5)


def test_a_limit_asks_the_first_questions(shell: Here, retrieval_set: Path) -> None:
    assert shell.json("eval", str(retrieval_set), "--mode", "keyword", "--limit", "2")["questions"] == 2


def test_a_folder_with_questions_is_measured_without_finding_the_questions(
    shell: Here, library: Path
) -> None:
    found = shell.json("eval", str(library), "--rerank")
    assert (found["documents"], found["questions"]) == (3, 3)
    assert found["results"][0]["search"] == "hybrid+rerank"
    assert found["results"][0]["mrr"] == 1.0
    assert found["unanswerable"] == {"questions": 1, "told_apart": 1.0}


def test_questions_about_a_base_of_ones_own(shell: Here, library: Path) -> None:
    shell.json("add", str(library))
    (shell.folder / "mine.csv").write_text(
        "Question;Expected document\n"
        "Which berries need sour soil?;Blueberries\n"
        "Who prunes raspberries?;strawberries.md\n",
        "utf-8",
    )
    found = shell.json("eval", "mine.csv", "--mode", "keyword", "--top-k", "1")
    assert found["results"][0]["recall"] == 0.5
    assert [missed["question"] for missed in found["missed"]] == ["Who prunes raspberries?"]


def test_a_document_that_is_not_there_is_not_found(shell: Here, library: Path) -> None:
    shell.json("add", str(library))
    (shell.folder / "mine.csv").write_text("question,expected_document\nWhat?,melons.md\n", "utf-8")
    error = shell.json("eval", "mine.csv", exit_code=3)["error"]
    assert "melons.md" in error["message"]


def test_what_people_asked_is_replayed_under_another_setting(shell: Here, library: Path) -> None:
    shell.json("add", str(library))
    shell.json("ask", QUESTIONS["Blueberries"])
    found = shell.json("eval", "--replay", "--mode", "keyword")
    assert (found["before"], found["after"]) == ("hybrid", "keyword")
    (one,) = found["questions"]
    assert one["question"] == QUESTIONS["Blueberries"]
    assert one["after"][0].endswith("blueberries.md")
    assert 0 <= found["overlap"] <= 1
    told = shell.run("eval", "--replay", "--mode", "keyword")
    assert told.stdout.startswith("1 questions, ")


def test_nothing_to_replay_is_said(shell: Here, library: Path) -> None:
    shell.json("add", str(library))
    done = shell.run("eval", "--replay", "--rerank")
    assert (done.returncode, done.stdout) == (0, "")
    assert "There are no questions yet" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [[], ["."], ["nowhere"], ["--replay"], ["--replay", "--against", "guess"], [".", "--top-k", "0"]],
)
def test_what_cannot_be_evaluated_is_an_error_with_a_hint(shell: Here, arguments: list[str]) -> None:
    code = 3 if arguments == ["nowhere"] else 2
    assert shell.json("eval", *arguments, exit_code=code)["error"]["hint"]
