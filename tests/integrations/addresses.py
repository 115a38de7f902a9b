"""How an adapter is told of a base."""

from __future__ import annotations

from typing import Any


def at(db: str) -> dict[str, Any]:
    return {"url": db} if "://" in db else {"path": db}
