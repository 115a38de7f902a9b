"""Collections as models: a chat program that lets people choose a model lets them choose a collection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sourcebook.errors import CollectionNotFound
from sourcebook.faces.http.auth.caller import allowed_collections

if TYPE_CHECKING:
    from sourcebook.client import AsyncSourcebook
    from sourcebook.faces.http.auth.caller import Caller
    from sourcebook.model.documents import Collection
    from sourcebook.settings import Settings

MAIN = "sourcebook"
_START = f"{MAIN}:"


async def models(book: AsyncSourcebook, caller: Caller) -> list[dict[str, Any]]:
    """The model of the default collection, and one for each collection that the caller may see."""
    seen = [each for each in await book.library.collections() if caller.sees(each.id)]
    return [_model(MAIN, None), *(_model(f"{_START}{each.id}", each) for each in seen)]


def collections_named(model: str, caller: Caller, settings: Settings) -> list[str]:
    """The collections that a model stands for. A name of another maker's model stands for the default collection."""
    if model.startswith(_START):
        return allowed_collections(caller, [model.removeprefix(_START)], settings)
    return allowed_collections(caller, None, settings)


async def find_model(book: AsyncSourcebook, caller: Caller, name: str) -> dict[str, Any]:
    for model in await models(book, caller):
        if model["id"] == name:
            return model
    raise CollectionNotFound(f"There is no model {name!r}", hint="`GET /v1/models` lists what exists.")


def _model(name: str, collection: Collection | None) -> dict[str, Any]:
    return {
        "id": name,
        "object": "model",
        "created": 0 if collection is None else collection.created_at,
        "owned_by": "sourcebook",
    }
