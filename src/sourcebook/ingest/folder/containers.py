"""Files that hold others: letters with what is attached to them and, if that is wanted, archives.

What they hold is looked at as if they were folders. One that is as it was is not opened again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from anyio import to_thread

from sourcebook.errors import BadFile
from sourcebook.ingest.add_tools import Unpacker
from sourcebook.ingest.folder.scan import Seen
from sourcebook.ingest.index.document_reader import read_file

if TYPE_CHECKING:
    from sourcebook.ingest.add_tools import Parser
    from sourcebook.ingest.folder.scan import Scan, ScanLimits
    from sourcebook.ingest.parsers.archive.limits import Member
    from sourcebook.ingest.spool import Spool
    from sourcebook.model.sources import PathState

DEEPEST = 3
"""Letters are attached to letters, and archives packed in archives, but not without end."""
ALWAYS = 2**62
"""A file that changed at this time is always read."""
_LETTERS = (".eml", ".mbox", ".mbx")
_ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")


def is_archive(path: str) -> bool:
    return path.lower().endswith(_ARCHIVES)


def is_container(path: str, *, with_archives: bool) -> bool:
    return path.lower().endswith(_LETTERS) or (with_archives and is_archive(path))


class ContainerOpener:
    """Adds to a scan what the files in it hold."""

    def __init__(self, parsers: Callable[[], Parser], spool: Spool, limits: ScanLimits) -> None:
        self._parsers = parsers
        self._spool = spool
        self._limits = limits
        self._parser: Parser | None = None

    async def close(self) -> None:
        if self._parser is not None:
            await self._parser.close()

    async def open(self, scan: Scan, seen: Seen, *, with_archives: bool) -> bool:
        """Whether it could be opened. What is inside then stands in the scan."""
        return await self._open(scan, seen, with_archives, depth=1)

    async def _open(self, scan: Scan, seen: Seen, with_archives: bool, depth: int) -> bool:
        self._parser = self._parser or self._parsers()
        if not isinstance(self._parser, Unpacker):
            return True
        try:
            read = await to_thread.run_sync(read_file, seen.location, self._limits.largest_file)
            members = await self._parser.members(read.data, seen.path)
        except (BadFile, OSError):
            # Reading its own text will say what is wrong with it.
            return False
        for member in members:
            inner = await to_thread.run_sync(partial(self._spooled, seen, member))
            scan.files[inner.path] = inner
            if depth < DEEPEST and is_container(inner.path, with_archives=with_archives):
                await self._open(scan, inner, with_archives, depth + 1)
        return True

    def _spooled(self, outer: Seen, member: Member) -> Seen:
        location = self._spool.put(member.data, outer.mtime)
        return Seen(f"{outer.path}/{member.name}", location, len(member.data), outer.mtime, ALWAYS)


def as_it_was(state: PathState) -> Seen:
    """A file inside another that did not change."""
    return Seen(state.path, "", state.size or 0, state.mtime or 0, 0)
