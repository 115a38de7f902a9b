"""Files that lie in no folder of this machine: inside of other files, or on the web."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from email.utils import parsedate_to_datetime
from functools import partial
from typing import TYPE_CHECKING, cast

from anyio import to_thread

from sourcebook.errors import UsageError
from sourcebook.ingest.add_request import AddRequest, OnArchives
from sourcebook.ingest.folder.containers import ALWAYS, ContainerOpener, as_it_was, is_archive, is_container
from sourcebook.ingest.folder.plan import believed_hash, could_not_be_read, has_text
from sourcebook.ingest.folder.scan import Scan, Seen, Trouble
from sourcebook.ingest.folder.targets import Options
from sourcebook.ingest.web.crawl import Crawled, Crawler, LinkReader

if TYPE_CHECKING:
    from sourcebook.ingest.add_tools import Tools
    from sourcebook.ingest.folder.plan import Known
    from sourcebook.ingest.folder.targets import Target
    from sourcebook.ingest.spool import Spool
    from sourcebook.model.sources import DocumentState, PathState
    from sourcebook.ports.page_fetcher import PageStamp

Retries = Callable[["DocumentState"], bool]
RACY_SECONDS = 2


class OutsideFiles:
    """Brings such files into a scan, for one run; their bytes are kept in its spool."""

    def __init__(self, tools: Tools, request: AddRequest, spool: Spool) -> None:
        self._tools = tools
        self._request = request
        self._spool = spool

    async def unpack(self, target: Target, scan: Scan, known: Known, retries: Retries) -> Sequence[str]:
        """Put what letters and archives hold into the scan. Comes back with documents that are to be read again."""
        if target.uploads:
            # Bytes that somebody brought are one document, which is all that they are told about.
            return []
        asked = self._request.on_archives is OnArchives.OPEN
        with_archives = asked or Options.of(target.source).archives
        containers = [
            seen for path, seen in scan.files.items() if is_container(path, with_archives=with_archives)
        ]
        opener = ContainerOpener(self._tools.parsers, self._spool, self._tools.config.limits)
        again: list[str] = []
        try:
            for seen in containers:
                if self._request.is_stopped():
                    break
                inner = [state for path, state in known.paths.items() if path.startswith(f"{seen.path}/")]
                if _is_as_it_was(seen, known) and not any(_is_retried(s, known, retries) for s in inner):
                    is_kept = True
                else:
                    is_kept = not await opener.open(scan, seen, with_archives=with_archives)
                if is_kept:
                    scan.files.update({state.path: as_it_was(state) for state in inner})
                again += _unread_archive(seen, known)
        finally:
            await opener.close()
        return again

    async def fetch(self, target: Target, known: Known, retries: Retries) -> tuple[Target, Scan]:
        """Fetch the pages that the target asks for. It then says which ones they are, and by what they are known."""
        assert target.web is not None  # noqa: S101 - the caller looked
        if self._tools.fetchers is None:
            raise UsageError("This base cannot fetch web pages.")
        options = Options.of(target.source)
        stamps = {path: s for path, s in options.pages.items() if _is_held(path, s, known, retries)}
        fetcher = self._tools.fetchers(self._request.allowed_hosts)
        parser = self._tools.parsers()
        crawler = Crawler(
            fetcher,
            cast("LinkReader", parser),
            self._tools.config.web,
            stamps,
            self._request.is_stopped,
            self._tell,
        )
        try:
            crawled = await crawler.run(target.web)
        finally:
            await parser.close()
            await fetcher.close()
        scan = await to_thread.run_sync(partial(self._scanned, crawled, known))
        pages = {**options.pages, **{path: page.stamp for path, page in crawled.pages.items()}}
        kept = {path: stamp for path, stamp in pages.items() if path not in crawled.gone}
        source = replace(target.source, options=replace(options, pages=kept).as_metadata())
        return replace(target, source=source, files=tuple(crawled.addresses())), scan

    def _scanned(self, crawled: Crawled, known: Known) -> Scan:
        scan = Scan()
        now = self._tools.clock.now()
        for path, page in crawled.pages.items():
            mtime = _time_of(page.stamp, now)
            location = self._spool.put(page.data, mtime)
            scan.files[path] = Seen(path, location, len(page.data), mtime, ALWAYS, page.name)
        scan.files.update({path: as_it_was(known.paths[path]) for path in crawled.unchanged})
        scan.troubles += [Trouble(path, reason) for path, reason in crawled.troubles.items()]
        return scan

    def _tell(self, done: int, total: int, path: str) -> None:
        from sourcebook.model.add_reports import Progress  # noqa: PLC0415

        if self._request.on_progress is not None:
            self._request.on_progress(Progress(done, total, path, done / total, stage="looking"))


def _is_as_it_was(seen: Seen, known: Known) -> bool:
    """Whether a file that holds others was read as it is now."""
    before = known.paths.get(seen.path)
    document = known.documents.get(before.document_id) if before else None
    if before is None or document is None or not has_text(document):
        return False
    same = (seen.size, seen.mtime) == (before.size, before.mtime)
    return same and seen.changed_at + RACY_SECONDS <= before.seen_at


def _is_retried(state: PathState, known: Known, retries: Retries) -> bool:
    document = known.documents.get(state.document_id)
    return document is not None and could_not_be_read(document) and retries(document)


def _unread_archive(seen: Seen, known: Known) -> list[str]:
    """The document of an archive that was refused when nobody wanted it opened."""
    before = known.paths.get(seen.path)
    document = known.documents.get(before.document_id) if before else None
    is_unread = document is not None and could_not_be_read(document)
    return [document.id] if document is not None and is_unread and is_archive(seen.path) else []


def _is_held(path: str, stamp: PageStamp, known: Known, retries: Retries) -> bool:
    """Whether the base has a page as it was when it got its stamp, and needs no more of it."""
    before = known.paths.get(path)
    document = known.documents.get(before.document_id) if before else None
    if document is None or believed_hash(document) != stamp.file_hash:
        return False
    return not (could_not_be_read(document) and retries(document))


def _time_of(stamp: PageStamp, now: int) -> int:
    try:
        return int(parsedate_to_datetime(stamp.modified).timestamp())
    except (ValueError, TypeError, IndexError, OverflowError):
        return now
