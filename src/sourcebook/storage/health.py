"""Examining a base: not only whether the file is intact, but whether it says what it should."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sourcebook.model.health import Finding, HealthReport
from sourcebook.storage import words
from sourcebook.text.analysis import ANALYSER_VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sourcebook.storage.database import Database, Executor, Row

_RESTORE = "Restore the last backup with `sourcebook restore FILE`."
_REINDEX = "Add the document again; `sourcebook reindex` rebuilds words and vectors from the stored text."

# The name of a check's statement, what its rows mean, and what to do about them.
_CHECKS: tuple[tuple[str, str, str], ...] = (
    ("engine", "the database finds its file damaged", _RESTORE),
    ("foreign_keys", "rows point to rows that do not exist", _RESTORE),
    ("vectors_without_chunk", "vectors belong to no chunk", _REINDEX),
    ("words_without_chunk", "words belong to no chunk", _REINDEX),
    ("document_words_without_document", "words belong to no document", _REINDEX),
    ("chunks_without_document", "chunks belong to no document", _REINDEX),
    ("chunk_ids_without_chunk", "chunk ids are taken by no chunk", _REINDEX),
    ("chunks_without_chunk_id", "chunks are missing from the list of ids", _REINDEX),
    ("passages_without_words", "passages cannot be found by words", _REINDEX),
    ("documents_without_words", "documents cannot be found by words", _REINDEX),
    ("chunks_missing_a_vector", "chunks lack the vector of a model that is in use", _REINDEX),
    ("vectors_of_foreign_models", "vectors come from a model that their collection does not use", _REINDEX),
    ("vectors_of_wrong_size", "vectors have another size than their model", _REINDEX),
    ("chunk_counts", "documents record another number of chunks than they have", _REINDEX),
    ("texts_without_chunks", "documents have text and no chunk, so nothing of them can be found", _REINDEX),
    ("counters", "collections record other counts than they hold", _REINDEX),
    ("hashes_without_document", "hashes are taken by no document", _REINDEX),
    ("documents_without_hash", "documents are missing from the list of hashes", _REINDEX),
    ("paths_without_document", "paths lead to no document", _REINDEX),
    ("spans", "chunks do not stand in their document where they say", _REINDEX),
    ("ledger", "balances differ from the sum of their transactions", _RESTORE),
)


async def examine(database: Database, versions: Mapping[str, str]) -> HealthReport:
    """Look at everything, in one snapshot, and change nothing."""
    async with database.snapshot() as reader:
        findings = [f for check in _CHECKS if (f := await _run(reader, *check)) is not None]
        findings += await _check_terms(reader)
        info = {row["key"]: row["value"] for row in await reader.fetch("base_info")}
        findings += _check_analyser(info)
        counts = await reader.fetch_one("base_counts")
        version = await reader.fetch_one("schema_version")
    schema = {"base": f"version {version['version']}"} if version else {}
    return HealthReport({**versions, **schema}, dict(counts or {}), findings)


async def _run(reader: Executor, name: str, meaning: str, hint: str) -> Finding | None:
    row = await reader.fetch_one(f"check_{name}")
    if row is None or not row["count"]:
        return None
    return Finding(name, f"{row['count']} × {meaning}, for example {row['example']!r}", hint, row["count"])


async def _check_terms(reader: Executor) -> list[Finding]:
    """The dictionary must count exactly the words that are there."""
    in_chunks = _held(await reader.fetch("all_words"))
    in_documents = _held(await reader.fetch("all_document_words"))
    terms = await reader.fetch("all_terms")
    wrong = [
        row["term"]
        for row in terms
        if row["chunk_count"] != in_chunks[row["id"]] or row["document_count"] != in_documents[row["id"]]
    ]
    unknown = (in_chunks.keys() | in_documents.keys()) - {row["id"] for row in terms}
    unused = [row["term"] for row in terms if not row["chunk_count"] and not row["document_count"]]
    return [
        Finding(code, f"{len(found)} × {meaning}, for example {min(found)!r}", _REINDEX, len(found))
        for code, meaning, found in (
            ("term_counts", "terms count other texts than those that hold them", wrong),
            ("unknown_terms", "texts hold terms that the dictionary does not know", unknown),
            ("unused_terms", "terms are in the dictionary that no text holds", unused),
        )
        if found
    ]


def _held(rows: list[Row]) -> Counter[int]:
    held: Counter[int] = Counter()
    for row in rows:
        held.update(words.decode_ids(row["term_ids"]).tolist())
    return held


def _check_analyser(info: Mapping[str, str]) -> Iterator[Finding]:
    found = info.get("analyser_version")
    if found != str(ANALYSER_VERSION):
        yield Finding(
            "analyser_version",
            f"the words were analysed by version {found}, this program has version {ANALYSER_VERSION}",
            "Run `sourcebook reindex`.",
        )
