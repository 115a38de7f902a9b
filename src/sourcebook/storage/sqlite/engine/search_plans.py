"""How a search goes, told for people: what is counted here is what the search itself looks at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sourcebook.model.explanation import ScanMethod, SearchPlan, TermCount
from sourcebook.storage.index.engines import VECTORS_FOR_A_PASSAGE
from sourcebook.storage.sqlite.engine.candidates import rows_scored

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sourcebook.storage.database import Row
    from sourcebook.storage.sqlite.engine.candidates import Allowed
    from sourcebook.storage.sqlite.engine.memory_images import LivePart
    from sourcebook.storage.sqlite.engine.vector_part import VectorPart
    from sourcebook.storage.sqlite.engine.word_part import WordPart
    from sourcebook.text.analysis import QuestionWords


def vector_plan(parts: Sequence[LivePart[VectorPart]], allowed: Sequence[Allowed], top_k: int) -> SearchPlan:
    """All vectors that the filter lets through are scored, or those that their signs leave."""
    rows = sum(int((live.alive & live.part.has_vector).sum()) for live in parts)
    let_through = sum(a.count for a in allowed)
    quantiser = parts[0].part.quantiser if parts else None
    scored = rows_scored(let_through, quantiser, VECTORS_FOR_A_PASSAGE * top_k)
    if scored is None:
        return SearchPlan(ScanMethod.EXACT, rows, let_through, let_through)
    return SearchPlan(ScanMethod.INDEX, rows, let_through, scored)


def word_plan(
    parts: Sequence[tuple[LivePart[WordPart], NDArray[np.bool_]]],
    question: QuestionWords,
    known: Sequence[Row],
) -> SearchPlan:
    """The passages that hold a term of the question, from the postings of each."""
    ids = [row["id"] for row in known]
    counts = {row["term"]: row["chunk_count"] for row in known}
    terms = dict.fromkeys((*question.terms, *counts), 0) | counts
    return SearchPlan(
        ScanMethod.INDEX,
        rows=sum(int(live.alive.sum()) for live, _ in parts),
        allowed=sum(int(rows.sum()) for _, rows in parts),
        scored=sum(int((live.part.holding(ids) & rows).sum()) for live, rows in parts),
        terms=[TermCount(term, count) for term, count in terms.items()],
    )
