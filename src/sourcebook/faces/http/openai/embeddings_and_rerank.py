"""`/v1/embeddings` and `/v1/rerank`."""

from __future__ import annotations

import base64
from typing import Any, Literal
from uuid import uuid4

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from sourcebook.errors import UsageError
from sourcebook.faces.http.auth.caller import Book, Reader
from sourcebook.faces.http.openai.completion_shape import usage
from sourcebook.faces.http.openai.router import openai_router
from sourcebook.ports.providers import TextRole

router = openai_router()
_MOST_TEXTS = 2048
_LONGEST_TEXT = 40_000
_QUESTIONS = ("query", "question", "search_query")


class EmbeddingsBody(BaseModel):
    """Texts to embed with the embedder of the settings. What else OpenAI knows is accepted and has no effect."""

    model_config = ConfigDict(extra="allow")

    input: str | list[str] = Field(description="A text, or up to 2048 of them.")
    model: str | None = Field(None, max_length=300)
    encoding_format: Literal["float", "base64"] | None = "float"
    dimensions: int | None = Field(None, ge=1, description="Only the size that the model has.")
    input_type: str | None = Field(None, max_length=100, description="`query` if the texts are questions.")


class RerankBody(BaseModel):
    """Texts to put in the order of a question."""

    model_config = ConfigDict(extra="allow")

    query: str = Field(min_length=1, max_length=10_000)
    documents: list[str | dict[str, Any]] = Field(min_length=1, max_length=1000)
    top_n: int | None = Field(None, ge=1)
    return_documents: bool = False
    model: str | None = Field(None, max_length=300)


@router.post("/embeddings", summary="Vectors of texts")
async def embeddings(body: EmbeddingsBody, caller: Reader, book: Book) -> dict[str, Any]:
    """The vectors that searching uses, in the order of the texts."""
    given = [body.input] if isinstance(body.input, str) else body.input
    _require_sane(given)
    model = await book.models.embedding_model()
    if body.dimensions not in (None, model.dimensions):
        raise UsageError(f"The vectors of {model.name} have {model.dimensions} dimensions.")
    role = TextRole.QUESTION if body.input_type in _QUESTIONS else TextRole.PASSAGE
    vectors = await book.models.embed(given, role=role)
    counted = usage("".join(given), "")
    return {
        "object": "list",
        "model": model.name,
        "data": [
            {"object": "embedding", "index": place, "embedding": _encoded(vector, body.encoding_format)}
            for place, vector in enumerate(vectors)
        ],
        "usage": {"prompt_tokens": counted["prompt_tokens"], "total_tokens": counted["prompt_tokens"]},
    }


@router.post("/rerank", summary="Texts in the order of a question")
async def rerank(body: RerankBody, caller: Reader, book: Book) -> dict[str, Any]:
    """In the shape that rerank servers share: `results` with `index` and `relevance_score`, best first."""
    given = [_document_text(each) for each in body.documents]
    _require_sane(given)
    ranked = await book.models.rerank(body.query, given, top_k=body.top_n)
    return {
        "id": f"rerank-{uuid4().hex}",
        "model": body.model or "sourcebook",
        "results": [
            {"index": place, "relevance_score": score}
            | ({"document": {"text": given[place]}} if body.return_documents else {})
            for place, score in ranked
        ],
    }


def _require_sane(given: list[str]) -> None:
    if not given or len(given) > _MOST_TEXTS:
        raise UsageError(f"Send 1 to {_MOST_TEXTS} texts.")
    if not all(text.strip() for text in given):
        raise UsageError("A text is empty.")
    if max(map(len, given)) > _LONGEST_TEXT:
        raise UsageError(f"A text is longer than {_LONGEST_TEXT} characters.")


def _document_text(document: str | dict[str, Any]) -> str:
    text = document if isinstance(document, str) else document.get("text")
    if not isinstance(text, str):
        raise UsageError("A document is a text, or has a `text`.")
    return text


def _encoded(vector: list[float], encoding: str | None) -> list[float] | str:
    if encoding != "base64":
        return vector
    return base64.b64encode(np.asarray(vector, "<f4").tobytes()).decode("ascii")
