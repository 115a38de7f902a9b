"""Settings and approved answers in a real browser: accounts, keys, wordings, categories."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.faces.browser_desk import Desk, a_browser, desk, fill, looking

from sourcebook import Sourcebook
from sourcebook.faces.http.auth.identification import ServerGate
from sourcebook.model.curation import WordingStatus

if TYPE_CHECKING:
    from sourcebook.client import AsyncSourcebook
    from sourcebook.faces.http.auth.caller import Gate


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with a_browser() as made:
        yield made


class GuardedDesk(Desk):
    """A server with the gate that `serve` puts before it."""

    def gate_of(self, book: AsyncSourcebook) -> Gate:
        return ServerGate(book, self.settings)


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Desk]:
    fill(tmp_path)
    made = GuardedDesk(tmp_path)
    made.start()
    yield made
    made.close()


def sign_in(page: Page, name: str, password: str) -> None:
    page.fill("#login", name)
    page.fill("#password", password)
    page.locator("main button").click()


def status_with(address: str, key: str) -> int:
    request = urllib.request.Request(f"{address}/api/me", headers={"Authorization": f"Bearer {key}"})  # noqa: S310
    try:
        with urllib.request.urlopen(request) as answer:  # noqa: S310 - our own server
            return answer.status
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def test_the_first_account_is_an_administrators_and_its_password_is_shown_once(
    browser: Browser, guarded: Desk
) -> None:
    with looking(browser, guarded) as page:
        page.goto("/settings/access")
        page.fill("#login", "vera")
        page.get_by_role("button", name="Make the account").click()
        password = page.locator("#secret").inner_text()
        page.goto("/settings/access")
        expect(page.locator("main.sign-in")).to_be_visible()
        sign_in(page, "vera", password)
        expect(page.locator("main table").first).to_contain_text("Administrator")
        expect(page.locator("#secret")).to_have_count(0)
        page.fill("#login", "anna")
        page.select_option("#role", "expert")
        page.get_by_role("button", name="Make the account").click()
        hers = page.locator("#secret").inner_text()
        page.get_by_role("button", name="Sign out", exact=True).click()
        sign_in(page, "anna", hers)
        page.goto("/settings/access")
        expect(page.locator("h1")).to_have_text("That did not work")
        page.goto("/inbox")
        expect(page.locator("h1")).to_have_text("Inbox")


def test_a_key_is_shown_once_and_useless_when_it_is_revoked(browser: Browser, guarded: Desk) -> None:
    with looking(browser, guarded) as page:
        page.goto("/settings/access")
        page.fill("#key-name", "website")
        page.get_by_role("button", name="Make the key").click()
        key = page.locator("#secret").inner_text()
        assert status_with(guarded.address, key) == 200
        page.goto("/settings/access")
        assert key not in page.content()
        page.locator("summary", has_text="Revoke").click()
        page.get_by_role("button", name="Revoke").click()
        expect(page.locator(".toast")).to_contain_text("Revoked")
        assert status_with(guarded.address, key) == 401


def test_a_wording_that_askers_confirmed_is_decided_and_a_category_is_changed(
    browser: Browser, tmp_path: Path
) -> None:
    fill(tmp_path)
    with Sourcebook(tmp_path / "base.db") as book:
        entry = book.curated.insert("Nine pounds.", category="sales", question="What does a bush cost?")
        book.curated.add_wording(entry.id, "How much is one plant?")
    with desk(tmp_path) as made, looking(browser, made) as page:
        page.goto("/curated")
        page.locator("details.wordings summary").click()
        page.get_by_role("button", name="The wording How much is one plant? asks something else").click()
        page.locator("details.wordings summary").click()
        expect(page.locator("details.wordings")).to_contain_text("asks something else")
        page.locator("summary", has_text="Edit").click()
        page.fill(f"#c-{entry.id}", "prices")
        page.get_by_role("button", name="Send to the inbox").click()
        expect(page.locator("#category")).to_have_value("prices")
        page.locator("#decide button[data-key=a]").click()
        page.goto("/curated")
        expect(page.locator("main .results")).to_contain_text("prices")
    with Sourcebook(tmp_path / "base.db") as book:
        (wording,) = book.curated.get(entry.id).wordings
        assert wording.status is WordingStatus.REJECTED
        assert book.curated.get(entry.id).category == "prices"


def test_a_draft_that_was_decided_says_so(browser: Browser, tmp_path: Path) -> None:
    fill(tmp_path)
    with Sourcebook(tmp_path / "base.db") as book:
        answer = book.ask("How much sulphur lowers the pH of sandy soil?")
        number = int(str(answer.details["draft_id"]))
        book.moderation.approve_moderation_item(number, 1)
    with desk(tmp_path) as made, looking(browser, made) as page:
        page.goto(f"/inbox/{number}")
        expect(page.locator(".case")).to_contain_text("Approved already")


def test_a_conversation_is_found_by_what_was_said_in_it(browser: Browser, tmp_path: Path) -> None:
    fill(tmp_path)
    with Sourcebook(tmp_path / "base.db") as book:
        first = book.ask("How much sulphur lowers the pH of sandy soil?")
        book.conversations.rename(str(first.session_id), "About the garden")
        book.ask("How do I repair a bicycle tyre?")
    with desk(tmp_path) as made, looking(browser, made) as page:
        page.goto("/conversations")
        page.fill("#find", "SQUARE METRE")
        page.keyboard.press("Enter")
        expect(page.locator(".plain-list li")).to_have_count(1)
        expect(page.locator(".plain-list li")).to_contain_text("About the garden")
        expect(page.locator(".plain-list mark")).to_have_text("square metre")
