"""Whatever people, files and models write: in the browser nothing of it runs, and nothing is fetched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from tests.faces.browser_desk import Desk, a_browser, ask, desk
from tests.security.page_payloads import PAYLOADS

from sourcebook import Sourcebook
from sourcebook.testing.fakes import ScriptedChatModel

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from sourcebook.model.documents import WriteReport
    from sourcebook.ports.chat import PromptMessage

PART = 20


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with a_browser() as made:
        yield made


class Parrot:
    """A model that obeys: it writes a part of the payloads at every question, and cites what it was given."""

    def __init__(self) -> None:
        self._at = 0

    def write(self, messages: Sequence[PromptMessage]) -> list[str]:
        part = PAYLOADS[self._at : self._at + PART]
        self._at = (self._at + PART) % len(PAYLOADS)
        return [f"Wasps leave the loft {payload} [1].\n\n" for payload in part]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A base in which every text that somebody can fill in is a payload."""
    folder = tmp_path_factory.mktemp("hostile")
    with Sourcebook(folder / "base.db") as book:
        documents = [_document(book, number, payload) for number, payload in enumerate(PAYLOADS)]
        assert len({each.document_id for each in documents}) == len(PAYLOADS)
        for number, payload in enumerate(PAYLOADS):
            book.terminology.add(f"{payload} {number}", payload, description=payload)
            book.people.create_user(username=f"u{number}", first_name=payload, last_name=payload)
            book.conversations.create(title=payload)
            if number % 4 == 0:  # one of each place where code may stand
                draft = book.moderation.call_human(f"{payload} {number}", details={"passages": []})
                if number % 8 == 0:
                    book.moderation.answer_item(draft.id, 1, payload, category=payload[:50])
                book.keys.create(payload[:90])
                book.upload(
                    f"{payload} {number}.md", f"{payload} {number}".encode(), id=f"{payload} {number}"
                )
        for number, entry in enumerate(book.curated.all()):
            book.curated.add_wording(entry.id, f"{PAYLOADS[number]} another way {number}")
    chat = ScriptedChatModel(write=Parrot().write)
    with desk(folder, chat) as made:
        yield made


def _document(book: Sourcebook, number: int, payload: str) -> WriteReport:
    text = f"# {payload}\n\nWasps leave the loft after {number} nights. {payload}\n\n{payload}\n"
    return book.add_text(
        text, id=f"{payload} {number}.md", title=payload, category=payload[:60], metadata={"x": payload}
    )


class Witness:
    """Sees what a page does that it should not."""

    def __init__(self, page: Page, own: str) -> None:
        self.seen: list[str] = []
        page.on("dialog", self._dialog)
        page.on("request", lambda request: self._request(request.url, own))
        page.add_init_script(
            "addEventListener('securitypolicyviolation', (seen) => {"
            " window.stopped = `${seen.violatedDirective} ${seen.blockedURI}`; })"
        )

    def _dialog(self, dialog: Any) -> None:
        self.seen.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _request(self, url: str, own: str) -> None:
        if not url.startswith((own, "data:image/")):
            self.seen.append(f"request: {url}")

    def check(self, page: Page, where: str) -> None:
        if page.evaluate("window.ran"):
            self.seen.append(f"ran at {where}")
        # What the policy had to stop got further than text may.
        if stopped := page.evaluate("window.stopped"):
            self.seen.append(f"stopped at {where}: {stopped}")


def test_enough_is_tried() -> None:
    assert len(set(PAYLOADS)) >= 200


def test_nothing_runs_and_nothing_is_fetched_on_any_page(browser: Browser, hostile: Desk) -> None:
    context = browser.new_context(base_url=hostile.address)
    page = context.new_page()
    page.set_default_timeout(180_000)
    witness = Witness(page, hostile.address)
    places = [
        "/documents",
        "/documents?state=failed",
        "/uploads",
        "/settings/access",
        "/curated?state=wordings",
        "/conversations?find=wasps",
        "/conversations",
        "/terms",
        "/people",
        "/people/7",
        "/curated",
        "/inbox",
        "/inbox/gaps",
        "/inbox/digest",
        "/search?q=wasps+loft",
        "/quality",
        "/health",
        "/settings",
        *(f"/documents?find={quote(payload)}&state={quote(payload)}" for payload in PAYLOADS[::23]),
        *(f"/conversations?find={quote(payload)}" for payload in PAYLOADS[::40]),
        *(f"/search?q={quote(payload)}&category={quote(payload)}" for payload in PAYLOADS[::23]),
        *(f"/ask?done={quote(payload)}" for payload in PAYLOADS[::40]),
        *(f"/{quote(payload, safe='')}" for payload in PAYLOADS[::40]),
    ]
    for place in places:
        page.goto(place)
        witness.check(page, place)
    page.goto("/documents")
    addresses = page.eval_on_selector_all("[data-open]", "links => links.map((link) => link.href)")
    assert len(addresses) == 100
    for address in addresses[::10]:
        page.goto(f"{address}?start=0&end=300#quote")
        witness.check(page, address)
    page.goto("/inbox")
    cases = page.eval_on_selector_all(".queue a", "links => links.map((link) => link.href)")
    for address in cases[::4]:
        page.goto(address)
        witness.check(page, address)
    context.close()
    assert witness.seen == []


def test_nothing_in_an_answer_runs_while_it_is_written_or_when_it_is_read_again(
    browser: Browser, hostile: Desk
) -> None:
    context = browser.new_context(base_url=hostile.address)
    page = context.new_page()
    page.set_default_timeout(180_000)
    witness = Witness(page, hostile.address)
    page.goto("/ask")
    for number in range(-(-len(PAYLOADS) // PART)):
        ask(page, f"When do wasps leave the loft? {PAYLOADS[number]}")
        witness.check(page, f"answer {number}")
    links = page.eval_on_selector_all(".answer a", "all => all.map((link) => link.getAttribute('href'))")
    assert all(link.startswith("/ask/") for link in links)
    page.reload()
    witness.check(page, "the conversation")
    for reference in page.locator(".sources .ref").all()[:5]:
        reference.click()
        page.wait_for_selector("#leaf header")
        witness.check(page, "a source")
    context.close()
    assert witness.seen == []


def test_an_error_that_names_what_was_sent_is_text(browser: Browser, tmp_path: Path) -> None:
    with desk(tmp_path) as made:
        context = browser.new_context(base_url=made.address)
        page = context.new_page()
        page.set_default_timeout(180_000)
        witness = Witness(page, made.address)
        for payload in PAYLOADS[::20]:
            page.goto(f"/documents/{quote(payload, safe='')}/{quote(payload, safe='')}")
            witness.check(page, payload)
            page.goto(f"/ask/{quote(payload, safe='')}")
            witness.check(page, payload)
        context.close()
        assert witness.seen == []
