"""Asking a model that runs behind an address: with a time limit, again if that may help, and never showing the key."""

from __future__ import annotations

import asyncio
import base64
import logging
import math
import random
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import unquote, urlsplit, urlunsplit

import anyio

from sourcebook.errors import (
    BadProviderAnswer,
    BadSetting,
    ProviderBusy,
    ProviderError,
    ProviderRefused,
    ProviderTimeout,
    ProviderUnreachable,
)
from sourcebook.providers.model_server_urls import is_readable_url

if TYPE_CHECKING:
    from collections.abc import Mapping

    import openai

_LOG = logging.getLogger(__name__)
_MAY_PASS = frozenset({408, 409, 429})
_SERVER_ERROR = 500
_ELSEWHERE = range(300, 400)
_WORDS_SHOWN = 300
# The client asks for a key even where the server wants none.
_NO_KEY = "none"


@dataclass(frozen=True, slots=True)
class Patience:
    """How long one try may take, how often it is repeated, and how long to wait in between."""

    seconds: float = 60.0
    attempts: int = 5
    first_wait: float = 0.5
    longest_wait: float = 30.0

    def before_next(self, attempt: int) -> float:
        """Twice as long after each try, and by chance a little longer, so that not all who wait come back at once."""
        doubled = self.first_wait * 2 ** (attempt - 1)
        return min(self.longest_wait, doubled * random.uniform(1.0, 1.5))  # noqa: S311 - no secret hangs on it


@dataclass(frozen=True, slots=True)
class Address:
    """Where a model is, and the key that opens it. Neither is shown with its secrets."""

    base_url: str
    api_key: str | None = None
    is_own: bool = False
    """Whether a process of our own answers there: no proxy stands between."""

    def __post_init__(self) -> None:
        if not is_readable_url(self.base_url):
            raise BadSetting(
                "The address of the model's server cannot be read.",
                hint="It is `http://HOST:PORT/PATH`; in a user or password, `/` is written `%2F` and `@` `%40`.",
            )

    def __repr__(self) -> str:
        return f"Address({self.shown!r})"

    @property
    def shown(self) -> str:
        """The address without user, password and query."""
        parts = urlsplit(self.base_url)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))

    @property
    def plain_url(self) -> str:
        """The address without user and password, for libraries write addresses into their logs."""
        parts = urlsplit(self.base_url)
        return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))

    @property
    def headers(self) -> dict[str, str]:
        """The user and password of the address, in the form in which a server takes them."""
        parts = urlsplit(self.base_url)
        if parts.username is None:
            return {}
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        return {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}

    def without_secrets(self, text: str) -> str:
        """A server's words, short, in one line, and without the key even if the server repeats it."""
        for secret in (self.api_key, urlsplit(self.base_url).password):
            if secret:
                text = text.replace(secret, "***")
        text = re.sub(r"\bsk-[\w*-]+", "***", " ".join(text.split()))
        return text if len(text) <= _WORDS_SHOWN else text[:_WORDS_SHOWN] + "…"


class TryAgain(Exception):
    """The request failed in a way that may pass; `wait` is what the server asked for."""

    def __init__(self, error: ProviderError, wait: float | None = None) -> None:
        super().__init__(str(error))
        self.error = error
        self.wait = wait


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
                if attempt >= most:
                    raise failure.error from None
                wait = patience.before_next(attempt) if failure.wait is None else failure.wait
                _LOG.info("%s Trying again in %.1f s.", failure.error.message, wait)
            await anyio.sleep(wait)
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
        try:
            # The client's own limit is for each piece of an answer; this one is for the whole. What the client says is
            # not chained to our errors, as a server may have put the key into it.
            with anyio.fail_after(self._patience.seconds):
                return await client.post(path, cast_to=cast("Any", object), body=dict(body))
        except (TimeoutError, openai.APITimeoutError):
            late = f"{self.address.shown} did not answer within {self._patience.seconds:g} s."
            raise TryAgain(ProviderTimeout(late)) from None
        except openai.APIConnectionError as error:
            raise TryAgain(ProviderUnreachable(self._unreachable(error))) from None
        except openai.APIStatusError as error:
            raise self._refusal(error) from None
        except (ValueError, openai.OpenAIError):
            garbled = f"{self.address.shown} gave an answer that is not valid JSON."
            raise TryAgain(BadProviderAnswer(garbled)) from None

    def _connected(self, sdk: Any) -> openai.AsyncOpenAI:
        """The client of this event loop: connections of another one are of no use here."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._loop = loop
            self._client = sdk.AsyncOpenAI(
                base_url=self.address.plain_url,
                default_headers=self.address.headers,
                api_key=self.address.api_key or _NO_KEY,
                timeout=self._patience.seconds,
                max_retries=0,
                # Documents and questions go where the settings say, and nowhere that a server points to.
                http_client=sdk.DefaultAsyncHttpxClient(
                    follow_redirects=False, trust_env=not self.address.is_own
                ),
            )
        return cast("openai.AsyncOpenAI", self._client)

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
            wait = _retry_after(error.response.headers)
            if error.code == "insufficient_quota":
                return ProviderRefused(message, hint="The account has no credit left; waiting does not help.")
            if wait is None or wait <= self._patience.longest_wait:
                return TryAgain(ProviderBusy(message), wait)
            return ProviderBusy(f"{message} (and asks us to wait {wait:g} s)")
        return ProviderRefused(message)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that a server asks to wait, if it says so in seconds."""
    try:
        seconds = float(headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def _words_of(body: object) -> str:
    """What a server says about its refusal, in whatever shape."""
    if isinstance(body, dict):
        said = cast("dict[str, object]", body)
        body = said.get("message") or said.get("error") or said.get("detail") or ""
        if isinstance(body, dict):
            return _words_of(cast("object", body))
    return str(body or "")
