"""What a decline shows: the passages that came closest and, if it may help, what would have been quoted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sourcebook.consult.answer.answer_without_model import Asked, extract
from sourcebook.consult.answer.composer import section_at
from sourcebook.consult.answer.question_share import emphasised

if TYPE_CHECKING:
    from sourcebook.consult.evidence.passages import JudgedPassages
    from sourcebook.model.documents import JsonValue
    from sourcebook.model.search import SearchResult


@dataclass(frozen=True, slots=True)
class ClosestPassages:
    """Closest first. The excerpt is of the first of them."""

    passages: Sequence[SearchResult]
    excerpt: str | None = None


def closest_passages(
    question: str, found: JudgedPassages, sound: Sequence[SearchResult], spoken: str | None
) -> ClosestPassages:
    """Those of the passages that are sound, the one that would have been quoted first if it came nearly close enough.

    `spoken` is the language of whoever asks.
    """
    if not found.verdict.is_nearly_accepted or not sound:
        return ClosestPassages(sound)
    asked = Asked(question, emphasised(found.weights, question, found.language), found.language, spoken)
    read = [passage for passage, _ in found.passages if passage in sound]
    quoted = extract(asked, read)
    if not quoted:
        return ClosestPassages(sound)
    best = quoted[0]
    first = read[best.passage]
    others = [passage for passage in sound if passage is not first]
    # A passage may hold several small sections; the one that is named is that of the quote.
    start, end = best.excerpt.start, best.excerpt.end
    named = replace(
        first, chunk=replace(first.chunk, section=section_at(best.source.chunk, start, (start, end)))
    )
    return ClosestPassages([named, *others], best.excerpt.text)


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
