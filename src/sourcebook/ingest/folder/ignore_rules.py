"""Which files are left alone: hidden ones, and what `.gitignore` and `.sourcebookignore` say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

IGNORE_FILES = (".gitignore", ".sourcebookignore")
"""The second is read after the first, so that it may take back what the first leaves out."""
LARGEST_RULES = 1_000_000
"""Bytes of a file of rules that are read."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one folder and of those above it, the innermost first. Each speaks of paths below its folder."""

    levels: tuple[tuple[str, GitIgnoreSpec], ...] = ()

    def within(self, folder: Path, prefix: str, names: Iterable[str]) -> Rules:
        """The rules inside of a folder: `prefix` is its path, `names` are those of the files in it."""
        present = set(names)
        patterns = [p for name in IGNORE_FILES if name in present for p in _patterns(folder / name)]
        if not patterns:
            return self
        return Rules(((prefix, GitIgnoreSpec.from_lines(patterns)), *self.levels))

    def ignore(self, path: str) -> bool:
        """Whether the file is to be left alone, or the folder, whose path ends with a slash."""
        if path.rstrip("/").rpartition("/")[2].startswith("."):
            return True
        for prefix, spec in self.levels:
            decided = spec.check_file(path[len(prefix) :]).include
            if decided is not None:
                return decided
        return False


def _patterns(file: Path) -> Iterator[str]:
    """The lines of a file of rules. One that makes no sense is passed over, as git does."""
    try:
        with file.open("rb") as stream:
            lines = stream.read(LARGEST_RULES).decode("utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return
    for line in lines:
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError:
            continue
        yield line
