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
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator

from sourcebook.errors import BadSetting
from sourcebook.ingest.folder.type_rules import parse_rules

if TYPE_CHECKING:
    from collections.abc import Mapping

PREFIX = "SOURCEBOOK_"
DOTENV_FILE = ".env"
TOML_FILE = "sourcebook.toml"
_SECRET_ENDS = ("api_key", "_token", "_secret")
_SERVER_KEYS = ("DB_HOST", "DB_PORT", "DB_NAME", "DB_USER", "DB_PASSWORD")
# As it stands in the addresses of the Bot API, which libraries put into their errors.
_BOT_TOKEN = re.compile(r"(?<!\d)(\d{1,20}):[A-Za-z0-9_-]{30,}")
# Read by the test suite, and by nothing in the product.
_NOT_SETTINGS = frozenset({"SOURCEBOOK_SOAK", "SOURCEBOOK_TEST_POSTGRES"})


class Settings(BaseModel):
    """What can be set. The description of a field is its line in the reference."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    db: str = Field(
        default="data/knowledge_base.db",
        min_length=1,
        description="The base: the path of a file, in which `~` is the home folder. "
        "Or the address of a PostgreSQL database, `postgresql://user:password@host/name`.",
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
        description="How many connections read the base at the same time. For a base in a file.",
    )
    pool_min: int = Field(
        default=1,
        ge=0,
        le=100,
        description="How many connections to a server are kept open at least.",
    )
    pool_max: int = Field(
        default=5,
        ge=1,
        le=100,
        description="How many connections to a server are opened at most; who needs one more waits `busy_timeout`.",
    )
    vector_index: Literal["auto", "exact", "hnsw", "hnsw_bits"] = Field(
        default="auto",
        description="How a server finds vectors: by looking at all of them, by a graph, by a graph of their signs; "
        "or whichever fits the size of the collection.",
    )
    hnsw_m: int = Field(
        default=16, ge=2, le=100, description="How many neighbours a vector has in a graph on a server."
    )
    hnsw_ef_construction: int = Field(
        default=64, ge=4, le=1000, description="How widely neighbours are looked for when a graph is made."
    )
    statement_timeout: float = Field(
        default=300.0,
        gt=0,
        le=86400,
        description="Seconds after which a server gives up a statement.",
    )
    embedder: str = Field(
        default="default",
        description="What makes vectors: `default`, the model that comes with Sourcebook; `minilm`, for English; "
        "`onnx:FOLDER`; `openai:MODEL`, at any OpenAI-compatible server; `ollama:MODEL`; or `none`.",
    )
    embedder_base_url: str | None = Field(
        default=None,
        min_length=1,
        description="The address of the embedder's server, for example `http://127.0.0.1:8000/v1`. "
        "Without it, that of OpenAI, or of Ollama on this machine.",
    )
    embedder_api_key: SecretStr | None = Field(
        default=None,
        description="The API key for that server. For OpenAI itself, `OPENAI_API_KEY` is read too.",
    )
    embedder_timeout: float = Field(
        default=60.0,
        gt=0,
        le=3600,
        description="Seconds that the embedder's server may take for one request.",
    )
    embedder_batch: int = Field(
        default=32,
        ge=1,
        le=2048,
        description="How many texts are sent to the embedder's server in one request, at most.",
    )
    embedder_dimensions: int | None = Field(
        default=None,
        ge=1,
        le=16_000,
        description="The size of the vectors of a served model. Without it, the server is asked once; "
        "`text-embedding-3-…` models make shorter vectors on demand.",
    )
    embedder_question_prefix: str | None = Field(
        default=None,
        description="What is put before a question, where a model wants that. "
        "Without it, what is known of the model: `query: ` for E5, and so on.",
    )
    embedder_passage_prefix: str | None = Field(
        default=None,
        description="What is put before a text of a document.",
    )
    embedding_cache: str = Field(
        default="auto",
        min_length=1,
        description="The file in which vectors from servers are remembered: `auto` is beside the base, "
        "or in `~/.cache/sourcebook` for a base on a server; `none` is nowhere.",
    )
    embedding_cache_mb: int = Field(
        default=500,
        ge=1,
        description="How large that file may grow, in megabytes. The oldest vectors go first.",
    )
    max_file_mb: float = Field(
        default=50.0,
        gt=0,
        le=1000,
        description="How large a file may be to be added, in megabytes.",
    )
    chunking: Literal["parent_child", "fixed", "sentence", "markdown"] = Field(
        default="parent_child",
        description="How texts are cut into passages: `parent_child`, whole sentences, with smaller pieces that are "
        "matched; `fixed`, 800 characters with 200 of the passage before; `sentence`, whole sentences without overlap; "
        "`markdown`, by sections. Documents that are there already stay as they were cut.",
    )
    files: str | None = Field(
        default=None,
        min_length=1,
        description="The folder in which uploaded files are kept. Without it, beside the base: its path with `.files` "
        "behind it; or `data/files` for a base on a server.",
    )
    type_rules: str = Field(
        default="project/README.md=readme, project/docs/=documentation, documents/=document",
        description="What type a document is by its path: `place=type`, separated by commas; the first that fits "
        "decides, and what none fits is a `document`. A place that ends with `/` is a folder, any other a file.",
    )
    rerank_provider: Literal["local", "api"] = Field(
        default="local",
        description="Which reranker a reranked search uses: the one that comes with Sourcebook, or a server's.",
    )
    rerank_base_url: str | None = Field(
        default=None,
        min_length=1,
        description="The address of the reranker's server, to which `/rerank` is added.",
    )
    rerank_model: str | None = Field(
        default=None,
        min_length=1,
        description="The name of the reranker's model on that server.",
    )
    rerank_api_key: SecretStr | None = Field(
        default=None,
        description="The API key for that server.",
    )
    rerank_timeout: float = Field(
        default=10.0,
        gt=0,
        le=600,
        description="Seconds that the reranker's server may take for one search.",
    )
    rerank_on_failure: Literal["error", "fused"] = Field(
        default="error",
        description="What becomes of a search whose reranker fails: an error, "
        "or the order before reranking with a warning.",
    )
    chat_model: str = Field(
        default="none",
        min_length=1,
        description="What writes answers: `none`, and they are quoted from the documents; `openai:MODEL`, at any "
        "OpenAI-compatible server; or `ollama:MODEL`.",
    )
    chat_base_url: str | None = Field(
        default=None,
        min_length=1,
        description="The address of the chat model's server, for example `http://127.0.0.1:8080/v1`. "
        "Without it, that of OpenAI, or of Ollama on this machine.",
    )
    chat_api_key: SecretStr | None = Field(
        default=None,
        description="The API key for that server. For OpenAI itself, `OPENAI_API_KEY` is read too.",
    )
    chat_timeout: float = Field(
        default=60.0,
        gt=0,
        le=3600,
        description="Seconds that the chat model may be silent.",
    )
    chat_tokens: int = Field(
        default=800,
        ge=16,
        le=32_000,
        description="How long an answer of the chat model may be, in model tokens.",
    )
    answer_passages: int = Field(
        default=6,
        ge=1,
        le=50,
        description="How many passages an answer is made from, at most.",
    )
    telegram_token: SecretStr | None = Field(
        default=None,
        description="The token of the Telegram bot, as @BotFather gave it.",
    )
    telegram_api_base: str = Field(
        default="https://api.telegram.org",
        min_length=1,
        description="The address of the Bot API: that of Telegram, or of a server of your own.",
    )
    telegram_proxy: str | None = Field(
        default=None,
        min_length=1,
        description="The proxy through which the bot reaches that address, for example `socks5://127.0.0.1:1080`. "
        "It needs the package `aiohttp-socks`.",
    )
    telegram_admins: str = Field(
        default="",
        description="The Telegram ids of those who may review, credit and add files in the bot, separated by commas. "
        "People with the role admin in the base may too.",
    )
    telegram_webhook_url: str | None = Field(
        default=None,
        min_length=1,
        description="The address at which Telegram reaches the bot, `https://…`. Without it, the bot asks for messages "
        "itself.",
    )
    telegram_webhook_secret: SecretStr | None = Field(
        default=None,
        description="What Telegram sends with every message to that address, to show that it is Telegram: 1 to 256 "
        "letters, digits, `_` or `-`. A webhook without it is refused.",
    )
    telegram_webhook_host: str = Field(
        default="127.0.0.1",
        min_length=1,
        description="The address on this machine at which the bot listens for the webhook.",
    )
    telegram_webhook_port: int = Field(
        default=8081,
        ge=0,
        le=65535,
        description="The port on which the bot listens for the webhook; with 0, one that is free.",
    )
    telegram_stars: int = Field(
        default=0,
        ge=0,
        le=10_000,
        description="How many Telegram Stars a token costs. With 0, tokens cannot be bought in the bot.",
    )
    welcome_tokens: int = Field(
        default=1,
        ge=0,
        le=1_000_000,
        description="How many tokens a new person is given.",
    )
    price_new_topic: int = Field(
        default=1,
        ge=0,
        le=1_000_000,
        description="How many tokens a consultation costs. With 0, all questions are free. Answers that are curated, "
        "declined or failed always are.",
    )
    follow_ups_included: int = Field(
        default=3,
        ge=0,
        le=1_000_000,
        description="How many more questions a consultation that was paid for includes.",
    )
    price_more_questions: int = Field(
        default=1,
        ge=1,
        le=1_000_000,
        description="How many tokens it costs to buy more questions in a consultation.",
    )
    more_questions: int = Field(
        default=3,
        ge=1,
        le=1_000_000,
        description="How many questions one gets for that.",
    )
    reservation_seconds: int = Field(
        default=60,
        ge=3,
        le=3600,
        description="How long tokens are held for a question after the last sign of life of whoever answers it. "
        "Then they are given back.",
    )
    draft_answers: Literal["all", "model", "unverified", "none"] = Field(
        default="all",
        description="Which answers from documents are put before a person for approval: all, those that a chat model "
        "wrote, those with a sentence that nothing supports, or none. A question without an answer always is.",
    )
    draft_share: float = Field(
        default=1.0,
        ge=0,
        le=1,
        description="The share of those answers that is put there, chosen by lot.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="warning",
        description="The least important message that is logged.",
    )
    log_format: Literal["text", "json"] = Field(
        default="text",
        description="How messages are logged: lines for people, or one JSON object a line.",
    )

    @field_validator("type_rules")
    @classmethod
    def _with_sense(cls, rules: str) -> str:
        parse_rules(rules)
        return rules

    @field_validator("embedder")
    @classmethod
    def _known_embedder(cls, embedder: str) -> str:
        kind, _, model = embedder.partition(":")
        if embedder in ("default", "none", "minilm") or (
            kind in ("onnx", "openai", "ollama") and model.strip()
        ):
            return embedder
        raise ValueError(
            "choose default, none, minilm, onnx:FOLDER, openai:MODEL or ollama:MODEL, "
            "the words in capitals being your own"
        )

    @field_validator("embedder_base_url", "rerank_base_url", "telegram_api_base")
    @classmethod
    def _address(cls, url: str | None) -> str | None:
        if url is not None and not url.startswith(("http://", "https://")):
            raise ValueError("an address begins with http:// or https://")
        return url

    @field_validator("telegram_admins")
    @classmethod
    def _ids(cls, admins: str) -> str:
        if all(part.strip().isdecimal() for part in admins.split(",") if part.strip()):
            return admins
        raise ValueError("ids are numbers, separated by commas; @userinfobot tells people theirs")

    @field_validator("telegram_webhook_secret")
    @classmethod
    def _fit_for_a_header(cls, secret: SecretStr | None) -> SecretStr | None:
        if secret is None or re.fullmatch(r"[A-Za-z0-9_-]{1,256}", secret.get_secret_value()):
            return secret
        raise ValueError("use 1 to 256 letters, digits, `_` or `-`")

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
        try:
            return Settings.model_validate({**self.model_dump(), "db": db})
        except ValidationError as error:
            reason = error.errors(include_url=False, include_input=False)[0]["msg"]
            raise BadSetting(f"`db` cannot be so: {reason.removeprefix('Value error, ')}.") from None

    def with_embedder(self, name: str) -> Settings:
        """The same settings with another embedder."""
        try:
            return Settings.model_validate({**self.model_dump(), "embedder": name})
        except ValidationError as error:
            reason = error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")
            raise BadSetting(f"The model cannot be {name!r}: {reason}.") from None

    def __repr_args__(self) -> list[tuple[str | None, object]]:
        return [(key, masked(value)) for key, value in self]


class SettingOrigin(StrEnum):
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
    origin: SettingOrigin


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """The settings, and for each key who gave it. Keys without an origin have their default."""

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
    given: dict[str, Given] = {}
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


def masked(value: object) -> object:
    """The value as it may be shown: without the password of an address, a bot's token, or anything of a secret."""
    if isinstance(value, SecretStr):
        return "***"
    if not isinstance(value, str):
        return value
    shown = _BOT_TOKEN.sub(r"\1:***", re.sub(r"(?<=://)([^/?#@:]*):.*@", r"\1:***@", value))
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
    return {key: Given(key, value, SettingOrigin.TOML) for key, value in table.items()}


def _from_variables(variables: Mapping[str, str], origin: SettingOrigin) -> dict[str, Given]:
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
        given[key] = Given("--" + key.replace("_", "-"), value, SettingOrigin.FLAG)
    return given


def _server_address(environment: Mapping[str, str], dotenv: Mapping[str, str]) -> Given | None:
    """The base named by DB_HOST and its companions, for who sets those for another program anyway."""
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
    return Given("DB_HOST", f"postgresql://{address}/{quote(name, safe='')}", origin)


def _openai_key(environment: Mapping[str, str], dotenv: Mapping[str, str]) -> Given | None:
    """The key for OpenAI itself, for who has it set for another program anyway. No other server is given it."""
    for variables, origin in ((environment, SettingOrigin.ENVIRONMENT), (dotenv, SettingOrigin.DOTENV)):
        if variables.get("OPENAI_API_KEY"):
            return Given("OPENAI_API_KEY", variables["OPENAI_API_KEY"], origin)
    return None


def _validated(given: Mapping[str, Given]) -> Settings:
    try:
        return Settings.model_validate({key: entry.value for key, entry in given.items()})
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
    key = str(problem["loc"][0])
    entry = given[key]
    shown = "***" if key.endswith(_SECRET_ENDS) else masked(entry.value)
    reason = problem["msg"].removeprefix("Value error, ")
    raise BadSetting(f"{entry.name} cannot be {shown!r} (from {_place(entry.origin)}): {reason}.")


def _expect_known(name: str, known: list[str], where: str) -> None:
    if name in known:
        return
    nearest = get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"Did you mean `{nearest[0]}`?" if nearest else f"The settings are: {', '.join(known)}."
    raise BadSetting(f"There is no setting `{name}` ({where}).", hint=hint)


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
