"""Terminology in all inflected forms, bounded whatever the dictionary holds."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook.consult.answer.terminology import MOST_EXPANSIONS, MOST_IN_A_PROMPT, TermIndex, corrected
from sourcebook.model.curation import Term


def term(number: int, written: str, preferred: str, language: str | None = None) -> Term:
    return Term(number, written, preferred, language=language)


@pytest.mark.parametrize(
    ("text", "language", "written"),
    [
        ("Обрежьте кусты виктории весной.", "ru", "виктории"),
        ("Викторию не поливают.", "ru", "Викторию"),
        ("The suckers were removed.", "en", "suckers"),
        ("Retire os brotos ladrões.", "pt", "brotos ladrões"),
    ],
)
def test_a_term_is_found_in_every_inflected_form(text: str, language: str, written: str) -> None:
    terms = [
        term(1, "виктория", "садовая земляника", "ru"),
        term(2, "sucker", "root shoot", "en"),
        term(3, "broto ladrão", "rebento", "pt"),
    ]
    (use,) = TermIndex.of(terms, language).uses(text)
    assert text[use.start : use.end] == written


def test_a_term_in_its_listed_form_is_corrected_and_an_inflected_one_is_left_for_a_person() -> None:
    index = TermIndex.of([term(1, "виктория", "садовая земляника")], "ru")
    text = "Виктория цветёт. Сорта виктории бывают ремонтантными."
    fixed, left = corrected(text, index.uses(text))
    assert fixed == "Садовая земляника цветёт. Сорта виктории бывают ремонтантными."
    assert [text[use.start : use.end] for use in left] == ["виктории"]


def test_a_term_inside_its_own_preferred_phrase_is_no_mistake() -> None:
    index = TermIndex.of([term(1, "raspberry", "everbearing raspberry")], "en")
    assert index.uses("The everbearing raspberry fruits in autumn.") == []
    assert len(index.uses("The raspberry fruits in autumn.")) == 1


def test_the_longest_term_wins() -> None:
    index = TermIndex.of([term(1, "mould", "fungus"), term(2, "grey mould", "botrytis")], "en")
    assert [use.term.id for use in index.uses("Grey mould spreads.")] == [2]


def test_a_question_is_expanded_in_both_directions() -> None:
    index = TermIndex.of([term(1, "виктория", "садовая земляника")], "ru")
    assert index.expansions("Когда сажать викторию?") == ["садовая земляника"]
    assert index.expansions("Когда сажать садовую землянику?") == ["виктория"]
    assert index.expansions("Когда сажать малину?") == []


def test_terms_that_point_to_each_other_end() -> None:
    index = TermIndex.of([term(1, "a1", "b1"), term(2, "b1", "a1")], "en")
    assert index.expansions("a1") == ["b1"]
    fixed, _ = corrected("a1 b1", index.uses("a1 b1"))
    assert fixed in ("b1 a1", "a1 b1")


def test_apostrophes_and_case_make_no_difference() -> None:
    index = TermIndex.of([term(1, "gardener's friend", "compost")], "en")
    assert len(index.uses("The Gardener’s Friend and the GARDENERʼS friend.")) == 2


def test_a_term_of_another_language_does_not_apply() -> None:
    index = TermIndex.of([term(1, "mal", "bad", "en")], "pt")
    assert index.uses("mal") == []


def test_ten_thousand_terms_with_signs_of_regular_expressions_take_no_time() -> None:
    terms = [term(n, f"word{n} (.*)+[{n}]", f"phrase {n}") for n in range(10_000)]
    index = TermIndex.of(terms, "en")
    text = "word77 77 (((((.*)+[ " * 500 + "word99 99"
    start = time.process_time()
    uses = index.uses(text)
    assert time.process_time() - start < 1.0
    assert uses[-1].term.id == 99
    assert len(index.expansions(" ".join(f"word{n} {n}" for n in range(50)))) == MOST_EXPANSIONS


def test_ten_thousand_synonyms_that_begin_alike_or_mean_one_thing_take_no_time() -> None:
    alike = [term(n, f"grey mould{n}", f"phrase {n}") for n in range(5_000)]
    synonyms = [term(n, f"rot{n}", "grey decay") for n in range(5_000, 10_000)]
    index = TermIndex.of([*alike, *synonyms], "en")
    text = "grey " * 2_000 + "grey decay " * 500 + "grey mould77 rot5001"
    start = time.process_time()
    assert [use.term.id for use in index.uses(text)] == [77, 5001]
    assert len(index.relevant([text] * 6)) <= MOST_IN_A_PROMPT
    assert time.process_time() - start < 2.0


def test_no_terms_change_nothing() -> None:
    index = TermIndex.of([term(1, "", "x"), term(2, "...", "y"), term(3, "same", "Same")], "en")
    assert (index.uses("same ..."), index.expansions("same"), index.relevant([""])) == ([], [], [])
    assert index.in_preferred_words("the same") == "the same"


def test_every_form_of_a_term_is_put_into_preferred_words_to_compare() -> None:
    index = TermIndex.of([term(1, "sucker", "root shoot"), term(2, "root shoot", "sucker")], "en")
    assert index.in_preferred_words("Suckers and root shoots.") in (
        "root shoot and sucker.",
        "Suckers and root shoots.",
    )
    once = TermIndex.of([term(1, "sucker", "root shoot")], "en")
    assert once.in_preferred_words("Are the suckers root shoots?") == "Are the root shoot root shoots?"


@given(st.lists(st.tuples(st.text(max_size=12), st.text(max_size=12)), max_size=8), st.text(max_size=60))
def test_any_terms_and_any_text_are_safe(pairs: list[tuple[str, str]], text: str) -> None:
    index = TermIndex.of([term(n, a, b) for n, (a, b) in enumerate(pairs)], "ru")
    uses = index.uses(text)
    assert all(a.end <= b.start for a, b in pairwise(uses))
    corrected(text, uses)
    assert len(index.expansions(text)) <= MOST_EXPANSIONS
    index.relevant([text])
