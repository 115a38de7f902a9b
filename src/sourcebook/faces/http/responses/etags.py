"""Answers that need not be sent again: a tag of what a response is made from."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

from fastapi import Request, Response

if TYPE_CHECKING:
    from collections.abc import Iterable


def etag_of(*parts: object) -> str:
    """A tag of everything that the response depends on."""
    return f'"{hashlib.sha256(repr(parts).encode(errors="backslashreplace")).hexdigest()[:32]}"'


def is_known(request: Request, tag: str) -> bool:
    """Whether the caller has the response of this tag already."""
    sent = request.headers.get("if-none-match", "")
    return "*" in _tags(sent) or tag in _tags(sent)


def not_modified(tag: str) -> Response:
    return Response(status_code=304, headers=tagged(tag))


def tagged(tag: str) -> Mapping[str, str]:
    """The headers of a response that its caller alone may keep, and asks about before using it again."""
    return {"ETag": tag, "Cache-Control": "private, no-cache"}


def _tags(header: str) -> Iterable[str]:
    return {part.strip().removeprefix("W/") for part in header.split(",")}
