"""Stopping a process in the middle of a write, and documents that are worth writing.

A storage that keeps its promises may lose its process at every named step: what was acknowledged is there, what was
not is there whole or not at all.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from sourcebook.ingest import crash_points as ingest_steps
from sourcebook.ingest.fingerprint import chunk_id, document_id, hash_text
from sourcebook.model.documents import (
    Chunk,
    ChunkLevel,
    Document,
    DocumentPath,
    EmbeddedChunk,
    EmbeddingModel,
    PreparedDocument,
)
from sourcebook.storage.crash_points import CrashPoint, observe

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.ingest.crash_points import IngestCrashPoint

CRASHED = 137
"""The exit code of a process that was stopped at a step, as if by `kill -9`."""

MIGRATION_STEPS = tuple(step for step in CrashPoint if step.name.startswith("MIGRATION_"))
KEEPING_STEPS = tuple(step for step in CrashPoint if step.name.startswith(("BACKUP_", "RESTORE_")))
REINDEX_STEPS = tuple(step for step in CrashPoint if step.name.startswith("REINDEX_"))
WRITE_STEPS = tuple(
    step for step in CrashPoint if step not in (*MIGRATION_STEPS, *KEEPING_STEPS, *REINDEX_STEPS)
)

SENTENCES_OF_A_PASSAGE = 3
SOURCE = "crash-notes"

_WORDS = {
    "en": "autumn berry cane drip frost graft harvest leaf mulch orchard prune root shoot soil water yield",
    "ru": "весна грядка дождь земля корень куст лист малина мороз обрезка полив почва семя урожай ягода яблоня",
}


def arm(step: CrashPoint | IngestCrashPoint, nth: int = 1) -> None:
    """End this process, without any clean-up, when it reaches the step for the nth time from now on."""
    left = nth

    def stop(reached: CrashPoint | IngestCrashPoint) -> None:
        nonlocal left
        left -= reached is step
        if left == 0:
            os._exit(CRASHED)

    observe(stop)
    ingest_steps.observe(stop)


def embedding_model(dimensions: int = 16) -> EmbeddingModel:
    """The model that the vectors of the prepared documents come from."""
    return EmbeddingModel(name="crash", dimensions=dimensions, version="1")


def prepared_document(
    number: int,
    revision: int = 0,
    *,
    expected_hash: str | None = None,
    passages: int = 3,
    dimensions: int = 16,
) -> PreparedDocument:
    """The document of this number, always the same: even ones in English, odd ones in Russian.

    A revision changes the last passage and leaves the others as they are. Every passage holds the word that
    `word_of` names, and the last one that of its revision too.
    """
    language = "ru" if number % 2 else "en"
    path = f"notes/{number:05d}.md"
    texts = [
        _passage_text(number, revision if place == passages - 1 else None, place, language)
        for place in range(passages)
    ]
    content = "\n\n".join(texts)
    document = Document(
        id=document_id("crash", SOURCE, path),
        content=content,
        title=f"Заметка {number}" if language == "ru" else f"Note {number}",
        file_path=path,
        file_hash=hash_text(content),
        file_size_bytes=len(content.encode()),
        mtime=1_700_000_000 + revision,
        type="note",
        language=language,
        metadata={"number": number, "revision": revision},
    )
    return PreparedDocument(
        document=document,
        chunks=list(_chunks(document.id, texts, dimensions)),
        model=embedding_model(dimensions),
        paths=[DocumentPath(SOURCE, path, mtime=document.mtime, size=document.file_size_bytes)],
        expected_hash=expected_hash,
    )


def word_of(number: int, revision: int | None = None) -> str:
    """A word that stands in no other document or, with a revision, in no other revision."""
    return f"note{number}x" if revision is None else f"note{number}x{revision}r"


def vector_of(text: str, dimensions: int = 16) -> NDArray[np.float32]:
    """A vector that belongs to this text alone."""
    seed = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")
    return np.random.default_rng(seed).standard_normal(dimensions).astype(np.float32)


def _passage_text(number: int, revision: int | None, place: int, language: str) -> str:
    chance = random.Random(f"{number} {revision} {place}")
    own = word_of(number) if revision is None else f"{word_of(number)} {word_of(number, revision)}"
    sentences = (
        " ".join(chance.choices(_WORDS[language].split(), k=chance.randint(5, 9))).capitalize()
        for _ in range(SENTENCES_OF_A_PASSAGE)
    )
    return " ".join(f"{sentence} {own}." for sentence in sentences)


def _chunks(document: str, passages: list[str], dimensions: int) -> Iterator[EmbeddedChunk]:
    """Each passage, followed by its sentences as children."""
    index = start = 0
    for text in passages:
        passage = _chunk(document, ChunkLevel.PARENT, index, start, text)
        yield EmbeddedChunk(passage, vector_of(text, dimensions))
        index += 1
        at = start
        for sentence in text.removesuffix(".").split(". "):
            child = _chunk(document, ChunkLevel.CHILD, index, at, f"{sentence}.", passage.id)
            yield EmbeddedChunk(child, vector_of(child.content, dimensions))
            index += 1
            at = child.end_index + 1
        start += len(text) + 2


def _chunk(
    document: str, level: ChunkLevel, index: int, start: int, text: str, parent: str | None = None
) -> Chunk:
    return Chunk(
        id=chunk_id(document, level, start, text),
        document_id=document,
        content=text,
        chunk_index=index,
        start_index=start,
        end_index=start + len(text),
        level=level,
        parent_id=parent,
        token_count=len(text.split()),
    )
