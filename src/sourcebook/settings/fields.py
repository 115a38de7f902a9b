"""What can be set, with its default, its limits, and its line in the reference."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator

from sourcebook.errors import BadSetting
from sourcebook.ingest.folder.type_rules import parse_rules
from sourcebook.settings.masks import masked


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
        return Settings.model_validate({**self.model_dump(), "db": db})

    def with_embedder(self, name: str) -> Settings:
        """The same settings with another embedder."""
        try:
            return Settings.model_validate({**self.model_dump(), "embedder": name})
        except ValidationError as error:
            reason = error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")
            raise BadSetting(f"The model cannot be {name!r}: {reason}.") from None

    def __repr_args__(self) -> list[tuple[str | None, object]]:
        return [(key, masked(value)) for key, value in self]
