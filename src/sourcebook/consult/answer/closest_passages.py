"""What a decline shows: the passages that came closest and, if it may help, what would have been quoted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sourcebook.consult.answer.answer_without_model import Asked, extract
from sourcebook.consult.answer.question_share import emphasised

if TYPE_CHECKING:
    from sourcebook.consult.answer.answer_without_model import Extract
    from sourcebook.consult.answer.composer import PassageSources
    from sourcebook.consult.evidence.passages import JudgedPassages
    from sourcebook.model.documents import JsonValue
    from sourcebook.model.search import SearchResult


@dataclass(frozen=True, slots=True)
class ClosestPassages:
    """Closest first. The excerpt is of the first of them."""

    passages: Sequence[SearchResult]
    excerpt: str | None = None


def closest_passages(question: str, found: JudgedPassages, sources: PassageSources) -> ClosestPassages:
    """The passages that are sound, the one that would have been quoted first if it came nearly close enough."""
    sound = sources.passages
    if not found.verdict.is_nearly_accepted or not sound:
        return ClosestPassages(sound)
    weights = emphasised(found.weights, question, found.language)
    read = [passage for passage, _ in found.passages if passage in sound]
    quoted = extract(Asked(question, weights, found.language, sources.language), read, sources.lengths)
    if not quoted:
        return ClosestPassages(sound)
    best = quoted[0]
    others = [passage for passage in sound if passage is not read[best.passage]]
    return ClosestPassages([_at_quote(read[best.passage], best, sources), *others], best.excerpt.text)


def _at_quote(passage: SearchResult, best: Extract, sources: PassageSources) -> SearchResult:
    """The passage with the section and the page of its quote: it may have begun under another heading."""
    start, end = best.excerpt.start, best.excerpt.end
    section = sources.section(best.source, start, (start, end))
    return replace(
        passage, chunk=replace(passage.chunk, section=section, page=sources.page(best.source, start))
    )


def place_of(passage: SearchResult) -> dict[str, JsonValue]:
    """Where a passage stands, so that somebody who reads a decline again finds what came closest."""
    return {
        "collection_id": passage.collection_id,
        "document_id": passage.chunk.document_id,
        "document_path": passage.document_path,
        "title": passage.document_title,
        "section": passage.chunk.section,
        "page": passage.chunk.page,
        "start_index": passage.chunk.start_index,
        "end_index": passage.chunk.end_index,
    }


def decline_text_key(details: Mapping[str, JsonValue]) -> str:
    """The key of what a decline says: not that nothing was found above a quote that may be the answer."""
    if details.get("rejected"):
        return "rejected"
    return "declined_unsure" if details.get("nearest_excerpt") else "declined"
