"""The chat model itself: one for many askers, who wait for their turn."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from sourcebook.errors import (
    BadProviderAnswer,
    ProviderBusy,
    ProviderError,
    ProviderRefused,
    ProviderUnreachable,
)
from sourcebook.providers.chat_generation_options import Writing
from sourcebook.providers.local_chat.process import ModelLimits, ModelProcess
from sourcebook.providers.openai_chat import OpenAIChat
from sourcebook.providers.retries import Patience

if TYPE_CHECKING:
    from pathlib import Path

    from sourcebook.ports.chat import PromptMessage

MOST_WAITING = 32
_LOOKED_BACK = 600
_LOOP = re.compile(r"(.{15,190}?)\1\1\Z", re.DOTALL)
"""Small models sometimes begin to say the same again and again. The third time is the last."""
_WITHOUT = "With `chat_model` set to `none`, answers are quoted from the documents."


class LocalChat:
    """A chat model from a GGUF file, loaded with the first question.

    Questions are answered one after the other, in the order in which they came. When the caller
    stops listening, the model stops, even while it is still reading the prompt.
    """

    def __init__(
        self, name: str, find: Callable[[], Path], limits: ModelLimits, writing: Writing | None = None
    ) -> None:
        self._name = name
        self._find = find
        self._limits = limits
        self._writing = writing or Writing()
        self._process: ModelProcess | None = None
        self._chat: OpenAIChat | None = None
        self._turns: anyio.Lock | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def name(self) -> str:
        return self._name

    @property
    def pid(self) -> int | None:
        """The process that the model runs in, if it is loaded."""
        return None if self._process is None else self._process.pid

    async def stream(self, messages: Sequence[PromptMessage]) -> AsyncGenerator[str, None]:
        """The pieces of the answer as they come, when it is this question's turn."""
        turns = self._turns_of_this_loop()
        if turns.statistics().tasks_waiting >= MOST_WAITING:
            raise ProviderBusy(
                f"{MOST_WAITING} questions are already waiting for the chat model.", hint="Ask again later."
            )
        async with turns:
            chat = await self._loaded()
            try:
                end = ""
                async with aclosing(chat.stream(messages)) as pieces:
                    async for piece in pieces:
                        yield piece
                        end = (end + piece)[-_LOOKED_BACK:]
                        if _LOOP.search(end):
                            return
            except ProviderError as error:
                raise await self._explained(error) from None

    async def close(self) -> None:
        """End the model's process. The next question loads it again."""
        chat, self._chat = self._chat, None
        process, self._process = self._process, None
        if chat is not None:
            await chat.close()
        if process is not None:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(process.close)

    def _turns_of_this_loop(self) -> anyio.Lock:
        loop = asyncio.get_running_loop()
        if self._turns is None or self._loop is not loop:
            self._turns, self._loop = anyio.Lock(), loop
        return self._turns

    async def _loaded(self) -> OpenAIChat:
        process = self._process = self._process or ModelProcess(self._find(), self._limits)
        # A caller that gives up waiting does not stop the loading: the next question will need the model.
        address = await anyio.to_thread.run_sync(process.address, abandon_on_cancel=True)
        if self._chat is None or self._chat.address != address:
            # How long reading a prompt takes depends on the machine: only the whole answer has a limit.
            patience = Patience(self._writing.most_seconds, attempts=1)
            self._chat = OpenAIChat(self._name, address, patience, self._writing)
        return self._chat

    async def _explained(self, error: ProviderError) -> ProviderError:
        """The error without the address, which is nothing that anybody set."""
        is_broken = isinstance(error, ProviderUnreachable | BadProviderAnswer)
        process = self._process if is_broken else None
        if process is not None and (ended := await anyio.to_thread.run_sync(process.death)):
            return ProviderUnreachable(
                f"The process of the chat model ended {ended}.",
                hint=f"If memory ran out, use a smaller model or lower `chat_context`. {_WITHOUT}",
            )
        if "context" in error.message and isinstance(error, ProviderRefused):
            return ProviderRefused(
                "The question and its passages are too long for the chat model's context.",
                hint="Raise `chat_context`, or lower `answer_passages` or `answer_characters`.",
            )
        who = self._chat.address.shown if self._chat else ""
        return type(error)(error.message.replace(who, "The chat model"), hint=_WITHOUT)
