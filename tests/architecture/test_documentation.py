"""The documentation leads everywhere: each page is in the site, and each link to a file that exists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import yaml

from sourcebook.assembly import make_manual

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
READMES = ("README.md", "README.ru.md", "README.pt.md")
PAGES = sorted(DOCS.rglob("*.md"))
CODE = re.compile(r"^( *)(`{3,}).*?^\1\2$|`[^`\n]+`", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^()\s]+)\)")
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:")
LONGEST_README = 250


def pages_of(nav: list[Any]) -> Iterator[str]:
    """The pages that a list of the site's navigation holds, at any depth."""
    for entry in nav:
        for part in entry.values() if isinstance(entry, dict) else [entry]:  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
            yield from [part] if isinstance(part, str) else pages_of(part)  # pyright: ignore[reportUnknownArgumentType]


def site() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))


def anchors(page: Path) -> set[str]:
    """The names of a page's headings, as GitHub and the site make them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-") for title in titles}


def links(page: Path) -> list[str]:
    found: list[str] = LINK.findall(CODE.sub("", page.read_text("utf-8")))
    return [unquote(link) for link in found if not ELSEWHERE.match(link)]


def leads_nowhere(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    return not target.exists() or bool(anchor and target.suffix == ".md" and anchor not in anchors(target))


def test_every_page_is_in_the_site_once() -> None:
    assert sorted(pages_of(site()["nav"])) == [page.relative_to(DOCS).as_posix() for page in PAGES]


@pytest.mark.parametrize("page", [*PAGES, *(ROOT / name for name in READMES)], ids=lambda page: page.name)
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    assert [link for link in links(page) if leads_nowhere(page, link)] == []


def test_pages_lead_only_to_pages_that_are_in_the_site() -> None:
    targets = {(page.parent / link.partition("#")[0]).resolve() for page in PAGES for link in links(page)}
    assert [target for target in targets if not target.is_relative_to(DOCS)] == []


def test_the_site_fetches_nothing_from_elsewhere() -> None:
    assert site()["theme"]["font"] is False
    assets = [*site()["extra_css"], *site()["extra"]["polyfills"]]
    assert [asset for asset in assets if not (ROOT / "packaging" / "site" / asset).is_file()] == []
    pictures = [picture.read_text("utf-8") for picture in DOCS.glob("*.svg")]
    assert [
        picture for picture in pictures if re.search(r"(href|src)=.?http|url\(.?http|@import", picture)
    ] == []


def test_help_answers_from_every_guide_but_not_from_the_entry_of_the_site_or_of_its_code() -> None:
    searched = {result.document_path for result in make_manual().search("How do I use the base?", 10_000)}
    assert {f"manual/how-to/{page.name}" for page in (DOCS / "how-to").iterdir()} <= searched
    assert {"manual/quickstart.md", "manual/glossary.md"} <= searched
    assert not searched & {"manual/index.md", "manual/explanation/architecture.md"}
    assert not [path for path in searched if "/decisions/" in path or "/reference/" in path]


@pytest.mark.parametrize("name", READMES)
def test_every_readme_is_short(name: str) -> None:
    assert len((ROOT / name).read_text("utf-8").splitlines()) <= LONGEST_README


@pytest.mark.parametrize("name", READMES[1:])
def test_the_readmes_show_the_same_commands_and_figures(name: str) -> None:
    """Only the comments in the commands, and the words around them, are translated."""
    first, other = ((ROOT / page).read_text("utf-8") for page in ("README.md", name))
    assert commands(other) == commands(first)
    assert figures(other) == figures(first)
    assert set(links(ROOT / name)) | {name} == set(links(ROOT / "README.md")) | {"README.md"}


def commands(text: str) -> list[str]:
    blocks = re.findall(r"^```\w+\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [re.sub(r"\s+# .*", "", line) for block in blocks for line in block.splitlines()]


def figures(text: str) -> list[list[str]]:
    """The numbers of every table, row by row. A decimal comma is a point here."""
    rows = [line.replace(",", ".") for line in text.splitlines() if line.startswith("|")]
    return [re.findall(r"\d+(?:\.\d+)?", row) for row in rows]
