"""Every place of the page, for everybody: axe finds no serious fault, nothing is cut off, and it is light."""

from __future__ import annotations

import gzip
import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.faces.browser_desk import Desk, a_browser, ask, desk, fill, looking

from sourcebook import Sourcebook

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

AXE = Path(__file__).parent / "axe" / "axe.min.js"
PLACES = (
    "/ask",
    "/search?q=sulphur",
    "/search?q=zzzz",
    "/documents",
    "/inbox",
    "/inbox?kind=declined",
    "/inbox/gaps",
    "/inbox/digest",
    "/curated",
    "/terms",
    "/people",
    "/people/1",
    "/quality",
    "/health",
    "/settings",
    "/settings/access",
    "/uploads",
    "/conversations",
    "/nowhere",
)
SULPHUR = "How much sulphur lowers the pH of sandy soil?"
FIRST_VIEW = 150_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with a_browser() as made:
        yield made


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A base in which something stands in every place."""
    folder = tmp_path_factory.mktemp("busy")
    fill(folder)
    with Sourcebook(folder / "base.db") as book:
        answer = book.ask(SULPHUR)
        book.ask("How do I repair a bicycle tyre?")
        book.moderation.approve_moderation_item(int(str(answer.details["draft_id"])), 1)
        book.terminology.add("moss", "sphagnum", description="what the trade says")
        book.people.add_tokens(1, 5)
        book.ask("Чем поливать голубику, если вода жёсткая?")
    with desk(folder) as made:
        yield made


def faults(page: Page) -> list[Any]:
    """What axe finds serious or worse. It is run by the browser itself, for the page allows no foreign script."""
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    serious = [each for each in found["violations"] if each["impact"] in ("serious", "critical")]
    return [(each["id"], [node["target"] for node in each["nodes"]][:5]) for each in serious]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault_anywhere(browser: Browser, busy: Desk, scheme: str) -> None:
    found: dict[str, Any] = {}
    with looking(browser, busy, color_scheme=scheme) as page:
        for place in PLACES:
            page.goto(place)
            if serious := faults(page):
                found[place] = serious
        page.goto("/ask")
        ask(page, SULPHUR)
        page.locator("#last").get_by_role("button", name="Why?").click()
        if serious := faults(page):
            found["an answer"] = serious
    assert not found, json.dumps(found, indent=1)


def test_every_place_of_an_empty_base_says_what_to_do(browser: Browser, tmp_path: Path) -> None:
    with desk(tmp_path) as made, looking(browser, made) as page:
        for place in PLACES[:-1]:
            answer = page.goto(place)
            assert answer is not None
            assert answer.status == 200, place


def test_nothing_is_cut_off_at_320_pixels(browser: Browser, busy: Desk) -> None:
    with looking(browser, busy, viewport={"width": 320, "height": 700}) as page:
        wide: list[str] = []
        for place in PLACES:
            page.goto(place)
            if page.evaluate("document.documentElement.scrollWidth") > 320:
                wide.append(place)
        assert wide == []


def test_the_first_view_is_light_and_everything_of_it_comes_from_here(browser: Browser, busy: Desk) -> None:
    fetched: list[str] = []
    with looking(browser, busy) as page:
        page.on("request", lambda request: fetched.append(request.url))
        page.goto("/ask")
        page.wait_for_load_state("networkidle")
    assert fetched
    assert all(address.startswith(busy.address) for address in fetched)
    weight = 0
    for address in fetched:
        with urllib.request.urlopen(address) as answer:  # noqa: S310 - our own server
            weight += len(gzip.compress(answer.read()))
    assert weight <= FIRST_VIEW


def test_no_element_moves_while_an_answer_comes(browser: Browser, busy: Desk) -> None:
    with looking(browser, busy) as page:
        page.goto("/ask")
        ask(page, SULPHUR)
        page.evaluate(
            "window.moved = 0; new PerformanceObserver((seen) => {"
            " for (const each of seen.getEntries()) if (!each.hadRecentInput) window.moved += each.value;"
            "}).observe({type: 'layout-shift'})"
        )
        page.fill("#question", "How do I repair a bicycle tyre?")
        page.keyboard.press("Enter")
        page.wait_for_selector("#last:not([aria-busy]) .seal.none")
        assert page.evaluate("window.moved") < 0.1
