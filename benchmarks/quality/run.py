"""One set through the product: every text becomes a document of a fresh base, and every question is asked."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sourcebook import AsyncSourcebook, SearchSetting, Settings
from sourcebook.assembly import make_embedder
from sourcebook.providers.cached_embedder import CachedEmbedder
from sourcebook.retrieve.evaluation.evaluate import COMPARED, differences
from sourcebook.retrieve.evaluation.question_sets import read_queries, read_records
from sourcebook.storage.sqlite.embedding_cache import SqliteEmbeddingCache

if TYPE_CHECKING:
    from benchmarks.quality.facts import ModelFacts
    from sourcebook import Evaluation, JudgedQuestion
    from sourcebook.ports.providers import Embedder

_CACHE_BYTES = 8_000_000_000
_TOLD_EVERY = 2000


@dataclass(frozen=True, slots=True)
class Bench:
    """Where vectors are remembered between runs, how many questions are asked at most, and who is told."""

    cache: Path
    limit: int | None
    tell: Callable[[str], None]

    def embedder(self, name: str) -> Embedder:
        """A model of the product behind the product's own cache: the texts are the same in every run."""
        made = make_embedder(Settings(), name)
        if made is None:
            raise ValueError(f"there is no model {name!r}")
        remembered = SqliteEmbeddingCache(self.cache / "embeddings.db", most_bytes=_CACHE_BYTES)
        return CachedEmbedder(made, remembered)

    async def measure(self, folder: Path, model: str) -> tuple[int, ModelFacts]:
        """How many documents the set has, and the figures of every setting."""
        questions = read_queries(folder)[: self.limit]
        with tempfile.TemporaryDirectory(prefix="sourcebook-quality-") as place:
            async with AsyncSourcebook(Path(place) / "base.db", embedder=self.embedder(model)) as book:
                started = time.perf_counter()
                documents = await self._fill(book, folder)
                built = time.perf_counter() - started
                evaluations = await self._ask(book, questions)
                passages = (await book.collections())[0].chunk_count
        chances = {difference.setting: difference.chance for difference in differences(evaluations)}
        return documents, {
            "model": model,
            "build_s": round(built, 1),
            "passages": passages,
            "settings": {one.setting: _rounded(one) for one in evaluations},
            "chances": {name: round(chance, 4) for name, chance in chances.items()},
        }

    async def _fill(self, book: AsyncSourcebook, folder: Path) -> int:
        count = 0
        for count, record in enumerate(read_records(folder), start=1):
            # Texts that come twice stay two documents, as the judges took them: their metadata differs.
            await book.add_text(record.text, id=record.id, title=record.title, metadata={"record": record.id})
            if count % _TOLD_EVERY == 0:
                self.tell(f"{folder.name}: {count} documents")
        return count

    async def _ask(self, book: AsyncSourcebook, questions: Sequence[JudgedQuestion]) -> list[Evaluation]:
        return [await book.evaluate(questions, SearchSetting.of(name)) for name in COMPARED]


def _rounded(evaluation: Evaluation) -> dict[str, float | int | None]:
    return {
        name: round(value, 4) if isinstance(value, float) else value
        for name, value in evaluation.figures.as_dict().items()
    }
