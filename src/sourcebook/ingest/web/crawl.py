"""Pages become files to add: one page, those a map of the site lists, or those that pages of one host lead to.

One page after the other is fetched, with a pause in between, and none that the site asks to leave alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol
from urllib.parse import urljoin

import anyio

from sourcebook.errors import AddressRefused, BadFile, UsageError
from sourcebook.ingest.fingerprint import hash_bytes
from sourcebook.ingest.parsers.parsed_text import PageLinks
from sourcebook.ingest.web.addresses import (
    is_document_type,
    is_page,
    may_be_document,
    name_for,
    normal_address,
    origin_of,
)
from sourcebook.ingest.web.robots import Robots
from sourcebook.ports.page_fetcher import NO_STAMP, FetchedPage, NotFetched, PageFetcher, PageStamp

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_REDIRECTS = 5
MOST_MAPS = 50
_OK, _UNCHANGED = 200, 304
_MOVED = (301, 308)
_REDIRECTS = (*_MOVED, 302, 303, 307)
_GONE = (404, 410)
_BUSY = (429, 503)
_LONGEST_WAIT = 30.0


@dataclass(frozen=True, slots=True)
class WebLimits:
    """How many pages one `add` fetches at most, and how long it waits between two."""

    pages: int = 500
    pause: float = 0.5


@dataclass(frozen=True, slots=True)
class WebRequest:
    """Pages to add. `depth`: how many links away from them. `uses_map`: those that the map of their site lists."""

    addresses: Sequence[str]
    depth: int = 0
    uses_map: bool = False

    @property
    def is_crawl(self) -> bool:
        return self.depth > 0 or self.uses_map


class LinkReader(Protocol):
    """Finds out where a page leads."""

    async def links(self, data: bytes, address: str) -> PageLinks: ...


class FoundPage(NamedTuple):
    """A page that was fetched: its bytes, and what to call them when they are read."""

    data: bytes
    name: str
    stamp: PageStamp


class _Answer(NamedTuple):
    """What came in the end, from which address, and whether every redirect on the way was for good."""

    address: str
    page: FetchedPage
    is_for_good: bool


@dataclass(slots=True)
class Crawled:
    """What was found: pages, those that are as they were, those that are gone, and what went wrong."""

    pages: dict[str, FoundPage] = field(default_factory=dict[str, FoundPage])
    unchanged: set[str] = field(default_factory=set[str])
    gone: set[str] = field(default_factory=set[str])
    troubles: dict[str, str] = field(default_factory=dict[str, str])

    def addresses(self) -> list[str]:
        return sorted({*self.pages, *self.unchanged, *self.gone, *self.troubles})


class Crawler:
    """Fetches what one request asks for. `known` has the stamps of pages that the base has as they were then."""

    def __init__(
        self,
        fetcher: PageFetcher,
        reader: LinkReader,
        limits: WebLimits,
        known: Mapping[str, PageStamp],
        is_stopped: Callable[[], bool] = lambda: False,
        on_page: Callable[[int, int, str], None] | None = None,
    ) -> None:
        self._fetcher = fetcher
        self._reader = reader
        self._limits = limits
        self._known = known
        self._is_stopped = is_stopped
        self._on_page = on_page
        self._robots: dict[str, Robots] = {}
        self._found = Crawled()
        self._count = 0
        self._waiting: deque[tuple[str, int]] = deque()
        self._queued: set[str] = set()

    async def run(self, request: WebRequest) -> Crawled:
        """Fetch all of it, up to the limit. An address that was named and is refused is an error."""
        seeds = [normal_address(address) for address in request.addresses]
        for seed in seeds:
            self._queue(await self._listed(seed) if request.uses_map else [seed], request.depth)
        hosts = {origin_of(seed) for seed in seeds}
        await self._visit_waiting(seeds, hosts)
        if request.is_crawl:
            # Nothing leads to these any more, but they may well be there: only a server can say that they are gone.
            left = [address for address in self._known if origin_of(address) in hosts]
            self._queue(sorted(left), 0)
            await self._visit_waiting(seeds, hosts)
        return self._found

    async def _visit_waiting(self, seeds: Sequence[str], hosts: set[str]) -> None:
        while self._waiting and not self._is_stopped():
            if self._count >= self._limits.pages:
                self._found.troubles[", ".join(sorted(hosts))] = (
                    f"More than {self._limits.pages} pages; {len(self._waiting)} or more were left out. "
                    "`web_pages` sets the limit"
                )
                self._waiting.clear()
                break
            address, depth = self._waiting.popleft()
            await self._visit(address, depth, is_named=address in seeds)
            if self._on_page is not None:
                self._on_page(self._count, self._count + len(self._waiting), address)

    async def _listed(self, seed: str) -> list[str]:
        try:
            return await self._mapped(seed)
        except AddressRefused:
            raise
        except (NotFetched, UsageError) as error:
            self._found.troubles[seed] = str(error).rstrip(".")
            return []

    def _queue(self, addresses: Iterable[str], depth: int) -> None:
        for address in addresses:
            if address not in self._queued:
                self._queued.add(address)
                self._waiting.append((address, depth))

    async def _visit(self, address: str, depth: int, *, is_named: bool) -> None:
        stamp = self._known.get(address, NO_STAMP)
        try:
            # To go on from a page, its links are needed, whether or not it changed.
            answer = await self._fetched(address, NO_STAMP if depth else stamp)
        except AddressRefused as error:
            if is_named:
                raise
            self._found.troubles[address] = error.message.rstrip(".")
            return
        except (NotFetched, UsageError) as error:
            self._found.troubles[address] = str(error).rstrip(".")
            return
        if answer.address == address or address not in self._known:
            await self._receive(answer, depth, is_named=is_named)
        elif answer.is_for_good:
            await self._receive(answer, depth, is_named=is_named)
            if answer.address in self._found.pages or answer.page.status in _GONE:
                self._found.gone.add(address)
        else:
            # Maintenance or a page to sign in: nobody says that the text is gone, nor that this stands in its place.
            self._found.troubles[address] = (
                f"The server leads to {answer.address} for now; the page is kept as it was"
            )

    async def _receive(self, answer: _Answer, depth: int, *, is_named: bool) -> None:
        """Take the answer for what is at the address that it came from."""
        final, page, _ = answer
        self._queued.add(final)
        if page.status == _UNCHANGED:
            self._found.unchanged.add(final)
        elif page.status in _GONE:
            self._found.gone.add(final)
            if final not in self._known:
                self._found.troubles[final] = f"The server answers {page.status}"
        elif page.status != _OK:
            self._found.troubles[final] = f"The server answers {page.status}"
        elif is_named or is_document_type(page.content_type):
            await self._take(final, page, depth, is_named=is_named)

    async def _take(self, address: str, page: FetchedPage, depth: int, *, is_named: bool) -> None:
        links = PageLinks()
        if is_page(page.content_type) and (depth or not is_named):
            try:
                links = await self._reader.links(page.data, address)
            except BadFile:
                # Reading its text will say what is wrong with it.
                links = PageLinks()
        if depth and "nofollow" not in links.robots:
            inside = (link for link in map(_normal, links.pages) if link and may_be_document(link))
            self._queue((link for link in inside if origin_of(link) == origin_of(address)), depth - 1)
        if "noindex" in links.robots and not is_named:
            return
        digest = hash_bytes(page.data)
        stamp = PageStamp(page.stamp.etag, page.stamp.modified, digest)
        self._found.pages[address] = FoundPage(page.data, name_for(address, page.content_type), stamp)

    async def _fetched(self, address: str, stamp: PageStamp) -> _Answer:
        """The answer, wherever redirects lead. Every step is asked for anew."""
        is_for_good = True
        for _ in range(MOST_REDIRECTS + 1):
            robots = await self._robots_of(address)
            if not robots.allows(address):
                raise NotFetched("robots.txt does not allow this page")
            page = await self._asked(address, stamp, robots.pause)
            if page.status not in _REDIRECTS:
                return _Answer(address, page, is_for_good)
            is_for_good = is_for_good and page.status in _MOVED
            address, stamp = normal_address(urljoin(address, page.location)), NO_STAMP
        raise NotFetched(f"More than {MOST_REDIRECTS} redirects")

    async def _asked(self, address: str, stamp: PageStamp, pause: float) -> FetchedPage:
        if self._count:
            await anyio.sleep(max(self._limits.pause, pause))
        self._count += 1
        page = await self._fetcher.fetch(address, stamp)
        if page.status in _BUSY and 0 < page.retry_after <= _LONGEST_WAIT:
            await anyio.sleep(page.retry_after)
            page = await self._fetcher.fetch(address, stamp)
        return page

    async def _robots_of(self, address: str) -> Robots:
        origin = origin_of(address)
        if origin not in self._robots:
            page = await self._follow(f"{origin}/robots.txt")
            if page.status == _OK:
                robots = Robots.of(page.data.decode(errors="replace"))
            else:
                # No rules are no rules; but a server that cannot say what it allows allows nothing now.
                robots = Robots() if page.status < 500 else Robots.nothing_allowed()
            self._robots[origin] = robots
        return self._robots[origin]

    async def _follow(self, address: str) -> FetchedPage:
        page = await self._fetcher.fetch(address)
        for _ in range(MOST_REDIRECTS):
            if page.status not in _REDIRECTS:
                break
            address = normal_address(urljoin(address, page.location))
            page = await self._fetcher.fetch(address)
        return page

    async def _mapped(self, seed: str) -> list[str]:
        """The pages that the map of a site lists, on the host of the map."""
        origin = origin_of(seed)
        robots = await self._robots_of(seed)
        is_map = seed.lower().endswith((".xml", ".xml.gz"))
        said = [link for link in map(_normal, robots.maps) if link]
        maps = deque([seed] if is_map else said or [f"{origin}/sitemap.xml"])
        seen, pages = set(maps), dict[str, None]()
        while maps and len(seen) <= MOST_MAPS:
            address = maps.popleft()
            page = await self._follow(address)
            if page.status != _OK:
                self._found.troubles[address] = f"The server answers {page.status}"
                continue
            try:
                listed = await self._reader.links(page.data, address)
            except BadFile as error:
                self._found.troubles[address] = error.message.rstrip(".")
                continue
            pages |= dict.fromkeys(
                link for link in map(_normal, listed.pages) if link and origin_of(link) == origin
            )
            further = [link for link in map(_normal, listed.maps) if link and link not in seen]
            seen.update(further)
            maps += further
        return list(pages)


def _normal(link: str) -> str:
    try:
        return normal_address(link)
    except UsageError:
        return ""
