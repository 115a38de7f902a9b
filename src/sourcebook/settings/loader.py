"""Reading the settings from flags, the environment, `.env` and `sourcebook.toml`."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from dotenv import dotenv_values
from pydantic import ValidationError

from sourcebook.errors import BadSetting

if TYPE_CHECKING:
    from collections.abc import Mapping

from sourcebook.settings.all_settings import Settings
from sourcebook.settings.secret_masks import masked

PREFIX = "SOURCEBOOK_"
DOTENV_FILE = ".env"
TOML_FILE = "sourcebook.toml"
_SECRET_ENDS = ("api_key", "_token", "_secret")
_SERVER_KEYS = ("DB_HOST", "DB_PORT", "DB_NAME", "DB_USER", "DB_PASSWORD")
# Used by the tests and benchmarks only.
_NOT_SETTINGS = frozenset(
    {
        "SOURCEBOOK_BENCH_DATA",
        "SOURCEBOOK_CHAOS_SECONDS",
        "SOURCEBOOK_SOAK",
        "SOURCEBOOK_SOAK_SECONDS",
        "SOURCEBOOK_TEST_CITUS",
        "SOURCEBOOK_TEST_POSTGRES",
    }
)


class SettingOrigin(StrEnum):
    """Where a value came from, highest priority first."""

    FLAG = "flag"
    ENVIRONMENT = "environment"
    DOTENV = ".env"
    TOML = "sourcebook.toml"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class GivenSetting:
    """A value as it was given. `name` is the name that was used, which is not always the setting's key."""

    name: str
    value: object
    origin: SettingOrigin


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """The settings, and where each value came from. Keys without an origin have their default."""

    settings: Settings
    origins: Mapping[str, SettingOrigin]

    def as_dict(self) -> dict[str, dict[str, object]]:
        """Every setting with its value, secrets masked, and its origin."""
        return {
            key: {"value": masked(value), "origin": self.origins.get(key, SettingOrigin.DEFAULT).value}
            for key, value in self.settings
        }


def load(
    flags: Mapping[str, object] | None = None,
    *,
    cwd: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> LoadedSettings:
    """Read the settings once. A flag that is None was not given."""
    folder = Path.cwd() if cwd is None else cwd
    environment = os.environ if environ is None else environ
    dotenv = _read_dotenv(folder / DOTENV_FILE)
    given: dict[str, GivenSetting] = {}
    given.update(_from_toml(folder / TOML_FILE))
    given.update(_from_variables(dotenv, SettingOrigin.DOTENV))
    given.update(_from_variables(environment, SettingOrigin.ENVIRONMENT))
    given.update(_from_flags(flags or {}))
    if "db" not in given and (server := _server_address(environment, dotenv)):
        given["db"] = server
    if not given.keys() & {"embedder_api_key", "embedder_base_url"} and (
        key := _openai_key(environment, dotenv)
    ):
        given["embedder_api_key"] = key
    return LoadedSettings(_validated(given), {key: value.origin for key, value in given.items()})


def _from_toml(path: Path) -> dict[str, GivenSetting]:
    text = _read(path)
    if text is None:
        return {}
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadSetting(
            f"{path.name} is not valid TOML: {error}", hint="Correct that line, or remove the file."
        ) from error
    return _known(table)


def require_valid(table: Mapping[str, object]) -> None:
    """What `sourcebook.toml` may hold: known keys with values that fit. Anything else is an error."""
    _validated(_known(table))


def _known(table: Mapping[str, object]) -> dict[str, GivenSetting]:
    for key in table:
        _expect_known(key, list(Settings.model_fields), f"in {TOML_FILE}")
    return {key: GivenSetting(key, value, SettingOrigin.TOML) for key, value in table.items()}


def _from_variables(variables: Mapping[str, str], origin: SettingOrigin) -> dict[str, GivenSetting]:
    """The settings among the variables. An empty variable counts as not set: that is how people clear one."""
    names = {PREFIX + key.upper(): key for key in Settings.model_fields}
    given: dict[str, GivenSetting] = {}
    for name, value in variables.items():
        if not name.startswith(PREFIX) or name in _NOT_SETTINGS or not value:
            continue
        _expect_known(name, list(names), f"in {_place(origin)}")
        given[names[name]] = GivenSetting(name, value, origin)
    return given


def _from_flags(flags: Mapping[str, object]) -> dict[str, GivenSetting]:
    given: dict[str, GivenSetting] = {}
    for key, value in flags.items():
        if value is None:
            continue
        _expect_known(key, list(Settings.model_fields), "among the flags")
        given[key] = GivenSetting("--" + key.replace("_", "-"), value, SettingOrigin.FLAG)
    return given


def _server_address(environment: Mapping[str, str], dotenv: Mapping[str, str]) -> GivenSetting | None:
    """The base named by DB_HOST and its companions, which another program may already have set."""
    origin = SettingOrigin.ENVIRONMENT if environment.get("DB_HOST") else SettingOrigin.DOTENV
    host, port, name, user, password = (environment.get(key) or dotenv.get(key) or "" for key in _SERVER_KEYS)
    if not host:
        return None
    if ":" in host and not host.startswith("["):
        host = f"[{host}]"
    account = quote(user, safe="")
    if password:
        account += ":" + quote(password, safe="")
    address = f"{account}@{host}" if account else host
    if port:
        address += f":{port}"
    return GivenSetting("DB_HOST", f"postgresql://{address}/{quote(name, safe='')}", origin)


def _openai_key(environment: Mapping[str, str], dotenv: Mapping[str, str]) -> GivenSetting | None:
    """The key for OpenAI itself, which another program may already have set. It is sent to no other server."""
    for variables, origin in ((environment, SettingOrigin.ENVIRONMENT), (dotenv, SettingOrigin.DOTENV)):
        if variables.get("OPENAI_API_KEY"):
            return GivenSetting("OPENAI_API_KEY", variables["OPENAI_API_KEY"], origin)
    return None


def _validated(given: Mapping[str, GivenSetting]) -> Settings:
    try:
        return Settings.model_validate({key: entry.value for key, entry in given.items()})
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
    key = str(problem["loc"][0])
    entry = given[key]
    shown = "***" if key.endswith(_SECRET_ENDS) else masked(entry.value)
    reason = problem["msg"].removeprefix("Value error, ")
    raise BadSetting(f"{entry.name} cannot be {shown!r} (from {_place(entry.origin)}): {reason}.")


def require_known(key: str) -> None:
    """BadSetting with the nearest names, for a key that somebody typed."""
    _expect_known(key, list(Settings.model_fields), "")


def _expect_known(name: str, known: list[str], where: str) -> None:
    if name in known:
        return
    bare = {each.removeprefix(PREFIX): each for each in known}  # what all begin with makes nothing alike
    nearest = [f"`{bare[each]}`" for each in get_close_matches(name.removeprefix(PREFIX), bare, cutoff=0.5)]
    # Until it is corrected, no command reads the settings: `config show` would fail, too.
    listed = "Remove it, or correct its name." if where else "`sourcebook config show` lists all settings."
    hint = f"Did you mean {' or '.join(nearest)}?" if nearest else listed
    raise BadSetting(f"There is no setting `{name}`{f' ({where})' if where else ''}.", hint=hint)


def _place(origin: SettingOrigin) -> str:
    return {
        SettingOrigin.FLAG: "a flag",
        SettingOrigin.ENVIRONMENT: "the environment",
        SettingOrigin.DOTENV: DOTENV_FILE,
        SettingOrigin.TOML: TOML_FILE,
        SettingOrigin.DEFAULT: "the defaults",
    }[origin]


def _read_dotenv(path: Path) -> dict[str, str]:
    text = _read(path)
    if text is None:
        return {}
    # Values are taken as they stand: a `$` in a password is a dollar sign.
    values = dotenv_values(stream=StringIO(text), interpolate=False)
    return {name: value for name, value in values.items() if value is not None}


def _read(path: Path) -> str | None:
    """The text of a settings file, None if there is no such file."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise BadSetting(
            f"{path.name} cannot be read: {error}", hint="Check its permissions, and that it is UTF-8 text."
        ) from error
