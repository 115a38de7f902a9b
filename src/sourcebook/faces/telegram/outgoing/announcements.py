"""Tells reviewers of every waiting question, once. What was announced is remembered in the base."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from aiogram.exceptions import TelegramAPIError

from sourcebook.consult.question.inquiry import LOCAL_USER
from sourcebook.faces.telegram.handlers import review
from sourcebook.faces.telegram.outgoing.sender import Undeliverable
from sourcebook.locale import texts
from sourcebook.model.consultations import Direction
from sourcebook.model.moderation import DraftKind

if TYPE_CHECKING:
    from sourcebook.faces.telegram.bot_services import BotServices
    from sourcebook.model.moderation import Draft

log = logging.getLogger(__name__)

_AT_ONCE = 20
_HEADS = {DraftKind.DECLINED: "new_draft", DraftKind.STALE: "stale_again"}
"""What is told. Answers that only wait for approval are asked for with /moderate."""


class Inbox:
    """Looks for new drafts. It keeps no state of its own: what was announced is in the base."""

    def __init__(self, office: BotServices) -> None:
        self._office = office
        self._seen: dict[DraftKind, int] = dict.fromkeys(_HEADS, 0)

    async def announce(self) -> None:
        for kind in _HEADS:
            while found := await self._office.book.moderation.get_pending_moderation_items(
                _AT_ONCE, kind=kind, after=self._seen[kind]
            ):
                for item in found:
                    await self._tell(item)
                    self._seen[kind] = item.id

    async def _tell(self, item: Draft) -> None:
        people, key = self._office.book.people, self._office.key(f"told:{item.id}")
        if await people.find_message(key) is not None:
            return
        for chat_id, language in (await self._office.staff()).items():
            try:
                head = texts(language)(_HEADS[item.kind])
                await review.show_to(self._office, chat_id, language, item, head=head)
            except (Undeliverable, TelegramAPIError) as error:
                # One who cannot be reached is no reason to tell the others twice.
                log.warning("Somebody who reviews could not be told of a question: %s", error)
        await people.log_message(LOCAL_USER, Direction.OUTGOING, text=f"[{item.id}]", external_id=key)
