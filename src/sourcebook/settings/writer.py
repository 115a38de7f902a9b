"""Writing a setting to `sourcebook.toml`. What else is in the file, comments included, stays as it is."""

from __future__ import annotations

import json
import os
import re
import tomllib
from pathlib import Path
from stat import S_IMODE, S_IRWXG, S_IRWXO

from sourcebook.errors import BadSetting
from sourcebook.settings.all_settings import Settings
from sourcebook.settings.loader import TOML_FILE, SettingOrigin, load, require_known, require_valid
from sourcebook.settings.secret_masks import masked

_ELSEWHERE = "Put it in `.env` or the environment, which are not shared by accident: {}=…"


def write_setting(key: str, value: str | None, *, folder: Path | None = None) -> Path:
    """Set a key in the folder's `sourcebook.toml`, or with None remove it. An invalid value changes nothing.

    Who may read the file stays as it was; but with a password in it, only its owner and its group may, and of a new
    file only its owner.
    """
    place = Path.cwd() if folder is None else folder
    path = place / TOML_FILE
    require_known(key)
    _require_no_secret(key, value)
    before = path.read_text(encoding="utf-8-sig") if path.exists() else ""
    after = _without(before, key) if value is None else _with(before, key, _literal(key, value))
    _checked(after, key, value)
    temporary = path.with_name(f".{TOML_FILE}.{os.getpid()}")
    holds_password = masked(after) != after
    with open(temporary, "w", encoding="utf-8", opener=_for_owner if holds_password else None) as file:
        file.write(after)
    if path.exists():
        _open_to_the_same(temporary, path.stat(), S_IRWXO if holds_password else 0)
    temporary.replace(path)
    return path


def _open_to_the_same(file: Path, before: os.stat_result, closed: int) -> None:
    """Let those read the file who could before, but for the rights that are closed."""
    if file.stat().st_gid != before.st_gid:
        try:
            os.chown(file, -1, before.st_gid)
        except PermissionError:
            closed |= S_IRWXG  # the group is another now
    file.chmod(S_IMODE(before.st_mode) & ~closed)


def _for_owner(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def shadowed_by(key: str, *, folder: Path | None = None) -> SettingOrigin | None:
    """What has a higher priority than the file and sets this key, if anything."""
    origin = load(cwd=folder).origins.get(key)
    return origin if origin in (SettingOrigin.ENVIRONMENT, SettingOrigin.DOTENV) else None


def _require_no_secret(key: str, value: str | None) -> None:
    if value is not None and "Secret" in str(Settings.model_fields[key].annotation):
        raise BadSetting(
            f"`{key}` is a secret, and {TOML_FILE} is no place for one.",
            hint=_ELSEWHERE.format(f"SOURCEBOOK_{key.upper()}"),
        )


def _literal(key: str, value: str) -> str:
    """The value as TOML: of the type that the setting has."""
    kind = str(Settings.model_fields[key].annotation)
    if "bool" in kind and value.lower() in ("true", "false"):
        return value.lower()
    if ("int" in kind or "float" in kind) and re.fullmatch(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?", value):
        return value
    return json.dumps(value, ensure_ascii=False)


def _line(key: str) -> re.Pattern[str]:
    return re.compile(rf"^[^\S\n]*(?:{key}|\"{key}\")[^\S\n]*=.*\n?", re.MULTILINE)


def _with(text: str, key: str, literal: str) -> str:
    line = f"{key} = {literal}\n"
    if _line(key).search(text):
        return _line(key).sub(lambda _: line, text, count=1)
    return f"{text.rstrip()}\n{line}" if text.strip() else line


def _without(text: str, key: str) -> str:
    return _line(key).sub("", text, count=1)


def _checked(text: str, key: str, value: str | None) -> None:
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadSetting(
            f"{TOML_FILE} has a value of `{key}` over several lines.", hint="Change it in an editor."
        ) from error
    require_valid(table)
    if (key in table) != (value is not None):
        raise BadSetting(f"{TOML_FILE} is written in a way that cannot be changed.", hint="Use an editor.")
