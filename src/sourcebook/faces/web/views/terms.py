"""Terms: words to avoid, and what to say instead."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form, Response

from sourcebook.faces.web.page_frame import Reviewing, ReviewingAll
from sourcebook.faces.web.page_routes import page_router

router = page_router()


@router.get("/terms")
async def terms(page: Reviewing) -> Response:
    """Words to avoid, and what to say instead."""
    return await page.show("terms.html", "terms", terms=await page.book.terminology.all())


@router.post("/terms")
async def add_term(
    page: ReviewingAll,
    term: Annotated[str, Form(max_length=200)],
    preferred: Annotated[str, Form(max_length=500)],
    description: Annotated[str, Form(max_length=1000)] = "",
) -> Response:
    await page.book.terminology.add(term, preferred, description=description.strip() or None)
    return page.go("/terms?done=saved")


@router.post("/terms/remove")
async def remove_term(page: ReviewingAll, term: Annotated[str, Form(max_length=200)]) -> Response:
    await page.book.terminology.remove(term)
    return page.go("/terms?done=removed")
