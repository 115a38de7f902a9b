"""The page in front of PostgreSQL: the whole loop, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Browser, expect
from tests.faces.browser_desk import a_browser, desk, looking
from tests.faces.test_web_loop import go_round_the_loop

if TYPE_CHECKING:
    from pathlib import Path

    from tests.postgres_bases import Bases


@pytest.fixture(scope="module")
def browser(postgres_bases: Bases) -> Iterator[Browser]:
    """After the server was made: once a browser is open, its loop runs in this thread."""
    with a_browser() as made:
        yield made


@pytest.fixture
def postgres(browser: Browser, postgres_bases: Bases) -> Iterator[str]:
    with ThreadPoolExecutor(1) as elsewhere:
        yield elsewhere.submit(postgres_bases.lend).result()
        elsewhere.submit(postgres_bases.take_back).result()


def test_the_loop_goes_round_on_postgresql_too(browser: Browser, postgres: str, tmp_path: Path) -> None:
    go_round_the_loop(browser, tmp_path, postgres)


def test_every_place_of_an_empty_base_is_shown(browser: Browser, postgres: str, tmp_path: Path) -> None:
    with desk(tmp_path, db=postgres) as made, looking(browser, made) as page:
        for place in (
            "/ask",
            "/search?q=x",
            "/documents",
            "/uploads",
            "/inbox",
            "/curated",
            "/people",
            "/quality",
        ):
            page.goto(place)
            expect(page.locator("h1")).not_to_have_text("That did not work")
