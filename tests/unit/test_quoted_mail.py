from __future__ import annotations

import pytest

from sourcebook.text.quoted_mail import quoted_spans


def quoted(letter: str) -> list[str]:
    return [letter[start:end] for start, end in quoted_spans(letter)]


def test_marked_lines_are_quoted_and_a_reply_between_them_is_not() -> None:
    letter = "Yes.\n\nOn Sunday, Bob wrote:\n> Is it Monday?\nNo, Tuesday.\n> And where?\n"
    assert quoted(letter) == ["> Is it Monday?", "> And where?", "On Sunday, Bob wrote:"]


@pytest.mark.parametrize(
    "line",
    ["On Sunday, Bob wrote:", "8 ноября Боб пишет:", "-----Original Message-----", "Em 8/11, Rui escreveu:"],
)
def test_without_marks_all_that_follows_the_line_is_quoted(line: str) -> None:
    assert quoted(f"Yes.\n\n{line}\nIs it Monday?") == [f"{line}\nIs it Monday?"]


def test_a_letter_without_another_quotes_nothing() -> None:
    assert quoted("On Sunday we meet. She wrote a book.") == []
