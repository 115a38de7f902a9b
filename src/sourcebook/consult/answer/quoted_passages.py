"""Passages with what would be quoted of them: shown by a decline, and besides a quoted answer that is not sure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sourcebook.consult.evidence.question_share import emphasised
from sourcebook.consult.excerpt.answer_without_model import likely_answers
from sourcebook.consult.excerpt.excerpt_features import Asked
from sourcebook.consult.question.words.typed_words import in_plain_spelling

if TYPE_CHECKING:
    from sourcebook.consult.answer.composer import PassageSources
    from sourcebook.consult.evidence.passages import JudgedPassages
    from sourcebook.consult.evidence.question_judge import JudgedPassage
    from sourcebook.consult.excerpt.extracts import Extract
    from sourcebook.model.documents import JsonValue
    from sourcebook.model.search import SearchResult


_QUOTED_OF_A_DECLINE = 2
"""Of 238 questions that were declined although there is an answer, 110 have it in the first excerpt, 143 in the first
two and 152 in the first three."""


@dataclass(frozen=True, slots=True)
class QuotedPassage:
    """A passage, and what of it may be the answer: as shown, where it begins in the document, and the exact words.

    All three are None for a passage that is only named.
    """

    passage: SearchResult
    excerpt: str | None = None
    start: int | None = None
    quote: str | None = None
    file_hash: str | None = None
    """The hash of the document that it was read in."""

    def only_named(self) -> QuotedPassage:
        return QuotedPassage(self.passage, file_hash=self.file_hash)

    def as_details(self) -> dict[str, JsonValue]:
        """The place of the passage and its excerpt, to be stored with an answer."""
        passage = self.passage
        return {
            "chunk_id": passage.chunk.id,
            "score": passage.score,
            "file_hash": self.file_hash,
            "collection_id": passage.collection_id,
            "document_id": passage.chunk.document_id,
            "document_path": passage.document_path,
            "title": passage.document_title,
            "section": passage.chunk.section,
            "page": passage.chunk.page,
            "start_index": passage.chunk.start_index,
            "end_index": passage.chunk.end_index,
            "excerpt": self.excerpt,
            "quote": self.quote,
            "quote_start": self.start,
        }


def quoted_passage(found: Extract, passage: SearchResult, sources: PassageSources) -> QuotedPassage:
    """A passage with an excerpt, the section and the page of which may differ from those of its beginning."""
    start, end, source = found.excerpt.start, found.excerpt.end, found.source
    section = sources.section(source, start, (start, end))
    chunk = replace(passage.chunk, section=section, page=sources.page(source, start))
    return QuotedPassage(
        replace(passage, chunk=chunk),
        found.excerpt.text,
        source.chunk.start_index + start,
        source.chunk.content[start:end],
        sources.file_hash(passage),
    )


def closest_passages(question: str, found: JudgedPassages, sources: PassageSources) -> list[QuotedPassage]:
    """The undamaged passages, for a decline. If they were nearly close enough, some come first and are quoted.

    So is one in another language, if it is nearer than all in that of the question.
    """
    """The undamaged passages, for a decline. If they were nearly close enough, some come first and are quoted.

    So is the one in another language that is nearer than all in the question's.
    """
    question = in_plain_spelling(question)
    quoted: list[QuotedPassage] = []
    if found.verdict.is_nearly_accepted:
        weights = emphasised(found.weights, question, found.language)
        asked = Asked(question, weights, found.language, sources.language)
        # In the order of the search, which tells the first result.
        quoted += _quoted(asked, found.passages, _QUOTED_OF_A_DECLINE, sources)
    shown = {each.passage.chunk.id for each in quoted}
    nearer = [each for each in found.nearer if each[0].chunk.id not in shown]
    quoted += _quoted(Asked(question, found.weights, None, sources.language), nearer, 1, sources)
    shown = {each.passage.chunk.id for each in quoted}
    return [*quoted, *(_named(each, sources) for each in sources.passages if each.chunk.id not in shown)]


def _quoted(
    asked: Asked, passages: Sequence[JudgedPassage], most: int, sources: PassageSources
) -> list[QuotedPassage]:
    known = {each.chunk.id for each in sources.passages}
    read = [passage for passage, _ in passages if passage.chunk.id in known]
    firsts = [likely.extracts[0] for likely in likely_answers(asked, read, most, sources.lengths)]
    return [quoted_passage(first, read[first.passage], sources) for first in firsts]


def _named(passage: SearchResult, sources: PassageSources) -> QuotedPassage:
    return QuotedPassage(passage, file_hash=sources.file_hash(passage))


def decline_text_key(details: Mapping[str, JsonValue]) -> str:
    """The key of a decline's text: above a quote that may be the answer, it must not say that nothing was found."""
    if details.get("rejected"):
        return "rejected"
    return "declined_unsure" if details.get("nearest_excerpt") else "declined"
