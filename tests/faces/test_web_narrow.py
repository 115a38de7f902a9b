"""What a stranger met on the page: a case on a phone, the form of an approved answer, what a source says by now."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FloatRect, Locator, expect
from tests.faces.browser_desk import Desk, a_browser, desk, looking

from sourcebook import Sourcebook

PHONE = {"width": 390, "height": 844}
RULES = "# House rules\n\nSplash in the eye: rinse for 15 minutes at the eyewash by the door and ring 111.\n"
QUESTION = "What does one do about rinsing a tripod with chemicals?"
REPLY = "Rinse for 15 minutes at the eyewash by the door and ring 111."
CASES = 24


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with a_browser() as made:
        yield made


@pytest.fixture(scope="module")
def darkroom(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """Many questions wait, and the source of what an expert replied has changed."""
    folder = tmp_path_factory.mktemp("narrow")
    rules = folder / "documents" / "house-rules.md"
    rules.parent.mkdir()
    rules.write_text(RULES, "utf-8")
    with Sourcebook(folder / "base.db") as book:
        book.add(rules.parent)
        for number in range(CASES):
            book.ask(f"Which gearbox oil does pump {number} need?")
        asked = book.ask(QUESTION)
        book.moderation.answer_item(int(str(asked.details["draft_id"])), 1, REPLY, sources=[1])
        rules.write_text(RULES.replace("15", "20"), "utf-8")
        assert book.add(rules.parent).stale == 1
        book.keys.create("website")
    with desk(folder) as made:
        made.session = asked.session_id  # type: ignore[attr-defined]
        yield made


def box(found: Locator) -> FloatRect:
    shown = found.bounding_box()
    assert shown is not None
    return shown


def test_on_a_phone_a_tapped_case_is_what_one_sees(browser: Browser, darkroom: Desk) -> None:
    with looking(browser, darkroom, viewport=PHONE) as page:
        page.goto("/inbox")
        page.locator(".queue a").nth(CASES // 2).click()
        page.wait_for_url("**/inbox/*")
        expect(page.locator(".case .question")).to_be_in_viewport()
        expect(page.locator("#answer")).to_be_in_viewport()
        page.locator(".to-list").click()
        expect(page.locator(".queue a").first).to_be_in_viewport()
    with looking(browser, darkroom) as page:
        page.goto("/inbox")
        expect(page.locator(".to-list")).not_to_be_visible()
        queue, case = box(page.locator(".queue")), box(page.locator(".case"))
        assert queue["x"] + queue["width"] < case["x"]
        assert queue["y"] == case["y"]


def test_the_kinds_of_cases_are_tabs_and_the_one_that_is_shown_is_marked(
    browser: Browser, darkroom: Desk
) -> None:
    with looking(browser, darkroom) as page:
        page.goto("/inbox")
        current = page.locator(".kinds [aria-current=page]")
        expect(page.locator(".kinds a")).to_have_text(
            [f"All waiting {CASES + 1}", "Source changed 1", f"Unanswered {CASES}"]
        )
        expect(current).to_have_text(f"All waiting {CASES + 1}")
        page.locator(".kinds a", has_text="Unanswered").click()
        page.wait_for_url("**/inbox?kind=declined")
        expect(current).to_have_text(f"Unanswered {CASES}")
        page.keyboard.press("j")
        page.wait_for_url("**/inbox/*?kind=declined")
        expect(current).to_have_text(f"Unanswered {CASES}")


@pytest.mark.parametrize("is_phone", [True, False])
def test_what_was_done_is_told_in_room_of_its_own_and_touch_has_no_keys(
    browser: Browser, darkroom: Desk, is_phone: bool
) -> None:
    size = PHONE if is_phone else {"width": 1280, "height": 900}
    with looking(browser, darkroom, viewport=size, has_touch=is_phone, is_mobile=is_phone) as page:
        page.goto("/inbox?kind=declined")
        expect(page.locator("#decide kbd").first).to_be_visible(visible=not is_phone)
        page.goto("/inbox?kind=declined&done=approved")
        told, main, bar = page.locator(".toast"), page.locator("main"), page.locator(".bar-top")
        expect(told).to_have_text("Approved. It comes first from now on.")
        room = box(told)
        assert room["y"] + room["height"] <= box(main)["y"]
        assert not is_phone or box(bar)["y"] + box(bar)["height"] <= room["y"]
        page.mouse.wheel(0, 600)
        expect(told).not_to_be_in_viewport()


def test_a_case_has_one_line_above_it_and_one_below_the_way_to_the_list(
    browser: Browser, darkroom: Desk
) -> None:
    line = "e => getComputedStyle(e).borderTopWidth"
    for size, width in (({"width": 1440, "height": 900}, "0px"), (PHONE, "1px")):
        with looking(browser, darkroom, viewport=size) as page:
            page.goto("/inbox")
            assert page.locator(".case > .to-list + *").evaluate(line) == width


@pytest.mark.parametrize("width", [390, 1280])
def test_every_field_of_the_form_has_its_label_above_it_and_the_whole_width(
    browser: Browser, darkroom: Desk, width: int
) -> None:
    with looking(browser, darkroom, viewport={"width": width, "height": 844}) as page:
        page.goto("/curated")
        page.locator("summary", has_text="Edit").first.click()
        form = box(page.locator("form.editing"))
        assert form["x"] >= 0
        assert form["x"] + form["width"] <= width
        for label in page.locator("form.editing label").all():
            field = box(page.locator(f"[id={label.get_attribute('for')}]"))
            named = box(label)
            assert named["y"] + named["height"] <= field["y"]
            assert named["x"] == field["x"]
            assert field["width"] > 0.85 * form["width"]


@pytest.mark.parametrize("width", [320, 390, 1280])
@pytest.mark.parametrize("place", ["/conversations", "/documents", "/people", "/settings/access"])
def test_the_question_before_something_is_done_for_good_lies_on_the_page_and_beside_its_shelf(
    browser: Browser, darkroom: Desk, place: str, width: int
) -> None:
    with looking(browser, darkroom, viewport={"width": width, "height": 844}) as page:
        page.goto(place)
        if place in ("/documents", "/people"):
            page.locator("main table a").last.click()
        page.locator("details.inline summary").first.wait_for()
        for summary in page.locator("details.inline summary").all():
            summary.click()
            asked = box(page.locator("details.inline[open] > :not(summary)"))
            assert asked["x"] >= (240 if width > PHONE["width"] else 0)
            assert asked["x"] + asked["width"] <= width
            summary.click()


def test_a_reply_whose_source_has_changed_shows_the_new_words_and_no_seal_of_the_expert(
    browser: Browser, darkroom: Desk
) -> None:
    with looking(browser, darkroom, viewport=PHONE, reduced_motion="reduce") as page:
        page.goto(f"/ask/{darkroom.session}")  # type: ignore[attr-defined]
        reply = page.locator(".of-expert")
        expect(reply.locator(".seal")).to_have_text("A source has changed")
        expect(reply.locator(".notice ins")).to_have_text("20")
        expect(reply.locator(".notice del")).to_have_text("15")
        said = reply.locator(".answer .s").first
        expect(said).to_have_class("s gone on")
        colour = "e => getComputedStyle(e).backgroundColor"
        marked = said.evaluate(colour)
        said.evaluate("e => e.classList.remove('gone')")
        assert marked != said.evaluate(colour)


def test_the_banner_of_a_reply_stands_clear_of_what_is_above_it(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "one.md").write_text(RULES, "utf-8")
    with Sourcebook(tmp_path / "base.db") as book:
        book.add(tmp_path / "one.md")
        asked = [book.ask(question) for question in ("Which oil does it need?", "Which tyre does it need?")]
        book.moderation.answer_item(int(str(asked[0].details["draft_id"])), 1, "Any oil.")
    with desk(tmp_path) as made, looking(browser, made, viewport=PHONE) as page:
        page.goto(f"/ask/{asked[1].session_id}")
        top = box(page.locator(".bar-top"))
        assert box(page.locator(".replied-bar"))["y"] >= top["y"] + top["height"] + 8


def test_the_number_of_documents_follows_what_was_uploaded(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "one.md").write_text(RULES, "utf-8")
    with Sourcebook(tmp_path / "base.db") as book:
        book.add(tmp_path / "one.md")
    with desk(tmp_path) as made, looking(browser, made) as page:
        page.goto("/documents")
        expect(page.locator(".foot p").first).to_have_text("1 document")
        page.set_input_files(
            "#files", [{"name": "two.md", "mimeType": "text/markdown", "buffer": b"# Two\n\nTwo."}]
        )
        expect(page.locator(".foot p").first).to_have_text("2 documents")


def test_on_paper_a_source_stands_on_one_line_and_answers_follow_each_other(
    browser: Browser, darkroom: Desk
) -> None:
    with looking(browser, darkroom, viewport={"width": 700, "height": 900}) as page:
        page.goto(f"/ask/{darkroom.session}")  # type: ignore[attr-defined]
        page.emulate_media(media="print")
        expect(page.locator(".asker")).to_be_hidden()
        expect(page.locator(".replied-bar")).to_be_hidden()
        title, file = (box(page.locator(f".sources {each}").first) for each in (".source-title", ".file"))
        assert file["x"] > title["x"]
        assert file["y"] < title["y"] + title["height"]
        last = page.locator("#last")
        assert last.evaluate("e => getComputedStyle(e).minHeight") in ("0px", "auto")
