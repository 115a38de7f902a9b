"""The API's description: what FastAPI makes of the routes, with our problems as the errors."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

_PROBLEM = {
    "type": "object",
    "description": "An error: what happened, and what to do next.",
    "required": ["type", "title", "status", "code", "hint"],
    "properties": {
        "type": {"type": "string", "example": "urn:sourcebook:document_not_found"},
        "title": {"type": "string", "description": "What happened."},
        "status": {"type": "integer", "description": "The status of the response."},
        "code": {"type": "string", "description": "A stable name for programs."},
        "hint": {"type": "string", "description": "What to do next."},
        "details": {
            "type": "array",
            "description": "Each field that is wrong, if the request was malformed.",
            "items": {
                "type": "object",
                "properties": {"where": {"type": "string"}, "message": {"type": "string"}},
            },
        },
    },
}
MEANINGS = {
    400: "The request makes no sense.",
    401: "Nobody knows who you are.",
    402: "There are not enough tokens.",
    403: "You may not do this.",
    404: "There is no such thing, or not for you.",
    405: "The route has no such method.",
    408: "The request did not arrive in time.",
    409: "Something else got there first.",
    413: "The request, or a file, is too large.",
    415: "This kind of file is not read.",
    422: "A field is missing or malformed.",
    429: "Too many requests.",
    500: "A fault of the server.",
    502: "An embedder, reranker or chat model failed.",
    503: "The base cannot be used now.",
}
_FOR_ANYBODY = ("/healthz", "/readyz")


def describe(app: FastAPI) -> None:
    """Make the description of the app say what errors look like."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _described(app)
        return app.openapi_schema

    app.openapi = openapi


def _described(app: FastAPI) -> dict[str, Any]:
    document = get_openapi(
        title=app.title,
        version=app.version,
        description=app.description,
        routes=app.routes,
        tags=app.openapi_tags,
    )
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    schemas["Problem"] = _PROBLEM
    for path, methods in document["paths"].items():
        for operation in methods.values():
            responses = operation["responses"]
            for status, meaning in MEANINGS.items():
                if path not in _FOR_ANYBODY or status in (405, 408, 413, 500, 503):
                    responses[str(status)] = _problem(meaning)
    return document


def _problem(meaning: str) -> dict[str, Any]:
    reference = {"schema": {"$ref": "#/components/schemas/Problem"}}
    return {"description": meaning, "content": {"application/problem+json": reference}}
