"""Where a page leads, and what the map of a site lists."""

from __future__ import annotations

import re
from urllib.parse import urldefrag, urljoin, urlsplit

from sourcebook.ingest.parsers.parsed_text import PageLinks
from sourcebook.ingest.parsers.web.html import opened_page
from sourcebook.ingest.parsers.zip_and_xml import reading, xml_of

MOST_LINKS = 50_000
LONGEST_ADDRESS = 2_000
_MAP = re.compile(
    rb"\s*(?:<\?xml[^>]{0,200}\?>|<!--.{0,2000}?-->|<\?[^>]{0,500}\?>|\s)*"
    rb"<(?:\w+:)?(?:urlset|sitemapindex)\b",
    re.DOTALL,
)
_ROBOTS = ("noindex", "nofollow", "none")


def links_of(data: bytes, address: str) -> PageLinks:
    """The addresses, each once and in their order. A link that asks not to be followed is left out."""
    if _MAP.match(data.lstrip(b"\xef\xbb\xbf")):
        return _listed(data, address)
    page = opened_page(data)
    base_element = page.css_first("base[href]")
    base = urljoin(address, base_element.attributes.get("href") or "") if base_element else address
    said = " ".join(
        (element.attributes.get("content") or "").lower() for element in page.css("meta[name=robots]")
    )
    robots = [word for word in _ROBOTS if word in said]
    found: list[str] = []
    for link in page.css("a[href], area[href]")[:MOST_LINKS]:
        attributes = link.attributes
        if "nofollow" not in (attributes.get("rel") or "").lower().split():
            found.append(attributes.get("href") or "")
    pages = _addresses(base, found)
    return PageLinks(pages, robots=" ".join(["noindex", "nofollow"] if "none" in robots else robots))


def _listed(data: bytes, address: str) -> PageLinks:
    with reading("sitemap"):
        root = xml_of(data)
        is_index = str(root.tag).endswith("sitemapindex")
        found = [
            (place.text or "").strip()
            for entry in root
            for place in entry
            if str(place.tag).rpartition("}")[2] == "loc"
        ]
    addresses = _addresses(address, found[:MOST_LINKS])
    return PageLinks((), addresses) if is_index else PageLinks(addresses)


def _addresses(base: str, found: list[str]) -> list[str]:
    addresses: dict[str, None] = {}
    for link in found:
        try:
            address = urldefrag(urljoin(base, link.strip())).url
            parts = urlsplit(address)
        except ValueError:
            continue
        if parts.scheme in ("http", "https") and parts.hostname and len(address) <= LONGEST_ADDRESS:
            addresses[address] = None
    return list(addresses)
