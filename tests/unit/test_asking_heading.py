"""Manuals and lists of frequent questions answer below a heading what the heading asks."""

from __future__ import annotations

import pytest

from sourcebook.consult.evidence.asking_heading import asked_in
from sourcebook.consult.excerpt.answer_without_model import extract
from sourcebook.consult.excerpt.excerpt_features import Asked
from sourcebook.model.documents import Chunk
from sourcebook.model.search import SearchResult
from sourcebook.text.analysis import analyse_question
from sourcebook.text.layout.contents import is_contents

CONTENTS = (
    "4.1. What is a locker?\n\n4.2. May I paint my locker?\n\n4.3. OK, and who pays?!\n\n"
    "4.4. Where do lost keys go?\n\n4.5. How long is a locker mine?"
)
LOCKERS = (
    "4.2. May I paint my locker?\n\n"
    "Ask the caretaker first. Nobody needs a permit for a colour of the house, and a brush is lent for free.\n\n"
    "Whoever leaves scrapes the paint off again; the locker is looked at in June.\n\n"
    "4.3. Where do lost keys go?\n\nTo the porter, who keeps the keys of each locker for a year."
)


def weights_of(question: str, language: str = "en") -> dict[str, float]:
    return dict.fromkeys(analyse_question(question, [language]).terms, 1.0)


def quoted(question: str, *texts: str) -> str:
    passages = [
        SearchResult(Chunk("c", f"d{n}", text, end_index=len(text)), 1.0) for n, text in enumerate(texts)
    ]
    asked = Asked(question, weights_of(question), "en", "en")
    return "\n".join(one.excerpt.text for one in extract(asked, passages))


@pytest.mark.parametrize(
    ("heading", "question", "language"),
    [
        ("4.2. May I paint my locker?", "may I paint the locker", "en"),
        ("## How to paint a locker", "How do I paint my locker?", "en"),
        ("Можно ли покрасить шкафчик?", "можно покрасить шкафчик", "ru"),
        ("Posso pintar o armário?", "posso pintar meu armário", "pt"),
    ],
)
def test_a_heading_that_asks_the_same_is_known(heading: str, question: str, language: str) -> None:
    assert asked_in(heading, weights_of(question, language), language) > 0.3


@pytest.mark.parametrize("heading", ["Painted lockers", "4.4. Where do lost keys go?", ""])
def test_a_heading_that_asks_nothing_or_another_thing_says_nothing(heading: str) -> None:
    assert asked_in(heading, weights_of("may I paint the locker"), "en") == 0


def test_what_a_heading_asks_besides_counts_against_it() -> None:
    weights = weights_of("may I paint the locker")
    long = "May I paint the locker, the door, the window, the floor and the stairs?"
    assert asked_in(long, weights, "en") < asked_in("May I paint the locker?", weights, "en")


def test_what_opens_the_section_answers_its_heading() -> None:
    answer = quoted("May I paint my locker?", LOCKERS)
    assert "Ask the caretaker first." in answer
    assert "porter" not in answer


def test_a_sentence_that_only_says_where_to_read_on_is_not_quoted_beside_one_that_answers() -> None:
    pointer = "See Section 4.2, “May I paint my locker?” for paint and locker."
    assert quoted(
        "may I paint a locker", pointer, "A locker may be given a coat of paint in June."
    ).startswith("A locker")


def test_contents_may_ask() -> None:
    assert is_contents(CONTENTS)
    assert not is_contents(LOCKERS)
    assert quoted("What is a locker?", CONTENTS) == ""


def test_a_heading_that_asks_about_something_else_does_not_answer_when_it_is_done() -> None:
    asking = "What is a tree peony?\n\nA peony whose stems stay over the winter. It flowers in May."
    assert (
        quoted("When do I divide a tree peony?", asking, "Divide it in September.")
        == "Divide it in September."
    )


def test_a_directive_that_other_text_replaces_says_nothing_itself() -> None:
    assert is_contents(
        "::: app.Response\n    options:\n        members:\n            - charset\n            - set_cookie\n"
    )
    assert not is_contents("Use these:\n\n- red\n- green\n- blue\n- white\n- black\n")
