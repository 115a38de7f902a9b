"""What an excerpt begins and ends with: what its best sentence needs, and no more."""

from __future__ import annotations

import pytest

from sourcebook.consult.excerpt.answer_without_model import extract
from sourcebook.consult.excerpt.excerpt_features import Asked
from sourcebook.model.documents import Chunk
from sourcebook.model.search import SearchResult
from sourcebook.text.analysis import analyse_question, distinct_terms


def shown(question: str, text: str) -> str:
    weights = dict.fromkeys(analyse_question(question, ["en"]).terms, 1.0)
    passage = SearchResult(Chunk("c", "d", text, end_index=len(text)), 1.0)
    return "\n".join(one.excerpt.text for one in extract(Asked(question, weights, "en", "en"), [passage]))


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            "Where do I report a lost badge?",
            "Lost your badge? Report it to Dana at the desk on the same day.",
        ),
        (
            "How long is an account blocked?",
            "**Your account is blocked.** Wait for 30 minutes, or call the desk.",
        ),
        ("How large may scans be?", "Scans are sent by mail up to 20 MB. Larger ones are kept for 14 days."),
    ],
)
def test_a_sentence_comes_with_the_case_or_the_label_that_it_is_about(question: str, said: str) -> None:
    before = "The office opens at seven and the alarm is switched on at half past nine."
    assert shown(question, f"{before}\n\n{said}\n") == said


def test_another_paragraph_that_hardly_answers_is_left_out() -> None:
    rent = "The rent is paid until the fifth day of each month by transfer to the owner of the house."
    water = "Water is paid by the meter."
    assert shown("Until which day is the rent paid?", f"{rent}\n\n{water}\n") == rent


def test_what_lacks_the_time_asked_for_is_left_out_beside_it() -> None:
    text = "Hot water is switched off for two weeks, mostly from 14 to 28 June. Two flats have a boiler for water."
    assert shown("When is the hot water switched off?", text) == text[:67]


def test_a_heading_is_shown_if_it_has_the_date_that_was_asked_for() -> None:
    notes = (
        "# Ledger\n\n## 4.2 (3 November 2026)\n\n- The CSV export was removed.\n\n## 4.1\n\n- New comments.\n"
    )
    text = shown("When was the CSV export removed?", notes)
    assert text == "**4.2 (3 November 2026)**\n\nThe CSV export was removed."


def test_the_name_of_a_column_tells_what_a_number_of_a_row_is() -> None:
    page = (
        "| Service | Unit | Price, EUR |\n|---|---|---|\n| Small hall | hour | 90 |\n| Binding | volume | 35 |\n\n"
        "Computers in the reading hall are free for two hours, then an hour is 4 EUR.\n"
    )
    assert (
        shown("How much does the hall cost for an hour?", page)
        == "Service: Small hall · Unit: hour · Price, EUR: 90"
    )


def test_what_stands_under_the_next_heading_is_not_of_the_section_of_its_passage() -> None:
    text = (
        "## Parking\n\nThere are four places in the yard, at 9 euros. "
        "On the street you park for nothing at weekends.\n\n"
        "## Animals\n\nDogs can stay in the room with you.\n"
    )
    chunk = Chunk("c", "d", text, end_index=len(text), section="Our house > Parking")
    question = "Where can I park?"
    asked = Asked(question, {"can": 1.0, "park": 2.0}, "en", "en")
    (found,) = extract(asked, [SearchResult(chunk, 1.0, document_title="Our house")])
    assert "yard" in found.excerpt.text
    assert "Dogs" not in found.excerpt.text


def test_of_two_units_about_as_likely_the_one_is_marked_that_holds_more_of_the_question() -> None:
    page = (
        "- Wear gloves and goggles whenever you pour or mix concentrate.\n"
        "- Spent fixer goes into the blue drum, never down the sink. It contains silver, which we sell; last year it "
        "brought £340.\n"
        "- Spent developer may go down the sink with plenty of water.\n"
        "- Leave the trays rinsed and upside down.\n"
    )
    question = "where does the old fixer go"
    rare, common = distinct_terms("fixer", "en"), distinct_terms(question, "en")
    weights = dict.fromkeys(common, 0.5) | dict.fromkeys(rare, 1.4)
    chunk = Chunk("c", "d", page, end_index=len(page))
    (found,) = extract(Asked(question, weights, "en", "en"), [SearchResult(chunk, 1.0)])
    ((start, end),) = found.excerpt.highlight
    marked = page[found.excerpt.start + start : found.excerpt.start + end]
    assert marked.startswith("- Spent fixer goes into the blue drum")
