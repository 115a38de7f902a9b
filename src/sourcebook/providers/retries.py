"""When a request to a model's server is tried again, and how long to wait before that."""

from __future__ import annotations

import logging
import math
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio

if TYPE_CHECKING:
    from sourcebook.errors import ProviderError

_LOG = logging.getLogger(__name__)


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


class TryAgain(Exception):
    """The request failed in a way that may pass; `wait` is what the server asked for."""

    def __init__(self, error: ProviderError, wait: float | None = None) -> None:
        super().__init__(str(error))
        self.error = error
        self.wait = wait


async def wait_for_next(patience: Patience, failure: TryAgain, attempt: int, most: int) -> None:
    """Wait until the next attempt may help. After the last one, the failure is raised."""
    if attempt >= most:
        raise failure.error from None
    wait = patience.before_next(attempt) if failure.wait is None else failure.wait
    _LOG.info("%s Trying again in %.1f s.", failure.error.message, wait)
    await anyio.sleep(wait)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that a server asks to wait, if it says so in seconds."""
    try:
        seconds = float(headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None
