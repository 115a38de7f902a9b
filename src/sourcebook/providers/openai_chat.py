"""Answers from OpenAI, or from any server that speaks its `/v1/chat/completions`: llama.cpp, vLLM, Ollama, …"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import aclosing, contextmanager
from typing import TYPE_CHECKING, Any, cast

import anyio

from sourcebook.errors import (
    BadProviderAnswer,
    ProviderBusy,
    ProviderError,
    ProviderRefused,
    ProviderTimeout,
    ProviderUnreachable,
)
from sourcebook.providers.chat_generation_options import Writing
from sourcebook.providers.remote_model import RemoteModel
from sourcebook.providers.retries import Patience, TryAgain, wait_for_next

if TYPE_CHECKING:
    import openai

    from sourcebook.ports.chat import PromptMessage
    from sourcebook.providers.model_server_address import Address

OPENAI_URL = "https://api.openai.com/v1"
OLLAMA_URL = "http://127.0.0.1:11434/v1"

_OPTIONS = ("max_tokens", "max_completion_tokens", "temperature")
_WITHOUT = "With `chat_model` set to `none`, answers are quoted from the documents."
_ADVICE: dict[type[ProviderError], str] = {
    ProviderUnreachable: f"Check that the server runs, and its address: `chat_base_url`. {_WITHOUT}",
    ProviderTimeout: f"Check that the server is not stuck, or raise `chat_timeout`. {_WITHOUT}",
    ProviderBusy: f"Try again later. {_WITHOUT}",
    ProviderRefused: "Check the name of the model (`chat_model`) and the key (`chat_api_key`).",
    BadProviderAnswer: "Check that `chat_base_url` points to a server with `/chat/completions`; it usually ends "
    f"in `/v1`. {_WITHOUT}",
}


class OpenAIChat(RemoteModel):
    """A chat model behind an address. `patience.seconds` is how long it may be silent."""

    def __init__(
        self, name: str, address: Address, patience: Patience | None = None, writing: Writing | None = None
    ) -> None:
        super().__init__(address, patience)
        self._name = name
        self._writing = writing or Writing()
        self._refused_options: set[str] = set()
        """What this model has refused to be told. Newer ones take no `max_tokens`, and no temperature but their own."""

    @property
    def name(self) -> str:
        return self._name

    async def stream(self, messages: Sequence[PromptMessage]) -> AsyncGenerator[str, None]:
        """The pieces of the answer. A failure before the first piece is tried again; after it, it is raised."""
        attempt = 1
        while True:
            has_begun = False
            try:
                async with aclosing(self._stream_once(messages)) as pieces:
                    async for piece in pieces:
                        has_begun = True
                        yield piece
                return
            except ProviderError as error:
                raise _with_advice(error) from None
            except TryAgain as failure:
                failed = failure
            try:
                await wait_for_next(
                    self._patience, failed, attempt, 0 if has_begun else self._patience.attempts
                )
            except ProviderError as error:
                raise _with_advice(error) from None
            attempt += 1

    async def _stream_once(self, messages: Sequence[PromptMessage]) -> AsyncGenerator[str, None]:
        import openai  # noqa: PLC0415 - most bases never ask a server, and it takes a while

        client = self._connected(openai)
        has_text = is_finished = False
        limit = _AnswerLimit(self._writing, self.address.shown)
        silent = f"{self.address.shown} was silent for {self._patience.seconds:g} s."
        with self._named_failures(silent, self._garbled), limit.watched():
            with anyio.fail_after(self._patience.seconds):
                answer = await self._begun(client, messages)
            try:
                chunks: Any = aiter(answer)
                while True:
                    with anyio.fail_after(min(self._patience.seconds, limit.seconds_left)):
                        chunk: object = await anext(chunks, None)
                    if chunk is None:
                        break
                    text, is_last = _read(chunk)
                    limit.take(text)
                    is_finished = is_finished or is_last
                    if text:
                        has_text = True
                        yield text
            finally:
                with anyio.CancelScope(shield=True), anyio.move_on_after(1):
                    await answer.close()
        if not is_finished:
            raise TryAgain(BadProviderAnswer(f"{self.address.shown} broke off in the middle of an answer."))
        if not has_text:
            raise TryAgain(BadProviderAnswer(f"{self.address.shown} gave an empty answer."))

    async def _begun(self, client: openai.AsyncOpenAI, messages: Sequence[PromptMessage]) -> Any:
        """The stream of an answer, asked for again without an option that the model refuses."""
        import openai  # noqa: PLC0415

        while True:
            try:
                return cast("Any", await client.chat.completions.create(**self._request(messages)))
            except openai.BadRequestError as error:
                refused = _refused_option(error)
                if refused is None or refused in self._refused_options:
                    raise
                self._refused_options.add(refused)

    def _request(self, messages: Sequence[PromptMessage]) -> dict[str, Any]:
        writing, refused = self._writing, self._refused_options
        body: dict[str, Any] = {
            "model": self._name,
            "messages": [{"role": message.role, "content": message.content} for message in messages],
            "stream": True,
        }
        limit = "max_tokens" if "max_tokens" not in refused else "max_completion_tokens"
        if limit not in refused:
            body[limit] = writing.most_tokens
        if writing.temperature is not None and "temperature" not in refused:
            body["temperature"] = writing.temperature
        return body

    def _garbled(self, error: Exception) -> str:
        return f"{self.address.shown} gave an answer that cannot be read: {self.address.without_secrets(str(error))}"


class _AnswerLimit:
    """Gives up an answer that does not end. Such a model would write the next one in the same way."""

    def __init__(self, writing: Writing, who: str) -> None:
        self._writing = writing
        self._who = who
        self._until = anyio.current_time() + writing.most_seconds
        self._pieces = self._characters = 0

    @property
    def seconds_left(self) -> float:
        return max(0.0, self._until - anyio.current_time())

    @contextmanager
    def watched(self) -> Generator[None, None, None]:
        """A piece that comes too late because the whole answer does is told as that."""
        import openai  # noqa: PLC0415

        try:
            yield
        except (TimeoutError, openai.APITimeoutError):
            self.take("")
            raise

    def take(self, text: str) -> None:
        self._pieces += 1
        self._characters += len(text)
        if self.seconds_left <= 0:
            raise ProviderTimeout(
                f"{self._who} was still writing after {self._writing.most_seconds:g} s.",
                hint=f"Raise `chat_seconds` if answers may take that long. {_WITHOUT}",
            )
        if self._characters > self._writing.most_characters or self._pieces > self._writing.most_pieces:
            raise BadProviderAnswer(
                f"{self._who} did not come to an end: {self._characters} characters in {self._pieces} pieces.",
                hint=f"Raise `chat_characters` or `chat_tokens` if answers may be that long. {_WITHOUT}",
            )


def _with_advice(error: ProviderError) -> ProviderError:
    """The error with what to check about a chat model. Advice of its own, as on an empty account, stays."""
    kind = type(error)
    is_general = error.hint == kind().hint
    return kind(error.message, hint=_ADVICE[kind]) if is_general and kind in _ADVICE else error


def _refused_option(error: openai.BadRequestError) -> str | None:
    """The option of a request that a model does not take. Servers name it as `param`, or in quotes in what they say."""
    if error.param in _OPTIONS:
        return error.param
    said = error.message.lower()
    is_about_options = "unsupported" in said or "not support" in said
    return next((name for name in _OPTIONS if is_about_options and f"'{name}'" in said), None)


def _read(chunk: object) -> tuple[str, bool]:
    """The text of a chunk, and whether the model says that it is the last. Whatever a server sends is safe."""
    choices: Any = getattr(chunk, "choices", None)
    if not choices:
        return "", False
    first: Any = choices[0]
    text: Any = getattr(getattr(first, "delta", None), "content", None)
    return text if isinstance(text, str) else "", getattr(first, "finish_reason", None) is not None
