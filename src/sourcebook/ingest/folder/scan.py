"""Lists the files of a folder, and which of them to read.

Nothing is opened here but files of ignore rules. Links that lead out of the folder are left alone, and linked folders
are not entered: what they lead to inside the folder is found at its own place, and nobody walks in circles.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from sourcebook.ingest.folder.file_names import readable
from sourcebook.ingest.folder.ignore_rules import Rules


class Skip(StrEnum):
    """Why a file of a folder is not read."""

    UNSUPPORTED = "unsupported"
    EMPTY = "empty"
    TOO_LARGE = "too_large"
    NOT_A_FILE = "not_a_file"
    LINK = "link"
    NEEDS_OCR = "needs_ocr"
    NEEDS_TRANSCRIPTION = "needs_transcription"
    IGNORED = "ignored"
    """Said only of a file that was named: nobody wants to hear of the others."""


class Seen(NamedTuple):
    """A file as the folder shows it. The times are Unix seconds; `location` is how to open it."""

    path: str
    location: str
    size: int
    mtime: int
    changed_at: int
    """The later of the two times that a system keeps, of the content and of the entry."""
    name: str = ""
    """What the parser should take it for, if its path does not say."""


class Trouble(NamedTuple):
    """A file or a folder that the system does not let us look at."""

    path: str
    reason: str
    """A sentence without its full stop."""


@dataclass(slots=True)
class Scan:
    """What was found. Nothing is known about what is at or below a trouble."""

    files: dict[str, Seen] = field(default_factory=dict[str, Seen])
    skipped: dict[str, Skip] = field(default_factory=dict[str, Skip])
    troubles: list[Trouble] = field(default_factory=list[Trouble])
    large: dict[str, Seen] = field(default_factory=dict[str, Seen])
    """Those of the skipped that are too large to be read."""
    unreadable: dict[str, Seen] = field(default_factory=dict[str, Seen])
    """Those of the files that cannot be opened. Each is a trouble, too."""

    def is_hidden_by_trouble(self, path: str) -> bool:
        return any(_lies_at_or_below(path, trouble.path) for trouble in self.troubles)

    def reasons(self) -> Counter[Skip]:
        return Counter(self.skipped.values())


@dataclass(frozen=True, slots=True)
class ScanLimits:
    """`excluded` are folders and files that belong to the base itself."""

    largest_file: int = 50_000_000
    excluded: Sequence[str] = ()


def _lies_at_or_below(path: str, place: str) -> bool:
    return place == "" or path == place or path.startswith(f"{place}/")


def scan_folder(
    root: Path, scope: str, limits: ScanLimits, is_stopped: Callable[[], bool] = lambda: False
) -> Scan:
    """Look through the folder `scope` of a root, all of it if that is empty, by the rules from the root downwards."""
    scan = Scan()
    rules = Rules()
    prefix = ""
    for name in scope.split("/") if scope else ():
        folder = root / prefix
        rules = rules.within(folder, prefix, _names(folder))
        prefix += f"{name}/"
        if rules.ignore(prefix):
            return scan
    walker = _Walker(root, limits, scan, is_stopped)
    walker.walk(prefix, rules)
    return scan


def scan_named_files(root: Path, paths: Sequence[str], limits: ScanLimits) -> Scan:
    """Look at files that were named, so that no rule hides them, and a link is followed wherever it leads."""
    scan = Scan()
    walker = _Walker(root, limits, scan, lambda: False)
    for path in paths:
        walker.look_at(os.path.realpath(os.path.join(root, path)), path)  # noqa: PTH118
    return scan


def scan_files_of_folder(root: Path, paths: Sequence[str], limits: ScanLimits) -> Scan:
    """Look at some files of a folder as if all of it were looked through."""
    scan = Scan()
    walker = _Walker(root, limits, scan, lambda: False)
    for path in paths:
        if is_ignored(root, path):
            scan.skipped[readable(path)] = Skip.IGNORED
        else:
            walker.look_at(os.path.join(root, path), path)  # noqa: PTH118
    return scan


def is_ignored(root: Path, path: str) -> bool:
    """Whether the rules of a root and of the folders below it leave this file alone."""
    rules, prefix = Rules(), ""
    *folders, _ = path.split("/")
    for name in (*folders, None):
        folder = root / prefix
        rules = rules.within(folder, prefix, _names(folder))
        if name is not None:
            prefix += f"{name}/"
            if rules.ignore(prefix):
                return True
    return rules.ignore(path)


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - names are all that is wanted
    except OSError:
        return []


class _Walker:
    def __init__(self, root: Path, limits: ScanLimits, scan: Scan, is_stopped: Callable[[], bool]) -> None:
        self.root = root
        self.real_root = os.path.realpath(root)
        self.limits = limits
        self.scan = scan
        self.is_stopped = is_stopped
        self.excluded = frozenset(os.path.realpath(place) for place in limits.excluded)

    def walk(self, prefix: str, rules: Rules) -> None:
        """Folder after folder, without recursion: a tree may be deeper than a stack."""
        waiting = [(prefix, rules)]
        while waiting and not self.is_stopped():
            prefix, rules = waiting.pop()
            folder = os.path.join(self.root, prefix)  # noqa: PTH118 - names may be no text
            try:
                with os.scandir(folder) as entries:
                    found = sorted(entries, key=lambda entry: entry.name)
            except OSError as error:
                self.scan.troubles.append(Trouble(readable(prefix).rstrip("/"), cannot_be_read(error)))
                continue
            inner = rules.within(Path(folder), prefix, (entry.name for entry in found))
            waiting += [(f, inner) for f in reversed([*self._folders(prefix, found, inner)])]

    def _folders(self, prefix: str, entries: Sequence[os.DirEntry[str]], rules: Rules) -> Iterator[str]:
        """Look at the files among the entries, and name the folders to look through."""
        for entry in entries:
            path = prefix + entry.name
            if entry.is_dir(follow_symlinks=False):
                if not rules.ignore(f"{path}/") and not self._is_excluded(path):
                    yield f"{path}/"
            elif not rules.ignore(path):
                self.look_at(entry.path, path)

    def look_at(self, location: str, path: str) -> None:
        key = readable(path)
        try:
            reason = self._link_problem(location)
            status = os.stat(location) if reason is None else None  # noqa: PTH116
        except FileNotFoundError:
            # A link to nowhere; anything else went away this moment.
            reason, status = Skip.LINK, None
        except OSError as error:
            self.scan.troubles.append(Trouble(key, cannot_be_read(error)))
            return
        if (status is not None and stat.S_ISDIR(status.st_mode)) or self._is_excluded(path):
            return
        if status is None or (reason := self._problem(status)) not in (None, Skip.TOO_LARGE):
            self.scan.skipped[key] = reason or Skip.LINK
            return
        changed = int(max(status.st_mtime, status.st_ctime))
        seen = Seen(key, location, status.st_size, int(status.st_mtime), changed)
        if reason is None:
            self.scan.files[key] = seen
        else:
            self.scan.skipped[key] = reason
            self.scan.large[key] = seen

    def _link_problem(self, location: str) -> Skip | None:
        if not os.path.islink(location):  # noqa: PTH114
            return None
        target = os.path.realpath(location)
        return None if _is_inside(target, self.real_root) else Skip.LINK

    def _problem(self, status: os.stat_result) -> Skip | None:
        if not stat.S_ISREG(status.st_mode):
            return Skip.NOT_A_FILE
        return Skip.TOO_LARGE if status.st_size > self.limits.largest_file else None

    def _is_excluded(self, path: str) -> bool:
        # No link leads into a folder that is walked, so this is where the file really lies.
        return os.path.join(self.real_root, path) in self.excluded  # noqa: PTH118


def _is_inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder if folder.endswith(os.sep) else folder + os.sep)


def cannot_be_read(error: OSError) -> str:
    return f"It cannot be read: {error.strerror or error}"
