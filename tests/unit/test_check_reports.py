"""The text report of a check: nothing that was written into an answer or a path begins a line of it."""

from __future__ import annotations

import pytest

from sourcebook.faces import check_reports
from sourcebook.model.answer_check import AnswerCheck, AnswerFinding, SentenceFinding, SourceFinding, Verdict

COMMAND = "::warning::all is well"


def report(hostile: str) -> str:
    source = SourceFinding(hostile, hostile, Verdict.UNTRUE, now=hostile, line=3)
    finding = AnswerFinding(
        hostile, hostile, Verdict.UNTRUE, hostile, [source], [SentenceFinding(hostile, [hostile])]
    )
    return check_reports.as_text(AnswerCheck(1, [finding]))


@pytest.mark.parametrize(
    "hostile", [f"When?\n{COMMAND}", f"When?\r{COMMAND}", f"When?\u2028{COMMAND}", COMMAND]
)
def test_no_text_in_a_report_is_taken_for_a_command_of_the_runner(hostile: str) -> None:
    lines = report(hostile).splitlines()
    assert not [line for line in lines if line.lstrip().startswith("::")]
    assert f"  Question: {' '.join(hostile.split())}" in lines


def test_a_question_of_several_lines_is_shown_in_one() -> None:
    assert "  Question: How long do I have?" in report("How long\n  do I have?").splitlines()
