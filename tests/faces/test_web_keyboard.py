"""Every place of the page with the keyboard alone: everything can be reached, lists can be worked through."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.faces.browser_desk import Desk, a_browser, ask, desk, fill, looking
from tests.faces.test_web_access import PLACES

from sourcebook import Sourcebook

LISTS = {
    "/search?q=sulphur": "/documents/",
    "/documents": "/documents/default/",
    "/inbox/gaps": "/inbox/",
    "/people": "/people/",
    "/conversations": "/ask/",
}
WATCH = """() => {
  const all = 'a[href], button, input:not([type=hidden]), select, textarea, summary';
  window.missed = new Set([...document.querySelectorAll(all)].filter((each) =>
    each.checkVisibility({ visibilityProperty: true }) && !each.disabled && each.tabIndex >= 0));
  document.addEventListener('focusin', (event) => window.missed.delete(event.target));
  missed.delete(document.activeElement);
  return missed.size;
}"""
MISSED = "() => [...window.missed].map((each) => each.outerHTML.slice(0, 90))"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with a_browser() as made:
        yield made


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("keyboard")
    fill(folder)
    with Sourcebook(folder / "base.db") as book:
        answer = book.ask("How much sulphur lowers the pH of sandy soil?")
        book.ask("How do I repair a bicycle tyre?")
        entry = book.moderation.approve_moderation_item(int(str(answer.details["draft_id"])), 1)
        book.curated.add_wording(entry.id, "What amount of sulphur goes on sand?")
        book.terminology.add("moss", "sphagnum")
        book.keys.create("website")
    with desk(folder) as made:
        yield made


def walk(page: Page) -> list[str]:
    """Press Tab until everything was reached, or often enough to know that something cannot be."""
    for _ in range(page.evaluate(WATCH) + 20):
        page.keyboard.press("Tab")
    return page.evaluate(MISSED)


def test_everything_that_can_be_used_is_reached_by_tab(browser: Browser, busy: Desk) -> None:
    missed: dict[str, list[str]] = {}
    with looking(browser, busy) as page:
        for place in PLACES:
            page.goto(place)
            if left := walk(page):
                missed[place] = left
    assert not missed


def test_the_keys_of_every_place_are_shown_and_go_again(browser: Browser, busy: Desk) -> None:
    with looking(browser, busy) as page:
        for place in PLACES[:-1]:
            page.goto(place)
            page.evaluate("document.activeElement.blur()")
            page.keyboard.press("?")
            expect(page.locator("#keys")).to_be_visible()
            page.keyboard.press("Escape")
            expect(page.locator("#keys")).not_to_be_visible()


@pytest.mark.parametrize("place", list(LISTS))
def test_a_list_is_gone_through_and_opened(browser: Browser, busy: Desk, place: str) -> None:
    with looking(browser, busy) as page:
        page.goto(place)
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        page.wait_for_url(f"**{LISTS[place]}**")


def test_an_approved_answer_is_edited_and_a_wording_is_refused_without_a_mouse(
    browser: Browser, busy: Desk
) -> None:
    with looking(browser, busy) as page:
        page.goto("/curated")
        page.locator("details.wordings summary").focus()
        page.keyboard.press("Enter")
        page.get_by_role("button", name="asks something else").focus()
        page.keyboard.press("Enter")
        expect(page.locator(".toast")).to_have_text("Saved.")
        page.locator("summary", has_text="Edit").focus()
        page.keyboard.press("Enter")
        for _ in range(3):
            page.keyboard.press("Tab")
        expect(page.locator("[name=category]").first).to_be_focused()


def test_on_a_phone_the_menu_opens_and_closes(browser: Browser, busy: Desk) -> None:
    with looking(browser, busy, viewport={"width": 390, "height": 800}) as page:
        page.goto("/search")
        page.locator(".bar-top button").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#shelf")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("#shelf")).not_to_be_visible()


def test_the_answer_is_reached_from_the_question_box_without_the_sidebar(
    browser: Browser, busy: Desk
) -> None:
    with looking(browser, busy) as page:
        page.goto("/ask")
        ask(page, "How much sulphur lowers the pH of sandy soil?")
        expect(page.locator("#last")).to_be_focused()
        page.keyboard.press("1")
        expect(page.locator("#last .answer .ref").first).to_be_focused()
        page.keyboard.press("/")
        expect(page.locator("#question")).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.locator("#last")).to_be_focused()
        page.keyboard.press("Tab")
        expect(page.locator("#last .answer .ref").first).to_be_focused()
        page.keyboard.press("?")
        expect(page.locator("#keys")).to_be_visible()


def test_the_box_can_be_left_before_anything_was_asked(browser: Browser, busy: Desk) -> None:
    with looking(browser, busy) as page:
        page.goto("/ask")
        expect(page.locator("#question")).to_be_focused()
        expect(page.locator(".keys-hint")).to_contain_text("Esc")
        page.keyboard.press("Escape")
        page.keyboard.press("?")
        expect(page.locator("#keys")).to_be_visible()


def test_whoever_goes_on_typing_keeps_the_question_box(browser: Browser, busy: Desk) -> None:
    with looking(browser, busy) as page:
        page.goto("/ask")
        page.fill("#question", "How much sulphur lowers the pH of sandy soil?")
        page.wait_for_load_state("load")
        page.keyboard.press("Enter")
        page.keyboard.type("And ")
        page.wait_for_selector("#last:not([aria-busy]) .verdict")
        expect(page.locator("#question")).to_be_focused()
        page.fill("#question", "")
        ask(page, "What soil do blueberries want?")
        expect(page.locator("#last")).to_be_focused()
        page.keyboard.type("and raspberries?")
        expect(page.locator("#question")).to_have_value("and raspberries?")
