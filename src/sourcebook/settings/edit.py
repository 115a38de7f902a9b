"""Changing one setting in `sourcebook.toml`. Everything else in the file stays as somebody wrote it."""

from __future__ import annotations

import json
import os
import re
import tomllib
from pathlib import Path

from sourcebook.errors import BadSetting
from sourcebook.settings.loader import TOML_FILE


def write_setting(key: str, value: str, folder: Path | None = None) -> Path:
    """Set a key, in its place if it is there, else at the end. The file is replaced as a whole or not at all."""
    path = (folder or Path.cwd()) / TOML_FILE
    before = path.read_text("utf-8-sig") if path.exists() else ""
    line = f"{key} = {json.dumps(value, ensure_ascii=False)}"
    place = re.compile(rf"(?m)^[ \t]*{re.escape(key)}[ \t]*=.*$")
    if place.search(before):
        text = place.sub(lambda _: line, before, count=1)
    else:
        text = before + ("" if not before or before.endswith("\n") else "\n") + line + "\n"
    if not _says(text, key, value):
        raise BadSetting(f"{path.name} could not be changed.", hint=f"Write this line into it: {line}")
    beside = path.with_name(f".{path.name}.new")
    beside.write_text(text, "utf-8")
    if path.exists():
        beside.chmod(path.stat().st_mode)
    os.replace(beside, path)  # noqa: PTH105 - atomic, also over a file that is there
    return path


def _says(text: str, key: str, value: str) -> bool:
    """Whether the new text means what was wanted: a value over several lines is beyond a change by lines."""
    try:
        return tomllib.loads(text).get(key) == value
    except tomllib.TOMLDecodeError:
        return False
