"""`book.maintenance`: copies, backups, bundles, reindexing, checks and repairs."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sourcebook.assembly import (
    copy_base,
    examine_unopened,
    import_old_base,
    is_old_base,
    make_backups,
    make_bundles,
    make_reindex,
    missing_models,
    rebuild_if_damaged,
)
from sourcebook.doors.connection import works_closed
from sourcebook.errors import BaseDamaged, MigrationEdited, UsageError
from sourcebook.model.backup import OnExisting
from sourcebook.model.reindexing import ReindexScope
from sourcebook.ports.arguments import checks_arguments
from sourcebook.ports.choices import chosen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sourcebook.doors.connection import DoorConnection
    from sourcebook.model.add_reports import Progress
    from sourcebook.model.backup import BackupReport, RestoreReport
    from sourcebook.model.health import HealthReport
    from sourcebook.model.reindexing import ReindexPlan, ReindexProgress, ReindexReport
    from sourcebook.ports.providers import Embedder
    from sourcebook.storage.jsonl.bundle_report import BundleReport
    from sourcebook.storage.maintenance.base_copy import CopyReport


@checks_arguments
class MaintenanceDoor:
    """The base as a whole: back it up, move it, reindex it, check and repair it."""

    def __init__(self, connection: DoorConnection) -> None:
        self._connection = connection

    @works_closed
    async def backup(
        self,
        target: str | os.PathLike[str],
        *,
        on_existing: OnExisting = OnExisting.REFUSE,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> BackupReport:
        """Back up the whole base to one file while others keep using it. The file appears only once it is verified.

        The base need not be open.
        """
        choice = chosen("on_existing", OnExisting, on_existing)
        return await make_backups(self._connection.settings).write(Path(target), choice, on_progress)

    @works_closed
    async def restore(
        self,
        source: str | os.PathLike[str],
        *,
        on_existing: OnExisting = OnExisting.REFUSE,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> RestoreReport:
        """Verify a backup and put it in place of the base. The old base is kept under another name.

        The base need not be open, intact, or even exist. An open base is closed and opened again afterwards.
        """
        choice = chosen("on_existing", OnExisting, on_existing)
        was_open = self._connection.is_open
        await self._connection.close()
        try:
            return await make_backups(self._connection.settings).restore(Path(source), choice, on_progress)
        finally:
            if was_open:
                await self._connection.open()

    async def copy_to(
        self,
        target: str | os.PathLike[str],
        *,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> CopyReport:
        """Copy the whole base, vectors included, to an empty one: a file or a server. Both are compared at the end.

        Uploaded files go to where the new base keeps its own. An interrupted copy resumes where it stopped.
        """
        settings = self._connection.settings
        return await copy_base(
            self._connection.base,
            await self._connection.files(),
            settings.at(str(target)),
            on_progress=on_progress,
        )

    async def export(
        self,
        directory: str | os.PathLike[str],
        *,
        collections: Sequence[str] | None = None,
        on_existing: OnExisting = OnExisting.REFUSE,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> BundleReport:
        """Write some or all collections as a bundle. The folder appears only once it is complete."""
        return await make_bundles(self._connection.base).write(
            directory,
            collections=collections,
            on_existing=chosen("on_existing", OnExisting, on_existing),
            on_progress=on_progress,
        )

    async def import_bundle(
        self,
        source: str | os.PathLike[str],
        *,
        collection: str | None = None,
        model: str | None = None,
        on_progress: Callable[[Progress], None] | None = None,
        dry_run: bool = False,
    ) -> BundleReport:
        """Import a bundle, a JSON Lines index, or another program's base.

        Importing another program's base again brings over what is new there and what was decided since; whatever was
        changed here as well stays, and is named. With `dry_run` the report is the plan, and nothing is written.

        `collection` overrides the collection named in the bundle or the rows. `model` names the model that made the
        vectors of an index or another program's base (a bundle names its own); without it, texts are embedded again.
        """
        if is_old_base(os.fspath(source)):
            report = await import_old_base(
                self._connection.base,
                os.fspath(source),
                self._connection.named(collection),
                self._connection.embedders,
                self._connection.settings,
                model=model,
                on_progress=on_progress,
                dry_run=dry_run,
            )
            if not dry_run:
                await self._connection.prepare(self._connection.named(collection), on_progress)
            return report
        if dry_run:
            raise UsageError(
                "Only the import of another program's base has a plan.", hint="Leave out `dry_run`."
            )
        return await make_bundles(self._connection.base).read(
            source,
            collection=collection,
            model=model,
            default_collection=self._connection.settings.collection,
            on_progress=on_progress,
        )

    async def plan_reindex(
        self,
        *,
        model: str | Embedder | None = None,
        collections: Sequence[str] | None = None,
        scope: ReindexScope = ReindexScope.EVERYTHING,
    ) -> list[ReindexPlan]:
        """What `reindex` would do to each collection, and how long it would take. Nothing is changed."""
        reindex = make_reindex(self._connection.stores, self._connection.embedders, model, scope)
        plans = await reindex.plan(collections)
        return [replace(plan, seconds=await reindex.estimate(plan)) for plan in plans]

    async def reindex(
        self,
        *,
        model: str | Embedder | None = None,
        collections: Sequence[str] | None = None,
        scope: ReindexScope = ReindexScope.EVERYTHING,
        on_progress: Callable[[ReindexProgress], None] | None = None,
    ) -> ReindexReport:
        """Rebuild the words and vectors from the stored text. Give a model, named as in the settings, to switch to it.

        Searches use the old vectors until the new ones are complete. A stopped run resumes where it was. With the
        scope WORDS, vectors are left alone.
        """
        return await make_reindex(self._connection.stores, self._connection.embedders, model, scope).run(
            collections, on_progress
        )

    @works_closed
    async def doctor(self, *, on_progress: Callable[[Progress], None] | None = None) -> HealthReport:
        """Check the base and report what is wrong with it. Nothing is changed.

        The base need not be open. A base too damaged to open is checked as far as it can be read.
        """
        if self._connection.is_open:
            return await self._examined(on_progress)
        try:
            await self._connection.open()
            return await self._examined(on_progress)
        except (BaseDamaged, MigrationEdited) as error:
            return await examine_unopened(self._connection.settings, error)
        finally:
            await self._connection.close()

    async def _examined(self, on_progress: Callable[[Progress], None] | None) -> HealthReport:
        at = self._connection
        report = await at.base.examine(on_progress)
        missing = await missing_models(at.base, at.embedders, at.settings)
        return replace(report, findings=[*report.findings, *missing])

    @works_closed
    async def repair(self, *, on_progress: Callable[[Progress], None] | None = None) -> HealthReport:
        """Repair what can be derived from other data, and report what was done and what is left.

        Missing vectors are made again. A damaged file is kept under another name and replaced by a new one with
        everything that can still be read. The base need not be open, but nobody else should be using it.
        """
        was_open = self._connection.is_open
        await self._connection.close()
        rebuilt, lost = await rebuild_if_damaged(
            self._connection.settings, self._connection.embedders.choose, on_progress
        )
        try:
            base = await self._connection.open()
            repairs, left = await base.repair(self._connection.embedders.choose, on_progress)
            report = await base.examine(on_progress)
        finally:
            if not was_open:
                await self._connection.close()
        return replace(report, findings=[*lost, *left, *report.findings], repairs=[*rebuilt, *repairs])
