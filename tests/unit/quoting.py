"""Ask a few passages a question, and see what is quoted of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcebook.consult.excerpt.answer_without_model import extract
from sourcebook.consult.excerpt.excerpt_features import Asked
from sourcebook.model.documents import Chunk
from sourcebook.model.search import SearchResult
from sourcebook.text.analysis import analyse_question

if TYPE_CHECKING:
    from sourcebook.consult.excerpt.excerpt import Excerpt

FILLER = "Nobody asked about the weather, which was fair on most of the days of that long and quiet summer. "


def found(
    text: str, score: float = 1.0, title: str | None = None, section: str | None = None
) -> SearchResult:
    chunk = Chunk("c", "d", text, end_index=len(text), section=section)
    return SearchResult(chunk, score, document_title=title)


def excerpts(question: str, *passages: SearchResult, spoken: str | None = "en") -> list[Excerpt]:
    weights = dict.fromkeys(analyse_question(question, [spoken] if spoken else []).terms, 1.0)
    return [one.excerpt for one in extract(Asked(question, weights, spoken, spoken), passages)]


def shown(question: str, *texts: str) -> str:
    return "\n".join(one.text for one in excerpts(question, *map(found, texts)))
