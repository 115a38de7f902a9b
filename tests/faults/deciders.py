"""A process of people who all decide about one draft at the same moment."""

from __future__ import annotations

from pathlib import Path

import anyio

from sourcebook import AsyncSourcebook, Settings
from sourcebook.errors import AlreadyDecided
from sourcebook.testing.fakes import FakeEmbedder


def press(db: str, draft_id: int, presses: int, told: str) -> None:
    """Half of them approve, the others reject. What became of each goes to a file, line by line."""

    async def decide(book: AsyncSourcebook, number: int, said: list[str]) -> None:
        try:
            if number % 2:
                await book.moderation.approve_moderation_item(draft_id, 1)
                said.append("approved")
            else:
                await book.moderation.reject_moderation_item(draft_id, 1, "no")
                said.append("rejected")
        except AlreadyDecided as error:
            said.append(f"lost: {error.message}")

    async def work() -> list[str]:
        said: list[str] = []
        settings = Settings(db=db)
        async with (
            AsyncSourcebook(settings=settings, embedder=FakeEmbedder(8)) as book,
            anyio.create_task_group() as people,
        ):
            for number in range(presses):
                people.start_soon(decide, book, number, said)
        return said

    Path(told).write_text("\n".join(anyio.run(work)), "utf-8")
