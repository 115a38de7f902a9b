"""Asking a model that runs behind an address: with a time limit, again if that may help, and never showing the key."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import anyio

from sourcebook.errors import (
    BadProviderAnswer,
    ProviderBusy,
    ProviderRefused,
    ProviderTimeout,
    ProviderUnreachable,
)
from sourcebook.providers.retries import Patience, TryAgain, retry_after, wait_for_next

if TYPE_CHECKING:
    from collections.abc import Mapping

    import openai

    from sourcebook.providers.model_server_address import Address

_MAY_PASS = frozenset({408, 409, 429})
_SERVER_ERROR = 500
_ELSEWHERE = range(300, 400)
# The client asks for a key even where the server wants none.
_NO_KEY = "none"


class RemoteModel:
    """Posts JSON to a server and gives back the JSON of its answer, or a `ProviderError`."""

    def __init__(self, address: Address, patience: Patience | None = None) -> None:
        self.address = address
        self._patience = patience or Patience()
        self._client: openai.AsyncOpenAI | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def post(self, path: str, body: Mapping[str, object], *, attempts: int | None = None) -> object:
        """The answer to one request, which is repeated while that may help."""
        patience = self._patience
        most = min(attempts or patience.attempts, patience.attempts)
        attempt = 1
        while True:
            try:
                return await self._post_once(path, body)
            except TryAgain as failure:
                failed = failure
            await wait_for_next(patience, failed, attempt, most)
            attempt += 1

    async def close(self) -> None:
        """Let go of the connections. The next request opens new ones."""
        client, self._client = self._client, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.close()

    async def _post_once(self, path: str, body: Mapping[str, object]) -> object:
        # Imported here because most bases never ask a server, and it takes a while.
        import openai  # noqa: PLC0415

        client = self._connected(openai)
        late = f"{self.address.shown} did not answer within {self._patience.seconds:g} s."
        garbled = f"{self.address.shown} gave an answer that is not valid JSON."
        with self._named_failures(late, lambda _: garbled):
            # The client's own limit is for each piece of an answer; this one is for the whole. What the client says is
            # not chained to our errors, as a server may have put the key into it.
            with anyio.fail_after(self._patience.seconds):
                return await client.post(path, cast_to=cast("Any", object), body=dict(body))

    @contextmanager
    def _named_failures(self, late: str, garbled: Callable[[Exception], str]) -> Generator[None, None, None]:
        """What goes wrong between us and a server, as errors of ours. What may pass is a `TryAgain`."""
        import openai  # noqa: PLC0415

        try:
            yield
        except (TimeoutError, openai.APITimeoutError):
            raise TryAgain(ProviderTimeout(late)) from None
        except openai.APIConnectionError as error:
            raise TryAgain(ProviderUnreachable(self._unreachable(error))) from None
        except openai.APIStatusError as error:
            raise self._refusal(error) from None
        except (ValueError, openai.OpenAIError) as error:
            raise TryAgain(BadProviderAnswer(garbled(error))) from None

    def _connected(self, sdk: Any) -> openai.AsyncOpenAI:
        """The client of this event loop: connections of another one are of no use here."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._loop = loop
            self._client = sdk.AsyncOpenAI(
                base_url=self.address.plain_url,
                default_headers=self._headers(),
                api_key=self.address.api_key or _NO_KEY,
                timeout=self._patience.seconds,
                max_retries=0,
                # Documents and questions go where the settings say, and nowhere that a server points to.
                http_client=sdk.DefaultAsyncHttpxClient(
                    follow_redirects=False, trust_env=not self.address.is_own
                ),
            )
        return cast("openai.AsyncOpenAI", self._client)

    def _headers(self) -> Mapping[str, str]:
        # A server of our own ends connections that are idle for a few seconds, perhaps just as the next question comes.
        return (
            {**self.address.headers, "Connection": "close"} if self.address.is_own else self.address.headers
        )

    def _unreachable(self, error: Exception) -> str:
        cause = error.__cause__ or error
        why = self.address.without_secrets(str(cause) or type(cause).__name__)
        return f"{self.address.shown} could not be reached: {why}"

    def _refusal(self, error: openai.APIStatusError) -> Exception:
        status = error.status_code
        said = self.address.without_secrets(_words_of(error.body))
        message = f"{self.address.shown} answered {status}{f': {said}' if said else ''}"
        if status in _ELSEWHERE:
            return ProviderRefused(
                f"{message}, pointing to another address, which was not followed.",
                hint="Set the address of the model to the one that is meant, if you trust it.",
            )
        if status in _MAY_PASS or status >= _SERVER_ERROR:
            wait = retry_after(error.response.headers)
            if error.code == "insufficient_quota":
                return ProviderRefused(message, hint="The account has no credit left; waiting does not help.")
            if wait is None or wait <= self._patience.longest_wait:
                return TryAgain(ProviderBusy(message), wait)
            return ProviderBusy(f"{message} (and asks us to wait {wait:g} s)")
        return ProviderRefused(message)


def _words_of(body: object) -> str:
    """What a server says about its refusal, in whatever shape."""
    if isinstance(body, dict):
        said = cast("dict[str, object]", body)
        body = said.get("message") or said.get("error") or said.get("detail") or ""
        if isinstance(body, dict):
            return _words_of(cast("object", body))
    return str(body or "")
