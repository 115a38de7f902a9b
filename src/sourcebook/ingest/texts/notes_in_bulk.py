"""Many texts that are not in files, written many in one transaction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anyio import to_thread

from sourcebook.errors import DocumentChangedMeanwhile, NoEmbedder
from sourcebook.ingest.index.embedding import EmbeddingWork
from sourcebook.ingest.texts.notes import Note, claim_source, prepared_note, with_given_vector, write_note
from sourcebook.model.documents import EmbeddingModel
from sourcebook.ports.providers import TextRole, known_model
from sourcebook.ports.storage import BulkWriter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sourcebook.ingest.add_tools import Tools
    from sourcebook.ingest.index.document_reader import ReadDocument
    from sourcebook.model.add_reports import NewText
    from sourcebook.model.documents import Collection, EmbeddedChunk, WriteReport

AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class GivenVectors:
    """Stands in for an embedder where every vector comes from the caller."""

    model: EmbeddingModel

    @classmethod
    def for_texts(
        cls, texts: Sequence[NewText], collection: Collection | None, *, has_embedder: bool
    ) -> GivenVectors | None:
        """For a collection of the caller's vectors, or for a new one if there is no embedder."""
        if collection is not None:
            model = collection.model
            return cls(model) if model is not None and model.is_callers else None
        vectors = [text.vector for text in texts if text.vector is not None]
        return cls(EmbeddingModel.of_caller(len(vectors[0]))) if vectors and not has_embedder else None

    async def embed(self, texts: Sequence[str], role: TextRole) -> NDArray[np.float32]:
        raise NoEmbedder("The collection holds vectors of the caller's, but a text came without one.")


async def write_notes(tools: Tools, collection_id: str, notes: Sequence[Note]) -> list[WriteReport]:
    """Write the notes in their order, many in one transaction. What was written before an error is kept."""
    if not notes:
        return []
    await tools.library.open_collection(collection_id, await known_model(tools.embedder))
    await claim_source(tools, collection_id, notes[0].source_id)
    reports: list[WriteReport] = []
    for batch in _batches(notes):
        reports += await _write(tools, collection_id, batch)
    return reports


def _batches(notes: Sequence[Note]) -> Iterator[Sequence[Note]]:
    """In their order, none with the same document twice."""
    batch: dict[str, Note] = {}
    for note in notes:
        if note.document_id in batch or len(batch) == AT_ONCE:
            yield list(batch.values())
            batch = {}
        batch[note.document_id] = note
    yield list(batch.values())


async def _write(tools: Tools, collection_id: str, batch: Sequence[Note]) -> list[WriteReport]:
    """New notes together; whatever the base has to do with already, one by one."""
    writer = tools.writer
    held = {d.id for d in await tools.sources.heads(collection_id, [note.document_id for note in batch])}
    owned = set(await tools.sources.owners(collection_id, [note.file_hash for note in batch]))
    new = [n for n in batch if n.document_id not in held and n.file_hash not in owned]
    reports: dict[str, WriteReport] = {}
    if isinstance(writer, BulkWriter):
        read = await to_thread.run_sync(_read, tools, new)
        chunks = await _embedded(tools, new, read)
        prepared = [prepared_note(tools, *pair) for pair in zip(read, chunks, strict=True)]
        try:
            written = await writer.replace_documents(collection_id, prepared)
            reports = {note.document_id: report for note, report in zip(new, written, strict=True)}
        except DocumentChangedMeanwhile:
            # Another process wrote one of them: each is looked at by itself.
            reports = {}
    return [reports.get(n.document_id) or await write_note(tools, collection_id, n) for n in batch]


def _read(tools: Tools, notes: Sequence[Note]) -> list[ReadDocument]:
    return [note.read(tools.config.strategy) for note in notes]


async def _embedded(
    tools: Tools, notes: Sequence[Note], read: Sequence[ReadDocument]
) -> list[Sequence[EmbeddedChunk]]:
    """The chunks of each note with their vectors: the given ones, and the others computed together."""
    works = [
        None if note.vector is not None else EmbeddingWork.of(one.chunks, note.title)
        for note, one in zip(notes, read, strict=True)
    ]
    taken = [(work, *work.take(work.size)) for work in works if work is not None and work.size]
    if taken:
        vectors = await tools.embedder.embed([t for _, _, texts in taken for t in texts], TextRole.PASSAGE)
        first = 0
        for work, start, texts in taken:
            work.put(start, vectors[first : first + len(texts)])
            first += len(texts)
    return [
        with_given_vector(note, one) if work is None else work.embedded()
        for note, one, work in zip(notes, read, works, strict=True)
    ]
