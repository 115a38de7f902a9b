"""Whether the texts of a base are still those that were written to it.

A text has a hash, and each of its passages is stored a second time where it is cited: so a byte that a disk changed is
found, and the one copy heals the other. Words are counted from the text, and can be compared with it, too.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import groupby
from typing import TYPE_CHECKING

import anyio.to_thread
import numpy as np

from sourcebook.errors import StorageError
from sourcebook.ingest.fingerprint import CHUNK_ID_LENGTH, chunk_id
from sourcebook.model.documents import ChunkLevel
from sourcebook.storage.index import bm25
from sourcebook.storage.index.bm25 import WordCount
from sourcebook.storage.rows import of_intact_rows

if TYPE_CHECKING:
    from sourcebook.model.documents import Chunk
    from sourcebook.storage.database import Executor, Row

_AT_ONCE = 50
_DERIVED_ID = re.compile(rf"[a-z2-7]{{{CHUNK_ID_LENGTH}}}")


class TextFault(StrEnum):
    """What is wrong with a document."""

    UNREADABLE = "unreadable"
    """The database cannot read it."""
    CHANGED = "changed"
    """Its text differs from the one written."""
    MISPLACED = "misplaced"
    """A passage is not where it should be."""
    WORDS = "words"
    """Its indexed words are not those of its text."""


@dataclass(frozen=True, slots=True)
class ChunkText:
    id: str
    level: str
    start: int
    end: int
    content: bytes
    parent_id: str | None = None

    @property
    def text(self) -> str | None:
        return decoded(self.content)


@dataclass(frozen=True, slots=True)
class DocumentText:
    """A document as it lies in the base: bytes, that may be no text any more."""

    collection_id: str
    id: str
    path: str
    title: str | None
    language: str | None
    is_bare: bool
    content: bytes
    content_hash: str | None
    chunks: Sequence[ChunkText] = ()

    @property
    def text(self) -> str | None:
        """The text that was written, or None if that cannot be said of these bytes."""
        if self.content_hash is not None and hash_of(self.content) != self.content_hash:
            return None
        return decoded(self.content)


@dataclass(frozen=True, slots=True)
class DamagedText:
    """A document with something wrong, the chunks that it concerns, and what is to be done with it."""

    collection_id: str
    id: str
    path: str
    fault: TextFault
    chunk_ids: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class HeldWords:
    """The words of some documents as they are stored, and what their term ids mean."""

    terms: Mapping[int, str]
    of_chunks: Mapping[tuple[str, str], Row] = field(default_factory=dict[tuple[str, str], "Row"])
    of_documents: Mapping[str, Row] = field(default_factory=dict[str, "Row"])


def hash_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def decoded(content: bytes) -> str | None:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


# What is wrong


def faults_of(document: DocumentText, held: HeldWords | None) -> Iterator[DamagedText]:
    """What is wrong with one document. Chunks that a caller brought stand in no text, and are not judged by it."""
    text = document.text
    if text is None:
        yield _damaged(document, TextFault.CHANGED)
        return
    if document.is_bare:
        return
    if misplaced := [c.id for c in document.chunks if text[c.start : c.end] != c.text]:
        yield _damaged(document, TextFault.MISPLACED, misplaced)
    elif held is not None and (wrong := wrong_words(document, text, held)):
        yield _damaged(document, TextFault.WORDS, wrong)


def wrong_words(document: DocumentText, text: str, held: HeldWords) -> list[str]:
    """The passages whose words are not those of their text; the document's own id if its words are not."""
    wrong: list[str] = []
    for chunk in document.chunks:
        row = held.of_chunks.get((document.id, chunk.id))
        expected = WordCount.of_passage(chunk.text or "", document.title, document.language)
        if row is not None and not _same(row, expected, held.terms):
            wrong.append(chunk.id)
    row = held.of_documents.get(document.id)
    expected = WordCount.of_document(text, document.title, document.language)
    if row is not None and not _same(row, expected, held.terms):
        wrong.append(document.id)
    return wrong


def _same(row: Row, expected: WordCount, terms: Mapping[int, str]) -> bool:
    found = readable_words(row)
    if found is None or row["length"] != expected.length:
        return False
    return {terms.get(term): n for term, n in found.items()} == expected.frequencies


def readable_words(row: Row) -> dict[int, int] | None:
    """Term ids with their frequencies, or None if the row holds no such thing."""
    ids, frequencies = row["term_ids"], row["frequencies"]
    if not isinstance(ids, bytes | bytearray) or not isinstance(frequencies, bytes | bytearray):
        return None
    if len(ids) % 4 or len(frequencies) % 2 or len(ids) // 4 != len(frequencies) // 2:
        return None
    decoded_ids = bm25.decode_ids(ids)
    if (np.diff(decoded_ids.astype(np.int64)) <= 0).any():
        return None
    return dict(zip(decoded_ids.tolist(), bm25.decode_frequencies(frequencies).tolist(), strict=True))


def _damaged(document: DocumentText, fault: TextFault, chunk_ids: Sequence[str] = ()) -> DamagedText:
    return DamagedText(document.collection_id, document.id, document.path, fault, chunk_ids)


# What heals it


def healed_text(document: DocumentText) -> str | None:
    """The text that was written, put together with the help of its passages; None if that does not give its hash."""
    if document.is_bare or document.content_hash is None:
        return None
    for text in _readings(document.content):
        healed = _spliced(text, document.chunks)
        if hash_of(healed.encode(errors="replace")) == document.content_hash:
            return healed
    return None


def best_text(document: DocumentText) -> str:
    """The nearest to the text that was written: passages that are proven at their place, signs for broken letters."""
    proven = [chunk for chunk in document.chunks if is_proven(document, chunk)]
    return _spliced(document.content.decode(errors="replace"), proven)


def _readings(content: bytes) -> Iterator[str]:
    """The bytes as text. Where they are none, a few letters may be missing, and nobody knows how many."""
    try:
        yield content.decode()
    except UnicodeDecodeError as error:
        left = content[: error.start].decode()
        for start in range(error.start + 1, min(error.start + 8, len(content)) + 1):
            right = decoded(content[start:])
            if right is not None:
                yield from (left + "\0" * missing + right for missing in range(5))
                return


def _spliced(text: str, chunks: Iterable[ChunkText]) -> str:
    """The text with each chunk's own copy at its place."""
    letters = list(text)
    for chunk in chunks:
        own = chunk.text
        if own is not None and 0 <= chunk.start <= len(letters) and chunk.end - chunk.start == len(own):
            letters[chunk.start : chunk.end] = own
    return "".join(letters)


def healed_chunk(document: DocumentText, text: str, chunk: ChunkText) -> ChunkText | None:
    """The chunk as it was, found in a text; None unless its id, which is derived from its place and text, proves it."""
    own, level = chunk.text, ChunkLevel(chunk.level)
    places = [(chunk.start, text[chunk.start : chunk.end])] if 0 <= chunk.start <= chunk.end else []
    if own:
        places += [(start, own) for start in _occurrences(text, own)]
    for start, content in places:
        if chunk_id(document.id, level, start, content) == chunk.id:
            return replace(chunk, start=start, end=start + len(content), content=content.encode())
    return None


def spanned_chunk(text: str, chunk: ChunkText) -> ChunkText | None:
    """A chunk with an id that proves nothing, of a text that is proven: where its own text stands, or as it says."""
    own = chunk.text
    if _DERIVED_ID.fullmatch(chunk.id):
        return None
    if own and text.count(own) == 1:
        start = text.index(own)
        return replace(chunk, start=start, end=start + len(own))
    if 0 <= chunk.start < chunk.end <= len(text) and not (own and own in text):
        return replace(chunk, content=text[chunk.start : chunk.end].encode())
    return None


def is_proven(document: DocumentText, chunk: ChunkText) -> bool:
    """Whether the id of a chunk, which is derived from its place and text, says that both are as they were.

    Ids that were somebody else's invention prove nothing, and are not asked to.
    """
    if _DERIVED_ID.fullmatch(chunk.id) is None:
        return chunk.text is not None
    text, level = chunk.text, ChunkLevel(chunk.level)
    return text is not None and chunk_id(document.id, level, chunk.start, text) == chunk.id


def _occurrences(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


# Reading


async def damaged_texts(
    reader: Executor, *, with_words: bool, advance: Callable[[int, int], None] = lambda done, total: None
) -> list[DamagedText]:
    """Every document of the base of which something is wrong."""
    ids = [(row["collection_id"], row["id"]) for row in await reader.fetch("examined_ids")]
    terms: dict[int, str] = {}
    if with_words:
        terms = {row["id"]: row["term"] for row in await reader.fetch("all_terms")}
    found: list[DamagedText] = []
    done = 0
    for collection_id, group in groupby(ids, key=lambda pair: pair[0]):
        document_ids = [document_id for _, document_id in group]
        for start in range(0, len(document_ids), _AT_ONCE):
            batch = document_ids[start : start + _AT_ONCE]
            found += await _faults_of_batch(reader, collection_id, batch, terms if with_words else None)
            done += len(batch)
            advance(done, len(ids))
    return found


async def _faults_of_batch(
    reader: Executor, collection_id: str, document_ids: list[str], terms: Mapping[int, str] | None
) -> list[DamagedText]:
    try:
        documents = await read_documents(reader, collection_id, document_ids)
        held = None if terms is None else await _read_words(reader, collection_id, document_ids, terms)
    except StorageError:
        if len(document_ids) == 1:
            return [DamagedText(collection_id, document_ids[0], document_ids[0], TextFault.UNREADABLE)]
        found: list[DamagedText] = []
        for document_id in document_ids:
            found += await _faults_of_batch(reader, collection_id, [document_id], terms)
        return found
    return await anyio.to_thread.run_sync(_faults_of_all, documents, held)


def _faults_of_all(documents: list[DocumentText], held: HeldWords | None) -> list[DamagedText]:
    return [fault for document in documents for fault in faults_of(document, held)]


def damaged_among(documents: Iterable[DocumentText]) -> set[str]:
    """Those of the chunks that are not to be cited: their text, or their document's, is not what was written."""
    return {
        chunk_id
        for document in documents
        for fault in faults_of(document, None)
        for chunk_id in fault.chunk_ids or [chunk.id for chunk in document.chunks]
    }


def document_text(collection_id: str, row: Row, chunks: Sequence[Chunk]) -> DocumentText:
    """A document as it lies in the base, with chunks as somebody has read them."""
    texts = [
        ChunkText(c.id, c.level.value, c.start_index, c.end_index, c.content.encode(), c.parent_id)
        for c in chunks
    ]
    return _document_from(collection_id, row, texts)


async def read_documents(
    reader: Executor, collection_id: str, document_ids: Sequence[str]
) -> list[DocumentText]:
    scope = {"collection_id": collection_id, "document_ids": list(document_ids)}
    chunks: dict[str, list[ChunkText]] = {}
    for row in await reader.fetch("examined_chunks", **scope):
        chunks.setdefault(row["document_id"], []).append(_chunk_from(row))
    rows = await reader.fetch("examined_documents", **scope)
    return [_document_from(collection_id, row, chunks.get(row["id"], [])) for row in rows]


@of_intact_rows
def _chunk_from(row: Row) -> ChunkText:
    return ChunkText(
        id=row["id"],
        level=row["level"],
        start=int(row["start_index"]),
        end=int(row["end_index"]),
        content=bytes(row["content"]),
        parent_id=row["parent_id"],
    )


@of_intact_rows
def _document_from(collection_id: str, row: Row, chunks: Sequence[ChunkText]) -> DocumentText:
    return DocumentText(
        collection_id=collection_id,
        id=row["id"],
        path=bytes(row["file_path"]).decode(errors="replace"),
        title=None if row["title"] is None else bytes(row["title"]).decode(errors="replace"),
        language=row["language"],
        is_bare=bool(row["is_bare"]),
        content=bytes(row["content"]),
        content_hash=row["content_hash"],
        chunks=chunks,
    )


async def _read_words(
    reader: Executor, collection_id: str, document_ids: list[str], terms: Mapping[int, str]
) -> HeldWords:
    scope = {"collection_id": collection_id, "document_ids": document_ids}
    of_chunks = await reader.fetch("examined_words", **scope)
    of_documents = await reader.fetch("examined_document_words", **scope)
    return HeldWords(
        terms,
        {(row["document_id"], row["chunk_id"]): row for row in of_chunks},
        {row["document_id"]: row for row in of_documents},
    )
