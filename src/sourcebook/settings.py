"""The one reader of the environment, `.env` and `sourcebook.toml`.

A flag wins over the environment, the environment over `.env`, `.env` over `sourcebook.toml`, and that over
the default. Everything else in the house is handed values and asks nobody where they came from.
"""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote

from dotenv import dotenv_values
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from sourcebook.errors import BadSetting

if TYPE_CHECKING:
    from collections.abc import Mapping

PREFIX = "SOURCEBOOK_"
DOTENV_FILE = ".env"
TOML_FILE = "sourcebook.toml"
_SERVER_KEYS = ("DB_HOST", "DB_PORT", "DB_NAME", "DB_USER", "DB_PASSWORD")
# Read by the test suite, and by nothing in the product.
_NOT_SETTINGS = frozenset({"SOURCEBOOK_SOAK"})


class Settings(BaseModel):
    """What can be set. The description of a field is its line in the reference."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    db: str = Field(
        default="data/knowledge_base.db",
        min_length=1,
        description="The base: the path of a file, in which `~` is the home folder. "
        "Addresses of servers are read, but not served yet.",
    )
    collection: str = Field(
        default="default",
        min_length=1,
        description="The collection that is used when none is named.",
    )
    busy_timeout: float = Field(
        default=30.0,
        gt=0,
        le=3600,
        description="Seconds to wait while another process writes to the base.",
    )
    readers: int = Field(
        default=4,
        ge=1,
        le=64,
        description="How many connections read the base at the same time.",
    )
    embedder: Literal["default", "none"] = Field(
        default="default",
        description="What makes vectors: the model that comes with Sourcebook, or nothing.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="warning",
        description="The least important message that is logged.",
    )
    log_format: Literal["text", "json"] = Field(
        default="text",
        description="How messages are logged: lines for people, or one JSON object a line.",
    )

    @field_validator("db")
    @classmethod
    def _with_home(cls, db: str) -> str:
        if not db.startswith("~"):
            return db
        try:
            return str(Path(db).expanduser())
        except RuntimeError:
            # As a shell does it: what is nobody's home folder is a name like any other.
            return db

    def at(self, db: str) -> Settings:
        """The same settings for another base."""
        return Settings.model_validate({**self.model_dump(), "db": db})

    def __repr_args__(self) -> list[tuple[str | None, object]]:
        return [(key, masked(value)) for key, value in self]


class Origin(StrEnum):
    """Where a value came from; the most important first."""

    FLAG = "flag"
    ENVIRONMENT = "environment"
    DOTENV = ".env"
    TOML = "sourcebook.toml"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Given:
    """A value as somebody gave it: `name` is what they wrote, which is not always the setting's key."""

    name: str
    value: object
    origin: Origin


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """The settings, and for each key who gave it. Keys without an origin have their default."""

    settings: Settings
    origins: Mapping[str, Origin]

    def as_dict(self) -> dict[str, dict[str, object]]:
        """Every setting with its value, secrets masked, and its origin."""
        return {
            key: {"value": masked(value), "origin": self.origins.get(key, Origin.DEFAULT).value}
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
    given: dict[str, Given] = {}
    given.update(_from_toml(folder / TOML_FILE))
    given.update(_from_variables(dotenv, Origin.DOTENV))
    given.update(_from_variables(environment, Origin.ENVIRONMENT))
    given.update(_from_flags(flags or {}))
    if "db" not in given and (server := _server_address(environment, dotenv)):
        given["db"] = server
    return LoadedSettings(_validated(given), {key: value.origin for key, value in given.items()})


def masked(value: object) -> object:
    """The value as it may be shown: without the password of an address."""
    if not isinstance(value, str):
        return value
    shown = re.sub(r"(?<=://)([^/?#@:]*):.*@", r"\1:***@", value)
    return re.sub(r"(?i)([?&\s]|^)(\w*password)=[^&\s]*", r"\1\2=***", shown)


def _from_toml(path: Path) -> dict[str, Given]:
    text = _read(path)
    if text is None:
        return {}
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadSetting(
            f"{path.name} is not valid TOML: {error}", hint="Correct that line, or remove the file."
        ) from error
    for key in table:
        _expect_known(key, list(Settings.model_fields), f"in {path.name}")
    return {key: Given(key, value, Origin.TOML) for key, value in table.items()}


def _from_variables(variables: Mapping[str, str], origin: Origin) -> dict[str, Given]:
    """The settings among the variables. An empty variable counts as not set, as people clear one so."""
    names = {PREFIX + key.upper(): key for key in Settings.model_fields}
    given: dict[str, Given] = {}
    for name, value in variables.items():
        if not name.startswith(PREFIX) or name in _NOT_SETTINGS or not value:
            continue
        _expect_known(name, list(names), f"in {_place(origin)}")
        given[names[name]] = Given(name, value, origin)
    return given


def _from_flags(flags: Mapping[str, object]) -> dict[str, Given]:
    given: dict[str, Given] = {}
    for key, value in flags.items():
        if value is None:
            continue
        _expect_known(key, list(Settings.model_fields), "among the flags")
        given[key] = Given("--" + key.replace("_", "-"), value, Origin.FLAG)
    return given


def _server_address(environment: Mapping[str, str], dotenv: Mapping[str, str]) -> Given | None:
    """The base named by DB_HOST and its companions, for who sets those for another program anyway."""
    origin = Origin.ENVIRONMENT if environment.get("DB_HOST") else Origin.DOTENV
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
    return Given("DB_HOST", f"postgresql://{address}/{quote(name, safe='')}", origin)


def _validated(given: Mapping[str, Given]) -> Settings:
    try:
        return Settings.model_validate({key: entry.value for key, entry in given.items()})
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
    entry = given[str(problem["loc"][0])]
    raise BadSetting(
        f"{entry.name} cannot be {masked(entry.value)!r} (from {_place(entry.origin)}): {problem['msg']}."
    )


def _expect_known(name: str, known: list[str], where: str) -> None:
    if name in known:
        return
    nearest = get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"Did you mean `{nearest[0]}`?" if nearest else f"The settings are: {', '.join(known)}."
    raise BadSetting(f"There is no setting `{name}` ({where}).", hint=hint)


def _place(origin: Origin) -> str:
    return {
        Origin.FLAG: "a flag",
        Origin.ENVIRONMENT: "the environment",
        Origin.DOTENV: DOTENV_FILE,
        Origin.TOML: TOML_FILE,
        Origin.DEFAULT: "the defaults",
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
