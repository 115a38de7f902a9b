"""Examining a base: not only whether the file is intact, but whether it says what it should."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

from sourcebook.errors import BaseDamaged, BaseReplaced, BaseUnreachable, NotOpen, StorageError
from sourcebook.model.add_reports import Progress
from sourcebook.model.health import Finding, HealthReport, OptionalPart, Repair, Weight
from sourcebook.storage.database import again_if_lost
from sourcebook.storage.maintenance.text_integrity import (
    DamagedText,
    TextFault,
    damaged_texts,
    readable_words,
)
from sourcebook.text.analysis import ANALYSER_VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sourcebook.storage.database import Database, Executor, Row
    from sourcebook.storage.progress import OnProgress

T = TypeVar("T")

# A base that is not there is not damaged: nothing can be said of it.
_AWAY = (BaseUnreachable, BaseReplaced, NotOpen)

RESTORE = (
    "Restore the last backup with `sourcebook restore FILE --force`. Without one, "
    "`sourcebook doctor --repair` saves what can still be read, and keeps the damaged file."
)
REPAIR = "Run `sourcebook doctor --repair`."
_UNEXAMINED = (
    "Nothing is known to be damaged. Put right what the database says, and run `sourcebook doctor` again."
)
_MONEY = "This cannot be repaired automatically: compare with a backup, or use `sourcebook tokens credit`."
_AGAIN = "Run `sourcebook doctor --repair`, then add these documents again: `sourcebook add PATH`."
_REINDEX = (
    "Run `sourcebook doctor --repair`, with the embedder that made the vectors; or `sourcebook reindex`."
)

# The name of a check's statement, what its rows mean, and what to do about them.
_CHECKS: tuple[tuple[str, str, str], ...] = (
    ("engine", "the database reports that its file is damaged", RESTORE),
    ("foreign_keys", "rows point to rows that do not exist", RESTORE),
    ("vectors_without_chunk", "vectors belong to no chunk", REPAIR),
    ("words_without_chunk", "words belong to no chunk", REPAIR),
    ("document_words_without_document", "words belong to no document", REPAIR),
    ("chunks_without_document", "chunks belong to no document", _AGAIN),
    ("chunk_ids_without_chunk", "chunk ids are reserved but used by no chunk", REPAIR),
    ("chunks_without_chunk_id", "chunks are missing from the list of ids", REPAIR),
    ("passages_without_words", "passages cannot be found by words", REPAIR),
    ("documents_without_words", "documents cannot be found by words", REPAIR),
    ("chunks_missing_a_vector", "chunks lack the vector of a model that is in use", _REINDEX),
    ("vectors_of_foreign_models", "vectors come from a model that their collection does not use", REPAIR),
    ("vectors_of_wrong_size", "vectors have a different size from their model", _REINDEX),
    ("chunk_counts", "documents record a wrong number of chunks", REPAIR),
    ("texts_without_chunks", "documents have text but no chunks, so they cannot be found", _AGAIN),
    ("documents_without_collection", "documents belong to no collection", RESTORE),
    ("collections_without_model", "collections have lost their model, so they cannot be searched", RESTORE),
    ("collections_without_counters", "collections have lost their counts, so they cannot be used", REPAIR),
    ("counters", "collections record wrong counts", REPAIR),
    ("hashes_without_document", "hashes are reserved but used by no document", REPAIR),
    ("documents_without_hash", "documents are missing from the list of hashes", REPAIR),
    ("paths_without_document", "paths lead to no document", REPAIR),
    ("children_without_passage", "sentences belong to no passage", _AGAIN),
    ("broken_metadata", "documents have metadata that is not JSON", _AGAIN),
    ("ledger", "balances differ from the sum of their transactions", _MONEY),
    ("curated_drafts", "curated answers came from a draft that does not exist", RESTORE),
    ("curated_sources", "sources of curated answers are gone but not marked", REPAIR),
)

_TEXTS: dict[TextFault, tuple[str, str, str]] = {
    TextFault.UNREADABLE: ("unreadable_documents", "documents cannot be read", _AGAIN),
    TextFault.CHANGED: ("changed_texts", "documents have a different text from the one written", _AGAIN),
    TextFault.MISPLACED: ("spans", "documents have passages that are not where they should be", REPAIR),
    TextFault.WORDS: ("wrong_words", "documents are indexed with words that are not in their text", REPAIR),
}


_NOT_READ = {
    "pending": "documents wait to be read",
    "processing": "documents are being read",
    "failed": "documents could not be read",
    "needs_ocr": "documents are scans without text",
}


class StorageHealth(Protocol):
    """What belongs to a base and is not in its tables: the file itself, and the files beside it."""

    async def findings(self) -> list[Finding]: ...

    async def lost_rows(self) -> list[Finding]:
        """What can no longer be read of a damaged base, table by table."""
        ...

    async def broken_rows(self) -> list[Finding]:
        """Rows of a base without apparent damage that cannot be read all the same."""
        ...

    async def disk(self) -> dict[str, int]: ...

    async def repair(self) -> list[Repair]: ...


@dataclass
class Examination:
    """One examination: what was found so far, and how far it is."""

    database: Database
    on_progress: OnProgress | None = None
    findings: list[Finding] = field(default_factory=list[Finding])
    unreadable: list[str] = field(default_factory=list[str])
    unexamined: list[str] = field(default_factory=list[str])
    _done: int = 0

    async def check(self, what: str, look: Callable[[Executor], Awaitable[Sequence[Finding]]]) -> None:
        """Take in what one check finds, in a snapshot of its own: one that fails does not fail those after it."""
        await self.attempt(what, self.read(look))

    @again_if_lost
    async def read(self, look: Callable[[Executor], Awaitable[T]]) -> T:
        async with self.database.snapshot() as reader:
            return await look(reader)

    async def attempt(self, what: str, look: Awaitable[Sequence[Finding]]) -> None:
        """Take in what one check finds. One that stumbles over a damaged page is a finding, too."""
        try:
            self.findings += await look
        except BaseDamaged as error:
            self.unreadable.append(f"{what}: {error.message.removesuffix('.')}")
        except _AWAY:
            raise
        except StorageError as error:
            self.unexamined.append(f"{what}: {error.message.removesuffix('.')}")
        self._done += 1
        self.show(what)

    def show(self, what: str, share: float = 0.0) -> None:
        if self.on_progress is not None:
            # The texts, which come last, take about as long as everything before them.
            percent = min(50.0, 50.0 * self._done / (len(_CHECKS) + 4)) + 50.0 * share
            self.on_progress(Progress(int(percent), 100, what.replace("_", " "), stage="examining"))

    @property
    def is_damaged(self) -> bool:
        return bool(self.unreadable) or any(f.code == "engine" for f in self.findings)


async def examine(
    database: Database,
    versions: Mapping[str, str],
    *,
    around: StorageHealth | None = None,
    now: int | None = None,
    optional_parts: Sequence[OptionalPart] = (),
    on_progress: OnProgress | None = None,
) -> HealthReport:
    """Look at everything, each check in one snapshot, and change nothing. Leases of jobs are looked at with `now`.

    A base that cannot be reached any more is an error, and not a finding.
    """
    looking = Examination(database, on_progress)
    for name, meaning, hint in _CHECKS:
        await looking.check(name, partial(_run, name=name, meaning=meaning, hint=hint))
    await looking.check("terms", _check_terms)
    await looking.check("state", partial(_check_state, now=now))
    info = await _or_nothing({}, looking.read(_info))
    counts = await _or_nothing({}, looking.read(_counts))
    same_analyser = info.get("analyser_version") == str(ANALYSER_VERSION)
    looking.findings += _check_analyser(info)
    await looking.check("texts", partial(_check_texts, looking=looking, with_words=same_analyser))
    if around is not None:
        await looking.attempt("files", around.findings())
        rows = around.lost_rows() if looking.is_damaged else around.broken_rows()
        await looking.attempt("rows", rows)
    return HealthReport(
        versions={**versions, **({"base": f"version {info['version']}"} if "version" in info else {})},
        counts=counts,
        findings=[
            *_unreadable(looking.unreadable),
            *_unexamined(looking.unexamined),
            *looking.findings,
        ],
        extras={part.name: part.state for part in optional_parts},
        optional_parts=optional_parts,
        disk={} if around is None else await around.disk(),
        open_jobs=await _or_nothing({}, looking.read(_open_jobs)),
    )


async def _run(reader: Executor, name: str, meaning: str, hint: str) -> list[Finding]:
    row = await reader.fetch_one(f"check_{name}")
    if row is None or not row["count"]:
        return []
    return [Finding(name, _times(row, meaning), hint, row["count"])]


async def _note(reader: Executor, name: str, meaning: str, hint: str) -> list[Finding]:
    row = await reader.fetch_one(name)
    if row is None or not row["count"]:
        return []
    return [Finding(name, _times(row, meaning), hint, row["count"], Weight.NOTE)]


def _times(row: Row, meaning: str) -> str:
    return f"{row['count']} × {meaning}, for example {row['example']!r}"


async def _check_state(reader: Executor, now: int | None) -> list[Finding]:
    """Work that was begun: what is stuck, and what only waits for somebody."""
    found: list[Finding] = []
    row = None if now is None else await reader.fetch_one("stuck_jobs", now=now)
    if row is not None and row["count"]:
        found.append(
            Finding(
                "stuck_jobs", _times(row, "jobs belong to a worker that fell silent"), REPAIR, row["count"]
            )
        )
    for row in await reader.fetch("documents_by_status"):
        status = row["processing_status"]
        hint = (
            "`sourcebook documents list --failed` has the reasons. Add them again with "
            "`sourcebook add --retry-failed PATH`, or upload them again."
        )
        found.append(
            Finding(
                f"{status}_documents",
                _times(row, _NOT_READ.get(status, f"documents are {status}")),
                hint,
                row["count"],
                Weight.NOTE,
            )
        )
    for name, meaning, hint in (
        ("failed_jobs", "jobs have failed", "Their error says why; start the work again."),
        (
            "curated_without_vector",
            "curated answers have no vector of the current model, and are found by words alone",
            "Run `sourcebook reindex`.",
        ),
        (
            "unfinished_models",
            "collections have an unfinished second set of vectors",
            "Run the same `sourcebook reindex --model …` to resume; until then the old set is used.",
        ),
    ):
        found += await _note(reader, name, meaning, hint)
    return found


async def _check_terms(reader: Executor) -> list[Finding]:
    """The dictionary must count exactly the words that are there."""
    broken: list[str] = []
    in_chunks = _held(await reader.fetch("all_words"), broken)
    in_documents = _held(await reader.fetch("all_document_words"), broken)
    terms = await reader.fetch("all_terms")
    wrong = [
        row["term"]
        for row in terms
        if row["chunk_count"] != in_chunks[row["id"]] or row["document_count"] != in_documents[row["id"]]
    ]
    unknown = (in_chunks.keys() | in_documents.keys()) - {row["id"] for row in terms}
    unused = [row["term"] for row in terms if not row["chunk_count"] and not row["document_count"]]
    return [
        Finding(code, f"{len(found)} × {meaning}, for example {min(found)!r}", REPAIR, len(found))
        for code, meaning, found in (
            ("broken_words", "documents have words that cannot be read", broken),
            ("term_counts", "terms have wrong counts", wrong),
            ("unknown_terms", "texts contain terms that are not in the dictionary", unknown),
            ("unused_terms", "the dictionary has terms that no text contains", unused),
        )
        if found
    ]


def _held(rows: list[Row], broken: list[str]) -> Counter[int]:
    held: Counter[int] = Counter()
    for row in rows:
        readable = readable_words(row)
        if readable is None:
            broken.append(row["document_id"])
        else:
            held.update(readable.keys())
    return held


async def _check_texts(reader: Executor, *, looking: Examination, with_words: bool) -> list[Finding]:
    """What is cited must be what was written, and stand where it is said to stand."""
    damaged = await damaged_texts(
        reader,
        with_words=with_words,
        advance=lambda done, total: looking.show("texts", done / max(total, 1)),
    )
    return text_findings(damaged)


def text_findings(damaged: Sequence[DamagedText]) -> list[Finding]:
    found: list[Finding] = []
    for fault, (code, meaning, hint) in _TEXTS.items():
        rows = [d.path for d in damaged if d.fault is fault]
        if rows:
            message = f"{len(rows)} × {meaning}, for example {rows[0]!r}"
            found.append(Finding(code, message, hint, len(rows), rows=rows))
    return found


def _unreadable(reasons: Sequence[str]) -> Iterator[Finding]:
    if reasons:
        message = f"{len(reasons)} × checks failed on damaged data, for example {reasons[0]}"
        yield Finding("unreadable", message, RESTORE, len(reasons))


def _unexamined(reasons: Sequence[str]) -> Iterator[Finding]:
    if reasons:
        message = f"{len(reasons)} × checks could not be done, for example {reasons[0]}"
        yield Finding("unexamined", message, _UNEXAMINED, len(reasons))


def _check_analyser(info: Mapping[str, str]) -> Iterator[Finding]:
    found = info.get("analyser_version")
    if found != str(ANALYSER_VERSION):
        yield Finding(
            "analyser_version",
            f"the words were analysed by version {found}, this program has version {ANALYSER_VERSION}",
            "Run `sourcebook reindex --words`.",
        )


async def _info(reader: Executor) -> dict[str, str]:
    info = {row["key"]: row["value"] for row in await reader.fetch("base_info")}
    version = await reader.fetch_one("schema_version")
    return {**info, **({"version": str(version["version"])} if version else {})}


async def _counts(reader: Executor) -> dict[str, int]:
    return dict(await reader.fetch_one("base_counts") or {})


async def _open_jobs(reader: Executor) -> dict[str, int]:
    return {row["kind"]: row["count"] for row in await reader.fetch("open_jobs_by_kind")}


async def _or_nothing(nothing: T, look: Awaitable[T]) -> T:
    try:
        return await look
    except _AWAY:
        raise
    except StorageError:
        return nothing
