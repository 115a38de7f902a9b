"""What a passage belongs to: its document, with its title, and the headings above it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sourcebook.model.chat import BETWEEN_HEADINGS

if TYPE_CHECKING:
    from sourcebook.model.documents import Chunk
    from sourcebook.model.search import SearchResult

_NEWS = re.compile(
    r"(?:^|/)(?:release[-_]?notes|changelog|changes|history|news)(?:\.\w{2})?\.\w+$", re.IGNORECASE
)
_LETTER = re.compile(r"\.(?:eml|mbox)\b", re.IGNORECASE)


def document_of(passage: SearchResult) -> tuple[str, str]:
    """Its document, by collection and id."""
    return passage.collection_id, passage.chunk.document_id


def title_and_section(passage: SearchResult) -> str:
    """What a reader is told beside the passage."""
    return f"{passage.document_title or ''}\n{passage.chunk.section or ''}"


def said_with_title(passage: SearchResult) -> str:
    """What it says, below the title of its document."""
    return f"{passage.document_title or ''}\n{passage.chunk.content}"


def last_heading(chunk: Chunk) -> str:
    """The heading right above the chunk."""
    return (chunk.section or "").rpartition(BETWEEN_HEADINGS)[2]


def is_news(passage: SearchResult) -> bool:
    """Whether it is of the notes on releases: they name everything that ever changed, and say what it is of nothing."""
    return _NEWS.search(passage.document_path) is not None


def is_letter(passage: SearchResult) -> bool:
    return _LETTER.search(passage.document_path) is not None
