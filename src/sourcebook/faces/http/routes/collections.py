"""Collections."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path
from pydantic import Field

from sourcebook.faces import json_shapes
from sourcebook.faces.http.auth.caller import Admin, Book, Reader
from sourcebook.faces.http.auth.guarded_routes import guarded_router, require_whole_base
from sourcebook.faces.http.openapi import examples
from sourcebook.faces.http.routes.shared_parameters import Body
from sourcebook.model.documents import Collection, DistanceMetric

router = guarded_router("collections")


class NewCollection(Body):
    """A collection for vectors of your own. Uploading to a collection makes one for documents."""

    name: str = Field(min_length=1, max_length=200, description="Its name.")
    dimensions: int = Field(ge=1, le=16_000, description="The size of the vectors.")
    metric: DistanceMetric = Field(DistanceMetric.COSINE, description="How vectors are compared.")
    description: str | None = Field(None, max_length=4000, description="What it is for.")


@router.get(
    "/collections",
    summary="List collections",
    responses=examples.shown({"collections": [examples.COLLECTION]}),
)
async def list_collections(caller: Reader, book: Book) -> dict[str, Any]:
    """The collections that you may see."""
    found = await book.library.collections()
    return {"collections": [json_shapes.collection(c) for c in found if caller.sees(c.id)]}


@router.post(
    "/collections",
    status_code=201,
    summary="Make a collection",
    responses=examples.shown({"collection": examples.COLLECTION}, status=201),
)
async def create_collection(body: NewCollection, caller: Admin, book: Book) -> dict[str, Any]:
    """Make a collection for vectors of your own. One that exists, of the same size and metric, stays as it is."""
    require_whole_base(caller)
    made = await book.library.create_collection(
        Collection(
            id=body.name,
            embedding_dimensions=body.dimensions,
            name=body.name,
            description=body.description,
            distance_metric=body.metric,
        )
    )
    return {"collection": json_shapes.collection(made)}


@router.delete(
    "/collections/{name}", summary="Remove a collection", responses=examples.shown({"removed": "old"})
)
async def remove_collection(
    name: Annotated[str, Path(max_length=200, description="The collection.")], caller: Admin, book: Book
) -> dict[str, Any]:
    """Remove a collection and everything in it. One that does not exist is fine."""
    require_whole_base(caller)
    await book.library.remove_collection(name)
    return {"removed": name}
