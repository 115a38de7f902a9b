"""Searching and asking."""

from __future__ import annotations

import time
from functools import partial
from typing import Annotated, Any

from fastapi import Request
from pydantic import Field

from sourcebook.errors import CollectionNotFound, ProviderError
from sourcebook.faces import json_shapes
from sourcebook.faces.http.auth.caller import Book, Reader, ServerSettings, allowed_collections
from sourcebook.faces.http.auth.guarded_routes import guarded_router, one_collection
from sourcebook.faces.http.charged_questions import Questions, SentQuestion
from sourcebook.faces.http.limits.client_disconnect import while_present
from sourcebook.faces.http.metrics import Metrics
from sourcebook.faces.http.openapi import examples
from sourcebook.faces.http.responses.events import EventStream, answer_events
from sourcebook.faces.http.responses.seen_shapes import seen_draft
from sourcebook.faces.http.routes.shared_parameters import Body, IdempotencyKey
from sourcebook.model.search import (
    DiversityConfig,
    RerankConfig,
    RerankProvider,
    RetrievalConfig,
    RetrievalMode,
    ReturnLevel,
    SearchReport,
)
from sourcebook.retrieve.filters.where_language import parse_narrowing

router = guarded_router("questions")

Collections = Annotated[
    list[Annotated[str, Field(max_length=200)]] | None,
    Field(max_length=50, description="The collections; without any, the default."),
]
Category = Annotated[str | None, Field(max_length=200, description="Only what belongs to this category.")]
Subcategory = Annotated[
    str | None, Field(max_length=200, description="What belongs to this subcategory comes first.")
]


class SearchBody(Body):
    """What to search for, and where."""

    query: str = Field(
        min_length=1, max_length=10_000, description="The words or the question to search for."
    )
    collections: Collections = None
    mode: RetrievalMode = Field(RetrievalMode.HYBRID, description="By words, by meaning, or by both.")
    top_k: int = Field(10, ge=1, le=100, description="How many passages to return at most.")
    where: str | None = Field(
        None,
        max_length=4000,
        description="A filter, as in the command line: `language=en and category!=drafts`.",
    )
    category: Category = None
    subcategory: Subcategory = None
    rerank: bool = Field(False, description="Whether to rerank the best passages.")
    level: ReturnLevel = Field(
        ReturnLevel.PASSAGE, description="Whole passages, or the best sentences of each."
    )
    per_document: int | None = Field(
        None, ge=1, le=100, description="At most so many passages of a document."
    )
    explain: bool = Field(False, description="Whether to say how each passage was ranked.")
    explain_document: str | None = Field(
        None,
        max_length=1000,
        description="A document, by id or path: where it ranks, or why it is not found.",
    )


class AskBody(Body):
    """A question, and the conversation it belongs to."""

    question: str = Field(min_length=1, max_length=10_000, description="The question, in any language.")
    session: str | None = Field(
        None, max_length=100, description="The conversation that this question continues."
    )
    collections: Collections = None
    category: Category = None
    subcategory: Subcategory = None
    similar: int | None = Field(
        None, ge=1, description="Take this approved answer, which was offered as `similar` for the question."
    )


class ExpertBody(Body):
    """A question for a person."""

    question: str = Field(min_length=1, max_length=10_000, description="The question, in any language.")
    collection: str | None = Field(None, max_length=200, description="The collection that it is about.")
    category: Category = None
    subcategory: Subcategory = None


@router.post("/search", summary="Search for passages", responses=examples.shown(examples.SEARCH))
async def search(
    body: SearchBody, request: Request, caller: Reader, book: Book, settings: ServerSettings
) -> dict[str, Any]:
    """The passages that match best, as `sourcebook search --json` prints them.

    Without `collections`, the default one is searched; before anything was added to it there are no results. A
    collection that is named must exist.
    """
    metrics: Metrics = request.app.state.metrics
    begun = time.perf_counter()
    config = _config(body, RerankProvider(settings.rerank_provider))
    collections = allowed_collections(caller, body.collections, settings)
    try:
        report = await book.search_report(body.query, config, collection=collections)
    except CollectionNotFound:
        # The default collection is made by the first upload. Until then it is empty, not missing.
        if body.collections or body.explain_document is not None:
            raise
        report = SearchReport(())
    except ProviderError as error:
        metrics.provider_errors.labels(error.code).inc()
        raise
    place = None
    if body.explain_document is not None:
        place = await book.quality.explain_document(
            body.explain_document, body.query, config, collection=collections
        )
    metrics.stages.labels("search").observe(time.perf_counter() - begun)
    return json_shapes.found(body.query, config.mode, report, place)


def _config(body: SearchBody, provider: RerankProvider) -> RetrievalConfig:
    return RetrievalConfig(
        top_k=body.top_k,
        mode=body.mode,
        filter=parse_narrowing(body.where, body.category),
        subcategory=body.subcategory,
        rerank_config=RerankConfig(provider=provider) if body.rerank else None,
        return_level=body.level,
        diversity=DiversityConfig(max_per_document=body.per_document),
        explain=body.explain,
    )


@router.post(
    "/ask",
    summary="Ask a question",
    response_model=None,
    responses=examples.shown(examples.ANSWER, events=True),
)
async def ask(
    body: AskBody, request: Request, questions: Questions, idempotency_key: IdempotencyKey = None
) -> dict[str, Any] | EventStream:
    """The answer, as `sourcebook ask --json` prints it. A base without documents cannot be asked (404).

    With `Accept: text/event-stream`, events while it is written: `searching`, `passages`, `token`, `citation`, and at
    the end `done`, `declined` or `failed`. A client that leaves ends the work; it is charged only if text was shown.
    """
    asked = SentQuestion(
        body.question,
        body.session,
        body.collections,
        body.category,
        body.subcategory,
        idempotency_key,
        similar=body.similar,
    )
    if "text/event-stream" in request.headers.get("accept", ""):
        return EventStream(answer_events(partial(questions.ask, asked)))
    return json_shapes.answer(await while_present(request, questions.ask(asked)), with_details=True)


@router.post(
    "/ask/expert",
    status_code=201,
    summary="Ask a person",
    responses=examples.shown({"draft": examples.DRAFT}, status=201),
)
async def ask_expert(
    body: ExpertBody, questions: Questions, idempotency_key: IdempotencyKey = None
) -> dict[str, Any]:
    """Put a question into the experts' inbox, whatever the base knows. The reply appears in `/api/drafts/mine`."""
    collection = one_collection(questions.caller, body.collection, questions.settings)
    draft = await questions.call_expert(
        SentQuestion(body.question, None, [collection], body.category, body.subcategory, idempotency_key)
    )
    return {"draft": seen_draft(draft, questions.caller)}
