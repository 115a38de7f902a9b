"""Where the uploads of a base lie.

A folder that several bases may be given, such as that of all bases on servers, holds a folder for each of them, named
by the id that the base itself keeps: it stays the same when the base moves. Before that they lay in it side by side,
and those still do that no base has taken over.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Collection as Names
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

UNFINISHED = ".unfinished"
_NAME = re.compile(r"[a-z2-7]{2}/[a-z2-7]{32}")
_BASE_ID = re.compile(r"[0-9a-f]{32}")


def is_upload_name(name: str) -> bool:
    """Whether we made this name for an upload. Any other may lead anywhere."""
    return _NAME.fullmatch(name) is not None


@dataclass(frozen=True, slots=True)
class UploadFolder:
    """The folder of one base, and the one around it that it may share with others."""

    own: Path
    shared: Path | None = None

    @classmethod
    def within(cls, shared: Path, base_id: str) -> UploadFolder:
        # A base may come from somebody else, and its id must not lead out of the folder.
        is_plain = _BASE_ID.fullmatch(base_id) is not None
        name = base_id if is_plain else hashlib.sha256(base_id.encode()).hexdigest()[:32]
        return cls(shared / name, shared)

    def files(self) -> Iterator[Path]:
        """What lies in the folder of this base. A link to another folder is not followed: it may hold anything."""
        for folder in self.own.glob("??"):
            if not folder.is_symlink():
                yield from folder.glob("*")

    def find(self, name: str) -> Path:
        """Where the upload of this name lies; where it would, if there is none."""
        own = self.own / name
        if own.is_file() or not is_upload_name(name):
            return own
        return next((place for place in self._elsewhere(name) if place.is_file()), own)

    def take_over_all(self, names: Names[str]) -> None:
        """Put the uploads of this base into its own folder, as far as they lie elsewhere."""
        if self.shared is None:
            return
        own = {file.relative_to(self.own).as_posix() for file in self.files()}
        for name in names:
            if name not in own:
                self.take_over(name)

    def take_over(self, name: str) -> None:
        """Put an upload of this base into its own folder, if it lies elsewhere.

        What lay beside the uploads of other bases is moved. What lies with another base, from which this one was
        copied or which took it over first, stays there, too.
        """
        own, found = self.own / name, self.find(name)
        if found == own:
            return
        own.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Another process of this base may do the same, and the other base may remove its file.
        with suppress(FileNotFoundError):
            if self.shared is not None and found == self.shared / name:
                found.replace(own)
            else:
                _link_or_copy(found, own)

    def _elsewhere(self, name: str) -> Iterator[Path]:
        if self.shared is not None:
            yield self.shared / name
            yield from sorted(self.shared.glob(f"*/{name}"))


def _link_or_copy(found: Path, own: Path) -> None:
    unfinished = own.with_name(f"{uuid4().hex}{UNFINISHED}")
    try:
        try:
            os.link(found, unfinished)
        except FileNotFoundError:
            raise
        except OSError:
            # Not every file system has links.
            shutil.copyfile(found, unfinished)
        unfinished.replace(own)
    finally:
        unfinished.unlink(missing_ok=True)
