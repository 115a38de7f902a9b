"""What a passage belongs to: its document, with its title, and the headings above it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcebook.model.chat import BETWEEN_HEADINGS

if TYPE_CHECKING:
    from sourcebook.model.documents import Chunk
    from sourcebook.model.search import SearchResult


def document_of(passage: SearchResult) -> tuple[str, str]:
    """Its document, by collection and id."""
    return passage.collection_id, passage.chunk.document_id


def title_and_section(passage: SearchResult) -> str:
    """What a reader is told beside the passage."""
    return f"{passage.document_title or ''}\n{passage.chunk.section or ''}"


def last_heading(chunk: Chunk) -> str:
    """The heading right above the chunk."""
    return (chunk.section or "").rpartition(BETWEEN_HEADINGS)[2]
