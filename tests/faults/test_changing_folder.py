"""A mixed folder of a thousand files is added while it changes, in bounded memory."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sourcebook import AsyncSourcebook
from sourcebook.testing.fakes import FakeEmbedder

if TYPE_CHECKING:
    from sourcebook.model.add_reports import Progress

FILES = 1_000
MADE_BY_OTHERS = Path(__file__).parents[1] / "formats" / "files"
MOST_MEMORY = 250_000_000
_STATUS = Path("/proc/self/statm")
_PAGE = 4096

pytestmark = pytest.mark.anyio


def words(number: int, version: int = 0) -> str:
    return f"File number {number}, version {version}, tells of bed {number * 7}."


def written(kind: str, number: int, version: int = 0) -> str:
    said = words(number, version)
    match kind:
        case "html":
            return f"<html><head><title>Bed {number}</title></head><body><p>{said}</p></body></html>"
        case "csv":
            return f"bed,says\n{number},{said.replace(',', '')}\n"
        case "json":
            return json.dumps([{"title": f"Bed {number}", "text": said}])
        case "eml":
            return f"From: a@example.org\nTo: b@example.org\nSubject: Bed {number}\n\n{said}\n"
        case "srt":
            return f"1\n00:00:01,000 --> 00:00:04,000\n{said}\n"
        case _:
            return f"# Bed {number}\n\n{said}\n"


KINDS = ("md", "txt", "html", "csv", "json", "eml", "srt")


class Folder:
    """A folder of many kinds of files, with one change at each tenth step of whoever reads it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.chance = random.Random(11)
        self.steps = self.changes = 0
        self.most_memory = self.first_memory = _memory()
        others = [path for path in sorted(MADE_BY_OTHERS.iterdir()) if path.suffix not in (".doc", ".xls")]
        for path in others:
            shutil.copy(path, root / path.name)
        for number in range(FILES - len(others)):
            self.write(number)

    def write(self, number: int, version: int = 0) -> None:
        kind = KINDS[number % len(KINDS)]
        place = self.root / f"part-{number % 9}" / f"{number:04}.{kind}"
        place.parent.mkdir(exist_ok=True)
        place.write_text(written(kind, number, version), "utf-8")

    def files(self) -> list[Path]:
        return sorted(path for path in self.root.rglob("*") if path.is_file())

    def change(self, _: Progress) -> None:
        self.most_memory = max(self.most_memory, _memory())
        self.steps += 1
        if self.steps % 10:
            return
        self.changes += 1
        number = self.chance.randrange(900)
        match self.changes % 3:
            case 0:
                self.write(number, self.changes)
            case 1:
                self.write(10_000 + self.changes)
            case _:
                for path in self.root.rglob(f"{number:04}.*"):
                    path.unlink()


def _memory() -> int:
    return int(_STATUS.read_text("ascii").split()[1]) * _PAGE if _STATUS.exists() else 0


async def test_a_thousand_files_that_change_while_they_are_added_are_all_there_in_the_end(
    tmp_path: Path,
) -> None:
    root = tmp_path / "folder"
    root.mkdir()
    folder = Folder(root)
    assert len(folder.files()) == FILES
    async with AsyncSourcebook(tmp_path / "base.db", embedder=FakeEmbedder()) as book:
        first = await book.add(root, on_progress=folder.change)
        assert first.added > 0.8 * FILES
        assert folder.changes > 30
        await book.add(root)
        last = await book.add(root)
        assert (last.added, last.updated, last.removed, last.failed) == (0, 0, 0, [])
        documents = {_end(document.file_path): document for document in await book.documents()}
        for path in root.rglob("part-*/*.*"):
            found = await book.library.get(documents[_end(path.as_posix())].id)
            text = "" if found is None else found.content
            assert f"tells of bed {int(path.stem) * 7}." in text
            version = path.read_text("utf-8").partition("version ")[2].split(" ")[0].strip(",")
            assert f"version {version}" in text
        # Some files are attached to a letter too: the same bytes are one document.
        inner = {path for path in documents if ".eml/" in path or ".mbox/" in path}
        attached = {path.rpartition("/")[2] for path in inner}
        there = {_end(path.as_posix()) for path in folder.files()}
        assert documents.keys() - inner <= there
        assert there - documents.keys() <= attached
    assert folder.most_memory - folder.first_memory < MOST_MEMORY, folder.most_memory - folder.first_memory


def _end(path: str) -> str:
    """A path from the folder on."""
    return path.rpartition("/folder/")[2]
