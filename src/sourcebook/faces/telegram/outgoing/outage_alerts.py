"""What does not work now. Admins get one message when it begins and one when it is over."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from sourcebook.errors import ProviderError, SourcebookError, StorageError

if TYPE_CHECKING:
    from sourcebook.locale import Texts

Tell: TypeAlias = Callable[[Callable[["Texts"], str]], Awaitable[None]]


class OutagePart(StrEnum):
    """What can fail. Each has its sentence in every language."""

    MODEL = "model"
    DISK = "disk"
    QUEUE = "queue"
    OTHER = "other"


class Outages:
    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._current: set[OutagePart] = set()

    @property
    def current(self) -> frozenset[OutagePart]:
        return frozenset(self._current)

    async def began(self, part: OutagePart, reason: str) -> None:
        if part not in self._current:
            self._current.add(part)
            await self._tell(lambda texts: texts(f"trouble_{part}", reason=reason))

    async def over(self, part: OutagePart) -> None:
        if part in self._current:
            self._current.discard(part)
            await self._tell(lambda texts: texts("trouble_over", what=texts(f"what_{part}")))


def part_of(error: Exception) -> OutagePart | None:
    """What has failed if this was raised; None if it is nobody's fault but the question's."""
    match error:
        case ProviderError():
            return OutagePart.MODEL
        case StorageError():
            return OutagePart.DISK
        case SourcebookError():
            return None
        case _:
            return OutagePart.OTHER
