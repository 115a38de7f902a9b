"""Help: answers from the documentation in a base, and from the manual that comes with Sourcebook.

The manual is a handful of pages. It is read when help is requested, searched by its words, and never written into
anybody's base.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sourcebook.consult.evidence.acceptance import term_weights
from sourcebook.ingest.chunking.passages import chunk_document
from sourcebook.ingest.parsers.text.markdown import parse_markdown
from sourcebook.model.chat import MANUAL_COLLECTION
from sourcebook.model.documents import ChunkLevel
from sourcebook.model.search import RetrievalConfig, ScoreBreakdown, SearchReport, SearchResult
from sourcebook.text.analysis import analyse

if TYPE_CHECKING:
    from sourcebook.consult.evidence.passages import Retrieval
    from sourcebook.model.documents import Chunk
    from sourcebook.retrieve.context import QuestionContext

_LANGUAGE = "en"
# Tables and generated pages answer nobody in sentences.
_PROSE = ("*.md", "how-to/*.md", "explanation/*.md")


class Manual:
    """The pages in a folder, ranked by how much of a question's rare words each of their passages holds."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def search(self, question: str, top_k: int) -> list[SearchResult]:
        counts = Counter(term for _, _, terms in self._passages for term in terms)
        weights = term_weights(question, [_LANGUAGE], counts, len(self._passages))
        ranked = sorted(
            (
                (sum(weights.get(term, 0.0) for term in terms), chunk, title)
                for chunk, title, terms in self._passages
            ),
            key=lambda found: (-found[0], found[1].id),
        )
        total = sum(weights.values()) or 1.0
        return [_result(chunk, title, score / total) for score, chunk, title in ranked[:top_k] if score > 0]

    @cached_property
    def _passages(self) -> list[tuple[Chunk, str, frozenset[str]]]:
        return [passage for page in self._pages() for passage in _passages_of(*page)]

    def _pages(self) -> list[tuple[str, bytes]]:
        if self._folder is None:
            return []
        files = sorted(file for part in _PROSE for file in self._folder.glob(part))
        return [(file.relative_to(self._folder).as_posix(), file.read_bytes()) for file in files]


class HelpRetrieval:
    """A search of a base, followed by results from the manual."""

    def __init__(self, retrieval: Retrieval, manual: Callable[[], Manual]) -> None:
        self._retrieval = retrieval
        self._manual = manual

    async def report(
        self,
        collections: str | Sequence[str],
        query: str,
        config: RetrievalConfig | None = None,
        context: QuestionContext | None = None,
    ) -> SearchReport:
        wanted = config or RetrievalConfig()
        found = await self._retrieval.report(collections, query, wanted, context)
        pages = self._manual().search(query, wanted.top_k)
        return replace(found, results=[*found.results, *pages])


def _passages_of(path: str, data: bytes) -> list[tuple[Chunk, str, frozenset[str]]]:
    parsed = parse_markdown(data)
    title = parsed.title or path
    chunks = chunk_document(f"{MANUAL_COLLECTION}/{path}", parsed.text, parsed.sections)
    return [
        (chunk, title, frozenset(analyse(f"{title}\n{chunk.section or ''}\n{chunk.content}", _LANGUAGE)))
        for chunk in chunks
        if chunk.level is ChunkLevel.PARENT
    ]


def _result(chunk: Chunk, title: str, score: float) -> SearchResult:
    return SearchResult(
        chunk,
        score,
        ScoreBreakdown(keyword_score=score),
        document_path=f"manual/{chunk.document_id.partition('/')[2]}",
        document_title=title,
        collection_id=MANUAL_COLLECTION,
    )
