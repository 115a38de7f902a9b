"""All settings, with their defaults, limits and descriptions."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator

from sourcebook.errors import BadSetting
from sourcebook.ingest.folder.type_rules import parse_rules
from sourcebook.providers.catalogue.table import is_known
from sourcebook.providers.url_checks import is_readable_url
from sourcebook.settings.masks import masked
from sourcebook.storage.base_address import checked_base


class Settings(BaseModel):
    """All settings. Each field's description appears in the reference page."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    db: str = Field(
        default="data/knowledge_base.db",
        min_length=1,
        description="The base: a file path (`~` is the home folder), or the address of a PostgreSQL database, "
        "`postgresql://user:password@host/name`.",
    )
    collection: str = Field(
        default="default",
        min_length=1,
        description="The collection to use when a command names none.",
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
        description="How many connections may read at the same time. Only for a base in a file.",
    )
    pool_min: int = Field(
        default=1,
        ge=0,
        le=100,
        description="The smallest number of connections to keep open to a PostgreSQL server.",
    )
    pool_max: int = Field(
        default=5,
        ge=1,
        le=100,
        description="The largest number of connections to open to a PostgreSQL server. When all are busy, a request "
        "waits for one, up to `busy_timeout`.",
    )
    vector_index: Literal["auto", "exact", "hnsw", "hnsw_bits"] = Field(
        default="auto",
        description="How a PostgreSQL server finds vectors: `exact` compares all of them, `hnsw` uses a graph, "
        "`hnsw_bits` uses a graph of their signs, and `auto` chooses by the size of the collection.",
    )
    hnsw_m: int = Field(
        default=16, ge=2, le=100, description="How many neighbours each vector has in an HNSW graph."
    )
    hnsw_ef_construction: int = Field(
        default=64,
        ge=4,
        le=1000,
        description="How many candidates are considered while building an HNSW graph.",
    )
    statement_timeout: float = Field(
        default=300.0,
        gt=0,
        le=86400,
        description="Seconds after which a PostgreSQL server cancels a statement.",
    )
    embedder: str = Field(
        default="default",
        description="The embedding model: `default`, which comes with Sourcebook; `minilm`, for English; an embedder "
        "of `sourcebook models list`; `onnx:FOLDER`; `openai:MODEL`, on any OpenAI-compatible server; "
        "`ollama:MODEL`; or `none`.",
    )
    embedder_base_url: str | None = Field(
        default=None,
        min_length=1,
        description="The address of the embedder's server, for example `http://127.0.0.1:8000/v1`. "
        "Default: OpenAI, or Ollama on this machine.",
    )
    embedder_api_key: SecretStr | None = Field(
        default=None,
        description="The API key for that server. For OpenAI itself, `OPENAI_API_KEY` is read too.",
    )
    embedder_timeout: float = Field(
        default=60.0,
        gt=0,
        le=3600,
        description="Seconds to wait for one request to the embedder's server.",
    )
    embedder_batch: int = Field(
        default=32,
        ge=1,
        le=2048,
        description="The most texts to send to the embedder's server in one request.",
    )
    embedder_dimensions: int | None = Field(
        default=None,
        ge=1,
        le=16_000,
        description="The vector size of a model on a server. If it is not set, the server is asked once. "
        "`text-embedding-3-…` models can make shorter vectors.",
    )
    embedder_question_prefix: str | None = Field(
        default=None,
        description="The prefix the model expects before a question. "
        "Known models have a default, such as `query: ` for E5.",
    )
    embedder_passage_prefix: str | None = Field(
        default=None,
        description="The prefix the model expects before a passage of a document.",
    )
    embedding_cache: str = Field(
        default="auto",
        min_length=1,
        description="The file that caches vectors from servers. `auto` puts it beside the base, or in "
        "`~/.cache/sourcebook` for a base on a server; `none` turns the cache off.",
    )
    embedding_cache_mb: int = Field(
        default=500,
        ge=1,
        description="The largest size of that file, in megabytes. The oldest vectors are dropped first.",
    )
    max_file_mb: float = Field(
        default=50.0,
        gt=0,
        le=1000,
        description="The largest file that can be added, in megabytes.",
    )
    chunking: Literal["parent_child", "fixed", "sentence", "markdown"] = Field(
        default="parent_child",
        description="How texts are split into passages: `parent_child`, whole sentences, with smaller pieces for "
        "matching; `fixed`, 800 characters with an overlap of 200; `sentence`, whole sentences without overlap; "
        "`markdown`, by sections. Documents already in the base keep their passages.",
    )
    files: str | None = Field(
        default=None,
        min_length=1,
        description="The folder that keeps uploaded files. Default: the base's path plus `.files`, or `data/files` "
        "for a base on a server.",
    )
    type_rules: str = Field(
        default="project/README.md=readme, project/docs/=documentation, documents/=document",
        description="Rules that give a document its type by its path: `place=type`, separated by commas. The first "
        "match wins; without a match the type is `document`. A place ending in `/` is a folder, any other a file.",
    )
    web_pages: int = Field(
        default=500,
        ge=1,
        le=100_000,
        description="The most web pages that one `add` fetches.",
    )
    web_pause: float = Field(
        default=0.5,
        ge=0,
        le=60,
        description="Seconds to wait between two pages of a site. Its robots.txt may ask for more.",
    )
    web_allow_hosts: str = Field(
        default="",
        description="Hosts with private addresses whose pages may be added, separated by commas.",
    )
    transcription_model: str | None = Field(
        default=None,
        min_length=1,
        description="The model that writes down what is said in recordings, on any server with OpenAI's "
        "`/audio/transcriptions`, for example `whisper-1`. Without one, recordings are not read.",
    )
    transcription_base_url: str | None = Field(
        default=None,
        min_length=1,
        description="The address of that server, for example `http://127.0.0.1:8000/v1`. Default: OpenAI.",
    )
    transcription_api_key: SecretStr | None = Field(
        default=None,
        description="The API key for that server.",
    )
    transcription_timeout: float = Field(
        default=600.0,
        gt=0,
        le=86_400,
        description="Seconds to wait for the text of one recording.",
    )
    rerank_provider: Literal["local", "api", "onnx"] = Field(
        default="local",
        description="The reranker: `local`, which comes with Sourcebook; `onnx`, a cross-encoder on this machine; or "
        "`api`, on a server.",
    )
    rerank_base_url: str | None = Field(
        default=None,
        min_length=1,
        description="The address of the reranker's server. `/rerank` is appended to it.",
    )
    rerank_model: str | None = Field(
        default=None,
        min_length=1,
        description="The reranker's model: its name on that server, its name in `sourcebook models list`, or the "
        "folder of a cross-encoder.",
    )
    rerank_api_key: SecretStr | None = Field(
        default=None,
        description="The API key for that server.",
    )
    rerank_timeout: float = Field(
        default=10.0,
        gt=0,
        le=600,
        description="Seconds to wait for the reranker. A cross-encoder judges what it can in that time; the rest keeps "
        "its order.",
    )
    rerank_on_failure: Literal["error", "fused"] = Field(
        default="error",
        description="What to do when the reranker fails: `error`, or `fused` to return the order before reranking, "
        "with a warning.",
    )
    chat_model: str = Field(
        default="none",
        min_length=1,
        description="The chat model that writes answers: `local:NAME`, on this machine without a server, by its name "
        "in `sourcebook models list` or the path of a GGUF file; `openai:MODEL`, on any OpenAI-compatible server; "
        "`ollama:MODEL`; or `none`, to quote the documents instead.",
    )
    chat_threads: int | None = Field(
        default=None,
        ge=1,
        le=256,
        description="How many threads a `local:` chat model uses. Default: one for each core that is free when it is "
        "loaded.",
    )
    chat_context: int = Field(
        default=4096,
        ge=512,
        le=131_072,
        description="How many model tokens a `local:` chat model can have before its eyes at once: the passages, the "
        "conversation and the answer. More takes more memory.",
    )
    chat_base_url: str | None = Field(
        default=None,
        min_length=1,
        description="The address of the chat model's server, for example `http://127.0.0.1:8080/v1`. "
        "Default: OpenAI, or Ollama on this machine.",
    )
    chat_api_key: SecretStr | None = Field(
        default=None,
        description="The API key for that server. For OpenAI itself, `OPENAI_API_KEY` is read too.",
    )
    chat_timeout: float = Field(
        default=60.0,
        gt=0,
        le=3600,
        description="Seconds to wait while the chat model sends nothing.",
    )
    chat_tokens: int = Field(
        default=800,
        ge=16,
        le=32_000,
        description="The longest answer the chat model may write, in model tokens.",
    )
    chat_seconds: float = Field(
        default=300.0,
        gt=0,
        le=86_400,
        description="Seconds after which an answer that the chat model is still writing is given up.",
    )
    chat_characters: int = Field(
        default=32_000,
        ge=100,
        le=1_000_000,
        description="The most characters the chat model may write before its answer is given up.",
    )
    answer_passages: int = Field(
        default=6,
        ge=1,
        le=50,
        description="The most passages to base an answer on.",
    )
    answer_characters: int | None = Field(
        default=None,
        ge=200,
        le=200_000,
        description="The most characters of passages to give to the chat model. Default: 8,000, and 3,000 for a "
        "`local:` model, which reads slowly.",
    )
    judge_model: str = Field(
        default="none",
        min_length=1,
        description="The model that looks for sentences of an answer that contradict their source: a judge of "
        "`sourcebook models list`, the folder of one, or `none`.",
    )
    reader_model: str = Field(
        default="none",
        min_length=1,
        description="The model that marks the words that answer a question: a reader of `sourcebook models list`, the "
        "folder of one, or `none`.",
    )
    models_folder: str = Field(
        default="~/.local/share/sourcebook/models",
        min_length=1,
        description="The folder where `sourcebook models get` keeps models. Several bases may share it.",
    )
    telegram_token: SecretStr | None = Field(
        default=None,
        description="The Telegram bot's token, from @BotFather.",
    )
    telegram_api_base: str = Field(
        default="https://api.telegram.org",
        min_length=1,
        description="The address of the Bot API: Telegram's, or your own server's.",
    )
    telegram_proxy: str | None = Field(
        default=None,
        min_length=1,
        description="A proxy for reaching the Bot API, for example `socks5://127.0.0.1:1080`. "
        "Requires the package `aiohttp-socks`.",
    )
    telegram_admins: str = Field(
        default="",
        description="The Telegram ids of people who may review answers, credit tokens and add files in the bot, "
        "separated by commas. Users with the role admin may too.",
    )
    telegram_webhook_url: str | None = Field(
        default=None,
        min_length=1,
        description="The public `https://…` address where Telegram delivers messages. Without it, the bot polls "
        "Telegram instead.",
    )
    telegram_webhook_secret: SecretStr | None = Field(
        default=None,
        description="The secret that proves a webhook call comes from Telegram: 1 to 256 letters, digits, `_` or `-`. "
        "Required for a webhook.",
    )
    telegram_webhook_host: str = Field(
        default="127.0.0.1",
        min_length=1,
        description="The local address on which the bot listens for webhook calls.",
    )
    telegram_webhook_port: int = Field(
        default=8081,
        ge=0,
        le=65535,
        description="The port on which the bot listens for webhook calls. 0 picks a free one.",
    )
    telegram_stars: int = Field(
        default=0,
        ge=0,
        le=10_000,
        description="The price of a token in Telegram Stars. With 0, the bot sells no tokens.",
    )
    http_charges: bool = Field(
        default=False,
        description="Whether people who ask over HTTP or on the page pay with tokens, as they do in the bot.",
    )
    http_upload_mb: float = Field(
        default=200.0,
        gt=0,
        le=100_000,
        description="The largest request that uploads files to the server, in megabytes. Each file may have "
        "`max_file_mb`.",
    )
    http_client_seconds: float = Field(
        default=30.0,
        gt=0,
        le=3600,
        description="Seconds after which the server gives up a client that neither sends nor reads.",
    )
    http_stop_seconds: float = Field(
        default=30.0,
        gt=0,
        le=3600,
        description="Seconds that answers and uploads in progress have to finish when the server is told to stop.",
    )
    welcome_tokens: int = Field(
        default=1,
        ge=0,
        le=1_000_000,
        description="How many tokens a new user receives.",
    )
    price_new_topic: int = Field(
        default=1,
        ge=0,
        le=1_000_000,
        description="The price of a consultation in tokens. With 0, all questions are free. Curated answers, declines "
        "and failures are always free.",
    )
    follow_ups_included: int = Field(
        default=3,
        ge=0,
        le=1_000_000,
        description="How many follow-up questions a paid consultation includes.",
    )
    price_more_questions: int = Field(
        default=1,
        ge=1,
        le=1_000_000,
        description="The price of more questions in a consultation, in tokens.",
    )
    more_questions: int = Field(
        default=3,
        ge=1,
        le=1_000_000,
        description="How many questions that price buys.",
    )
    reservation_seconds: int = Field(
        default=60,
        ge=3,
        le=3600,
        description="Seconds to hold the tokens for a question after its worker last reported in. "
        "Then they are returned.",
    )
    draft_answers: Literal["all", "model", "unverified", "none"] = Field(
        default="all",
        description="Which answers from documents go to review: `all`; `model`, those written by a chat model; "
        "`unverified`, those with an unsupported sentence; or `none`. Unanswered questions always go to review.",
    )
    draft_share: float = Field(
        default=1.0,
        ge=0,
        le=1,
        description="The share of those answers to review, chosen at random.",
    )
    sign_in_days: int = Field(
        default=14,
        ge=1,
        le=365,
        description="How many days a sign-in on the page lasts.",
    )
    login: Literal["auto", "always"] = Field(
        default="auto",
        description="Whether the server asks for an account or an API key: `always`, or `auto`, which lets one person "
        "in without a login on this machine as long as there are no accounts.",
    )
    allowed_hosts: str = Field(
        default="",
        description="Further names by which the server may be reached, separated by commas, for example "
        "`kb.example.org`. With a login, any name is accepted while this is empty.",
    )
    requests_per_minute: int = Field(
        default=600,
        ge=1,
        le=1_000_000,
        description="The most requests an account or an API key may send in a minute. One person without a login has "
        "no limit.",
    )
    questions_per_minute: int = Field(
        default=60,
        ge=1,
        le=1_000_000,
        description="The most questions an account or an API key may ask in a minute.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="warning",
        description="The lowest level of message to log.",
    )
    log_format: Literal["text", "json"] = Field(
        default="text",
        description="The log format: readable text, or one JSON object per line.",
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
        if embedder in ("default", "none", "minilm") or is_known(embedder):
            return embedder
        if kind in ("onnx", "openai", "ollama") and model.strip():
            return embedder
        raise ValueError(
            "choose default, none, minilm, an embedder of `sourcebook models list`, onnx:FOLDER, openai:MODEL or "
            "ollama:MODEL, and replace the word in capitals with your own"
        )

    @field_validator("embedder_base_url", "rerank_base_url", "chat_base_url", "telegram_api_base")
    @classmethod
    def _address(cls, url: str | None) -> str | None:
        if url is not None and not url.startswith(("http://", "https://")):
            raise ValueError("an address begins with http:// or https://")
        if url is not None and not is_readable_url(url):
            raise ValueError("the address is unreadable; write http://HOST:PORT/PATH, with %XX in a password")
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
            return checked_base(db)
        try:
            return str(Path(db).expanduser())
        except RuntimeError:
            # Like a shell: `~name` without such a home folder is an ordinary name.
            return db

    def at(self, db: str) -> Settings:
        """The same settings for another base."""
        try:
            return Settings.model_validate({**self.model_dump(), "db": db})
        except ValidationError as error:
            reason = error.errors(include_url=False, include_input=False)[0]["msg"]
            raise BadSetting(f"`db` is not valid: {reason.removeprefix('Value error, ')}.") from None

    def with_embedder(self, name: str) -> Settings:
        """The same settings with another embedder."""
        try:
            return Settings.model_validate({**self.model_dump(), "embedder": name})
        except ValidationError as error:
            reason = error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")
            raise BadSetting(f"The model cannot be {name!r}: {reason}.") from None

    def __repr_args__(self) -> list[tuple[str | None, object]]:
        return [(key, masked(value)) for key, value in self]
