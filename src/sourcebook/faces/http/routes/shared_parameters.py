"""Parameters that several routes have, each described once."""

from __future__ import annotations

from typing import Annotated

from fastapi import Header, Path, Query
from pydantic import BaseModel, ConfigDict

MOST = 2**53 - 1
"""The largest number that every JSON reader keeps as it is."""

CollectionName = Annotated[
    str | None, Query(max_length=200, description="The collection; without one, the default.")
]
DocumentId = Annotated[str, Path(max_length=1000, description="The document's id.")]
Number = Annotated[int, Path(ge=1, le=MOST, description="Its number.")]
Limit = Annotated[int, Query(ge=1, le=500, description="How many to return at most.")]
Cursor = Annotated[
    str | None,
    Query(max_length=4000, description="Where to go on: the `next` of the part before, as it stands."),
]
Since = Annotated[
    int | None, Query(ge=0, le=MOST, description="Only what came after this time, in Unix seconds.")
]
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=200,
        description="A key of your own for this request. Sent again with the same key, it happens once, "
        "and gets the same response.",
    ),
]


class Body(BaseModel):
    """A body in which an unknown field is an error, so that a misspelt one is noticed."""

    model_config = ConfigDict(extra="forbid")
