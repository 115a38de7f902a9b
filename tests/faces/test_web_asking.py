"""Asking in a real browser: the first minutes, an answer with its source, keys, phones, languages, a lost server."""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from anyio import to_thread
from playwright.sync_api import Browser, expect
from tests.faces.browser_desk import Desk, a_browser, ask, desk, fill, looking

if TYPE_CHECKING:
    from sourcebook.ports.chat import PromptMessage

SULPHUR = "How much sulphur lowers the pH of sandy soil?"
BICYCLE = "How do I repair a bicycle tyre?"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with a_browser() as made:
        yield made


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Desk]:
    """A server whose base got the sample library by the button of the first run."""
    with desk(tmp_path_factory.mktemp("library")) as made:
        with looking(browser, made) as page:
            page.goto("/")
            expect(page.get_by_role("heading", name="Give it something to read")).to_be_visible()
            page.get_by_role("button", name="Try the sample library").click(no_wait_after=True)
            page.wait_for_selector("#asker", timeout=400_000)
        yield made


def test_the_first_run_leads_to_an_answer(browser: Browser, library: Desk) -> None:
    with looking(browser, library) as page:
        page.goto("/ask")
        expect(page.locator(".foot")).to_contain_text("28 documents")
        ask(page, SULPHUR)
        expect(page.locator("#last .answer")).to_contain_text("20 g per square metre")
        expect(page.locator("#last .seal")).to_have_text("From your documents")


def test_the_source_lies_beside_the_answer_with_its_quote_marked(browser: Browser, library: Desk) -> None:
    with looking(browser, library) as page:
        page.goto("/ask")
        ask(page, SULPHUR)
        expect(page.locator("#leaf h2")).to_contain_text("acid soil", ignore_case=True)
        assert "20 g per square metre" in " ".join(page.locator("#leaf mark").all_inner_texts())


def test_a_number_marks_what_it_supports(browser: Browser, library: Desk) -> None:
    with looking(browser, library) as page:
        page.goto("/ask")
        ask(page, SULPHUR)
        page.mouse.move(0, 0)
        page.locator("#last .answer .ref").first.hover()
        assert page.locator("#last .answer .on:not(.ref)").count() > 0
        assert page.locator("#leaf mark.on").count() > 0


def test_a_decline_is_calm_and_goes_to_the_expert(browser: Browser, library: Desk) -> None:
    with looking(browser, library) as page:
        page.goto("/ask")
        ask(page, BICYCLE)
        expect(page.locator("#last .seal")).to_have_text("Not in the base")
        expect(page.locator("#last .waits")).to_contain_text("An expert has this question")
        page.get_by_role("button", name="Withdraw it").click()
        expect(page.locator(".toast")).to_contain_text("withdrawn")
        expect(page.get_by_role("button", name="Ask the expert")).to_be_visible()


def test_a_decline_has_no_source_beside_it(browser: Browser, library: Desk) -> None:
    with looking(browser, library) as page:
        page.goto("/ask")
        ask(page, SULPHUR)
        expect(page.locator("#leaf mark").first).to_be_visible()
        ask(page, BICYCLE)
        expect(page.locator("#leaf")).to_contain_text("appears here")
        page.reload()
        expect(page.locator("#leaf")).to_contain_text("appears here")
        page.locator(".turn .answer .ref").first.click()
        expect(page.locator("#leaf mark").first).to_be_visible()


def test_a_greeting_is_greeted_in_its_language_and_leaves_the_box_empty(
    browser: Browser, library: Desk
) -> None:
    with looking(browser, library) as page:
        page.goto("/ask")
        page.wait_for_load_state("load")
        page.fill("#question", "olá")
        page.keyboard.press("Enter")
        expect(page.locator("#last .answer")).to_contain_text("Faça uma pergunta com as suas palavras")
        expect(page.locator("#last .notice")).to_have_count(0)
        expect(page.locator("#question")).to_have_value("")


def test_why_shows_what_was_found_and_thrown_away(browser: Browser, library: Desk) -> None:
    with looking(browser, library) as page:
        page.goto("/ask")
        ask(page, SULPHUR)
        page.locator("#last").get_by_role("button", name="Why?").click()
        drawn = page.locator("#last .why")
        expect(drawn).to_contain_text("passages found")
        assert drawn.locator(".taken svg").count() >= 1
        assert drawn.locator(".left svg").count() >= 1


def test_why_cuts_no_words(browser: Browser, library: Desk) -> None:
    for width in (390, 1280):
        with looking(browser, library, viewport={"width": width, "height": 844}) as page:
            page.goto("/ask")
            ask(page, "How much sulphur lowers the pH of sandy soil?")
            page.get_by_role("button", name="Why?").click()
            cut = page.evaluate(
                "() => [...document.querySelectorAll('.why .bars span')]"
                ".filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.textContent)"
            )
            assert not cut


def test_everything_can_be_done_with_the_keyboard(browser: Browser, library: Desk) -> None:
    with looking(browser, library) as page:
        page.goto("/ask")
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("/")
        page.keyboard.type(SULPHUR)
        page.keyboard.press("Enter")
        page.wait_for_selector("#last:not([aria-busy]) .verdict")
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("1")
        assert page.evaluate("document.activeElement.classList.contains('ref')")
        page.keyboard.press("?")
        expect(page.locator("#keys")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("#keys")).to_be_hidden()


def test_on_a_phone_the_source_comes_from_below(browser: Browser, library: Desk) -> None:
    with looking(browser, library, viewport={"width": 320, "height": 640}, has_touch=True) as page:
        page.goto("/ask")
        ask(page, SULPHUR)
        expect(page.locator("#leaf")).to_be_hidden()
        page.locator("#last .answer .ref").first.tap()
        expect(page.locator("#leaf")).to_be_visible()
        page.locator("#leaf [data-close-leaf]").tap()
        expect(page.locator("#leaf")).to_be_hidden()
        assert page.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.parametrize(
    ("locale", "button", "theme"), [("ru-RU", "Спросить", "Тёмное"), ("pt-BR", "Perguntar", "Escuro")]
)
def test_the_page_speaks_the_language_of_the_browser(
    browser: Browser, library: Desk, locale: str, button: str, theme: str
) -> None:
    with looking(browser, library, locale=locale) as page:
        page.goto("/ask")
        expect(page.locator("#asker button")).to_have_text(button)
        page.get_by_role("button", name=theme).click()
        expect(page.locator("html")).to_have_attribute("data-theme", "dark")
        page.get_by_role("button", name="English").click()
        expect(page.locator("#asker button")).to_have_text("Ask")
        expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_without_scripts_the_answer_is_a_page(browser: Browser, library: Desk) -> None:
    with looking(browser, library, java_script_enabled=False) as page:
        page.goto("/ask")
        page.fill("#question", SULPHUR)
        page.locator("#asker button").click()
        expect(page.locator("#last .answer")).to_contain_text("20 g per square metre")
        page.locator("#last .sources .ref").first.click()
        expect(page.locator("#leaf mark").first).to_be_visible()


def test_a_conversation_is_renamed_found_exported_and_deleted(browser: Browser, library: Desk) -> None:
    with looking(browser, library) as page:
        page.goto("/ask")
        ask(page, "When do I plant strawberries?")
        page.goto("/conversations")
        row = page.locator("[data-item]", has_text="When do I plant strawberries?").first
        row.get_by_text("Rename").click()
        row.locator("input[name=title]").fill("Strawberry plans")
        row.get_by_role("button", name="Save").click()
        page.fill("#find", "plans")
        page.keyboard.press("Enter")
        expect(page.locator("[data-item]")).to_have_count(1)
        with page.expect_download() as download:
            page.locator("[data-item]").get_by_role("link", name="Export").click()
        assert "When do I plant strawberries?" in Path(download.value.path()).read_text("utf-8")
        page.locator("[data-item] summary", has_text="Delete").click()
        page.locator("[data-item]").get_by_role("button", name="Delete").click()
        expect(page.locator(".toast")).to_have_text("Deleted.")


class WaitingModel:
    """A chat model that writes one word, waits until it may go on, and then says the rest."""

    name = "waiting"

    def __init__(self) -> None:
        self.began = threading.Event()
        self.may_go_on = threading.Event()

    async def stream(self, messages: Sequence[PromptMessage]) -> AsyncGenerator[str, None]:
        yield "Sandy "
        self.began.set()
        await to_thread.run_sync(self.may_go_on.wait, abandon_on_cancel=True)
        yield "soil needs about 20 g per square metre to fall by half a pH unit [1]."


def test_a_server_that_goes_away_in_the_middle_is_asked_again_when_it_is_back(
    browser: Browser, tmp_path: Path
) -> None:
    model = WaitingModel()
    fill(tmp_path)
    with desk(tmp_path, model) as made, looking(browser, made) as page:
        page.goto("/ask")
        page.fill("#question", SULPHUR)
        page.keyboard.press("Enter")
        expect(page.locator("#last .answer")).to_contain_text("Sandy")
        assert model.began.wait(90)
        made.stop()
        expect(page.locator("#last .progress")).to_contain_text("Your question is kept")
        model.may_go_on.set()
        made.start()
        page.wait_for_selector("#last:not([aria-busy]) .verdict")
        expect(page.locator("#last .answer")).to_contain_text("20 g per square metre")
        expect(page.locator(".turn")).to_have_count(1)


def test_what_a_model_wrote_is_graded_sentence_by_sentence(browser: Browser, tmp_path: Path) -> None:
    model = WaitingModel()
    model.may_go_on.set()
    fill(tmp_path)
    with desk(tmp_path, model) as made, looking(browser, made) as page:
        page.goto("/ask")
        ask(page, SULPHUR)
        expect(page.locator("#last .verdict-note")).to_have_text("1 of 1 sentence checked against its source")
