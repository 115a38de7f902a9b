"""Stand-ins for what a test cannot have: a clock that stands still, an embedder without a model, quick parsers."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator, Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from anyio import sleep, to_thread

from sourcebook.ingest.parsers.parse import parse
from sourcebook.model.documents import EmbeddingModel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.ingest.parsers.parsed_text import ParsedText
    from sourcebook.ports.chat import PromptMessage
    from sourcebook.ports.providers import TextRole


class FixedClock:
    """Shows the time that it is told. `wait` moves it."""

    def __init__(self, now: int = 1_800_000_000) -> None:
        self._now = now

    def now(self) -> int:
        return self._now

    def wait(self, seconds: int) -> None:
        self._now += seconds


class FakeEmbedder:
    """The same text always has the same vector; texts that share words have similar ones. Counts what it embeds."""

    def __init__(self, dimensions: int = 64, name: str = "fake") -> None:
        self._model = EmbeddingModel(name=name, dimensions=dimensions, version="1")
        self.embedded = 0

    @property
    def model(self) -> EmbeddingModel:
        return self._model

    async def embed(self, texts: Sequence[str], role: TextRole) -> NDArray[np.float32]:
        self.embedded += len(texts)
        return await to_thread.run_sync(_text_vectors, texts, self._model.dimensions)


def _text_vectors(texts: Sequence[str], dimensions: int) -> NDArray[np.float32]:
    vectors = np.empty((len(texts), dimensions), np.float32)
    for row, text in enumerate(texts):
        total = np.zeros(dimensions)
        for word in text.casefold().split() or [""]:
            total += _word_vector(word, dimensions)
        vectors[row] = total / np.linalg.norm(total)
    return vectors


@lru_cache(maxsize=50_000)
def _word_vector(word: str, dimensions: int) -> NDArray[np.float64]:
    seed = int.from_bytes(hashlib.blake2b(word.encode(errors="replace"), digest_size=8).digest(), "big")
    return np.random.default_rng(seed).standard_normal(dimensions)


class ScriptedChatModel:
    """Writes what it is told to, in the pieces in which it is told; an error among them is raised there.

    `asked` holds the prompts it was given, `closed` counts the answers that ended or were given up. A function instead
    of pieces makes them of the prompt, as a model would that does whatever it reads.
    """

    def __init__(
        self,
        *pieces: str | Exception,
        write: Callable[[Sequence[PromptMessage]], Sequence[str | Exception]] | None = None,
        pause: float = 0.0,
        name: str = "scripted",
    ) -> None:
        self._pieces = pieces
        self._write = write
        self._pause = pause
        self._name = name
        self.asked: list[list[PromptMessage]] = []
        self.closed = 0

    @property
    def name(self) -> str:
        return self._name

    async def stream(self, messages: Sequence[PromptMessage]) -> AsyncGenerator[str, None]:
        self.asked.append(list(messages))
        try:
            for piece in self._pieces if self._write is None else self._write(messages):
                await sleep(self._pause)
                if isinstance(piece, Exception):
                    raise piece
                yield piece
        finally:
            self.closed += 1


class InlineParser:
    """Parses in this process: as quick as a test wants it, and as unsafe. `parsed` counts the files."""

    def __init__(self) -> None:
        self.parsed = 0

    async def parse(self, data: bytes, name: str) -> ParsedText:
        self.parsed += 1
        return parse(data, name)

    async def close(self) -> None:
        """There is nothing to end."""
