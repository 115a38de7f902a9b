"""The architecture page leads to files that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "sourcebook"
PAGE = (ROOT / "docs" / "explanation" / "architecture.md").read_text("utf-8")
TABLE = PAGE.partition("## To change X, open Y\n")[2]
WAYS = PAGE.partition("## Four ways through the code\n")[2].partition("\n## ")[0]
ENOUGH_ROWS = 40


def named(text: str) -> set[str]:
    """What is written as code and can be a place: a path, a file, or the name of a room."""
    return {
        name for name in re.findall(r"`([^`\s]+)`", text) if re.fullmatch(r"[a-z0-9_/]+(\.[a-z]+)?", name)
    }


def exists(name: str) -> bool:
    place = SOURCE / name
    if name.endswith("/"):
        return place.is_dir()
    return place.is_file() or (not place.suffix and (place.is_dir() or place.with_suffix(".py").is_file()))


def opened(row: str) -> str:
    return row.split("|")[2]


def rows() -> list[str]:
    return [row for row in TABLE.splitlines() if row.startswith("| ") and opened(row).strip()][1:]


def test_every_file_and_folder_of_the_ways_exists() -> None:
    places = {name for name in named(WAYS) if "/" in name}
    assert len(places) > 20
    assert sorted(name for name in places if not exists(name)) == []


def test_every_file_and_folder_of_the_table_exists() -> None:
    places = set[str]().union(*(named(opened(row)) for row in rows()))
    assert sorted(name for name in places if not exists(name)) == []


def test_every_row_of_the_table_says_what_to_open() -> None:
    assert len(rows()) >= ENOUGH_ROWS
    assert [row for row in rows() if not named(opened(row))] == []


def test_every_room_is_in_the_drawing() -> None:
    drawing = (ROOT / "docs" / "rooms.svg").read_text("utf-8")
    rooms = {place.name for place in SOURCE.iterdir() if place.is_dir() and not place.name.startswith("_")}
    assert sorted(room for room in rooms - {"testing"} if room not in drawing) == []


def test_the_page_on_reliability_names_tests_that_exist() -> None:
    page = (ROOT / "docs" / "explanation" / "reliability.md").read_text("utf-8")
    cells = [row.rsplit("|", 2)[1] for row in page.splitlines() if "`tests/" in row]
    assert len(cells) > 20
    for cell in cells:
        folder = None
        for name in re.findall(r"`([a-z_/]+\.py)`", cell):
            folder = str(Path(name).parent) if "/" in name else folder
            assert (ROOT / (folder or "") / Path(name).name).is_file(), name
