"""Pictures of every place of the page, to be looked at: `python -m scripts.screenshots FOLDER [PLACE…]`.

It needs a chromium. The sample library goes through the demo first, so that there is something in every place.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

PORT = 8977
ADDRESS = f"http://127.0.0.1:{PORT}"
LANGUAGES = os.environ.get("LANGUAGES", "en ru").split()
SIZES = {"desktop": (1440, 1000), "phone": (390, 844)}
QUESTIONS = {
    "en": [
        "How much sulphur lowers the pH of sandy soil?",
        "How far apart are blueberries planted?",
        "How do I repair a bicycle tyre?",
    ],
    "ru": [
        "Чем поливать голубику, если вода жёсткая?",
        "Когда вырезают отплодоносившие побеги летней малины?",
    ],
}
PLACES = {
    "start": "/ask",
    "search": "/search?q={search}",
    "documents": "/documents",
    "uploads": "/uploads",
    "inbox": "/inbox",
    "gaps": "/inbox/gaps",
    "digest": "/inbox/digest",
    "curated": "/curated",
    "terms": "/terms",
    "people": "/people",
    "person": "/people/1",
    "quality": "/quality",
    "health": "/health",
    "settings": "/settings",
    "access": "/settings/access",
    "conversations": "/conversations",
    "nowhere": "/nowhere",
}
PDF_QUESTION = {
    "en": "How much sulphur does sand take to lower the pH by half a unit?",
    "ru": "На какой высоте натягивать проволоку для малины?",
}
SEARCH = {"en": "sulphur sandy soil", "ru": "полив голубики"}


def main(folder: Path, wanted: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        with tempfile.TemporaryDirectory() as temporary, server(Path(temporary), "new.db", demo=False):
            pictures(browser, folder, ["first"], wanted)
        with tempfile.TemporaryDirectory() as temporary, server(Path(temporary), "demo.db", demo=True):
            prepare(browser, Path(temporary))
            pictures(browser, folder, ["ask", "document", "pdf", *PLACES], wanted)
        browser.close()


def prepare(browser: Browser, folder: Path) -> None:
    """Put something into the places that the demo leaves empty: uploads, a key, measurements."""
    page = browser.new_page()
    broken = folder / "torn.pdf"
    broken.write_bytes(b"%PDF-1.7 and then nothing")
    note = folder / "prices.md"
    note.write_text("# Prices\n\nA bush of blueberry costs nine pounds.\n", "utf-8")
    page.goto(f"{ADDRESS}/documents")
    page.set_input_files("#files", [broken, note])
    page.locator("#incoming .seal").nth(1).wait_for()
    page.goto(f"{ADDRESS}/quality")
    page.click("form[action='/quality/measure'] button")
    page.wait_for_selector(".toast")
    page.click("form[action='/quality/calibrate'] button")
    page.wait_for_selector(".toast", timeout=120_000)
    page.goto(f"{ADDRESS}/curated")
    page.locator("details.wordings summary").first.click()
    page.locator("details.wordings input").first.fill("What amount of sulphur goes on sand?")
    page.locator("details.wordings .finder button").first.click()
    page.goto(f"{ADDRESS}/settings/access")
    page.fill("#key-name", "website")
    page.click("form[action='/settings/keys'] button")
    page.wait_for_selector("#secret")
    page.close()


def pictures(browser: Browser, folder: Path, places: list[str], wanted: list[str]) -> None:
    for language in LANGUAGES:
        for theme in ("light", "dark"):
            for size, (width, height) in SIZES.items():
                context = browser.new_context(viewport={"width": width, "height": height}, locale=language)
                context.add_cookies(
                    [
                        {"name": "sourcebook_language", "value": language, "url": ADDRESS},
                        {"name": "sourcebook_theme", "value": theme, "url": ADDRESS},
                    ]
                )
                page = context.new_page()
                page.on("pageerror", lambda error: print("error:", error, file=sys.stderr))
                page.on("console", lambda said: print("console:", said.text, file=sys.stderr))
                for place in places:
                    if not wanted or place in wanted:
                        show(page, place, language)
                        page.screenshot(path=folder / f"{place}-{language}-{theme}-{size}.png")
                context.close()


def show(page: Page, place: str, language: str) -> None:
    if place == "first":
        page.goto(f"{ADDRESS}/ask")
    elif place == "ask":
        asked(page, language)
    elif place == "pdf":
        page.goto(f"{ADDRESS}/ask")
        page.fill("#question", PDF_QUESTION[language])
        page.keyboard.press("Enter")
        page.wait_for_selector("#last:not([aria-busy]) .verdict")
        if page.evaluate("innerWidth") < 1120:
            page.locator("#last .ref").first.click()
            page.wait_for_selector(".leaf.open [data-picture]")
        page.locator("#leaf [data-picture]").scroll_into_view_if_needed()
        page.locator("#leaf [data-picture]").evaluate("image => image.decode()")
    elif place == "document":
        page.goto(f"{ADDRESS}/search?q={SEARCH[language]}")
        page.click(".results h2 a")
        page.wait_for_selector("#quote")
    else:
        page.goto(ADDRESS + PLACES[place].format(search=SEARCH[language]))
    page.wait_for_load_state("networkidle")


def asked(page: Page, language: str) -> None:
    """A conversation, asked once in each language and then shown again."""
    page.goto(f"{ADDRESS}/conversations")
    first = QUESTIONS[language][0]
    known = page.locator(".plain-list a[data-open]", has_text=first)
    if known.count() > 1:
        known.first.click()
        page.wait_for_selector("#last .verdict")
        return
    page.goto(f"{ADDRESS}/ask")
    for question in QUESTIONS[language]:
        page.fill("#question", question)
        page.keyboard.press("Enter")
        page.wait_for_selector("#last:not([aria-busy]) .verdict")


@contextmanager
def server(folder: Path, name: str, *, demo: bool) -> Generator[None]:
    """A server of this folder's base, with the demo gone through if wanted."""
    command = [sys.executable, "-m", "sourcebook", "--db", name]
    root = Path(__file__).parent.parent
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    if demo:
        subprocess.run([*command, "demo"], cwd=folder, env=environment, check=True, capture_output=True)  # noqa: S603
    running = subprocess.Popen([*command, "serve", "--port", str(PORT)], cwd=folder, env=environment)  # noqa: S603
    try:
        while running.poll() is None:
            try:
                urllib.request.urlopen(f"{ADDRESS}/healthz", timeout=1).close()  # noqa: S310 - our own server
                break
            except OSError:
                time.sleep(0.1)
        yield
    finally:
        running.terminate()
        running.wait()


def chromium() -> str:
    return os.environ.get("CHROMIUM", "/usr/bin/chromium")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
