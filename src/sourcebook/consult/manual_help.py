"""Help: searches the documentation in a base, and the manual that comes with Sourcebook.

The manual is a handful of pages, which are read when help is requested, searched by words, and never stored in a base.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sourcebook.consult.evidence.acceptance import term_weights
from sourcebook.consult.evidence.passage_surroundings import last_heading
from sourcebook.consult.evidence.question_share import share_of_weight
from sourcebook.ingest.chunking.passages import chunk_document
from sourcebook.ingest.parsers.text.markdown import parse_markdown
from sourcebook.model.chat import MANUAL_COLLECTION
from sourcebook.model.documents import ChunkLevel
from sourcebook.model.search import RetrievalConfig, ScoreBreakdown, SearchReport, SearchResult
from sourcebook.text.analysis import analyse
from sourcebook.text.sentences import sentence_spans

if TYPE_CHECKING:
    from sourcebook.model.documents import Chunk
    from sourcebook.retrieve.question_context import QuestionContext
    from sourcebook.retrieve.search import Retrieval

_LANGUAGE = "en"
# The reference is left out: tables and generated pages do not answer in sentences.
_PROSE = ("*.md", "how-to/*.md", "explanation/*.md")
# The start page names every subject and explains none; these two are about the code, and about a hundred million
# passages.
_LEFT_OUT = ("index.md", "architecture.md", "scaling.md")
_GLOSSARY = "glossary.md"
_GLOSSARY_ROW = re.compile(r"^\| \*\*(.+?)\*\* \| (.+) \|$", re.MULTILINE)
_TABLE_HEAD = re.compile(r"^\| word \| meaning \|\n\|---\|---\|$", re.MULTILINE)

# Most passages have the words of a short question somewhere, so their place counts.
_WORTH_OF_SENTENCE = 1.0
_WORTH_OF_HEADING = 0.7
_WORTH_OF_TITLE = 0.4
_WORTH_OF_A_GUIDE = 0.1


@dataclass(frozen=True, slots=True)
class _ManualPassage:
    """A passage of the manual, its page's title, and the terms of its title, heading and sentences."""

    chunk: Chunk
    title: str
    title_terms: frozenset[str]
    heading_terms: frozenset[str]
    sentences: Sequence[frozenset[str]]

    @property
    def terms(self) -> frozenset[str]:
        return self.title_terms.union(self.heading_terms, *self.sentences)

    def worth(self, weights: Mapping[str, float]) -> float:
        """How well the passage matches, from 0 for no word of the question to 1."""
        share = share_of_weight(weights, self.terms, _LANGUAGE)
        if not share:
            return 0.0
        around = self.title_terms | self.heading_terms
        sentence = max(
            (share_of_weight(weights, said | around, _LANGUAGE) for said in self.sentences), default=0.0
        )
        worth = share + _WORTH_OF_SENTENCE * sentence
        worth += _WORTH_OF_HEADING * share_of_weight(weights, self.heading_terms, _LANGUAGE)
        worth += _WORTH_OF_TITLE * share_of_weight(weights, self.title_terms, _LANGUAGE)
        worth += _WORTH_OF_A_GUIDE * ("how-to/" in self.chunk.document_id)
        return worth / (1.0 + _WORTH_OF_SENTENCE + _WORTH_OF_HEADING + _WORTH_OF_TITLE + _WORTH_OF_A_GUIDE)


class Manual:
    """The pages in a folder, searched by passage: rare words of the question count most, and so does where they are."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def search(self, question: str, top_k: int) -> list[SearchResult]:
        counts = Counter(term for passage in self._passages for term in passage.terms)
        weights = term_weights(question, [_LANGUAGE], counts, len(self._passages))
        ranked = sorted(
            ((passage.worth(weights), passage) for passage in self._passages),
            key=lambda found: (-found[0], found[1].chunk.id),
        )
        return [
            _result(passage.chunk, passage.title, worth) for worth, passage in ranked[:top_k] if worth > 0
        ]

    @cached_property
    def _passages(self) -> list[_ManualPassage]:
        return [passage for page in self._pages() for passage in _passages_of(*page)]

    def _pages(self) -> list[tuple[str, bytes]]:
        if self._folder is None:
            return []
        files = sorted(
            file for part in _PROSE for file in self._folder.glob(part) if file.name not in _LEFT_OUT
        )
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


def _passages_of(path: str, data: bytes) -> list[_ManualPassage]:
    parsed = parse_markdown(_with_headed_words(data) if path == _GLOSSARY else data)
    title = parsed.title or path
    chunks = chunk_document(f"{MANUAL_COLLECTION}/{path}", parsed.text, parsed.sections)
    return [
        _ManualPassage(
            chunk,
            title,
            _terms(title),
            _terms(last_heading(chunk)),
            [_terms(chunk.content[start:end]) for start, end in sentence_spans(chunk.content)],
        )
        for chunk in chunks
        if chunk.level is ChunkLevel.PARENT
    ]


def _with_headed_words(glossary: bytes) -> bytes:
    """The glossary with a heading above each word instead of tables, so that each is found, and quoted, by itself."""
    text = _TABLE_HEAD.sub("", glossary.decode())
    return _GLOSSARY_ROW.sub(r"### What does “\1” mean?\n\n**\1**: \2\n", text).encode()


def _terms(text: str) -> frozenset[str]:
    return frozenset(analyse(text, _LANGUAGE))


def _result(chunk: Chunk, title: str, score: float) -> SearchResult:
    return SearchResult(
        chunk,
        score,
        ScoreBreakdown(keyword_score=score),
        document_path=f"manual/{chunk.document_id.partition('/')[2]}",
        document_title=title,
        collection_id=MANUAL_COLLECTION,
    )
