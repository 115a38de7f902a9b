"""The settings of the embedder, which makes the vectors."""

from __future__ import annotations

from pydantic import Field, SecretStr, field_validator

from sourcebook.providers.catalogue.known_models import is_known
from sourcebook.settings.storage_fields import StorageFields


class EmbedderFields(StorageFields):
    """Which model makes the vectors, where it runs, and how its vectors are cached."""

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
