"""The loop in a real browser: a decline, an expert's reply, an approved answer, an edited file, and its difference."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.faces.browser_desk import PERSON, People, a_browser, ask, desk, fill, looking, person

from sourcebook import Sourcebook
from sourcebook.model.people import UserRole

QUESTION = "How do I repair a bicycle tyre?"
REPLY = "Sandy soil is no help with tyres. Ask in the shop next door."


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with a_browser() as made:
        yield made


def test_what_nobody_could_answer_becomes_an_answer_that_knows_when_it_is_stale(
    browser: Browser, tmp_path: Path
) -> None:
    go_round_the_loop(browser, tmp_path, str(tmp_path / "base.db"))


def go_round_the_loop(browser: Browser, tmp_path: Path, db: str) -> None:
    documents = fill(tmp_path, db)
    with desk(tmp_path, db=db) as made, looking(browser, made) as page:
        page.goto("/ask")
        ask(page, QUESTION)
        conversation = page.url
        page.goto("/inbox")
        expect(page.locator("#shelf .count")).to_have_text("1")
        reply_by_keyboard(page)
        page.goto(conversation)
        expect(page.locator(".of-expert .answer")).to_contain_text("Ask in the shop next door")
        expect(page.locator(".of-expert .seal")).to_have_text("From the expert, not from the documents")

        page.goto("/ask")
        ask(page, QUESTION)
        expect(page.locator("#last .seal")).to_have_text("From the expert, not from the documents")
        expect(page.locator("#last .verdict-note")).to_contain_text("Approved by you")

        approve_an_answer(page)
        soil = documents / "blueberry" / "acid-soil.md"
        soil.write_text(soil.read_text("utf-8").replace("about 20 g", "about 35 g"), "utf-8")
        made.stop()
        with Sourcebook(db) as book:
            assert book.add(documents).stale == 1
        made.start()

        page.goto("/inbox")
        expect(page.locator(".queue a[aria-current]")).to_contain_text("Source changed")
        expect(page.locator(".diff del").first).to_have_text("20")
        expect(page.locator(".diff ins").first).to_have_text("35")
        page.goto("/ask")
        ask(page, "How much sulphur lowers the pH of sandy soil?")
        expect(page.locator("#last .notice.changed")).to_contain_text(
            "A source of the approved answer has changed"
        )
        page.locator("#last .notice.changed summary").click()
        expect(page.locator("#last .diff ins").first).to_have_text("35")

        page.goto("/inbox")
        written = f"{page.input_value('#answer')} "
        page.fill("#answer", written)
        page.locator("#decide button", has_text="Approve").first.click()
        expect(page.get_by_role("alert")).to_contain_text("no longer say this")
        expect(page.get_by_role("alert")).not_to_contain_text("--force")
        expect(page.get_by_role("alert").get_by_role("button")).to_have_text("Approve it all the same")
        expect(page.locator("#answer")).to_have_value(written)
        page.get_by_role("link", name="Put the new words into the answer").click()
        expect(page.locator("#answer")).to_have_value(written.strip().replace("20 g", "35 g"))
        page.locator("#decide button[data-key=a]").click()
        expect(page.locator(".toast")).to_contain_text("Approved")


def reply_by_keyboard(page: Page) -> None:
    page.goto("/inbox?kind=declined")
    expect(page.locator(".case .question")).to_have_text(QUESTION)
    page.keyboard.press("e")
    page.keyboard.type(REPLY)
    page.keyboard.press("Control+Enter")
    expect(page.locator(".toast")).to_contain_text("Approved")
    expect(page.locator(".toast")).to_contain_text("No source was found")


def approve_an_answer(page: Page) -> None:
    page.goto("/ask")
    ask(page, "How much sulphur lowers the pH of sandy soil?")
    page.goto("/inbox")
    expect(page.locator("#shelf .count")).to_have_count(0)
    expect(page.locator("main .empty")).to_contain_text("Nothing is waiting")
    page.get_by_role("link", name="To approve").click()
    expect(page.locator("#answer")).to_contain_text("20 g per square metre")
    page.locator("#case").focus()
    page.keyboard.press("a")
    expect(page.locator(".toast")).to_contain_text("Approved")
    expect(page.locator(".toast")).not_to_contain_text("No source")


def test_two_people_do_not_see_each_others_things(browser: Browser, tmp_path: Path) -> None:
    fill(tmp_path)
    with Sourcebook(tmp_path / "base.db") as book:
        anna = book.people.create_user(username="anna").id
        boris = book.people.create_user(username="boris").id
    gate = People(
        anna=person(anna, UserRole.USER, "anna"),
        boris=person(boris, UserRole.USER, "boris"),
        outsider=person(boris, UserRole.ADMIN, "outsider", "another"),
        expert=person(1, UserRole.ADMIN, "expert"),
    )
    with desk(tmp_path, gate=gate) as made:
        with looking(browser, made, extra_http_headers={PERSON: "anna"}) as page:
            page.goto("/ask")
            ask(page, QUESTION)
            conversation = page.url
            page.goto("/inbox")
            expect(page.locator("h1")).to_have_text("That did not work")
        with looking(browser, made, extra_http_headers={PERSON: "boris"}) as page:
            page.goto(conversation)
            expect(page.locator("h1")).to_have_text("Nothing here")
            page.goto("/conversations")
            assert QUESTION not in page.content()
        with looking(browser, made, extra_http_headers={PERSON: "outsider"}) as page:
            for place in ("/inbox", "/inbox/gaps", "/curated"):
                page.goto(place)
                assert QUESTION not in page.content(), place
            for place in ("/people", "/settings", "/health", "/quality"):
                page.goto(place)
                expect(page.locator("h1")).to_have_text("That did not work")
            page.goto("/documents?collection=default")
            expect(page.locator("h1")).to_have_text("Nothing here")
        with looking(browser, made, extra_http_headers={PERSON: "expert"}) as page:
            page.goto("/inbox?kind=declined")
            expect(page.locator(".case h3").first).to_contain_text("anna")
            page.fill("#answer", REPLY)
            page.get_by_role("button", name="Answer once").click()
            expect(page.locator(".toast")).to_contain_text("reply")
        with looking(browser, made, extra_http_headers={PERSON: "anna"}) as page:
            page.goto(conversation)
            expect(page.locator(".of-expert .answer")).to_contain_text("shop next door")
