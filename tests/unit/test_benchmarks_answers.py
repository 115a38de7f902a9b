"""The judge of the benchmark of answers, and the questions it judges."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from benchmarks.answers.judge import CONCISE, Verdict, contains, is_right, judged, length_of, plain
from benchmarks.answers.questions import FOLDER, SETS, Question, Span, read_questions
from benchmarks.answers.report import as_markdown, row, rows_by, store, store_answers
from benchmarks.answers.run import Outcome

from sourcebook import Tier

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.answers.report import Report

ANSWERABLE = Question(
    "a-1", "a", "en", "number", "How long is it?", [Span("a.md", "12 km")], [["12 km"], ["twelve"]]
)
UNANSWERABLE = replace(ANSWERABLE, id="a-2", answers=[], accept=[], why="not said")


def outcome(question: Question, answer: str | None) -> Outcome:
    text = answer or "I don't know."
    tier = Tier.NONE if answer is None else Tier.DOCUMENTS
    return Outcome(question, judged(question, answer), text, tier, length_of(text), ())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Defaults to\n`500`.", "defaults to 500."),
        ("**must** include", "must include"),
        ("see [the guide](https://example.org/a_(b)) now", "see the guide) now"),
        ("<kbd>Ctrl</kbd> + <kbd>E</kbd>", "ctrl + e"),
        ("10 \u2013 12\u00a0км/ч, ещё", "10 - 12 км/ч, еще"),
        ("«Дружба»", '"дружба"'),
        ("patch <file >copy", "patch <file >copy"),
        ("include\\_in\\_schema &lt;b", "include_in_schema <b"),
        ("con\ufb01gure \u0435\u0308\u043b\u043a\u0443", "configure елку"),
    ],
)
def test_plain_text_has_words_and_no_markup(text: str, words: str) -> None:
    assert plain(text) == words


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("version 0.95.0.", "0.95.0"),
        ("проектом В.Г. Шухова", "Шухов"),
        ("$ openssl rand -hex 32", "openssl rand -hex 32"),
        ("the file ~/.aptitude/config", "~/.aptitude/config"),
        ("(sid)", "(sid)"),
    ],
)
def test_words_are_found_as_they_begin(text: str, wanted: str) -> None:
    assert contains(plain(text), wanted)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("in 1972", "72"),
        ("in 1972", "19"),
        ("9.5 percent", "9"),
        ("1.500 bytes", "500"),
        ("considered", "sid"),
        ("a preset", "reset"),
    ],
)
def test_a_part_of_a_number_or_the_inside_of_a_word_is_not_found(text: str, wanted: str) -> None:
    assert not contains(plain(text), wanted)


def test_an_answer_is_right_by_any_group_but_needs_all_of_one() -> None:
    accept = [["traefik", "caddy"], ["nginx"]]
    assert is_right("Use Traefik or Caddy.", accept)
    assert is_right("Use Nginx.", accept)
    assert not is_right("Use Traefik.", accept)
    assert not is_right("Anything.", [])


def test_the_verdict_knows_whether_there_is_an_answer() -> None:
    assert judged(ANSWERABLE, "It is 12 km long.") is Verdict.RIGHT
    assert judged(ANSWERABLE, "It is 112 km long.") is Verdict.WRONG
    assert judged(ANSWERABLE, None) is Verdict.WRONGLY_DECLINED
    assert judged(UNANSWERABLE, None) is Verdict.DECLINED
    assert judged(UNANSWERABLE, "It is 12 km long.") is Verdict.WRONGLY_ANSWERED


def test_markup_and_marks_of_citations_do_not_make_an_answer_longer() -> None:
    assert length_of("**12 km** [1]\n\n[see](https://example.org)") == len("12 km see")


def test_only_a_right_answer_that_is_short_is_concise() -> None:
    assert outcome(ANSWERABLE, "12 km").is_concise
    assert not outcome(ANSWERABLE, "12 km " + "x" * CONCISE).is_concise
    assert not outcome(ANSWERABLE, "13 km").is_concise


def test_outcomes_are_counted_by_what_they_have_in_common() -> None:
    portuguese = replace(UNANSWERABLE, language="pt")
    outcomes = [
        outcome(ANSWERABLE, "12 km"),
        outcome(ANSWERABLE, "13 km"),
        outcome(ANSWERABLE, None),
        outcome(portuguese, "13 km"),
        outcome(portuguese, None),
    ]
    rows = rows_by(outcomes, lambda one: one.question.language)
    assert rows["en"] == {
        "answerable": 3,
        "right": 1,
        "concise": 1,
        "wrong": 1,
        "right_beside_wrong": 0,
        "wrongly_declined": 1,
        "quoted_by_decline": 0,
        "unanswerable": 0,
        "wrongly_answered": 0,
    }
    assert (rows["pt"]["unanswerable"], rows["pt"]["wrongly_answered"]) == (2, 1)


def test_results_are_tables_for_people_and_json_for_programs(tmp_path: Path) -> None:
    counts = row([outcome(ANSWERABLE, "12 km"), outcome(UNANSWERABLE, "12 km")])
    report: Report = {
        "date": "2026-01-02",
        "commit": "abc",
        "machine": {"cpu": "a cpu", "cores": 2, "python": "3.11"},
        "set": "dev",
        "folders_left_out": ["pdf-ru"],
        "all": counts,
        "across": row([]),
        "by_language": {"en": counts},
        "by_folder": {"a": counts},
        "by_kind": {"number": counts},
    }
    path = store(report, tmp_path)
    assert path.name == "answers-dev-2026-01-02.md"
    assert path.read_text("utf-8") == as_markdown(report)
    assert (
        "| en | 1 | 1 (100%) | 1 (100%) | 0 (0%) | 0 (0%) | 0 (0%) | 0 (0%) | 1 | 1 (100%) |"
        in path.read_text("utf-8")
    )
    assert json.loads(path.with_suffix(".json").read_text("utf-8")) == report


def test_a_wrong_answer_with_the_right_one_beside_it_is_counted_as_such() -> None:
    missed = replace(outcome(ANSWERABLE, "13 km"), beside=("It is 9 km.", "It is 12 km."))
    declined = replace(outcome(ANSWERABLE, None), beside=("It is 12 km.",))
    counts = row([missed, declined, outcome(ANSWERABLE, "12 km")])
    assert (counts["wrong"], counts["right_beside_wrong"]) == (1, 1)
    assert (counts["wrongly_declined"], counts["quoted_by_decline"]) == (1, 1)


def test_every_answer_is_kept_on_a_line_for_a_person(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    store_answers([outcome(ANSWERABLE, "12 km"), outcome(UNANSWERABLE, None)], path)
    first, second = (json.loads(line) for line in path.read_text("utf-8").splitlines())
    assert (first["id"], first["verdict"], first["answer"]) == ("a-1", "right", "12 km")
    assert (second["verdict"], second["why"]) == ("declined", "not said")


def test_the_halves_share_no_question_and_every_question_can_be_judged() -> None:
    halves = [read_questions(FOLDER / f"{name}.jsonl") for name in SETS]
    questions = [question for half in halves for question in half]
    assert max(Counter(question.id for question in questions).values()) == 1
    assert max(Counter(plain(question.text) for question in questions).values()) == 1
    for question in questions:
        assert bool(question.accept) is question.is_answerable, question.id
        assert all(group and all(plain(wanted) for wanted in group) for group in question.accept), question.id
        assert question.is_answerable is (question.why is None), question.id


def test_there_are_enough_questions_of_every_language_in_each_half() -> None:
    for name in ("dev", "test"):
        questions = read_questions(FOLDER / f"{name}.jsonl")
        for language in ("en", "ru", "pt"):
            asked = [question for question in questions if question.language == language]
            assert sum(question.is_answerable for question in asked) >= 25
            assert sum(not question.is_answerable for question in asked) >= 10
