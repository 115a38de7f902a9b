"""Web pages as a source, with the fetcher and the parsers as they run for users, from a server on this machine."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.web_site import Site, served

from sourcebook import AddReport, RetrievalConfig, RetrievalMode, Settings, Sourcebook
from sourcebook.errors import AddressRefused, UsageError
from sourcebook.testing.fakes import FakeEmbedder

HOST = "127.0.0.1"


def page(title: str, body: str, *links: str) -> str:
    anchors = "".join(f'<p><a href="{link}">more</a></p>' for link in links)
    head = f"<!doctype html><html><head><title>{title}</title></head>"
    return f"{head}<body><h1>{title}</h1><p>{body}</p>{anchors}</body></html>"


@pytest.fixture
def site() -> Generator[Site]:
    with served() as site:
        site.pages["/"] = page(
            "Home", "Welcome to the garden.", "/prune", "/soil?part=1#top", "https://example.org/"
        )
        site.pages["/prune"] = page("Pruning", "Prune raspberries in March.", "/deep", "/logo.png")
        site.pages["/soil?part=1"] = page("Soil", "Clay holds water for long.")
        site.pages["/deep"] = page("Deep", "Roots of an old oak go down ten metres.")
        yield site


@pytest.fixture
def book(tmp_path: Path) -> Generator[Sourcebook]:
    settings = Settings(db=str(tmp_path / "base.db"), embedder="none", web_pause=0)
    with Sourcebook(settings=settings, embedder=FakeEmbedder()) as book:
        yield book


def add(book: Sourcebook, address: str, **options: Any) -> AddReport:
    return book.add(address, allow_hosts=[HOST], **options)


def paths(book: Sourcebook) -> list[str]:
    return sorted(document.file_path for document in book.documents())


def test_the_address_is_the_path_of_a_page_and_its_citation(site: Site, book: Sourcebook) -> None:
    report = add(book, f"{site.address}/prune#later")
    assert (report.added, report.failed) == (1, [])
    assert paths(book) == [f"{site.address}/prune"]
    (found,) = book.search("raspberries", RetrievalConfig(mode=RetrievalMode.KEYWORD))
    assert found.document_path == f"{site.address}/prune"
    assert all(agent.startswith("sourcebook/") for agent in site.agents)


def test_a_second_run_fetches_what_changed(site: Site, book: Sourcebook) -> None:
    add(book, f"{site.address}/", depth=1)
    site.bodies()
    assert add(book, f"{site.address}/prune").unchanged == 1
    assert site.bodies() == []
    site.pages["/prune"] = page("Pruning", "Prune raspberries in April.")
    assert add(book, f"{site.address}/prune").updated == 1
    assert site.bodies() == ["/prune"]
    assert book.search("April", RetrievalConfig(mode=RetrievalMode.KEYWORD))
    assert len(paths(book)) == 3


def test_links_are_followed_as_far_as_asked_and_never_to_another_host(site: Site, book: Sourcebook) -> None:
    assert add(book, f"{site.address}/", depth=1).added == 3
    assert site.visits() == ["/", "/prune", "/soil?part=1"]
    assert add(book, f"{site.address}/", depth=2).added == 1
    assert f"{site.address}/deep" in paths(book)
    assert "/logo.png" not in site.visits()


def test_the_map_of_a_site_is_followed(site: Site, book: Sourcebook) -> None:
    site.pages["/robots.txt"] = f"Sitemap: {site.address}/maps.xml\n"
    site.types["/robots.txt"] = "text/plain"
    inner = f"<sitemap><loc>{site.address}/map.xml</loc></sitemap>"
    site.pages["/maps.xml"] = f'<?xml version="1.0"?><sitemapindex>{inner}</sitemapindex>'
    places = "".join(
        f"<url><loc>{at}</loc></url>" for at in (f"{site.address}/deep", "https://example.org/x")
    )
    site.pages["/map.xml"] = f'<?xml version="1.0"?><urlset>{places}</urlset>'
    assert add(book, site.address, sitemap=True).added == 1
    assert paths(book) == [f"{site.address}/deep"]


def test_what_robots_txt_forbids_is_not_asked_for(site: Site, book: Sourcebook) -> None:
    site.pages["/robots.txt"] = "User-agent: *\nDisallow: /soil\nAllow: /\n"
    report = add(book, f"{site.address}/", depth=1)
    assert report.added == 2
    assert [(failure.path, "robots.txt" in failure.message) for failure in report.failed] == [
        (f"{site.address}/soil?part=1", True)
    ]
    assert "/soil?part=1" not in site.visits()


def test_a_page_that_is_gone_is_removed_and_one_that_cannot_be_reached_is_kept(
    site: Site, book: Sourcebook
) -> None:
    add(book, f"{site.address}/prune")
    site.pages["/prune"] = 503
    report = add(book, f"{site.address}/prune")
    assert (report.removed, [f.code for f in report.failed], len(paths(book))) == (0, ["unreadable"], 1)
    site.pages["/prune"] = 410
    assert (add(book, f"{site.address}/prune").removed, paths(book)) == (1, [])


def test_a_crawl_asks_again_for_pages_that_nothing_leads_to_any_more(site: Site, book: Sourcebook) -> None:
    add(book, f"{site.address}/", depth=2)
    site.pages["/"] = page("Home", "Welcome to the garden.", "/soil?part=1")
    site.pages["/deep"] = 503
    site.bodies()
    report = add(book, f"{site.address}/", depth=2)
    assert (report.removed, [failure.path for failure in report.failed]) == (0, [f"{site.address}/deep"])
    assert "/prune" not in site.bodies()
    assert len(paths(book)) == 4
    site.pages["/deep"] = 404
    site.pages["/prune"] = page("Pruning", "Prune raspberries in April.")
    report = add(book, f"{site.address}/", depth=2)
    assert (report.removed, report.updated, report.failed) == (1, 1, [])
    assert len(paths(book)) == 3


def test_a_private_address_is_refused_unless_its_host_is_named(site: Site, book: Sourcebook) -> None:
    with pytest.raises(AddressRefused):
        book.add(f"{site.address}/prune")
    with pytest.raises(AddressRefused):
        book.add(f"http://localhost:{site.port}/prune", allow_hosts=["127.0.0.1"])
    with pytest.raises(AddressRefused):
        book.add(f"http://[::ffff:127.0.0.1]:{site.port}/prune")
    assert site.asked == []


def test_a_redirect_is_checked_again(site: Site, book: Sourcebook) -> None:
    site.pages["/out"] = f"http://localhost:{site.port}/prune"
    site.pages["/moved"] = "/prune"
    with pytest.raises(AddressRefused):
        add(book, f"{site.address}/out")
    assert "/prune" not in site.visits()
    add(book, f"{site.address}/moved")
    assert paths(book) == [f"{site.address}/prune"]
    site.pages["/round"] = "/round"
    assert "redirects" in add(book, f"{site.address}/round").failed[0].message


@pytest.mark.parametrize("status", [302, 303, 307])
@pytest.mark.parametrize("target", [503, 404, page("Sign in", "Please sign in to read this page.")])
def test_a_page_that_leads_elsewhere_for_now_is_kept_as_it_was(
    site: Site, book: Sourcebook, status: int, target: str | int
) -> None:
    add(book, f"{site.address}/", depth=1)
    known = paths(book)
    site.pages |= {"/prune": "/away?from=prune", "/away?from=prune": target}
    site.redirects["/prune"] = status
    report = add(book, f"{site.address}/", depth=1)
    assert (report.added, report.removed, paths(book)) == (0, 0, known)
    (failure,) = report.failed
    assert (failure.path, "/away?from=prune" in failure.message) == (f"{site.address}/prune", True)
    assert book.search("raspberries", RetrievalConfig(mode=RetrievalMode.KEYWORD))
    site.pages["/prune"] = page("Pruning", "Prune raspberries in April.")
    assert add(book, f"{site.address}/", depth=1).updated == 1


@pytest.mark.parametrize("path", ["/maintenance", "/sign-in"])
def test_a_site_that_leads_elsewhere_as_a_whole_for_now_loses_nothing(
    site: Site, book: Sourcebook, path: str
) -> None:
    add(book, f"{site.address}/", depth=2)
    known = paths(book)
    site.pages = dict.fromkeys(site.pages, path)
    site.pages |= {"/maintenance": 503, "/sign-in": page("Sign in", "Please sign in.")}
    report = add(book, f"{site.address}/", depth=2)
    assert (report.removed, paths(book)) == (0, known)
    assert [failure.path for failure in report.failed] == known


@pytest.mark.parametrize("status", [301, 308])
def test_a_page_that_moved_for_good_is_found_at_its_new_address_only(
    site: Site, book: Sourcebook, status: int
) -> None:
    add(book, f"{site.address}/prune")
    site.pages |= {"/prune": "/pruning", "/pruning": page("Pruning", "Prune raspberries in April.")}
    site.redirects["/prune"] = status
    assert add(book, f"{site.address}/prune").failed == []
    assert paths(book) == [f"{site.address}/pruning"]


@pytest.mark.parametrize("target", [503, "/sign-in", "/logo"])
def test_a_page_that_moved_to_where_nothing_is_read_is_kept(
    site: Site, book: Sourcebook, target: str | int
) -> None:
    """A server that does not answer, a redirect for now, a picture."""
    add(book, f"{site.address}/", depth=1)
    known = paths(book)
    site.pages |= {"/prune": "/pruning", "/pruning": target, "/sign-in": page("Sign in", "Please sign in.")}
    site.pages["/logo"], site.types["/logo"] = b"\x89PNG", "image/png"
    site.redirects["/prune"] = 301
    site.redirects["/pruning"] = 301 if target == "/logo" else 302
    report = add(book, f"{site.address}/", depth=1)
    assert (report.removed, paths(book)) == (0, known)


def test_a_page_that_moved_to_where_it_is_gone_is_removed(site: Site, book: Sourcebook) -> None:
    add(book, f"{site.address}/prune")
    site.pages["/prune"], site.redirects["/prune"] = "/pruning", 301
    assert (add(book, f"{site.address}/prune").removed, paths(book)) == (1, [])


def test_limits_hold(site: Site, tmp_path: Path) -> None:
    site.pages["/"] = page("Home", "All of it.", *(f"/{number}" for number in range(20)))
    site.pages |= {f"/{number}": page(f"Page {number}", "x" * number) for number in range(20)}
    site.pages["/1"] = b"<p>" + b"large " * 200_000
    settings = Settings(
        db=str(tmp_path / "base.db"), embedder="none", web_pause=0, web_pages=5, max_file_mb=1
    )
    with Sourcebook(settings=settings, embedder=FakeEmbedder()) as book:
        report = add(book, f"{site.address}/", depth=1)
    assert (report.added, len(site.visits())) == (4, 5)
    assert (
        sorted("limit" in failure.message or "larger" in failure.message for failure in report.failed)
        == [True] * 2
    )


def test_a_file_behind_an_address_is_read_as_what_it_is(site: Site, book: Sourcebook) -> None:
    site.pages["/prices.csv"] = "name,price\nspade,12\nrake,9\n"
    site.types["/prices.csv"] = "text/csv"
    assert add(book, f"{site.address}/prices.csv").added == 1
    (found, *_) = book.search("spade", RetrievalConfig(mode=RetrievalMode.KEYWORD))
    assert "price: 12" in found.chunk.content


def test_an_address_with_a_password_or_without_a_host_is_refused(book: Sourcebook) -> None:
    for address in ("http://user:secret@127.0.0.1/", "http://", "https:///x"):
        with pytest.raises(UsageError):
            book.add(address)


@pytest.mark.parametrize("options", [{}, {"sitemap": True}, {"depth": 2}])
def test_a_server_that_nobody_reaches_is_a_reason(book: Sourcebook, options: dict[str, Any]) -> None:
    with served() as gone:
        address = gone.address
    report = add(book, f"{address}/", **options)
    assert [(failure.path, failure.code) for failure in report.failed] == [(f"{address}/", "unreadable")]


def test_a_map_that_is_none_is_a_reason(site: Site, book: Sourcebook) -> None:
    site.pages["/sitemap.xml"] = "<urlset><url><loc>broken"
    report = add(book, site.address, sitemap=True)
    assert [failure.path for failure in report.failed] == [f"{site.address}/sitemap.xml"]
