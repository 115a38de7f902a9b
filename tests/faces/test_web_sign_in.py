"""Signing in in a real browser: nobody sees anything before, each sees their own, and out is out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.faces.browser_desk import Desk, a_browser, ask, fill, looking
from tests.web_site import served

from sourcebook import Sourcebook
from sourcebook.faces.http.auth.identification import ServerGate
from sourcebook.model.accounts import AccountRole

if TYPE_CHECKING:
    from sourcebook.client import AsyncSourcebook
    from sourcebook.faces.http.auth.caller import Gate

PASSWORD = "a long enough password"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with a_browser("kb.test", "evil.test") as made:
        yield made


class GuardedDesk(Desk):
    """A server with the gate that `serve` puts before it."""

    def gate_of(self, book: AsyncSourcebook) -> Gate:
        return ServerGate(book, self.settings, "0.0.0.0")  # noqa: S104 - as where others reach it


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Desk]:
    fill(tmp_path)
    with Sourcebook(tmp_path / "base.db") as book:
        book.accounts.add("anna", PASSWORD, role=AccountRole.READER)
        book.accounts.add("boris", PASSWORD, role=AccountRole.ADMIN)
    made = GuardedDesk(tmp_path)
    made.start()
    yield made
    made.close()


def sign_in(page: Page, name: str, password: str = PASSWORD) -> None:
    page.fill("#login", name)
    page.fill("#password", password)
    page.locator("main button").click()


def test_each_sees_their_own_and_nobody_anything_before(browser: Browser, guarded: Desk) -> None:
    with looking(browser, guarded) as page:
        page.goto("/documents")
        expect(page.locator("main.sign-in")).to_be_visible()
        sign_in(page, "anna", "wrong")
        expect(page.locator("[role=alert]")).not_to_be_empty()
        expect(page.locator("#login")).to_have_value("anna")
        expect(page.locator("#password")).to_be_focused()
        sign_in(page, "anna")
        expect(page.locator("h1")).to_have_text("Documents")
        expect(page.locator("#drop")).to_have_count(0)
        page.goto("/ask")
        ask(page, "How do I repair a bicycle tyre?")
        conversation = page.url
        page.get_by_role("button", name="Sign out").click()
        expect(page.locator("main.sign-in")).to_be_visible()
        page.goto(conversation)
        sign_in(page, "boris")
        expect(page.locator("h1")).to_have_text("Nothing here")
        page.goto("/inbox?kind=declined")
        expect(page.locator(".case h3").first).to_contain_text("anna")


def test_over_plain_http_the_page_works_under_any_name_and_another_site_changes_nothing(
    browser: Browser, guarded: Desk
) -> None:
    """There the browser sends no `Sec-Fetch-Site`, and what it says of the origin depends on the Referrer-Policy."""
    address = guarded.address.replace("127.0.0.1", "kb.test")
    with looking(browser, guarded) as page, served() as evil:
        page.goto(f"{address}/ask")
        sign_in(page, "anna")
        ask(page, "How do I repair a bicycle tyre?")
        conversation = page.url
        assert conversation.startswith(address)
        page.goto(f"{address}/conversations")
        page.locator("[data-item]").get_by_text("Rename").click()
        page.locator("[data-item] input[name=title]").fill("Tyres")
        page.locator("[data-item]").get_by_role("button", name="Save").click()
        expect(page.locator("[data-item]")).to_contain_text("Tyres")
        evil.pages["/"] = (
            f"<form method=post action='{conversation}/remove'></form><script>document.forms[0].submit()</script>"
        )
        with page.expect_response(f"{conversation}/remove") as sent:
            page.goto(f"http://evil.test:{evil.port}/")
        assert sent.value.status in (401, 403)
        page.goto(f"{address}/conversations")
        expect(page.locator("[data-item]")).to_contain_text("Tyres")
        page.get_by_role("button", name="Sign out").click()
        expect(page.locator("main.sign-in")).to_be_visible()
