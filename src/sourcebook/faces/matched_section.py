"""Under which heading of a passage the words of a search stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcebook.consult.citations.section_places import section_at
from sourcebook.text.analysis import analyse_question, distinct_terms
from sourcebook.text.languages import detect_language
from sourcebook.text.sentences import sentence_spans

if TYPE_CHECKING:
    from sourcebook.model.documents import Chunk


def matched_section(chunk: Chunk, question: str) -> str | None:
    """The section of the sentence with most words of the question. A passage may hold several small sections."""
    language = detect_language(chunk.content)
    wanted = frozenset(analyse_question(question, [language] if language else []).terms)
    found = [
        (len(wanted & distinct_terms(chunk.content[start:end], language)), -start, end)
        for start, end in sentence_spans(chunk.content)
    ]
    held, _, end = max(found, default=(0, 0, 0))
    return section_at(chunk, end) if held else chunk.section
