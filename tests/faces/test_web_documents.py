"""Documents in a real browser: bringing files, what becomes of them, a page as a picture, hiding and removing."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from fpdf import FPDF
from PIL import Image
from playwright.sync_api import Browser, Page, expect
from tests.faces.browser_desk import Desk, a_browser, ask, desk, looking

from sourcebook import Sourcebook
from sourcebook.faces.sample_library import sample_folder

HANDBOOK = "blueberry/growers-handbook.pdf"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with a_browser() as made:
        yield made


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with desk(tmp_path_factory.mktemp("documents")) as made:
        yield made


def test_a_pdf_that_was_dropped_is_asked_and_its_page_is_shown(browser: Browser, empty: Desk) -> None:
    with looking(browser, empty) as page:
        page.goto("/documents")
        page.set_input_files("#files", sample_folder() / HANDBOOK)
        expect(page.locator("#incoming .seal")).to_have_text("Added")
        expect(page.locator("main table")).to_contain_text("The blueberry grower's handbook")
        page.goto("/ask")
        ask(page, "How much sulphur does sand take to lower the pH by half a unit?")
        expect(page.locator("#last .sources")).to_contain_text("p. ")
        picture = page.locator("#leaf [data-picture]")
        picture.scroll_into_view_if_needed()
        picture.evaluate("image => image.decode()")
        assert picture.evaluate("image => image.naturalWidth") > 400
        page.locator("#leaf").get_by_role("link", name="Open the whole document").click()
        expect(page.locator("#quote")).to_be_in_viewport()


def two_columns() -> bytes:
    """A page in two columns. What is asked about stands in the right one."""
    pdf = FPDF()
    pdf.add_page()
    pdf.set_font("Helvetica", size=11)
    left = "The north shed holds spades, rakes and a barrow with a flat wheel. " * 24
    right = "The badger comes at dusk and digs under the third fence post. "
    with pdf.text_columns(ncols=2, gutter=12) as columns:
        columns.write(left)
        columns.new_column()
        columns.write(right + "Nothing else is kept in the south shed at this time of the year. " * 12)
    return bytes(pdf.output())


def test_the_quote_is_marked_in_its_column_on_the_picture_of_the_page(
    browser: Browser, empty: Desk, tmp_path: Path
) -> None:
    file = tmp_path / "sheds.pdf"
    file.write_bytes(two_columns())
    with looking(browser, empty) as page:
        page.goto("/documents")
        page.set_input_files("#files", file)
        expect(page.locator("#incoming .seal")).to_have_text("Added")
        page.goto("/ask")
        ask(page, "When does the badger come and dig under the fence post?")
        expect(page.locator("#leaf mark").first).to_contain_text("badger")
        address = page.locator("#leaf [data-picture]").get_attribute("src")
        assert address is not None
        picture = Image.open(io.BytesIO(page.request.get(address).body())).convert("RGB")
    yellow = [
        (x, y)
        for x in range(0, picture.width, 2)
        for y in range(0, picture.height, 2)
        if is_yellow(cast("tuple[int, int, int]", picture.getpixel((x, y))))
    ]
    assert yellow
    assert min(x for x, _ in yellow) > picture.width / 2
    assert max(y for _, y in yellow) < picture.height / 4


def is_yellow(colour: tuple[int, int, int]) -> bool:
    red, green, blue = colour
    return red > 200 and green > 200 and blue < 150


def test_a_file_that_cannot_be_read_says_why_and_keeps_out_no_other(
    browser: Browser, empty: Desk, tmp_path: Path
) -> None:
    broken, sound = tmp_path / "broken.pdf", tmp_path / "prices.md"
    broken.write_bytes(b"%PDF-1.7 and then nothing")
    sound.write_text("# Prices\n\nA bush of blueberry costs nine pounds.\n", "utf-8")
    with looking(browser, empty) as page:
        page.goto("/documents")
        page.set_input_files("#files", [broken, sound])
        expect(page.locator("#incoming li", has_text="prices.md").locator(".seal")).to_have_text("Added")
        refused = page.locator("#incoming li", has_text="broken.pdf")
        expect(refused.locator(".seal")).to_have_text("Not added")
        assert len(refused.locator(".told").inner_text()) > 10
        name, reason = (refused.locator(each).bounding_box() for each in (".incoming-name", ".told"))
        assert name is not None
        assert reason is not None
        assert reason["y"] >= name["y"] + name["height"], "why stands below the name"
        strange = tmp_path / "strange.so"
        strange.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(200))
        page.set_input_files("#files", [strange])
        told = page.locator("#incoming li", has_text="strange.so").locator(".told")
        expect(told).to_contain_text("Save it as another kind")
        assert "`" not in told.inner_text()
        page.goto("/documents")
        sound_ones = page.locator("main table .seal.checked").count()
        expect(page.locator(".lead")).to_contain_text(f"{sound_ones} document")
        expect(page.locator(".lead")).to_contain_text("1 could not be read")
        page.set_input_files("#files", [broken])
        expect(refused.last.locator(".seal")).to_have_text("Not added")
        expect(refused.last.locator(".told")).to_contain_text("still could not be read")
        page.goto("/health")
        figures = page.locator(".figures")
        expect(figures.locator("div", has=page.get_by_text("Documents", exact=True))).to_contain_text(
            str(sound_ones)
        )
        expect(figures.locator("div", has=page.get_by_text("Not read", exact=True))).to_contain_text("1")


def test_files_can_be_brought_without_scripts(browser: Browser, empty: Desk, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("The shed key hangs behind the door of the greenhouse.\n", "utf-8")
    with looking(browser, empty, java_script_enabled=False) as page:
        page.goto("/documents")
        page.set_input_files("#files", note)
        page.get_by_role("button", name="Add files").click()
        expect(page.locator(".toast")).to_have_text("The files are kept and are being read.")
        until(page, "#incoming li:has-text('note.txt') .seal")
        page.get_by_role("link", name="To the documents").click()
        expect(page.locator("main table")).to_contain_text("note.txt")


def until(page: Page, wanted: str) -> None:
    """Without scripts, whoever waits looks again."""
    deadline = time.monotonic() + 180
    while not page.locator(wanted).count():
        assert time.monotonic() < deadline, f"waited too long for {wanted}"
        page.goto("/uploads")


def test_files_survive_a_server_that_stops_before_it_has_read_them(browser: Browser, tmp_path: Path) -> None:
    note = tmp_path / "kept.md"
    note.write_text("# Kept\n\nThe ladder stands behind the north wall of the barn.\n", "utf-8")
    with Sourcebook(tmp_path / "base.db") as book:
        book.upload(note.name, note.read_bytes(), id=note.name)
    with desk(tmp_path) as made, looking(browser, made) as page:
        page.goto("/uploads")
        expect(page.locator("#incoming li", has_text="kept.md").locator(".seal")).to_have_text("Added")
        page.goto("/search?q=ladder")
        expect(page.locator(".results li").first).to_contain_text("north wall")


def test_a_long_list_is_shown_a_part_at_a_time_and_searched_by_the_server(
    browser: Browser, tmp_path: Path
) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(130):
        (folder / f"note-{number:03}.md").write_text(f"# Note {number}\n\nShelf {number}.\n", "utf-8")
    with Sourcebook(tmp_path / "base.db") as book:
        assert book.add(folder).added == 130
    with desk(tmp_path) as made, looking(browser, made) as page:
        page.goto("/documents")
        rows = page.locator("main tbody tr")
        expect(page.locator(".lead")).to_contain_text("130 documents")
        expect(rows).to_have_count(100)
        page.get_by_role("link", name="Show more").click()
        expect(rows).to_have_count(30)
        expect(rows.first).to_contain_text("note-100.md")
        page.get_by_role("link", name="From the start").click()
        page.fill("#find", "NOTE-12")
        page.keyboard.press("Enter")
        expect(rows).to_have_count(10)
        page.get_by_role("link", name="Hidden", exact=True).click()
        expect(page.locator("main .empty")).to_contain_text("No document matches")


def test_a_hidden_document_is_not_found_and_a_removed_one_is_gone(
    browser: Browser, empty: Desk, tmp_path: Path
) -> None:
    secret = tmp_path / "wasps.md"
    secret.write_text("# Wasps\n\nWasps leave the loft when it is lit for three nights.\n", "utf-8")
    with looking(browser, empty) as page:
        page.goto("/documents")
        page.set_input_files("#files", secret)
        page.locator("#incoming a", has_text="wasps.md").click()
        page.get_by_role("button", name="Hide").click()
        expect(page.locator(".toast")).to_contain_text("Hidden")
        address = page.url.split("?")[0]
        page.goto("/search?q=wasps+loft")
        assert "wasps.md" not in page.locator("main").inner_text()
        page.goto(address)
        page.get_by_role("button", name="Show again").click()
        page.goto("/search?q=wasps+loft")
        expect(page.locator(".results li").first).to_contain_text("three nights")
        page.goto(address)
        page.locator("summary", has_text="Remove").click()
        page.get_by_role("button", name="Remove").click()
        expect(page.locator(".toast")).to_have_text("Deleted.")
        assert "wasps.md" not in page.locator("main").inner_text()


def test_a_table_that_was_found_is_shown_without_its_bars(browser: Browser, tmp_path: Path) -> None:
    with Sourcebook(tmp_path / "base.db") as book:
        book.add_bytes("fees.md", b"# Fees\n\n| Frame | Price |\n|---|---:|\n| **Oak** | 40 EUR |\n")
    with desk(tmp_path) as made, looking(browser, made) as page:
        page.goto("/search?q=oak+frame")
        found = page.locator(".results .found").first
        expect(found).to_contain_text("Oak · 40 EUR")
        assert not {"|", "*"}.intersection(found.inner_text())


def test_a_search_marks_the_words_and_its_filters_can_be_clicked(browser: Browser, empty: Desk) -> None:
    with looking(browser, empty) as page:
        page.goto("/search?q=sulphur+sand")
        expect(page.locator(".results mark").first).to_be_visible()
        page.get_by_role("link", name="by words", exact=True).click()
        assert "mode=keyword" in page.url
        expect(page.locator(".chip[aria-current]")).to_have_count(1)
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        expect(page.locator("#quote")).to_be_visible()


def test_a_sheet_is_read_as_a_table_and_named_once(browser: Browser, tmp_path: Path) -> None:
    names = ("Instrument", "Hire per month", "Weekend rate", "New price", "In stock", "Shelf")
    rows = [
        ("Cello, full size", "38", "60", "1450", "5", "B1"),
        ("Violin, three quarters", "16", "25", "239", "14", "A2"),
        ("Harp, 34 strings", "89", "140", "3950", "1", "D1"),
    ]
    lines = [",".join(f'"{each}"' for each in row) for row in (names, *rows)]
    (tmp_path / "prices.csv").write_text("\n".join(lines), "utf-8")
    with Sourcebook(tmp_path / "base.db") as book:
        book.add(tmp_path / "prices.csv")
    phone = {"width": 390, "height": 844}
    with desk(tmp_path) as made, looking(browser, made, viewport=phone) as page:
        page.goto("/ask")
        ask(page, "How much is the cello, full size, per month?")
        expect(page.locator("#last .sources")).to_contain_text("prices.csv")
        expect(page.locator("#last .sources .file")).to_have_count(0)
        assert (page.locator("#leaf header").text_content() or "").count("prices.csv") == 1
        page.goto(page.locator("#leaf .whole a").get_attribute("href") or "")
        table = page.locator(".sheet-rows table")
        expect(table.locator("th")).to_have_text(list(names))
        expect(table.locator("tbody tr")).to_have_count(len(rows))
        expect(page.locator("#quote")).to_have_text("Cello, full size")
        assert page.evaluate("document.documentElement.scrollWidth") <= phone["width"]
        assert page.locator(".sheet-rows").evaluate("(box) => box.scrollWidth > box.clientWidth")


def test_of_a_wide_sheet_the_cell_that_was_quoted_is_shown(browser: Browser, tmp_path: Path) -> None:
    lines = [
        "number,kind,question,answer",
        "1,Keys of the house and of the cellar,Where do I get the keys?,The porter on the ground floor has the keys.",
        "2,Guests and neighbours of the house,May a friend stay overnight?,Three nights at most.",
    ]
    (tmp_path / "faq.csv").write_text("\n".join(lines), "utf-8")
    with Sourcebook(tmp_path / "base.db") as book:
        book.add(tmp_path / "faq.csv")
    with desk(tmp_path) as made, looking(browser, made, viewport={"width": 1100, "height": 800}) as page:
        page.goto("/ask")
        ask(page, "Where do I get the keys?")
        quoted = page.locator("#leaf .sheet-rows mark").first
        expect(quoted).to_contain_text("The porter on the ground floor")
        # Nothing of it is cut off by the box that the sheet is scrolled in.
        cut = "(mark) => mark.getBoundingClientRect().right - mark.closest('.sheet-rows').getBoundingClientRect().right"
        assert quoted.evaluate(cut) <= 0
        assert page.locator("#leaf .sheet-rows").first.evaluate("(box) => box.scrollLeft > 0")
