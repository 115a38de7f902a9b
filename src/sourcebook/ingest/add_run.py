"""One run of `add`: look, plan, then move, read, label and remove, in this order.

What goes is removed last, so that a file that moved from one of the named folders to another is never embedded twice,
and a run that is stopped early leaves too much rather than too little.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from anyio import CancelScope, create_task_group, sleep

from sourcebook.errors import (
    DocumentChangedMeanwhile,
    PathNotFound,
    TooManyRemovals,
)
from sourcebook.ingest.add_request import AddRequest, OnArchives, OnProgress, OnRemoval
from sourcebook.ingest.folder.comparison import FolderComparer, FolderComparison, options_after
from sourcebook.ingest.folder.labels import Labeller
from sourcebook.ingest.folder.outside_files import OutsideFiles
from sourcebook.ingest.folder.plan import excessive_loss
from sourcebook.ingest.folder.scan import Skip
from sourcebook.ingest.folder.targets import Named, Options, Target, find_targets, web_target
from sourcebook.ingest.index.document_reader import is_mark, is_over_limit
from sourcebook.ingest.index.indexer import IndexedWork, Indexer, Work, skipped_as
from sourcebook.ingest.index.pipeline import POLL_SECONDS, STOP_SECONDS, one_error
from sourcebook.ingest.spool import Spool
from sourcebook.ingest.web.addresses import is_web_address, normal_address
from sourcebook.ingest.web.crawl import WebRequest
from sourcebook.model.add_reports import (
    ADDING,
    READING,
    AddPlan,
    AddReport,
    FailedFile,
    PlannedStep,
    Progress,
)
from sourcebook.model.sources import Rearrangement, Source
from sourcebook.ports.providers import known_model

if TYPE_CHECKING:
    from sourcebook.ingest.add_tools import Tools
    from sourcebook.model.documents import Document

FindTargets: TypeAlias = Callable[[Sequence[Source]], list[Target]]
"""What is to be looked at, given the sources that there are."""
RequireCurrent: TypeAlias = Callable[[], Awaitable[None]]
"""Raises if the request is out of date."""

ATTEMPTS = 3
SOURCE_ATTEMPTS = 20
"""Many processes may add the same folder for the first time at the same moment: one of them is first."""

_PAGE = 500
_COUNTED = {"add": "added", "update": "updated", "label": "updated", "move": "moved", "remove": "removed"}


@dataclass(slots=True)
class _Tally:
    """What happened so far."""

    counts: Counter[str] = field(default_factory=Counter[str])
    skipped: Counter[str] = field(default_factory=Counter[str])
    failed: list[FailedFile] = field(default_factory=list[FailedFile])

    def report(self, *, interrupted: bool) -> AddReport:
        failed = sorted(self.failed, key=lambda file: file.path)
        return AddReport(**self.counts, failed=failed, skipped=dict(self.skipped), interrupted=interrupted)


class AddRun:
    """Carries out one request."""

    def __init__(
        self,
        tools: Tools,
        request: AddRequest,
        find: FindTargets | None = None,
        attempts: int = ATTEMPTS,
        require_current: RequireCurrent | None = None,
    ) -> None:
        """`attempts` limits how often a file is tried again after another process changed it first.

        `require_current` is called after each look at the base, and before anything is written because of it.
        """
        self._attempts = attempts
        self._require_current = require_current
        self._tools = tools
        self._request = request
        self._find = find or self._named_targets
        self._tally = _Tally()
        self._spool = Spool()

    async def run(self) -> AddReport:
        """Do all of it. Once stopped, what is on its way has a few seconds to be finished."""
        try:
            async with one_error(), create_task_group() as tasks:
                tasks.start_soon(self._end_soon_after_stop, tasks.cancel_scope)
                await self._run()
                tasks.cancel_scope.cancel()
        finally:
            self._spool.close()
        return self._tally.report(interrupted=self._request.is_stopped())

    async def _end_soon_after_stop(self, everything: CancelScope) -> None:
        while not self._request.is_stopped():  # noqa: ASYNC110 - a handler of signals can set no event of a loop
            await sleep(POLL_SECONDS)
        await sleep(STOP_SECONDS)
        everything.cancel()

    async def _run(self) -> None:
        examined = await self._claimed()
        for attempt in range(1, self._attempts + 1):
            if self._require_current is not None:
                await self._require_current()
            disputed = await self._carry_out(examined)
            if not disputed or self._request.is_stopped():
                return
            if attempt == self._attempts:
                self._give_up(disputed)
                return
            examined = await self._examined([e.target for e in _narrowed(disputed)])

    def _named_targets(self, sources: Sequence[Source]) -> list[Target]:
        request = self._request
        pages = [normal_address(str(path)) for path in request.paths if is_web_address(path)]
        named = [Named.of(path) for path in request.paths if not is_web_address(path)]
        found = find_targets(named, sources, request.collection_id)
        if pages:
            wanted = WebRequest(tuple(dict.fromkeys(pages)), request.depth, request.uses_map)
            found.append(web_target(wanted, sources, request.collection_id))
        return found

    async def plan(self) -> AddPlan:
        """What `run` would do now. Nothing is written."""
        try:
            return await self._plan()
        finally:
            self._spool.close()

    async def _plan(self) -> AddPlan:
        sources = await self._tools.sources.list_sources(self._request.collection_id)
        examined = await self._examined(self._find(sources))
        present = {source.id: source for source in sources}
        steps = [step for e in examined for step in planned_steps(e)]
        for e in examined:
            self._count_seen(e)
            self._tally.skipped += too_large(e)
            steps += await self._planned_labels(e, present)
        self._tally.counts.update(_COUNTED.get(step.action, "duplicates") for step in steps)
        refused = next(filter(None, map(_excess, examined)), None)
        is_refused = self._request.on_removal is OnRemoval.REFUSE
        return AddPlan(steps, self._tally.report(interrupted=False), refused if is_refused else None)

    async def _planned_labels(self, seen: FolderComparison, present: dict[str, Source]) -> list[PlannedStep]:
        """What would be given other labels, as it would be after `_claim`."""
        seen.target = replace(seen.target, source=self._source_after(seen, present))
        if not Options.of(seen.target.source).unfinished:
            return []
        labeller = Labeller(self._tools, self._request.collection_id)
        relabelled = await labeller.relabelled(seen)
        self._tally.counts["unchanged"] -= len(relabelled)
        return [PlannedStep("label", seen.shown(path)) for path in relabelled]

    async def _claimed(self) -> list[FolderComparison]:
        """The given paths, checked and recorded as sources. If another process was faster, look again."""
        for attempt in range(1, SOURCE_ATTEMPTS + 1):
            sources = await self._tools.sources.list_sources(self._request.collection_id)
            examined = await self._examined(self._find(sources))
            self._require_few_removals(examined)
            present = {source.id: source for source in sources}
            try:
                return [await self._claim(e, present) for e in examined]
            except DocumentChangedMeanwhile:
                if attempt == SOURCE_ATTEMPTS:
                    raise
        raise AssertionError("the loop ends by itself")

    async def _claim(self, seen: FolderComparison, present: dict[str, Source]) -> FolderComparison:
        """Write down what is to be remembered of the source, if that is news."""
        target = seen.target
        source = self._source_after(seen, present)
        if present.get(source.id) != source or target.absorbed:
            await self._tools.sources.put_source(
                self._request.collection_id, source, target.absorbed, sorted(present)
            )
            for inner in target.absorbed:
                del present[inner.source_id]
            present[source.id] = source
        seen.target = replace(target, source=source, absorbed=())
        return seen

    def _source_after(self, seen: FolderComparison, present: dict[str, Source]) -> Source:
        """The source with what is to be remembered of it; unfinished if its files are yet to get its labels."""
        stored = present.get(seen.target.source.id)
        options = options_after(seen.target, self._request.labels, self._tools.config.rules)
        opens = self._request.on_archives is OnArchives.OPEN
        options = replace(options, archives=options.archives or opens)
        if stored is not None and options != Options.of(stored) and seen.known.paths:
            options = replace(options, unfinished=True)
        return replace(seen.target.source, options=options.as_metadata())

    async def _examined(self, targets: Iterable[Target]) -> list[FolderComparison]:
        examiner = FolderComparer(
            self._tools.sources,
            self._request.collection_id,
            self._tools.config.limits,
            self._request.is_stopped,
            self._tell_looked if self._request.on_progress else None,
            OutsideFiles(self._tools, self._request, self._spool),
        )
        examined: list[FolderComparison] = []
        for target in targets:
            seen = await examiner.examine(target, self._tools.clock.now(), self._request.retries)
            if seen is None:
                return []
            if target.is_missing and not seen.known.paths:
                raise PathNotFound(f"There is no file or folder {target.name!r}.")
            examined.append(seen)
        return examined

    def _require_few_removals(self, examined: Iterable[FolderComparison]) -> None:
        excess = next(filter(None, map(_excess, examined)), None)
        if excess is not None and self._request.on_removal is OnRemoval.REFUSE:
            raise TooManyRemovals(excess)

    async def _carry_out(
        self, examined: Sequence[FolderComparison]
    ) -> dict[str, tuple[FolderComparison, list[str]]]:
        """Do what was planned. Comes back with the paths of each source that somebody else was faster with."""
        disputes = _Disputes()
        if not examined:
            return disputes.by_source
        indexer = Indexer(self._tools, self._request.collection_id)
        labeller = Labeller(self._tools, self._request.collection_id)
        works: list[Work] = []
        if any(e.plan.indexings for e in examined) or not any(e.known.paths for e in examined):
            model = await known_model(self._tools.embedder)
            await self._tools.library.open_collection(self._request.collection_id, model)
        for seen in examined:
            self._count_seen(seen)
            disputes.add(seen, await self._rearrange(seen, labeller))
            works += await indexer.works(seen)
        await self._index(indexer, works, disputes)
        for seen in examined:
            if not self._request.is_stopped():
                await self._finish(seen, labeller)
        return disputes.by_source

    def _count_seen(self, seen: FolderComparison) -> None:
        self._tally.counts["unchanged"] += len(seen.unchanged())
        self._tally.counts["still_failed"] += len(seen.still_failed())
        self._tally.skipped.update({reason.value: n for reason, n in seen.scan.reasons().items()})
        self._tally.failed += seen.failed

    async def _rearrange(self, seen: FolderComparison, labeller: Labeller) -> list[str]:
        """Move documents and give them further paths. Comes back with the paths where that no longer fits."""
        plan = seen.plan
        if plan.accepted:
            await self._tools.writer.accept(self._request.collection_id, plan.accepted)
        wanted = Rearrangement(
            seen.target.source.id,
            placements=await labeller.placements(seen),
            left=[seen.known.paths[move.old] for move in plan.moves],
            seen=seen.refreshed(),
        )
        if not (wanted.placements or wanted.seen):
            return []
        unfit = await self._tools.writer.rearrange(self._request.collection_id, wanted)
        missed = {placement.path.path for placement in unfit}
        self._tally.counts["moved"] += sum(move.new not in missed for move in plan.moves)
        errors = await self._errors_of(seen)
        read_again = {path for indexing in plan.indexings for path in indexing.paths}
        for another in plan.another:
            if another.path in missed or another.path in read_again:
                continue
            if another.path in errors:
                self._count_unread(seen, another.path, errors[another.path])
            else:
                self._tally.counts["updated" if seen.is_known(another.path) else "duplicates"] += 1
        return sorted(missed)

    async def _errors_of(self, seen: FolderComparison) -> dict[str, str]:
        """Why the bytes at further paths of documents could not be read, by the path."""
        ids = sorted({one.document_id for one in seen.plan.another})
        unread: dict[str, Document] = {}
        for start in range(0, len(ids), _PAGE):
            some = ids[start : start + _PAGE]
            heads = await self._tools.sources.heads(self._request.collection_id, some)
            unread |= {head.id: head for head in heads if head.processing_error}
        return {
            path: error
            for document_id, path in seen.plan.another
            if (head := unread.get(document_id)) is not None
            and (error := head.processing_error) is not None
            and not (head.chunk_count and head.file_hash == seen.found[path])
        }

    def _count_unread(self, seen: FolderComparison, path: str, error: str) -> None:
        code, _, message = error.partition(": ")
        is_named = seen.target.folder is None and path in seen.target.places
        skipped = None if is_named else skipped_as(path, code)
        if skipped is not None:
            self._tally.skipped[skipped.value] += 1
        else:
            self._tally.failed.append(FailedFile(seen.shown(path), code, message))

    async def _index(self, indexer: Indexer, works: Sequence[Work], disputes: _Disputes) -> None:
        if not works or self._request.is_stopped():
            return
        meter = _Meter(works, self._request.on_progress)

        def note(done: IndexedWork) -> None:
            if done.is_disputed:
                disputes.add(done.work.seen, done.work.paths)
            self._tally.counts.update(done.counts)
            if done.skipped is not None:
                self._tally.skipped[done.skipped] += len(done.work.paths)
            self._tally.failed += done.failed
            meter.advance(done.work, done.passages)

        meter.begin(works[0])
        if self._request.on_progress is None:
            await indexer.index(works, note, self._request.stop)
        else:
            await indexer.index(works, note, self._request.stop, meter.read, meter.embedded)

    async def _finish(self, seen: FolderComparison, labeller: Labeller) -> None:
        if Options.of(seen.target.source).unfinished:
            relabelled = await labeller.relabel(seen)
            self._tally.counts["unchanged"] -= relabelled
            self._tally.counts["updated"] += relabelled
        for path in seen.plan.gone:
            self._tally.counts["removed"] += await self._tools.writer.forget_path(
                self._request.collection_id,
                seen.target.source.id,
                path,
                unless_seen_since=seen.known.paths[path],
            )
        if seen.target.is_whole:
            await self._tools.sources.set_scanned(self._request.collection_id, seen.target.source.id)

    def _give_up(self, disputed: dict[str, tuple[FolderComparison, list[str]]]) -> None:
        error = DocumentChangedMeanwhile()
        self._tally.failed += [
            FailedFile(seen.shown(path), error.code, error.message)
            for seen, paths in disputed.values()
            for path in paths
        ]

    def _tell_looked(self, done: int, total: int, path: str) -> None:
        if self._request.on_progress is not None:
            self._request.on_progress(Progress(done, total, path, done / total, stage="looking"))


@dataclass(slots=True)
class _Disputes:
    by_source: dict[str, tuple[FolderComparison, list[str]]] = field(
        default_factory=dict[str, tuple[FolderComparison, list[str]]]
    )

    def add(self, seen: FolderComparison, paths: Iterable[str]) -> None:
        for path in paths:
            self.by_source.setdefault(seen.target.source.id, (seen, []))[1].append(path)


class _Meter:
    """Reports progress."""

    def __init__(self, works: Sequence[Work], on_progress: OnProgress | None) -> None:
        self._on_progress = on_progress
        self._count = len(works)
        self._bytes = sum(work.size for work in works) or 1
        self._done = self._done_bytes = self._passages = 0
        self._embedded: dict[str, float] = {}
        """Bytes of files that are not written yet, but of which so much was embedded."""

    def begin(self, work: Work) -> None:
        self._tell(work, READING)

    def read(self, work: Work, page: int, pages: int) -> None:
        self._tell(work, READING, page, pages)

    def embedded(self, work: Work, share: float) -> None:
        """Some of a file was embedded, which is most of the work with it."""
        key = work.document_id
        self._embedded[key] = min(self._embedded.get(key, 0.0) + share * work.size, work.size)
        self._tell(work, READING)

    def advance(self, work: Work, passages: int) -> None:
        self._done += 1
        self._done_bytes += work.size
        self._embedded.pop(work.document_id, None)
        self._passages += passages
        self._tell(work, ADDING)

    def _tell(self, work: Work, stage: str, page: int = 0, pages: int = 0) -> None:
        if self._on_progress is not None:
            share = min((self._done_bytes + sum(self._embedded.values())) / self._bytes, 1.0)
            self._on_progress(
                Progress(self._done, self._count, work.place.shown, share, self._passages, stage, page, pages)
            )


def _excess(seen: FolderComparison) -> str | None:
    """What is wrong if so much would be removed that it is probably a mistake."""
    loss = excessive_loss(seen.known, seen.found, seen.plan)
    if loss is None:
        return None
    if seen.target.web is not None and not seen.target.web.is_crawl:
        # Somebody named the page, and its server says that it is gone.
        return None
    gone, known = len(loss.gone), loss.known
    where = seen.target.name
    if seen.target.is_missing:
        return f"{where} is gone, and the base has {known} of its files."
    present = sum(os.path.lexists(seen.absolute(path)) for path in loss.gone)
    if present:
        return (
            f"{gone} of the {known} files that the base knows in {where} would be removed: {gone - present} are not "
            f"there any more, {present} are now ignored, too large, empty or no regular files."
        )
    return f"{gone} of the {known} files that the base has from {where} are gone."


def _narrowed(disputed: dict[str, tuple[FolderComparison, list[str]]]) -> Iterator[FolderComparison]:
    for seen, paths in disputed.values():
        files = tuple(sorted(set(paths)))
        web = WebRequest(files) if seen.target.web is not None else None
        yield replace(seen, target=replace(seen.target, folder=None, files=files, web=web))


def too_large(seen: FolderComparison) -> Counter[str]:
    """The files that would be skipped because they are too large. Those that the base has a text of have failed."""
    failed = {file.path for file in seen.failed}
    indexings = [i for i in seen.plan.indexings if seen.shown(i.paths[0]) not in failed]
    large = [i for i in indexings if is_over_limit(i.file_hash)]
    return Counter({Skip.TOO_LARGE.value: len(large)} if large else {})


def planned_steps(seen: FolderComparison) -> Iterator[PlannedStep]:
    for move in seen.plan.moves:
        yield PlannedStep("move", seen.shown(move.new), seen.shown(move.old))
    for another in seen.plan.another:
        action = "update" if seen.is_known(another.path) else "duplicate"
        yield PlannedStep(action, seen.shown(another.path))
    for indexing in seen.plan.indexings:
        if is_mark(indexing.file_hash):
            continue
        for number, path in enumerate(indexing.paths):
            new = "duplicate" if number else "add"
            yield PlannedStep("update" if seen.is_known(path) else new, seen.shown(path))
    for path in seen.plan.gone:
        yield PlannedStep("remove", seen.shown(path))
