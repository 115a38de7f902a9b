"""An approved answer whose source has changed or is gone: what the documents say instead, if they speak of the same.

That they answer the question is not enough: of a course whose price list was removed, they may still tell the fee for
joining. So what they say takes the answer's place only if it has the question's words that the old source had, and is
like that source, or tells or contradicts a sentence of the answer.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from sourcebook.consult.citations.marks_and_quotes import cited_sentences, without_repeated_marks
from sourcebook.consult.support.support_check import check_support
from sourcebook.model.chat import SourceState
from sourcebook.text.analysis import distinct_terms
from sourcebook.text.sentences import sentence_spans

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sourcebook.model.chat import Citation
    from sourcebook.model.curation import CuratedAnswer, CuratedSource
    from sourcebook.model.documents import JsonValue

_LIKE_ENOUGH = 0.5
"""The share of words, besides numbers, that the old and the new words of a source have in common."""


def takes_its_place(
    entry: CuratedAnswer, question: str, citations: Sequence[Citation], language: str | None
) -> bool:
    """Whether words that the documents say now are about what the approved answer said."""
    asked = _terms(question, language)
    return any(
        _is_about_the_same(entry, source, asked, citation, language)
        for source in _lost_sources(entry)
        for citation in citations
    )


def outdated_details(entry: CuratedAnswer) -> dict[str, JsonValue]:
    """The details of an approved answer that is not given because its source has changed, or was removed."""
    return {
        "id": entry.id,
        "collection_id": entry.collection_id,
        "question": entry.question,
        "answer": without_repeated_marks(entry.answer),
        "reason": entry.stale_reason,
        "since": entry.stale_since,
        "removed": all(source.state is SourceState.REMOVED for source in _lost_sources(entry)),
    }


def _lost_sources(entry: CuratedAnswer) -> list[CuratedSource]:
    return [source for source in entry.sources if source.state not in (None, SourceState.CURRENT)]


def _is_about_the_same(
    entry: CuratedAnswer,
    source: CuratedSource,
    asked: frozenset[str],
    citation: Citation,
    language: str | None,
) -> bool:
    around = _lines(citation.document_title, citation.section)
    known = _terms(_lines(source.document_title, source.section, source.quote), language)
    wanted, held = asked & known, _terms(around, language)
    for stretch in _stretches(citation.quote):
        said = _terms(stretch, language)
        if wanted <= said | held and _alike(_terms(source.quote, language), said) >= _LIKE_ENOUGH:
            return True
    if not wanted <= held | _terms(citation.quote, language):
        return False
    checks = (
        check_support(each.text, citation.quote, language, around) for each in cited_sentences(entry.answer)
    )
    return any(check.is_enough or check.is_contradicted for check in checks)


def _lines(*parts: str | None) -> str:
    return "\n".join(part for part in parts if part)


def _stretches(text: str) -> Iterator[str]:
    """The text, its sentences, and each two that follow one another."""
    spans = list(sentence_spans(text))
    yield text
    for start, end in spans:
        yield text[start:end]
    for (start, _), (_, end) in pairwise(spans):
        yield text[start:end]


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    return 2 * len(one & other) / max(1, len(one) + len(other))


def _terms(text: str, language: str | None) -> frozenset[str]:
    """What a text speaks of: its terms without the numbers, which are what changes."""
    return frozenset(term for term in distinct_terms(text, language) if not term.isdigit())
