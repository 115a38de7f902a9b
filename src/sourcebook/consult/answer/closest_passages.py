"""What a decline shows: the closest passages and, if they were nearly close enough, what would have been quoted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sourcebook.consult.evidence.passage_surroundings import document_of
from sourcebook.consult.evidence.question_share import emphasised
from sourcebook.consult.excerpt.answer_without_model import Asked, Extract, extract
from sourcebook.consult.question.typed_words import in_plain_spelling

if TYPE_CHECKING:
    from sourcebook.consult.answer.composer import PassageSources
    from sourcebook.consult.evidence.passages import JudgedPassages
    from sourcebook.model.documents import JsonValue
    from sourcebook.model.search import SearchResult


QUOTED = 2
"""Of 210 questions that were declined although there is an answer, 99 have it in the first excerpt, 123 in the first
two and 132 in the first three."""


@dataclass(frozen=True, slots=True)
class ClosestPassages:
    """Passages, closest first, and excerpts of the first ones."""

    passages: Sequence[SearchResult]
    excerpts: Sequence[str] = ()
    quotes: Sequence[tuple[int, str]] = ()
    """For each excerpt, where it begins in its document, and the exact words there."""

    @property
    def excerpt(self) -> str | None:
        return self.excerpts[0] if self.excerpts else None

    def places(self, most: int) -> list[dict[str, JsonValue]]:
        """The first passages with their places and excerpts, to be stored with a decline."""
        said = [*self.excerpts, *[None] * len(self.passages)]
        quotes = [*self.quotes, *[(None, None)] * len(self.passages)]
        return [
            _place_of(passage) | {"excerpt": excerpt, "quote": quote, "quote_start": start}
            for passage, excerpt, (start, quote) in zip(self.passages[:most], said, quotes, strict=False)
        ]

    def only_named(self) -> ClosestPassages:
        """The same passages without excerpts."""
        return ClosestPassages(self.passages)


def closest_passages(question: str, found: JudgedPassages, sources: PassageSources) -> ClosestPassages:
    """The undamaged passages, with what would have been quoted of them if they were nearly close enough."""
    sound = sources.passages
    if not found.verdict.is_nearly_accepted or not sound:
        return ClosestPassages(sound)
    question = in_plain_spelling(question)
    weights = emphasised(found.weights, question, found.language)
    asked = Asked(question, weights, found.language, sources.language)
    unread = [passage for passage, _ in found.passages if passage in sound]
    first: list[SearchResult] = []
    others, excerpts = list(sound), list[str]()
    quotes, shown = list[tuple[int, str]](), list[Extract]()
    while len(excerpts) < QUOTED and (quoted := extract(asked, unread, sources.lengths)):
        best, passage = quoted[0], unread[quoted[0].passage]
        if not any(_says_the_same(best, other) for other in shown):
            shown.append(best)
            first.append(_at_quote(passage, best, sources))
            excerpts.append(best.excerpt.text)
            quotes.append(_quote_of(best))
            others = [other for other in others if other is not passage]
        unread = [other for other in unread if other is not passage]
    return ClosestPassages([*first, *others], excerpts, quotes)


def _quote_of(best: Extract) -> tuple[int, str]:
    chunk, start = best.source.chunk, best.excerpt.start
    return chunk.start_index + start, chunk.content[start : best.excerpt.end]


def _says_the_same(one: Extract, other: Extract) -> bool:
    """Whether one excerpt contains the other, or they overlap in their document."""
    if one.excerpt.text in other.excerpt.text or other.excerpt.text in one.excerpt.text:
        return True
    if document_of(one.source) != document_of(other.source):
        return False
    (start, end), (first, last) = _span_of(one), _span_of(other)
    return start < last and first < end


def _span_of(found: Extract) -> tuple[int, int]:
    begin = found.source.chunk.start_index
    return begin + found.excerpt.start, begin + found.excerpt.end


def _at_quote(passage: SearchResult, best: Extract, sources: PassageSources) -> SearchResult:
    """The passage with the section and the page of its quote, which may differ from those of its beginning."""
    start, end = best.excerpt.start, best.excerpt.end
    section = sources.section(best.source, start, (start, end))
    return replace(
        passage, chunk=replace(passage.chunk, section=section, page=sources.page(best.source, start))
    )


def _place_of(passage: SearchResult) -> dict[str, JsonValue]:
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
    """The key of a decline's text: above a quote that may be the answer, it must not say that nothing was found."""
    if details.get("rejected"):
        return "rejected"
    return "declined_unsure" if details.get("nearest_excerpt") else "declined"
