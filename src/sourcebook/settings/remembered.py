"""Writing a choice into `sourcebook.toml`, so that it holds after the next start."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from sourcebook.errors import BadSetting
from sourcebook.settings.loader import TOML_FILE


def remember(values: Mapping[str, str], *, cwd: Path | None = None) -> Path:
    """Set these keys in the file and leave its other lines as they are. The file is replaced as a whole, or not."""
    path = (Path.cwd() if cwd is None else cwd) / TOML_FILE
    text = path.read_text("utf-8-sig") if path.exists() else ""
    for key, value in values.items():
        line = f"{key} = {json.dumps(value, ensure_ascii=False)}"
        pattern = re.compile(rf"^{re.escape(key)}\s*=.*$", re.MULTILINE)
        # A function, because a backslash in a value is no group of the pattern.
        text = pattern.sub(lambda _, line=line: line, text, count=1) if pattern.search(text) else f"{line}\n{text}"
    if not values.items() <= tomllib.loads(text).items():
        raise BadSetting(f"{TOML_FILE} cannot be changed.", hint=f"Set {', '.join(values)} there by hand.")
    fresh = path.with_suffix(".toml.new")
    fresh.write_text(text, "utf-8")
    fresh.replace(path)
    return path
