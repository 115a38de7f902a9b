"""What a search finds for every question, kept in a file: embedding is slow, and judging is tried many times."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sourcebook import AsyncSourcebook, Settings
from sourcebook.model.documents import Chunk
from sourcebook.model.search import RetrievalConfig, ScoreBreakdown, SearchResult
from sourcebook.retrieve.question_context import QuestionContext
from sourcebook.retrieve.search import DefaultRetriever
from sourcebook.text.languages import detect_language

if TYPE_CHECKING:
    from benchmarks.judge.cases import JudgeCases
    from sourcebook.model.documents import EmbeddingModel
    from sourcebook.ports.providers import Embedder

_PASSAGES = 6
_COLLECTION = "default"


async def searched(cases: JudgeCases, embedder: Embedder) -> list[dict[str, Any]]:
    """One row a question: its passages as they were found, and how common its words are."""

    async def same(model: EmbeddingModel) -> Embedder:
        return embedder

    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="sourcebook-judge-") as place:
        settings = Settings(db=str(Path(place) / "base.db"), chat_model="none")
        async with AsyncSourcebook(settings=settings, embedder=embedder) as book:
            for record in cases.records:
                await book.add_text(
                    record.text, id=record.id, title=record.title, metadata={"record": record.id}
                )
            stores = book.stores
            retriever = DefaultRetriever(vector_store=stores.vectors, fts_store=stores.fts, embedder=embedder)
            for asked in cases.questions:
                context = await QuestionContext.read(stores.library, same, [_COLLECTION])
                config = RetrievalConfig(top_k=_PASSAGES)
                report = await retriever.report([_COLLECTION], asked.text, config, context)
                known = report.word_counts.get(_COLLECTION)
                rows.append(
                    {
                        "question": asked.text,
                        "answerable": asked.is_answerable,
                        "gold": list(asked.gold),
                        "language": detect_language(asked.text),
                        "held": context.all_languages(),
                        "counts": dict(known.passages) if known else {},
                        "rows": known.rows if known else len(cases.records),
                        "passages": [_row(result) for result in report.results],
                    }
                )
    return rows


def _row(result: SearchResult) -> dict[str, Any]:
    return {
        "document": result.chunk.document_id,
        "chunk": result.chunk.id,
        "title": result.document_title,
        "section": result.chunk.section,
        "text": result.chunk.content,
        "score": result.score,
        "semantic": result.score_breakdown.semantic_score,
        "keyword": result.score_breakdown.keyword_score,
    }


def results(row: dict[str, Any]) -> list[SearchResult]:
    """The passages of a row as the search gave them."""
    return [
        SearchResult(
            Chunk(p["chunk"], p["document"], p["text"], end_index=len(p["text"]), section=p.get("section")),
            p["score"],
            ScoreBreakdown(p["semantic"], p["keyword"]),
            p["document"],
            p["title"],
            collection_id=_COLLECTION,
        )
        for p in row["passages"]
    ]


def store(rows: Sequence[dict[str, Any]], path: Path) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


def load(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
