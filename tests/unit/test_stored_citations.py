"""Citations are read as they were stored, also those of programs that knew no grades of support."""

from __future__ import annotations

import json

import pytest

from sourcebook.model.chat import SupportGrade
from sourcebook.storage.chat.citations import citations_from, citations_text


@pytest.mark.parametrize(("verified", "grade"), [(True, SupportGrade.CLOSE), (False, SupportGrade.DOUBTFUL)])
def test_a_citation_without_a_grade_has_the_one_that_it_had_at_least(
    verified: bool, grade: SupportGrade
) -> None:
    stored = json.dumps([{"text": "t", "documentPath": "p", "quote": "q", "verified": verified}])
    (citation,) = citations_from(stored)
    assert citation.support is grade
    assert citations_from(citations_text([citation])) == [citation]
