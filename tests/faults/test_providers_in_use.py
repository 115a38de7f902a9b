"""F13 through the whole of the program: documents that are added and found with a served model, well or ill."""

from __future__ import annotations

import math
from collections.abc import Awaitable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.faults import servers
from tests.faults.servers import SIZE, Answer, Server, right_vectors, serving, status, vectors

from sourcebook import AsyncSourcebook, RetrievalConfig, RetrievalMode, Settings
from sourcebook.errors import BadProviderAnswer, ProviderBusy, ProviderError, ProviderRefused
from sourcebook.ingest.add_request import OnFailed
from sourcebook.model.documents import EmbeddingModel
from sourcebook.providers.served_model_prefixes import COMPOSITION

if TYPE_CHECKING:
    from sourcebook.model.add_reports import AddReport

pytestmark = pytest.mark.anyio

KEY = "sk-canary-4f1d9c"
NOTES = {
    "raspberries.md": "# Raspberries\n\nPrune everbearing raspberries in late autumn, after the last berries.\n",
    "blueberries.md": "# Blueberries\n\nBlueberries want acid soil. Test it every spring.\n",
}


def notes(folder: Path) -> Path:
    folder.mkdir()
    for name, text in NOTES.items():
        (folder / name).write_text(text, "utf-8")
    return folder


def served(tmp_path: Path, server: Server, **more: object) -> Settings:
    return Settings.model_validate(
        {
            "db": str(tmp_path / "base.db"),
            "embedder": "openai:berry",
            "embedder_base_url": server.url,
            "embedder_api_key": KEY,
            **more,
        }
    )


async def test_documents_are_added_and_found_with_a_served_model(tmp_path: Path) -> None:
    with serving(size=12) as server:
        async with AsyncSourcebook(settings=served(tmp_path, server)) as book:
            assert (await book.add(notes(tmp_path / "notes"))).added == 2
            [collection] = await book.collections()
            assert collection.model == EmbeddingModel("openai:berry", 12, recipe=COMPOSITION)
            found = await book.search("Prune everbearing raspberries", RetrievalConfig(top_k=1))
            assert found[0].document_title == "Raspberries"
            asked = server.asked
            await book.search("Prune everbearing raspberries", RetrievalConfig(top_k=1))
            assert server.asked == asked
            assert (await book.doctor()).ok


async def test_a_text_that_was_paid_for_is_not_paid_for_again(tmp_path: Path) -> None:
    with serving(size=12) as server:
        settings = served(tmp_path, server, embedder_dimensions=12)
        folder = notes(tmp_path / "notes")
        async with AsyncSourcebook(settings=settings) as book:
            await book.add(folder)
        asked = server.asked
        async with AsyncSourcebook(settings=settings) as book:
            await book.add(folder, collection="another")
            assert (await book.doctor()).ok
    assert server.asked == asked
    assert (tmp_path / "base.db.derived" / "embeddings.db").is_file()


FOR_A_WHOLE_ADD: dict[str, tuple[Answer, type[ProviderError]]] = {
    "busy": (status(429, Retry_After="3600"), ProviderBusy),
    "refused": (status(401), ProviderRefused),
    "another size": (vectors(lambda texts: right_vectors(texts, 7)), BadProviderAnswer),
    "NaN": (servers.with_one(math.nan), BadProviderAnswer),
}


@pytest.mark.parametrize(("fault", "error"), FOR_A_WHOLE_ADD.values(), ids=FOR_A_WHOLE_ADD.keys())
async def test_nothing_of_a_bad_answer_is_stored_and_keyword_search_goes_on(
    tmp_path: Path, fault: Answer, error: type[ProviderError]
) -> None:
    with serving() as server:
        settings = served(tmp_path, server, embedder_dimensions=SIZE)
        folder = notes(tmp_path / "notes")
        async with AsyncSourcebook(settings=settings) as book:
            await book.add(folder)
            before = {document.id for document in await book.documents()}
            (folder / "new.md").write_text("# Strawberries\n\nStraw keeps the fruit clean.\n", "utf-8")
            server.planned.extend([fault] * 50)
            codes = await _codes_of(book.add(folder))
            assert error.code in codes
            assert {document.id for document in await book.documents() if document.chunk_count} == before
            assert len(await book.search("acid soil", RetrievalConfig(mode=RetrievalMode.KEYWORD))) == 1
            with pytest.raises(error):
                await book.search("soil", RetrievalConfig(mode=RetrievalMode.SEMANTIC))
            assert (await book.doctor()).ok
            server.planned.clear()
            await book.add(folder, on_failed=OnFailed.RETRY)
            assert len(await book.documents()) == 3


async def _codes_of(adding: Awaitable[AddReport]) -> set[str]:
    """The codes of what went wrong, be it with single files or with all of it."""
    try:
        return {failure.code for failure in (await adding).failed}
    except ProviderError as error:
        return {error.code}
