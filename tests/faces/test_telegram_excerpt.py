"""What people see in the bot while a model on this machine writes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.faces.telegram_desk import QUESTION, Desk, opened

from sourcebook.errors import ProviderUnreachable
from sourcebook.testing.telegram import TelegramServer

if TYPE_CHECKING:
    from sourcebook.ports.chat import PromptMessage

pytestmark = pytest.mark.anyio

ANNA = 7
STILL_WRITING = "The documents say (the answer is still being written):"


class SlowModel:
    """Writes only when Anna has been shown something, and then what it is told to."""

    name = "local:slow"

    def __init__(self, telegram: TelegramServer, piece: str | Exception) -> None:
        self._telegram = telegram
        self._piece = piece
        self.shown: list[str] = []

    async def stream(self, messages: Sequence[PromptMessage]) -> AsyncGenerator[str, None]:
        async with asyncio.timeout(60):
            while not self._telegram.said(ANNA):  # noqa: ASYNC110 - the server of the tests tells nobody
                await asyncio.sleep(0.01)
        self.shown = self._telegram.said(ANNA)
        if isinstance(self._piece, Exception):
            raise self._piece
        yield self._piece


async def asked(folder: Path, piece: str | Exception) -> tuple[SlowModel, Desk, int]:
    async with TelegramServer() as telegram:
        model = SlowModel(telegram, piece)
        base = str(folder / "base.db")
        async with opened(base, telegram=telegram, chat_model=model, is_local=True) as desk:
            anna = desk.person(ANNA)
            await desk.feed(anna.says(QUESTION))
            return model, desk, await desk.balance(anna)


@pytest.mark.parametrize(
    ("piece", "left"),
    [
        ("Prune everbearing raspberries in late autumn [1].", 0),
        ("NOT_IN_THE_BASE", 1),
        (ProviderUnreachable("the model is gone"), 1),
    ],
)
async def test_the_excerpt_is_shown_at_once_and_gone_when_the_answer_is_there(
    tmp_path: Path, piece: str | Exception, left: int
) -> None:
    model, desk, balance = await asked(tmp_path, piece)
    (preview,) = model.shown
    assert preview.startswith(STILL_WRITING)
    assert "late autumn" in preview
    said = desk.telegram.said(ANNA)
    assert said
    assert not any(STILL_WRITING in text for text in said)
    assert balance == left
