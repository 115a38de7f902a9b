"""Searching and asking."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from sourcebook.faces import json_shapes
from sourcebook.faces.http.caller import Book, Reader, ServerSettings, allowed_collections
from sourcebook.faces.http.events import answer_events, as_sse
from sourcebook.model.search import RetrievalConfig, RetrievalMode

router = APIRouter(prefix="/api", tags=["questions"])


class SearchBody(BaseModel):
    """What to search for, and where."""

    model_config = ConfigDict(extra="forbid")

    query: str = Field(
        min_length=1, max_length=10_000, description="The words or the question to search for."
    )
    collections: list[str] | None = Field(
        None, description="The collections to search; without any, the default."
    )
    mode: RetrievalMode = Field(RetrievalMode.HYBRID, description="By words, by meaning, or by both.")
    top_k: int = Field(10, ge=1, le=100, description="How many passages to return at most.")


class AskBody(BaseModel):
    """A question, and the conversation it belongs to."""

    model_config = ConfigDict(extra="forbid")

    question: str = Field(min_length=1, max_length=10_000, description="The question, in any language.")
    session: str | None = Field(None, description="The conversation that this question continues.")
    collections: list[str] | None = Field(
        None, description="The collections to ask; without any, the default."
    )
    category: str | None = Field(None, description="Ask only what belongs to this category.")
    subcategory: str | None = Field(None, description="Ask what belongs to this subcategory first.")


@router.post("/search", summary="Search for passages")
async def search(body: SearchBody, caller: Reader, book: Book, settings: ServerSettings) -> dict[str, Any]:
    """The passages that match best, as `sourcebook search --json` prints them."""
    config = RetrievalConfig(mode=body.mode, top_k=body.top_k)
    collections = allowed_collections(caller, body.collections, settings)
    report = await book.search_report(body.query, config, collection=collections)
    return json_shapes.found(body.query, config.mode, report)


@router.post("/ask", summary="Ask a question", response_model=None)
async def ask(
    body: AskBody, request: Request, caller: Reader, book: Book, settings: ServerSettings
) -> dict[str, Any] | StreamingResponse:
    """The answer, as `sourcebook ask --json` prints it. With `Accept: text/event-stream`, events as it is written."""
    collections = allowed_collections(caller, body.collections, settings) if body.collections else None
    if collections is None and body.session is None:
        collections = allowed_collections(caller, None, settings)

    async def asked(on_event: Any = None) -> Any:
        return await book.ask(
            body.question,
            session=body.session,
            collection=collections,
            category=body.category,
            subcategory=body.subcategory,
            user=caller.user_id,
            on_event=on_event,
        )

    if "text/event-stream" not in request.headers.get("accept", ""):
        return json_shapes.answer(await asked(), with_details=True)

    async def events() -> AsyncGenerator[str, None]:
        async for name, content in answer_events(asked):
            yield as_sse(name, content)

    return StreamingResponse(
        events(),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )
