"""Every route of the server, as the app itself lists them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fastapi import FastAPI


def routes_of(app: FastAPI) -> dict[str, Any]:
    """The routes by method and path, such as `POST /api/search`; a mounted folder by its path and `/*`."""
    return dict(_named(app.routes))


def _named(routes: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    for route in routes:
        inner = getattr(route, "effective_candidates", None)
        if inner is not None:
            yield from _named(inner())
            continue
        shown = getattr(route, "starlette_route", None) or route
        path = getattr(route, "path", None) or shown.path
        methods = getattr(route, "methods", None) or getattr(shown, "methods", None)
        if methods is None:
            yield f"* {path}/*", route
        for method in sorted(set(methods or ()) - {"HEAD"}):
            yield f"{method} {path}", getattr(route, "original_route", route)
