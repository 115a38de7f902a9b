"""Words to avoid, and what to say instead."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path
from pydantic import Field

from sourcebook.errors import TermNotFound
from sourcebook.faces import json_shapes
from sourcebook.faces.http.auth.caller import Book, Expert, Reader
from sourcebook.faces.http.auth.guarded_routes import guarded_router, require_whole_base
from sourcebook.faces.http.openapi import examples
from sourcebook.faces.http.routes.shared_parameters import Body

router = guarded_router("terms")


class TermBody(Body):
    """A word to avoid, and what to say instead."""

    term: str = Field(min_length=1, max_length=200, description="The word to avoid.")
    preferred_phrase: str = Field(min_length=1, max_length=500, description="The phrase to use instead.")
    description: str | None = Field(None, max_length=4000, description="A note on the term.")
    language: str | None = Field(None, max_length=10, description="Only for answers in this language.")


@router.get("/terms", summary="List terms", responses=examples.shown({"terms": [examples.TERM]}))
async def list_terms(caller: Reader, book: Book) -> dict[str, Any]:
    """The words to avoid, and what to say instead."""
    return {"terms": [json_shapes.term(term) for term in await book.terminology.all()]}


@router.put("/terms", summary="Add or change a term", responses=examples.shown({"term": examples.TERM}))
async def put_term(body: TermBody, caller: Expert, book: Book) -> dict[str, Any]:
    """Add a word to avoid and the phrase to use instead, or change the phrase of a word."""
    require_whole_base(caller)
    added = await book.terminology.add(
        body.term, body.preferred_phrase, description=body.description, language=body.language
    )
    return {"term": json_shapes.term(added)}


@router.delete("/terms/{term}", summary="Remove a term", responses=examples.shown({"removed": "kill"}))
async def remove_term(
    term: Annotated[str, Path(max_length=200, description="The word.")], caller: Expert, book: Book
) -> dict[str, Any]:
    """Remove a word from the terminology."""
    require_whole_base(caller)
    if not await book.terminology.remove(term):
        raise TermNotFound(f"There is no term {term!r}.")
    return {"removed": term}
