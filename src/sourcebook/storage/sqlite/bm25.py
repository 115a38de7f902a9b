"""Word search by looking at the words of every chunk that the filter lets through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio.to_thread
import numpy as np

from sourcebook.storage import words
from sourcebook.storage.engines import Scored
from sourcebook.storage.sqlite.filters import compile_filter
from sourcebook.storage.sqlite.scan import best_first

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.model.search import MetadataFilter
    from sourcebook.storage.database import Executor, Row
    from sourcebook.storage.repositories.collections import StoredCollection
    from sourcebook.text.analysis import QuestionWords

_WORDS_OF_A_PREFIX = 64


@dataclass(frozen=True, slots=True)
class _Level:
    """The statistics of one kind of text: chunks, or whole documents."""

    rows: int
    length: int
    idf: Mapping[int, float]

    @property
    def average_length(self) -> float:
        return self.length / self.rows if self.rows and self.length else 1.0


class WordScan:
    async def best(
        self,
        reader: Executor,
        stored: StoredCollection,
        question: QuestionWords,
        top_k: int,
        filter: MetadataFilter | None,
    ) -> list[Scored]:
        terms = await _known_terms(reader, stored.collection.id, question)
        if not terms:
            return []
        chunks = _Level(
            stored.word_rows,
            stored.word_length,
            {t["id"]: words.idf(stored.word_rows, t["chunk_count"]) for t in terms},
        )
        documents = _Level(
            stored.document_word_rows,
            stored.document_word_length,
            {t["id"]: words.idf(stored.document_word_rows, t["document_count"]) for t in terms},
        )
        condition = compile_filter(filter)
        chunk_rows = await reader.fetch("scan_words", condition, collection_id=stored.collection.id)
        document_rows = await reader.fetch("scan_document_words", collection_id=stored.collection.id)
        return await anyio.to_thread.run_sync(_ranked, chunk_rows, chunks, document_rows, documents, top_k)


async def _known_terms(reader: Executor, collection_id: str, question: QuestionWords) -> list[Row]:
    found = await reader.fetch("terms_by_text", collection_id=collection_id, terms=list(question.terms))
    for prefix in question.prefixes:
        found += await reader.fetch(
            "terms_by_prefix",
            collection_id=collection_id,
            low=prefix,
            high=prefix + "\U0010ffff",
            limit=_WORDS_OF_A_PREFIX,
        )
    return sorted({row["id"]: row for row in found}.values(), key=lambda row: row["term"])


def _ranked(
    chunk_rows: Sequence[Row], chunks: _Level, document_rows: Sequence[Row], documents: _Level, top_k: int
) -> list[Scored]:
    by_document = dict(
        zip((r["document_id"] for r in document_rows), _scores(document_rows, documents), strict=True)
    )
    found = [
        Scored(row["chunk_id"], score + by_document.get(row["document_id"], 0.0))
        for row, score in zip(chunk_rows, _scores(chunk_rows, chunks), strict=True)
        if score > 0
    ]
    return best_first(found)[:top_k]


def _scores(rows: Sequence[Row], level: _Level) -> list[float]:
    """BM25 of every row. Terms are added in the order of their text, so that equal rows give equal bits."""
    scores = np.zeros(len(rows))
    if not rows:
        return []
    counts = np.array([len(r["term_ids"]) // 4 for r in rows])
    row_of = np.repeat(np.arange(len(rows)), counts)
    ids = words.decode_ids(b"".join(r["term_ids"] for r in rows))
    frequencies = words.decode_frequencies(b"".join(r["frequencies"] for r in rows)).astype(np.float64)
    lengths = np.array([r["length"] for r in rows], dtype=np.float64)
    for term_id, weight in level.idf.items():
        hits: NDArray[np.intp] = np.flatnonzero(ids == term_id)
        where = row_of[hits]
        scores[where] += weight * words.saturation(frequencies[hits], lengths[where], level.average_length)
    return scores.tolist()
