from __future__ import annotations

import pytest

from sourcebook.consult.excerpt.passage_units import Units
from sourcebook.consult.excerpt.quotable_units import QuotableUnits
from sourcebook.model.documents import Chunk
from sourcebook.model.search import SearchResult


@pytest.mark.parametrize(
    ("content", "is_quotable"),
    [
        ("```\n", False),
        ("```\n# ----\n```", False),
        ("```sh\nmake\n```", True),
    ],
)
def test_a_listing_without_a_word_is_not_quoted(content: str, *, is_quotable: bool) -> None:
    whole = SearchResult(Chunk("c", "d", content, end_index=len(content)), 1.0)
    units = Units.of(content)
    held = [QuotableUnits("How do I build it?", whole, units).holds(i) for i in range(len(units))]
    assert any(held) == is_quotable
