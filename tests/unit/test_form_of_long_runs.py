"""Whether a text has the wanted form is told in one pass over it, however long a run of one sign in it is."""

from __future__ import annotations

import time

import pytest

from sourcebook.consult.question.asked_for.asked_value import ValueKind
from sourcebook.consult.question.asked_for.given_value import gives_value
from sourcebook.consult.question.asked_for.wanted_form import wanted_form

LENGTHS = (1_000, 10_000, 100_000)
"""The shorter ones are enough to tell, so that a pattern that goes over a run again and again ends the test soon."""
RUNS = (
    "-",
    "_",
    " ",
    "\t",
    "a",
    "A",
    "a-",
    "a_",
    "'",
    ".",
    "1",
    "1.",
    "a(",
    "A ",
    "- ",
    "a ",
    "é",
    "—",
    "(",
    "王",
)
QUESTIONS = (
    "Who signs the lease?",
    "Who is the landlord?",
    "Where is the lease form kept?",
    "When does it end?",
    "How many rooms are there?",
    "Как его зовут?",
)


def most_seconds(length: int) -> float:
    """Of this thread alone, whatever else the machine does: a hundred times what one pass takes."""
    return 2 + length / 3_000


def of_length(length: int, run: str) -> str:
    """Words cost more than signs: there are fewer of them."""
    return f"item {run * (length if len(run) == 1 else length // 10)} x"


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_long_run_in_a_text_costs_one_pass(question: str, run: str) -> None:
    gives = wanted_form(question, None)
    assert gives is not None
    for length in LENGTHS:
        began = time.thread_time()
        gives(of_length(length, run))
        assert time.thread_time() - began < most_seconds(length)


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("kind", list(ValueKind))
def test_a_long_run_costs_one_pass_if_a_value_is_wanted(kind: ValueKind, run: str) -> None:
    for length in LENGTHS:
        began = time.thread_time()
        gives_value(of_length(length, run), frozenset({kind}), "How heavy is it?")
        assert time.thread_time() - began < most_seconds(length)
