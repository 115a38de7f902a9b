"""The library that comes with Sourcebook, to try it with."""

from __future__ import annotations

import importlib.resources
from pathlib import Path

import sourcebook
from sourcebook.errors import PathNotFound


def sample_folder() -> Path:
    """The sample's documents: in the installed package, or beside the source in an editable install."""
    package = Path(str(importlib.resources.files(sourcebook)))
    for folder in (package / "_sample" / "documents", package.parent.parent / "sample" / "documents"):
        if folder.is_dir():
            return folder
    raise PathNotFound("The sample library is not installed.", hint="Reinstall Sourcebook from its wheel.")
