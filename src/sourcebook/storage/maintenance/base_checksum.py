"""One number for all that a base says: two bases with the same checksum give the same answers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from sourcebook.storage.index import bm25

if TYPE_CHECKING:
    from sourcebook.storage.database import Database, Executor, Row

_PLAIN = (
    "digest_collections",
    "digest_documents",
    "digest_hashes",
    "digest_paths",
    "digest_chunks",
    "digest_vectors",
    "digest_terms",
)


async def base_checksum(database: Database) -> str:
    """A hash over the index, without times and without numbers that depend on the order of writing."""
    hashed = hashlib.sha256()
    async with database.snapshot() as reader:
        for name in _PLAIN:
            _add(hashed.update, name, (tuple(row.values()) for row in await reader.fetch(name)))
        terms = {row["id"]: row["term"] for row in await reader.fetch("all_terms")}
        for name in ("all_words", "all_document_words"):
            _add(hashed.update, name, await _spelled_out(reader, name, terms))
    return hashed.hexdigest()


async def _spelled_out(reader: Executor, name: str, terms: Mapping[int, str]) -> list[tuple[object, ...]]:
    return [(*_key(row), row["length"], _frequencies(row, terms)) for row in await reader.fetch(name)]


def _key(row: Row) -> tuple[object, ...]:
    return row["collection_id"], row["document_id"], row.get("chunk_id")


def _frequencies(row: Row, terms: Mapping[int, str]) -> list[tuple[str, int]]:
    ids = bm25.decode_ids(row["term_ids"]).tolist()
    return sorted(
        zip((terms[i] for i in ids), bm25.decode_frequencies(row["frequencies"]).tolist(), strict=True)
    )


def _add(take: Callable[[bytes], None], name: str, rows: Iterable[tuple[object, ...]]) -> None:
    take(name.encode())
    for row in rows:
        take(repr(row).encode())
