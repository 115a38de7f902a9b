"""The app: a base, its gate, and the routes."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

import anyio
from fastapi import FastAPI

from sourcebook._version import __version__
from sourcebook.faces.http.auth.caller import OpenGate
from sourcebook.faces.http.auth.client_addresses import PlainClientAddress
from sourcebook.faces.http.auth.gatekeeper import Gatekeeper
from sourcebook.faces.http.background_work import UploadWorker, upkeep
from sourcebook.faces.http.limits.body_limits import RequestLimits
from sourcebook.faces.http.mcp_mount import mount_mcp, mounted_mcp
from sourcebook.faces.http.metrics import Metrics
from sourcebook.faces.http.openai import chat_completions, embeddings_and_rerank
from sourcebook.faces.http.openai.conversation import KnownConversations
from sourcebook.faces.http.openapi.description import describe
from sourcebook.faces.http.request_log import RequestLog, silence_others
from sourcebook.faces.http.responses.problems import add_problems
from sourcebook.faces.http.routes import (
    collections,
    curated,
    documents,
    drafts,
    evaluation,
    gaps_and_digest,
    health_and_metrics,
    search_and_ask,
    sessions,
    sign_in,
    sign_in_page,
    terms,
    uploads,
    users_and_tokens,
)
from sourcebook.faces.http.shutdown import Stopping
from sourcebook.faces.web.page_mount import add_page

if TYPE_CHECKING:
    from sourcebook.client import AsyncSourcebook
    from sourcebook.faces.http.auth.caller import Gate
    from sourcebook.settings import Settings

ROUTERS = (
    search_and_ask.router,
    documents.router,
    uploads.router,
    sessions.router,
    curated.router,
    drafts.router,
    gaps_and_digest.router,
    terms.router,
    users_and_tokens.router,
    collections.router,
    evaluation.router,
    health_and_metrics.router,
    health_and_metrics.open_router,
    sign_in.router,
    sign_in_page.router,
    chat_completions.router,
    embeddings_and_rerank.router,
)
_LAST_WORDS = 5.0
"""Seconds for requests that were cancelled to give back what they held, before the base closes."""


@asynccontextmanager
async def _opened(
    book: AsyncSourcebook, settings: Settings, stopping: Stopping, app: FastAPI
) -> AsyncGenerator[None, None]:
    """The base is open and looked after, until the server stops and the last request is answered."""
    with stopping.listening():
        async with book, mounted_mcp(app):
            app.state.worker = worker = UploadWorker(book)
            async with upkeep(book, worker, settings.http_stop_seconds) as tasks:
                app.state.tasks = tasks
                yield
                stopping.is_set = True
                with anyio.CancelScope(shield=True):
                    await stopping.all_answered(_LAST_WORDS)
            if app.state.book is not book:  # another chat model was chosen meanwhile
                await app.state.book.close()


def create_app(book: AsyncSourcebook, settings: Settings, gate: Gate | None = None) -> FastAPI:
    """The whole server as an ASGI app. It opens the base when it starts, and closes it when it stops.

    Uploads are taken in beside the requests. The base is closed when nothing is being answered any more.
    """
    silence_others()
    stopping, metrics = Stopping(), Metrics()
    app = FastAPI(
        title="Sourcebook",
        version=__version__,
        description="Answers from your documents, with citations that were checked against the text.",
        lifespan=partial(_opened, book, settings, stopping),
        # Their pages fetch scripts from elsewhere, which nothing here does. The description itself is there.
        docs_url=None,
        redoc_url=None,
    )
    app.state.book = book
    app.state.settings = settings
    app.state.gate = gate or OpenGate()
    app.state.metrics = metrics
    app.state.known_conversations = KnownConversations()
    app.state.stopping = stopping
    add_problems(app)
    for router in ROUTERS:
        app.include_router(router)
    add_page(app)
    mount_mcp(app)
    app.add_middleware(
        RequestLimits,
        largest_upload=int(settings.http_upload_mb * 1_000_000),
        patience=settings.http_client_seconds,
    )
    app.add_middleware(Gatekeeper, gate=app.state.gate)
    app.add_middleware(RequestLog, metrics=metrics, stopping=stopping)
    app.add_middleware(PlainClientAddress)
    describe(app)
    return app
