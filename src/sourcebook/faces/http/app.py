"""The app: a base, its gate, and the routes."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from fastapi import FastAPI

from sourcebook._version import __version__
from sourcebook.faces.http.caller import OpenGate
from sourcebook.faces.http.problems import add_problems
from sourcebook.faces.http.routes import questions
from sourcebook.faces.web.wiring import add_page

if TYPE_CHECKING:
    from sourcebook.client import AsyncSourcebook
    from sourcebook.faces.http.caller import Gate
    from sourcebook.settings import Settings


def create_app(book: AsyncSourcebook, settings: Settings, gate: Gate | None = None) -> FastAPI:
    """The whole server as an ASGI app. It opens the base when it starts, and closes it when it stops."""

    @asynccontextmanager
    async def opened(app: FastAPI) -> AsyncGenerator[None, None]:
        async with book:
            yield
            if app.state.book is not book:  # another chat model was chosen meanwhile
                await app.state.book.close()

    app = FastAPI(
        title="Sourcebook",
        version=__version__,
        description="Answers from your documents, with citations that were checked against the text.",
        lifespan=opened,
    )
    app.state.book = book
    app.state.settings = settings
    app.state.gate = gate or OpenGate()
    add_problems(app)
    app.include_router(questions.router)
    add_page(app)

    @app.get("/healthz", tags=["operation"], summary="Whether the process is alive")
    async def healthz() -> dict[str, str]:
        return {"status": "ok"}

    return app
