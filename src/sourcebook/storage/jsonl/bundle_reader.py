"""A bundle from its files, a document at a time."""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from sourcebook.errors import BadBundle
from sourcebook.storage.jsonl.bundle_manifest import DOCUMENTS, WrittenFile, read_manifest
from sourcebook.storage.jsonl.bundle_records import Fields, read_chunk, read_document
from sourcebook.storage.jsonl.json_lines import EMBEDDINGS, JsonLinesFile

if TYPE_CHECKING:
    from sourcebook.model.documents import Collection
    from sourcebook.storage.jsonl.bundle_manifest import Manifest
    from sourcebook.storage.jsonl.bundle_records import BundledChunk, BundledDocument
    from sourcebook.storage.jsonl.json_lines import JsonObject

_READ_AT_ONCE = 1 << 20


def verified_manifest(folder: Path) -> Manifest:
    """The manifest, after the files were found to be the ones that it speaks of."""
    manifest = read_manifest(folder)
    for name, written in manifest.files.items():
        found = _examined(folder / name)
        if found.lines != written.lines:
            raise BadBundle(f"{name} has {found.lines} lines instead of {written.lines}")
        if found.sha256 != written.sha256:
            raise BadBundle(f"{name} is not the file that was written: its hash differs")
    return manifest


def _examined(path: Path) -> WrittenFile:
    hashed, lines = hashlib.sha256(), 0
    try:
        with path.open("rb") as file:
            while block := file.read(_READ_AT_ONCE):
                hashed.update(block)
                lines += block.count(b"\n")
    except FileNotFoundError as error:
        raise BadBundle(f"{path.name} is missing from the bundle") from error
    return WrittenFile(hashed.hexdigest(), lines)


def bundled_documents(
    folder: Path, collections: Mapping[str, Collection]
) -> Generator[tuple[Collection, BundledDocument]]:
    """The documents with their chunks, which follow each other in both files in the same order."""
    chunk_rows = iter(JsonLinesFile(folder / EMBEDDINGS))
    for number, row in JsonLinesFile(folder / DOCUMENTS):
        where = f"line {number} of {DOCUMENTS}"
        read = Fields(row, where)
        collection = collections.get(read.text("collection"))
        if collection is None:
            raise BadBundle(f"{where}: the collection {row['collection']!r} is not in the manifest")
        chunks = [
            _next_chunk(chunk_rows, collection, (row["collection"], read.text("id")))
            for _ in range(read.value("chunks", int))
        ]
        yield collection, read_document(row, chunks, where)
    if next(chunk_rows, None) is not None:
        raise BadBundle(f"{EMBEDDINGS} has chunks of no document")


def _next_chunk(
    rows: Iterator[tuple[int, JsonObject]], collection: Collection, owner: tuple[str, str]
) -> BundledChunk:
    number, row = next(rows, (0, None))
    if row is None:
        raise BadBundle(f"{EMBEDDINGS} ends before the chunks of the document {owner[1]!r}")
    where = f"line {number} of {EMBEDDINGS}"
    read = Fields(row, where)
    if (read.text("collection"), read.text("doc_id")) != owner:
        raise BadBundle(f"{where}: a chunk of the document {owner[1]!r} was expected")
    return read_chunk(row, collection, where)
