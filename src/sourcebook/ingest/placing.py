"""What the place of a file says about it: its type, its subcategory, and its name inside a source."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sourcebook.errors import PathNotFound
from sourcebook.ingest.fingerprint import source_id

DEFAULT_TYPE = "document"
# The first that fits decides. A rule that ends with `/` names a folder, any other a file.
TYPE_RULES = (
    ("project/README.md", "readme"),
    ("project/docs/", "documentation"),
    ("documents/", "document"),
)
SUBCATEGORIES_UNDER = "documents"


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to add: where it lies, what it is called to people, and its path inside its source."""

    location: Path
    shown: str
    source_id: str
    path: str


def find_files(path: str | os.PathLike[str], collection_id: str, suffixes: Sequence[str]) -> list[FoundFile]:
    """The file, or the files of the folder in the order of their paths; hidden ones are left alone.

    The source of a single file is its folder, so that adding the folder later finds the same document.
    """
    given = Path(path)
    if not given.exists():
        raise PathNotFound(f"There is no file or folder {str(given)!r}.")
    folder = given if given.is_dir() else given.parent
    locations = sorted(_walk(given, suffixes)) if given.is_dir() else [given]
    source = source_id(collection_id, folder.resolve().as_posix())
    return [
        FoundFile(location, location.as_posix(), source, location.relative_to(folder).as_posix())
        for location in locations
    ]


def _walk(folder: Path, suffixes: Sequence[str]) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if not name.startswith(".") and Path(name).suffix.lower() in suffixes:
                yield Path(place, name)


def type_of(location: Path) -> str:
    """The type that the rules give to a file at this absolute path."""
    whole = location.as_posix()
    for rule, kind in TYPE_RULES:
        if (f"/{rule}" in whole) if rule.endswith("/") else whole.endswith(f"/{rule}"):
            return kind
    return DEFAULT_TYPE


def subcategory_of(location: Path) -> str | None:
    """The folder directly under the innermost `documents/`, if the file lies in one."""
    folders = location.parts[:-1]
    if SUBCATEGORIES_UNDER not in folders:
        return None
    below = len(folders) - folders[::-1].index(SUBCATEGORIES_UNDER)
    return folders[below] if below < len(folders) else None
