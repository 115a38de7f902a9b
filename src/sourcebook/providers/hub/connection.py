"""Requests to the hub: through the proxy of the environment, and after it to where its files lie."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from http.client import HTTPException, HTTPMessage
from typing import IO, Protocol
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
)

from sourcebook.errors import DownloadFailed, ProviderRefused, ProviderUnreachable

_SECONDS = 30.0
_NOT_TO_EVERYBODY = (401, 403)
_NOT_FOUND = 404
_REDIRECTS = range(300, 400)


class HubReply(Protocol):
    """What a server answered: a status, headers, and content to be read in pieces."""

    status: int
    headers: HTTPMessage

    def read(self, amount: int = ...) -> bytes: ...


class _OwnKeyStays(HTTPRedirectHandler):
    """Follows where the hub points, without the key when that is another host, and never from https to http."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        before, after = urlsplit(req.full_url), urlsplit(newurl)
        if after.scheme not in ("http", "https") or (before.scheme, after.scheme) == ("https", "http"):
            raise DownloadFailed(
                f"{before.netloc} points to {after.scheme}://{after.netloc}, which is not safe."
            )
        new = super().redirect_request(req, fp, code, msg, headers, newurl)
        if new is not None and before.netloc != after.netloc:
            new.remove_header("Authorization")
        return new


class _Stays(HTTPRedirectHandler):
    """Does not follow: where a server points is told by its headers."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        return None


@contextmanager
def asked(
    url: str, headers: Mapping[str, str], *, shown: str, what: str, follow: bool = True, method: str = "GET"
) -> Generator[HubReply]:
    """The answer of the hub, or an error that says what to do. `what` is what was asked for, in people's words."""
    request = Request(url, headers=dict(headers), method=method)  # noqa: S310 - only http can be opened below
    try:
        with _opener(_OwnKeyStays() if follow else _Stays()).open(request, timeout=_SECONDS) as reply:
            yield reply
    except HTTPError as error:
        # It is an answer as well, with a connection that is to be closed.
        with error:
            if error.code in _REDIRECTS and not follow:
                yield error  # pyright: ignore[reportReturnType] - it has what is promised
                return
            raise _refusal(error.code, shown, what) from None
    except (URLError, OSError, HTTPException) as error:
        why = " ".join(str(getattr(error, "reason", None) or error or type(error).__name__).split())
        raise ProviderUnreachable(
            f"{shown} could not be reached: {why}",
            hint="Check the network, HTTPS_PROXY and HF_ENDPOINT. Without a network, bring the files and run "
            "`sourcebook models add FOLDER`.",
        ) from None


def _opener(redirects: HTTPRedirectHandler) -> OpenerDirector:
    opener = OpenerDirector()
    for handler in (
        ProxyHandler(),
        HTTPHandler(),
        HTTPSHandler(),
        HTTPDefaultErrorHandler(),
        HTTPErrorProcessor(),
        redirects,
    ):
        opener.add_handler(handler)
    return opener


def _refusal(status: int, shown: str, what: str) -> Exception:
    if status in _NOT_TO_EVERYBODY:
        return ProviderRefused(
            f"{shown} does not give {what} to everybody (answer {status}).",
            hint=f"Accept its terms at {shown}/{what}, and set HF_TOKEN to a token of your account there.",
        )
    if status == _NOT_FOUND:
        return DownloadFailed(
            f"{shown} has no {what}.",
            hint="It may have been renamed; `sourcebook models add FOLDER` takes files from elsewhere.",
        )
    return DownloadFailed(f"{shown} answered {status} for {what}.")
