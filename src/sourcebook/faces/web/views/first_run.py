"""The first minutes with an empty base."""

from __future__ import annotations

import shutil
from pathlib import Path

from anyio import to_thread
from fastapi import Response

from sourcebook.faces.sample_library import sample_folder
from sourcebook.faces.web.page_frame import Administering
from sourcebook.faces.web.page_routes import page_router

router = page_router()


@router.post("/sample")
async def sample(page: Administering) -> Response:
    """Add a copy of the sample library, which lies beside the base and may be edited."""
    folder = await to_thread.run_sync(_own_copy, page.settings.db)
    await page.book.add(folder, collection=page.default_collection())
    return page.go("/ask?done=sample")


def _own_copy(db: str) -> Path:
    folder = Path("data/sample.documents") if "://" in db else Path(db).with_suffix(".documents")
    if not folder.exists():
        shutil.copytree(sample_folder(), folder)
    return folder
