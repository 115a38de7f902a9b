"""`sourcebook calibrate`, as a person and as a program use it."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from tests.faces.shell import Here, Shell

from sourcebook import Calibration, Sourcebook
from sourcebook.model.calibration import PassageCalibration, PassageFigures

NOTES = {
    "pruning.md": "Prune everbearing raspberries in late autumn, after the last berries.",
    "soil.md": "Blueberries want sour soil with a pH between 4.0 and 5.0.",
}
ANSWERED = [
    ("When do I prune everbearing raspberries?", "pruning.md"),
    ("Are everbearing raspberries pruned in autumn?", "pruning.md"),
    ("What soil do blueberries want?", "soil.md"),
    ("Which pH do blueberries want?", "soil.md"),
    ("Do blueberries want sour soil?", "soil.md"),
]
DECLINED = [
    "Which gearbox oil suits a tractor?",
    "Who won the race in Monaco?",
    "What does a ticket to Porto cost?",
    "How tall is the tower in Paris?",
    "Where do penguins sleep?",
]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    db = tmp_path / "data" / "knowledge_base.db"
    db.parent.mkdir()
    with Sourcebook(db) as book:
        for name, text in NOTES.items():
            book.add_text(text, id=name, title=name)
    return Here(tmp_path)


def write_questions(shell: Shell, repeated: int) -> str:
    rows = [(f"{question} {n}", place) for n in range(repeated) for question, place in ANSWERED]
    rows += [(f"{question} {n}", "") for n in range(repeated) for question in DECLINED]
    with (shell.folder / "questions.csv").open("w", encoding="utf-8", newline="") as lines:
        csv.writer(lines).writerows([("question", "expected_document"), *rows])
    return "questions.csv"


def write_pairs(shell: Shell) -> str:
    rows = [(f"How do I prune row {n}?", f"What is the way to prune row {n}?", "yes") for n in range(10)]
    rows += [(f"How do I prune row {n}?", f"How do I water row {n}?", "no") for n in range(10)]
    with (shell.folder / "pairs.csv").open("w", encoding="utf-8", newline="") as lines:
        csv.writer(lines).writerows([("question", "other", "same"), *rows])
    return "pairs.csv"


def test_figures_are_shown_for_passages_and_for_curated_answers(shell: Shell) -> None:
    questions, pairs = write_questions(shell, 2), write_pairs(shell)
    found = shell.json("calibrate", "--questions", questions, "--pairs", pairs)
    assert (found["collection"], found["applied"]) == ("default", False)
    assert (found["passages"]["answerable"], found["passages"]["unanswerable"]) == (10, 10)
    assert set(found["passages"]["before"]) == {"answered", "declined", "right"}
    assert found["passages"]["before"]["declined"] == 1.0
    assert found["curated"]["before"]["precision"] == 1.0
    said = shell.run("calibrate", "--questions", questions, "--pairs", pairs)
    assert said.returncode == 0
    assert "10 questions with an answer in the base, 10 without" in said.stdout
    assert "precision" in said.stdout
    assert shell.json("sessions", "list") == {"sessions": []}


def test_what_is_suggested_is_used_only_when_applied(shell: Shell) -> None:
    """A base that was calibrated to decline everything finds its way back."""
    questions = write_questions(shell, 2)
    with Sourcebook(shell.folder / "data" / "knowledge_base.db") as book:
        (collection,) = book.collections()
        assert collection.model is not None
        figures = PassageFigures(0.0, 1.0, None)
        strict = PassageCalibration(10, 10, 3.5, 50.0, figures, figures)
        book.apply_calibration(Calibration("default", collection.model.name, strict))
    assert shell.json("ask", ANSWERED[0][0])["tier"] == "none"
    looked = shell.json("calibrate", "--questions", questions)
    assert (looked["passages"]["before"]["answered"], looked["applied"]) == (0.0, False)
    assert looked["passages"]["suggested"] < 50.0
    assert shell.json("ask", ANSWERED[0][0])["tier"] == "none"
    assert shell.json("calibrate", "--questions", questions, "--apply")["applied"]
    assert shell.json("ask", ANSWERED[0][0])["tier"] == "documents"
    assert shell.json("ask", DECLINED[0])["tier"] == "none"


def test_too_little_and_nothing_to_measure_by_are_errors_that_say_so(shell: Shell) -> None:
    few = shell.json("calibrate", "--questions", write_questions(shell, 1), exit_code=2)["error"]
    assert (few["code"], few["message"]) == (
        "too_little_data",
        "There are 5 questions with an answer and 5 questions without.",
    )
    assert "--questions" in shell.json("calibrate", exit_code=2)["error"]["hint"]
    assert shell.json("calibrate", "--pairs", "nowhere.csv", exit_code=3)["error"]["code"] == "path_not_found"
    (shell.folder / "odd.csv").write_text("question,other\na,b\n", "utf-8")
    assert "`same`" in shell.json("calibrate", "--pairs", "odd.csv", exit_code=2)["error"]["message"]
    (shell.folder / "odd.csv").write_text("question,other,same\na,b,perhaps\n", "utf-8")
    assert "line 2" in shell.json("calibrate", "--pairs", "odd.csv", exit_code=2)["error"]["message"]
