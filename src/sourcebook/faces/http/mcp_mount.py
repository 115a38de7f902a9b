"""The MCP server as a route of the app, if its package is installed."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

from starlette.routing import Route

from sourcebook.faces.http.charged_questions import desk_of

if TYPE_CHECKING:
    from fastapi import FastAPI

    from sourcebook.faces.http.auth.caller import Caller

PATH = "/mcp"


def mount_mcp(app: FastAPI) -> None:
    """Answer MCP clients at `/mcp`. The gate is in front of it, as of every route."""
    if find_spec("mcp") is None:
        return
    from sourcebook.faces.mcp.server import KnowledgeServer, McpEndpoint  # noqa: PLC0415 - an extra

    endpoint = McpEndpoint(KnowledgeServer(partial(desk_of, app), count_question=_counting(app)))
    app.state.mcp = endpoint
    app.router.routes.append(
        Route(PATH, endpoint, methods=["GET", "POST", "DELETE"], include_in_schema=False)
    )


@asynccontextmanager
async def mounted_mcp(app: FastAPI) -> AsyncGenerator[None, None]:
    """Answer MCP clients inside of this."""
    endpoint = getattr(app.state, "mcp", None)
    if endpoint is None:
        yield
        return
    async with endpoint.running():
        yield


def _counting(app: FastAPI) -> Callable[[Caller], None]:
    count = getattr(app.state.gate, "count_question", None)
    return count if count is not None else lambda caller: None
