"""What is quoted is learnt: what speaks for the units that answer gets the weight, whatever else is there."""

from __future__ import annotations

import numpy as np
from benchmarks.excerpts.learning import Case, learnt


def case(group: str, rows: list[list[float]], answer: int, *, is_prose: bool = False) -> Case:
    return Case(group, is_prose, np.array(rows), np.arange(len(rows)) == answer)


def test_what_tells_the_answers_apart_gets_the_weight() -> None:
    cases = [case("a", [[1.0, 0.3], [0.0, 0.3]], 0), case("b", [[0.0, 0.9], [1.0, 0.8], [0.0, 0.7]], 1)]
    tells, says_nothing = learnt(cases)
    assert tells > 1.0
    assert abs(says_nothing) < tells / 4


def test_a_question_whose_answer_was_not_found_teaches_nothing() -> None:
    known = [case("a", [[1.0], [0.0]], 0), case("b", [[1.0], [0.0]], 0)]
    unknown = Case("a", False, np.array([[0.0], [1.0]]), np.array([False, False]))
    assert learnt([*known, unknown])[0] > 1.0


def test_many_questions_on_prose_do_not_drown_a_folder() -> None:
    folder = [case("folder", [[1.0], [0.0]], 0) for _ in range(4)]
    prose = [case("prose", [[1.0], [0.0]], 1, is_prose=True) for _ in range(16)]
    assert learnt([*folder, *prose])[0] > 0.0
    assert learnt([*folder, *[case("other", [[1.0], [0.0]], 1) for _ in range(16)]])[0] < 0.0
