"""Add: bytes become passages in the index.

The folder is looked through and compared with what the base remembers of it. What moved is moved, what is new or
changed is parsed in child processes, cut and embedded before any transaction opens, and then written whole; what is
gone is removed. If the base changed meanwhile, the files concerned are looked at anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from anyio import to_thread

from sourcebook.errors import Conflict, NotFound, ProviderError, StorageError
from sourcebook.ingest.add_request import Labels
from sourcebook.ingest.add_run import AddRequest, AddRun
from sourcebook.ingest.folder.watch import EVERY_SECONDS, FolderWatch
from sourcebook.ingest.freed_memory import give_back_freed_memory
from sourcebook.ingest.stop_signal import StopSignal
from sourcebook.ingest.texts.notes import Note, write_note
from sourcebook.ingest.texts.notes_in_bulk import write_notes
from sourcebook.ingest.texts.text_checks import require_size
from sourcebook.model.add_reports import WatchRound
from sourcebook.ports.providers import known_model

if TYPE_CHECKING:
    from sourcebook.ingest.add_tools import Tools
    from sourcebook.model.add_reports import AddPlan, AddReport, NewText
    from sourcebook.model.documents import Metadata, WriteReport

DEFAULT_COLLECTION = "default"


class Ingest:
    """Puts files and notes into a collection."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    async def add(self, request: AddRequest) -> AddReport:
        """Make the base agree with files and folders. A file that cannot be added never stops the others.

        A label that is given is remembered for all that was named, and put on files that did not change too. A path
        that does not exist, or a folder of which most is gone, is an error before anything is written.
        """
        report = await AddRun(self._tools, request).run()
        if report.added or report.updated:
            await to_thread.run_sync(give_back_freed_memory)
        return report

    async def plan(self, request: AddRequest) -> AddPlan:
        """What `add` would do now, without writing anything."""
        return await AddRun(self._tools, request).plan()

    async def watch(
        self, request: AddRequest, on_round: Callable[[WatchRound], None], every: float = EVERY_SECONDS
    ) -> None:
        """Add, and add again on every change, until `stop` is set. Errors after the first round are reported."""
        stop = request.stop or StopSignal()
        request = replace(request, stop=stop)
        roots = [Path(path) for path in request.paths]

        async def once() -> None:
            on_round(WatchRound(await self.add(request)))

        async def again() -> None:
            try:
                report = await self.add(request)
            except (Conflict, NotFound, StorageError, ProviderError) as error:
                on_round(WatchRound(error=error))
            else:
                on_round(WatchRound(report))

        excluded = self._tools.config.limits.excluded
        await FolderWatch(roots, stop, excluded=excluded, every=every).run(again, at_first=once)

    async def add_text(
        self,
        text: str,
        *,
        id: str | None = None,
        title: str | None = None,
        metadata: Metadata | None = None,
        collection_id: str = DEFAULT_COLLECTION,
        category: str | None = None,
        subcategory: str | None = None,
    ) -> WriteReport:
        """Add a text that is not a file. The same id replaces what was added under it before.

        A text that another document of the collection holds already is not stored twice: the outcome is then
        DUPLICATE, and the report names that document, which keeps its own labels.
        """
        note = Note.of(text, id, title, metadata or {}, Labels(category, subcategory), collection_id)
        return await write_note(self._tools, collection_id, note)

    async def add_texts(
        self,
        texts: Sequence[NewText],
        collection_id: str = DEFAULT_COLLECTION,
        labels: Labels | None = None,
    ) -> list[WriteReport]:
        """Add many texts as `add_text` does, many in one transaction; a report for each, in their order.

        They are as `checked_texts` gives them. If a vector has another size than the collection's, nothing is stored.
        """
        if any(text.vector is not None for text in texts):
            require_size(texts, (await known_model(self._tools.embedder)).dimensions)
        own = labels or Labels()
        notes = [
            Note.of(t.text, t.id, t.title, t.metadata, own, collection_id, t.vector, t.language)
            for t in texts
        ]
        return await write_notes(self._tools, collection_id, notes)
