"""The first minutes with an empty base."""

from __future__ import annotations

from anyio import to_thread
from fastapi import Response

from sourcebook.faces.sample_library import sample_files
from sourcebook.faces.web.page import Administering
from sourcebook.faces.web.routes import page_router

router = page_router()


@router.post("/sample")
async def sample(page: Administering) -> Response:
    """Take the sample library into the base, as if somebody had dropped its files here."""
    collection = page.default_collection()
    for name, path in sample_files():
        data = await to_thread.run_sync(path.read_bytes)
        await page.book.add_bytes(name, data, collection=collection)
    return page.go("/ask?done=sample")
