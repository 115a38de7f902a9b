"""The settings of the reranker."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, SecretStr

from sourcebook.settings.file_and_web_fields import FileAndWebFields


class RerankFields(FileAndWebFields):
    """Which reranker orders the best passages, and what happens when it fails."""

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
