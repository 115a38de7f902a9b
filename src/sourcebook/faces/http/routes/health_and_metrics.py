"""Whether the server is well, and what it counts."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.exceptions import HTTPException

from sourcebook.errors import StorageError
from sourcebook.faces.http.auth.caller import Admin, Book
from sourcebook.faces.http.auth.guarded_routes import GuardedRoute, require_whole_base
from sourcebook.faces.http.metrics import Metrics
from sourcebook.faces.http.openapi import examples
from sourcebook.faces.http.shutdown import Stopping

router = APIRouter(tags=["operation"], route_class=GuardedRoute)
open_router = APIRouter(tags=["operation"])
"""What anybody may ask, without saying who they are."""


@open_router.get(
    "/healthz", summary="Whether the process is alive", responses=examples.shown({"status": "ok"})
)
async def healthz() -> dict[str, str]:
    """Answers as long as the process runs. Anybody may ask."""
    return {"status": "ok"}


@open_router.get(
    "/readyz", summary="Whether questions can be answered", responses=examples.shown({"status": "ok"})
)
async def readyz(request: Request, book: Book) -> dict[str, str]:
    """Whether the base is open, of the right version, and answers, and the server is not stopping. Anybody may ask."""
    stopping: Stopping = request.app.state.stopping
    if stopping.is_set:
        raise HTTPException(503, "The server is stopping.")
    try:
        await book.library.collections()
    except StorageError:
        # Anybody may ask, so what is wrong with the base is for the log alone.
        raise HTTPException(503, "The base cannot be used now.") from None
    return {"status": "ok"}


@router.get(
    "/metrics",
    summary="Figures for Prometheus",
    response_class=Response,
    responses=examples.text("text/plain", "The figures."),
)
async def metrics(request: Request, caller: Admin, book: Book) -> Response:
    """Figures for Prometheus: requests, latency of each stage, tiers, failures of providers, jobs, stale answers."""
    require_whole_base(caller)
    counted: Metrics = request.app.state.metrics
    return Response(await counted.text(book), headers={"Content-Type": CONTENT_TYPE_LATEST})


@router.get("/api/health", summary="Check the base", responses=examples.shown(examples.HEALTH))
async def health(caller: Admin, book: Book) -> dict[str, Any]:
    """What `sourcebook doctor --json` prints: versions, counts, and everything that is wrong with the base."""
    require_whole_base(caller)
    return (await book.maintenance.doctor()).as_dict()
