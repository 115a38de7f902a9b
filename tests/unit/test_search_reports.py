from __future__ import annotations

import pytest

from sourcebook.faces.json_shapes import found
from sourcebook.faces.matched_section import matched_section
from sourcebook.model.documents import Chunk
from sourcebook.model.search import RetrievalMode, ScoreBreakdown, SearchReport, SearchResult


@pytest.mark.parametrize(
    ("breakdown", "is_weak"),
    [
        (ScoreBreakdown(semantic_score=0.07), True),
        (ScoreBreakdown(semantic_score=0.34), False),
        (ScoreBreakdown(semantic_score=0.07, keyword_score=1.0), False),
        (ScoreBreakdown(keyword_score=1.0), False),
    ],
)
def test_a_search_is_weak_if_no_word_is_found_and_no_meaning_is_near(
    breakdown: ScoreBreakdown, *, is_weak: bool
) -> None:
    assert SearchReport([SearchResult(Chunk("c", "d", "text"), 1.0, breakdown)]).is_weak is is_weak


def test_a_search_without_results_is_empty_and_not_weak() -> None:
    assert not SearchReport([]).is_weak


HANDBOOK = (
    "# Handbook\n\n## Leave\n\nFive days may be carried over.\n\n## Desks\n\nDesks are booked in the portal."
)


@pytest.mark.parametrize(
    ("question", "section"),
    [
        ("carried over days", "Handbook > Leave"),
        ("booked desks", "Handbook > Desks"),
        ("qwxzv", "Handbook > Desks"),
    ],
)
def test_a_result_is_named_by_the_section_where_its_words_stand(question: str, section: str) -> None:
    chunk = Chunk("c", "d", HANDBOOK, end_index=len(HANDBOOK), section="Handbook > Desks")
    assert matched_section(chunk, question) == section


def test_programs_are_told_the_same_section_as_people() -> None:
    chunk = Chunk("c", "d", HANDBOOK, end_index=len(HANDBOOK), section="Handbook > Desks")
    report = SearchReport([SearchResult(chunk, 1.0)])
    [result] = found("carried over days", RetrievalMode.HYBRID, report)["results"]
    assert (result["matched_section"], result["section"]) == ("Handbook > Leave", "Handbook > Desks")
