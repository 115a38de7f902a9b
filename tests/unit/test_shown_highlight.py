"""What carries an answer is shown in bold, and nothing is where all of it does."""

from __future__ import annotations

from dataclasses import replace

from sourcebook.consult.answer.shown_highlight import shown_highlights
from sourcebook.faces.telegram.messages.rich_text import TextStyle, from_markdown, in_bold
from sourcebook.model.chat import Answer, Citation, Tier


def answer(text: str, quote: str, *carrying: str) -> Answer:
    spans = [(quote.index(words), quote.index(words) + len(words)) for words in carrying]
    citation = Citation(1, "", "default", "d", "d.md", None, "c", None, 0, len(quote), quote, verified=True)
    return Answer("?", text, Tier.DOCUMENTS, citations=[replace(citation, highlight=spans)])


def bold(given: Answer) -> list[str]:
    return [given.answer[start:end] for start, end in shown_highlights(given)]


def test_the_sentence_that_answers_is_found_again_without_its_markup() -> None:
    quote = "It is open [daily](https://x.org). On **Thursdays** it closes\nat eight."
    given = answer("It is open daily. On **Thursdays** it closes at eight. [1]", quote, quote[35:])
    assert bold(given) == ["On **Thursdays** it closes at eight."]


def test_a_row_and_a_record_are_found_again() -> None:
    row = answer("- City · Hotel\n- Rome · 90 EUR [1]", "| Rome | 90 EUR |", "| Rome | 90 EUR |")
    record = answer(
        "**Shop**\n\n- Item: pan · Price: 9 € [1]", "Item: pan\nPrice: 9 €", "Item: pan\nPrice: 9 €"
    )
    assert (bold(row), bold(record)) == (["Rome · 90 EUR"], ["Item: pan · Price: 9 €"])


def test_a_row_with_the_names_of_its_columns_is_found_again() -> None:
    quote = "| City | Hotel |\n|---|---|\n| Rome | 90 EUR |\n| Oslo | 140 EUR |"
    text = "- City: Rome · Hotel: 90 EUR\n- City: Oslo · Hotel: 140 EUR [1]"
    assert bold(answer(text, quote, "| Oslo | 140 EUR |")) == ["City: Oslo · Hotel: 140 EUR"]


def test_nothing_is_marked_where_all_of_it_answers_or_it_is_not_found() -> None:
    assert bold(answer("It closes at eight. [1]", "It closes at eight.", "It closes at eight.")) == []
    assert bold(answer("Something else. [1]", "It closes at eight.", "It closes at eight.")) == []


def test_bold_leaves_code_alone() -> None:
    rich = in_bold(from_markdown("set `x` to 1"))
    marks = [(span.mark, rich.text[span.start : span.end]) for span in rich.spans]
    assert sorted(marks) == [
        (TextStyle.BOLD, " to 1"),
        (TextStyle.BOLD, "set "),
        (TextStyle.CODE, "x"),
    ]
