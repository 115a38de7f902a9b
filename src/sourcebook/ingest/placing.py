"""What the place of a file says about it: its type, its subcategory, and its name inside a source."""

from __future__ import annotations

import os
import stat
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
    """The file, or the regular files of the folder in the order of their paths; hidden ones are left alone.

    Links that lead out of the folder are left alone too, and linked folders are not entered: what they lead to inside
    the folder is found at its own place. The source of a single file is its folder, so that adding the folder later
    finds the same document.
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


def _walk(root: Path, suffixes: Sequence[str]) -> Iterator[Path]:
    real_root = Path(os.path.realpath(root))
    for place, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            location = Path(place, name)
            if name.startswith(".") or location.suffix.lower() not in suffixes:
                continue
            if _stays_in(real_root, location) and not _is_special(location):
                yield location


def _stays_in(real_root: Path, location: Path) -> bool:
    # Not `Path.resolve`, which raises for links that lead in a circle.
    return not location.is_symlink() or Path(os.path.realpath(location)).is_relative_to(real_root)


def _is_special(location: Path) -> bool:
    """Whether this is a pipe, a socket or a device. What cannot be examined counts as a file that will fail."""
    try:
        return not stat.S_ISREG(location.stat().st_mode)
    except OSError:
        return False


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
