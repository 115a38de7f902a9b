"""What belongs to a base in a file and is not in its tables: the file itself, and the files beside it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread
import numpy as np

from sourcebook.ingest.uploads.upload_folder import UploadFolder
from sourcebook.model.documents import DistanceMetric
from sourcebook.model.health import Finding, Repair, Weight
from sourcebook.storage.index import vector_encoding
from sourcebook.storage.maintenance.doctor import REPAIR, RESTORE
from sourcebook.storage.sqlite import base_files, tables
from sourcebook.storage.sqlite.file_claims import CLAIMS
from sourcebook.storage.sqlite.salvage.lost_log import LOG_WAS_CUT
from sourcebook.storage.sqlite.salvage.rescue import (
    DERIVED_TABLES,
    READ_AGAIN_TABLES,
    LostRows,
    lost_rows_of,
)
from sourcebook.storage.temporary_folders import left_behind, remove_leftover

if TYPE_CHECKING:
    from sourcebook.storage.database import Row
    from sourcebook.storage.sqlite.database import SqliteDatabase
    from sourcebook.storage.sqlite.worker_session import SqliteSession

# A file that is younger may belong to work that is going on.
_SETTLED_SECONDS = 3600
_LENGTHS = (0.99, 1.01)
"""Between these lies the length of a normalised vector in half precision."""


@dataclass(frozen=True, slots=True)
class StoredVector:
    collection_id: str
    document_id: str
    chunk_id: str
    model_id: int


class SqliteFileHealth:
    def __init__(self, database: SqliteDatabase, files: Path | None = None) -> None:
        """`files` is the folder of uploads, if it is not the one beside the base. Other bases may use it, too."""
        self._database = database
        self._base = database.path
        self._shared = files

    async def findings(self) -> list[Finding]:
        found = [
            *await self._cut_log(),
            *_counted("leftovers", "killed programs left files behind", await self._leftovers()),
            *await self._stored_files(),
        ]
        strange = await self._database.read(_strange_vectors)
        found += _counted(
            "strange_vectors", "vectors contain invalid numbers", [vector.chunk_id for vector in strange]
        )
        found += await anyio.to_thread.run_sync(_open_to_others, self._base)
        disk = await self.disk()
        if disk["free_bytes"] < 2 * disk["base_bytes"]:
            found.append(
                Finding(
                    "disk_space",
                    f"the disk has {disk['free_bytes']:,} bytes left, less than twice the size of the base",
                    "A backup, a restore or a repair beside the base may not fit: free some space.",
                    weight=Weight.NOTE,
                )
            )
        return found

    async def lost_rows(self) -> list[Finding]:
        return lost_findings(await anyio.to_thread.run_sync(lost_rows_of, self._base))

    async def broken_rows(self) -> list[Finding]:
        return lost_findings(await anyio.to_thread.run_sync(lost_rows_of, self._base, DERIVED_TABLES))

    async def disk(self) -> dict[str, int]:
        return await anyio.to_thread.run_sync(_space_of, self._base)

    async def repair(self) -> list[Repair]:
        """Remove what is of no use. Vectors that make no sense go first, to be made again by whoever comes after."""
        done: list[Repair] = []
        strange = await self._database.read(_strange_vectors)
        if strange:
            async with self._database.transaction() as transaction:
                await transaction.execute_many(
                    "delete_vector",
                    (
                        {
                            "collection_id": vector.collection_id,
                            "document_id": vector.document_id,
                            "chunk_id": vector.chunk_id,
                            "model_id": vector.model_id,
                        }
                        for vector in strange
                    ),
                )
            done.append(Repair("strange_vectors", "invalid vectors were removed", len(strange)))
        leftovers = [*await self._leftovers(), *await self._stray_files()]
        for path in leftovers:
            await anyio.to_thread.run_sync(remove_leftover, Path(path))
        if leftovers:
            done.append(Repair("leftovers", "unneeded files were removed", len(leftovers)))
        return done

    async def _cut_log(self) -> list[Finding]:
        info = {row["key"]: row["value"] for row in await self._database.fetch("base_info")}
        if LOG_WAS_CUT not in info:
            return []
        said = json.loads(info[LOG_WAS_CUT])
        when = time.strftime("%Y-%m-%d %H:%M", time.gmtime(said["at"]))
        return [
            Finding(
                LOG_WAS_CUT,
                f"the log beside the base had lost its end when it was opened on {when} UTC: "
                f"{said['pages']} pages of writes that were acknowledged are gone",
                "Restore the last backup with `sourcebook restore FILE --force`, or add your documents again; "
                "`sourcebook doctor --repair` accepts the base as it is.",
                said["pages"],
            )
        ]

    async def _leftovers(self) -> list[str]:
        info = await self._database.fetch("base_info")
        known = [row["value"] for row in info if row["key"].startswith(tables.DERIVED)]
        return await anyio.to_thread.run_sync(_find_leftovers, self._base, known)

    async def _stored_files(self) -> list[Finding]:
        rows = await self._database.fetch("documents_with_stored_file")
        missing, changed = await anyio.to_thread.run_sync(_judged, await self._folder(), rows)
        hint = "The text is still in the base. To get the file back too, add it again or restore a backup."
        return [
            *_counted("missing_files", "uploads are missing from their folder", missing, hint),
            *_counted("changed_files", "uploads have changed since they were uploaded", changed, hint),
            *_counted(
                "stray_files",
                "files in the uploads folder belong to nothing",
                await self._stray_files(),
            ),
        ]

    async def _folder(self) -> UploadFolder:
        if self._shared is None:
            return UploadFolder(base_files.stored_files_of(self._base))
        fact = await self._database.fetch_one("info", key="base_id")
        return UploadFolder.within(self._shared, "" if fact is None else fact["value"])

    async def _stray_files(self) -> list[str]:
        rows = await self._database.fetch("documents_with_stored_file")
        waiting = [row["payload"] for row in await self._database.fetch("open_job_payloads")]
        stored = {row["stored_file"] for row in rows}
        folder = (await self._folder()).own

        def find() -> list[str]:
            return [
                str(path)
                for path in sorted(folder.rglob("*"))
                if path.is_file()
                and path.relative_to(folder).as_posix() not in stored
                and not any(path.name in payload for payload in waiting)
                and _is_settled(path)
            ]

        return await anyio.to_thread.run_sync(find)


def lost_findings(lost: list[LostRows]) -> list[Finding]:
    """What is lost, worst first: what only a backup has, what files can bring back, and what follows from the rest."""
    rows = {True: list[str](), False: list[str]()}
    derived: list[str] = []
    for table in lost:
        (derived if table.table in DERIVED_TABLES else rows[table.table in READ_AGAIN_TABLES]).extend(
            table.described()
        )
    again = "Run `sourcebook doctor --repair`, then add the documents again: `sourcebook add PATH`."
    return [
        *_counted("lost_rows", "rows cannot be read", rows[False], RESTORE),
        *_counted("lost_documents", "parts of documents cannot be read", rows[True], again),
        *_counted("lost_derived_rows", "derived rows cannot be read", derived),
    ]


def _counted(code: str, meaning: str, rows: list[str], hint: str = REPAIR) -> Iterator[Finding]:
    if rows:
        yield Finding(code, f"{len(rows)} × {meaning}, for example {rows[0]!r}", hint, len(rows), rows=rows)


def _judged(folder: UploadFolder, rows: list[Row]) -> tuple[list[str], list[str]]:
    """The documents whose upload is gone, and those whose upload has other bytes than it had."""
    missing: list[str] = []
    changed: list[str] = []
    for row in rows:
        try:
            with folder.find(row["stored_file"]).open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError:
            missing.append(row["file_path"])
            continue
        if row["file_hash"] not in (None, found):
            changed.append(row["file_path"])
    return missing, changed


def _strange_vectors(session: SqliteSession) -> list[StoredVector]:
    """Vectors with NaN or infinity in them, and normalised ones that are not of length one."""
    strange: list[StoredVector] = []
    for collection, document, chunk, model, metric, blob in session.stream("stored_vectors"):
        kind = DistanceMetric(metric)
        if len(blob) % vector_encoding.stored_type(kind).itemsize:
            continue  # of a wrong size, which is another check's affair
        numbers = vector_encoding.decode(blob, kind)
        length = float(np.sqrt(numbers @ numbers))
        # A zero vector is one that somebody brought: similar to nothing.
        is_odd = kind is DistanceMetric.COSINE and length and not _LENGTHS[0] < length < _LENGTHS[1]
        if not np.isfinite(length) or is_odd:
            strange.append(StoredVector(collection, document, chunk, model))
    return strange


def _find_leftovers(base: Path, known: list[str]) -> list[str]:
    found = left_behind(base.parent)
    found += [path for path in base.parent.glob(f"{base.name}.before-*.unfinished") if _is_settled(path)]
    for path in sorted(base_files.derived_files_of(base).glob("*")):
        token = path.stem.rpartition("-")[2]
        is_known = path.name == CLAIMS or any(token in record for record in known)
        if not is_known and _is_settled(path):
            found.append(path)
    return [str(path) for path in found]


def _open_to_others(base: Path) -> list[Finding]:
    """What more people may read than its owner. New files are made for the owner alone; others stay as they are."""
    if os.name != "posix":
        return []
    places = (base, base_files.stored_files_of(base), base_files.derived_files_of(base))
    wide = [path for path in places if path.exists() and path.stat().st_mode & 0o077]
    if not wide:
        return []
    return [
        Finding(
            "open_to_others",
            f"other users of this machine may look into {', '.join(path.name for path in wide)}",
            "If they should not, `chmod 600` the file and `chmod 700` the folders.",
            len(wide),
            Weight.NOTE,
            rows=[str(path) for path in wide],
        )
    ]


def _is_settled(path: Path) -> bool:
    with suppress(OSError):
        return time.time() - path.stat().st_mtime > _SETTLED_SECONDS
    return False


def _space_of(base: Path) -> dict[str, int]:
    size = sum(path.stat().st_size for path in (base, base_files.side(base, "-wal")) if path.exists())
    return {"base_bytes": size, "free_bytes": shutil.disk_usage(base.parent).free}
