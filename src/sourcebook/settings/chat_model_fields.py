"""The settings of the chat model, and of what it is given for an answer."""

from __future__ import annotations

from pydantic import Field, SecretStr

from sourcebook.settings.rerank_fields import RerankFields


class ChatModelFields(RerankFields):
    """Which model writes answers, and how much it may read and write."""

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
    chat_reads_unsure: bool | None = Field(
        default=None,
        description="Whether the chat model reads what came nearly close enough to an answer, and decides. Otherwise "
        "such questions are declined unread. Default: yes for an `openai:` model, no for `local:` and `ollama:`, which "
        "are often too small to decline.",
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
