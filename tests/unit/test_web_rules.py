"""Which addresses may be connected to, what robots.txt says, and what the one address of a page is."""

from __future__ import annotations

import pytest

from sourcebook.errors import AddressRefused, UsageError
from sourcebook.ingest.web.addresses import may_be_document, name_for, normal_address
from sourcebook.ingest.web.robots import Robots
from sourcebook.providers.public_addresses import is_public, require_public


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("2606:4700::1111", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),  # noqa: S104
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("::1", False),
        ("::", False),
        ("fe80::1%eth0", False),
        ("fc00::1", False),
        ("::ffff:127.0.0.1", False),
        ("::ffff:8.8.8.8", True),
        ("2002:7f00:1::", False),
        ("64:ff9b::7f00:1", False),
        ("64:ff9b::a00:1", False),
        ("not an address", False),
    ],
)
def test_only_addresses_that_everybody_shares_are_public(address: str, *, public: bool) -> None:
    assert is_public(address) is public


def test_a_name_is_told_with_where_it_leads_and_an_address_once() -> None:
    with pytest.raises(
        AddressRefused, match=r"^wiki\.intern leads to 10\.1\.2\.3, which is not a public address\.\n"
    ):
        require_public("wiki.intern", ["10.1.2.3"])
    with pytest.raises(AddressRefused, match=r"^127\.0\.0\.1 is not a public address\.\n"):
        require_public("127.0.0.1", ["127.0.0.1"])


ROBOTS = """
User-agent: other
Disallow: /

User-agent: *
Disallow: /private
Disallow: /*.pdf$
Allow: /private/open
Crawl-delay: 2
Sitemap: https://example.org/map.xml
"""


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/", True),
        ("/private", False),
        ("/private/x", False),
        ("/private/open/x", True),
        ("/a/b.pdf", False),
        ("/a/b.pdf?x=1", True),
    ],
)
def test_the_longest_rule_of_robots_txt_counts(path: str, *, allowed: bool) -> None:
    robots = Robots.of(ROBOTS)
    assert robots.allows(f"https://example.org{path}") is allowed
    assert (robots.pause, robots.maps) == (2.0, ["https://example.org/map.xml"])


def test_rules_for_this_program_go_before_those_for_all() -> None:
    robots = Robots.of("User-agent: sourcebook\nDisallow: /a\n\nUser-agent: *\nDisallow: /\n")
    assert (robots.allows("http://x.org/b"), robots.allows("http://x.org/a")) == (True, False)


def test_many_stars_take_no_time() -> None:
    robots = Robots.of("User-agent: *\nDisallow: /" + "*a" * 5_000 + "\nDisallow: /b\n")
    assert robots.allows("https://example.org/" + "a" * 2_000)


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("HTTPS://Example.org", "https://example.org/"),
        ("http://example.org:80/a b#part", "http://example.org/a%20b"),
        ("https://example.org:8443/ё?q=1", "https://example.org:8443/%D1%91?q=1"),
        ("http://[2606:4700::1111]/x", "http://[2606:4700::1111]/x"),
    ],
)
def test_a_page_has_one_address(given: str, address: str) -> None:
    assert normal_address(given) == address
    assert normal_address(address) == address


@pytest.mark.parametrize("given", ["ftp://x.org/", "http://", "https://user@x.org/", "http://x.org:99999/"])
def test_what_is_no_address_of_a_page_is_refused(given: str) -> None:
    with pytest.raises(UsageError):
        normal_address(given)


def test_what_a_server_says_of_a_page_goes_before_its_address() -> None:
    assert name_for("https://x.org/page.php", "text/html; charset=utf-8") == "page.html"
    assert name_for("https://x.org/files/a.pdf", "application/pdf") == "a.pdf"
    assert not may_be_document("https://x.org/logo.PNG")
    assert may_be_document("https://x.org/guide")
