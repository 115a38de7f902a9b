"""Quality in a real browser: measuring, the curve of the threshold, comparing models; replies that are noticed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.faces.browser_desk import PERSON, Desk, People, a_browser, ask, desk, fill, looking, person

from sourcebook import Sourcebook
from sourcebook.faces.sample_library import sample_folder
from sourcebook.model.people import UserRole

QUESTION = "How do I repair a bicycle tyre?"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with a_browser() as made:
        yield made


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("sample")
    with Sourcebook(folder / "base.db") as book:
        book.add(sample_folder())
    with desk(folder) as made:
        yield made


def test_search_and_threshold_are_measured_drawn_and_kept(browser: Browser, sample: Desk) -> None:
    with looking(browser, sample) as page:
        page.goto("/quality")
        expect(page.locator(".figures .about")).to_have_count(page.locator(".figures dt").count())
        page.get_by_role("button", name="Measure now").click()
        expect(page.locator(".toast")).to_have_text("Measured.")
        expect(page.locator("main")).to_contain_text(re.compile(r"\d+ % of the right documents"))
        page.get_by_role("button", name="Check the threshold").click()
        expect(page.locator(".toast")).to_have_text("Measured.")
        curve = page.get_by_role("img", name="What the threshold does")
        expect(curve.locator("polyline")).to_have_count(2)
        expect(curve.locator("line.mark.now")).to_have_count(1)
        expect(curve).to_contain_text("declines more")
        page.goto("/quality")
        expect(curve).to_be_visible()
        assert "sourcebook " not in page.locator("main").inner_text()


@pytest.mark.parametrize(
    ("locale", "nothing", "few"),
    [
        ("en", "nothing to measure with yet", "0 of 10 approved and 0 of 10 rejected"),
        ("ru", "Мерить пока не на чем", "одобрено 0 из 10, отклонено 0 из 10"),
        ("pt", "não há com que medir", "0 de 10 aprovadas e 0 de 10 rejeitadas"),
    ],
)
def test_what_cannot_be_measured_says_what_is_missing(
    browser: Browser, tmp_path: Path, locale: str, nothing: str, few: str
) -> None:
    fill(tmp_path)
    with (
        desk(tmp_path) as made,
        looking(browser, made, locale=locale, viewport={"width": 1280, "height": 900}) as page,
    ):
        page.goto("/quality")
        page.wait_for_load_state("load")
        for action in ("measure", "calibrate", "compare"):
            for button in page.locator(f"form[action='/quality/{action}'] button").all():
                expect(button).to_be_disabled()
        expect(page.locator("#nothing-to-measure")).to_contain_text(nothing)
        expect(page.locator("#too-few")).to_contain_text(few)
        tops = {round(each.bounding_box()["y"]) for each in page.locator(".figures > div").all()}  # type: ignore[index]
        assert len(tops) == 1
        # Sent from a page that was opened earlier, it leads to the same words.
        for action in ("measure", "calibrate"):
            page.locator(f"form[action='/quality/{action}']").evaluate("(form) => form.submit()")
            page.wait_for_url("**/quality#*")
            expect(page.locator("#nothing-to-measure")).to_be_visible()
            expect(page.locator("#too-few")).to_be_visible()
            page.goto("/quality")
        page.locator("#nothing-to-measure a").click()
        page.wait_for_url("**/inbox?kind=answer")


def test_installed_models_are_compared_beside_the_requests(browser: Browser, tmp_path: Path) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "soil.md").write_text(
        "# Soil\n\nSulphur lowers the pH of sandy soil, 20 g a metre.\n", "utf-8"
    )
    (documents / "tyres.md").write_text("# Tyres\n\nA tyre is patched with glue and rubber.\n", "utf-8")
    with Sourcebook(tmp_path / "base.db") as book:
        book.add(documents)
        answer = book.ask("How much sulphur lowers the pH of sandy soil?")
        book.moderation.approve_moderation_item(int(str(answer.details["draft_id"])), 1)
    with desk(tmp_path) as made, looking(browser, made) as page:
        page.goto("/quality")
        if page.locator("#comparison input[type=checkbox]").count() < 2:
            pytest.skip("only one search model is installed here")
        page.get_by_role("button", name="Compare them").click()
        table = page.locator("#comparison table")
        expect(table.locator("tbody tr")).to_have_count(2, timeout=180_000)
        expect(table).to_contain_text("the one compared with")
        expect(table).to_contain_text("no difference to speak of")


def test_an_experts_reply_is_marked_until_it_is_read(browser: Browser, tmp_path: Path) -> None:
    fill(tmp_path)
    with Sourcebook(tmp_path / "base.db") as book:
        anna = book.people.create_user(username="anna").id
    gate = People(anna=person(anna, UserRole.USER, "anna"), expert=person(1, UserRole.ADMIN, "expert"))
    with (
        desk(tmp_path, gate=gate) as made,
        looking(browser, made, extra_http_headers={PERSON: "anna"}) as page,
    ):
        page.goto("/ask")
        ask(page, QUESTION)
        with looking(browser, made, extra_http_headers={PERSON: "expert"}) as expert:
            expert.goto("/inbox")
            expert.fill("#answer", "Ask in the shop next door.")
            expert.get_by_role("button", name="Answer once").click()
            expect(expert.locator(".toast")).to_contain_text("reply")
            expert.goto("/ask")
            expect(expert.locator(".replied-bar")).to_have_count(0)
        page.goto("/documents")
        expect(page.locator("#shelf .count.replied")).to_have_text("1")
        page.goto("/ask")
        page.locator(".replied-bar a").click()
        expect(page.locator(".of-expert .answer")).to_contain_text("shop next door")
        expect(page.locator("#shelf .replied")).to_have_count(0)
        page.goto("/ask")
        expect(page.locator(".replied-bar")).to_have_count(0)


def test_a_russian_page_tells_of_errors_in_russian(browser: Browser, sample: Desk, tmp_path: Path) -> None:
    broken, strange = tmp_path / "broken.pdf", tmp_path / "strange.so"
    broken.write_bytes(b"%PDF-1.7 and then nothing")
    strange.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(200))
    with looking(browser, sample, locale="ru") as page:
        page.goto("/documents")
        page.set_input_files("#files", [broken, strange])
        told = page.locator("#incoming li", has_text="strange.so").locator(".told")
        expect(told).to_contain_text("Сохраните его в виде, который читается")
        told = page.locator("#incoming li", has_text="broken.pdf").locator(".told")
        expect(told).to_contain_text("Файл повреждён")
        page.goto("/ask")
        page.fill("#question", "спасибо")
        page.keyboard.press("Enter")
        expect(page.locator("#last .answer")).to_contain_text("Будут ещё вопросы")
