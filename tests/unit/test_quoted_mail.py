from __future__ import annotations

import pytest

from sourcebook.text.layout.quoted_mail import quoted_spans


def quoted(letter: str) -> list[str]:
    return [letter[start:end] for start, end in quoted_spans(letter)]


def test_marked_lines_are_quoted_and_a_reply_between_them_is_not() -> None:
    letter = "Yes.\n\nOn Sunday, Bob wrote:\n> Is it Monday?\nNo, Tuesday.\n> And where?\n"
    assert quoted(letter) == ["> Is it Monday?", "> And where?", "On Sunday, Bob wrote:"]


@pytest.mark.parametrize(
    "line",
    [
        "On Sunday, Bob wrote:",
        "8 ноября Боб пишет:",
        "-----Original Message-----",
        "Em 8/11, Rui escreveu:",
        "Em dom., 8 de nov. de 2026 às 10:00, Rui <rui@example.org> escreveu:",
        "Боб <bob@example.org> писал:",
    ],
)
def test_without_marks_all_that_follows_the_line_is_quoted(line: str) -> None:
    assert quoted(f"Yes.\n\n{line}\nIs it Monday?") == [f"{line}\nIs it Monday?"]


def test_a_letter_without_another_quotes_nothing() -> None:
    assert quoted("On Sunday we meet. She wrote a book.") == []


@pytest.mark.parametrize(
    "letter",
    [
        "On Monday we met.\nEm resumo, Anna escreveu:\nTudo certo.",
        "On Monday we met. Bob wrote:\nAll is well.",
        "On the whole I agree with what Bob wrote:\nAll is well.",
        "Вот что он написал:\nВсё хорошо.",
        "Мы встретились 8 ноября. Вот что он написал:\nВсё хорошо.",
    ],
)
def test_a_sentence_that_ends_with_wrote_begins_no_other_letter(letter: str) -> None:
    assert quoted(letter) == []
