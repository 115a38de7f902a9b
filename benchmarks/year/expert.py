"""The expert: five drafts a day, those that most people wait for first, decided as somebody who knows would."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sourcebook.errors import AlreadyDecided
from sourcebook.model.moderation import DraftKind, Keep

if TYPE_CHECKING:
    from benchmarks.year.cases import Wish
    from sourcebook import AsyncSourcebook
    from sourcebook.model.moderation import Draft

MINUTES = {"approved": 1.0, "edited": 3.0, "answered": 4.0, "rejected": 0.5}
"""What a decision takes; assumed, and the only figures here that are not counted."""
LOCAL = 1
_LOOKED_AT = 400


@dataclass
class Expert:
    """Decides about drafts, and remembers which wish each curated answer is for."""

    book: AsyncSourcebook
    wishes: dict[int, Wish] = field(default_factory=dict[int, "Wish"])
    """The wish behind each draft."""
    entries: dict[int, str] = field(default_factory=dict[int, str])
    """The name of the wish that a curated answer was approved for."""
    done: Counter[str] = field(default_factory=Counter[str])

    async def work(self, drafts: int) -> None:
        """A day: the drafts of the largest groups, oldest first among equals."""
        waiting = await self.book.moderation.get_pending_moderation_items(_LOOKED_AT)
        groups = Counter(draft.group_key for draft in waiting)
        waiting.sort(key=lambda draft: (-groups[draft.group_key], draft.id))
        handled = 0
        for draft in waiting:
            if handled == drafts:
                return
            handled += await self._decide(draft)

    async def _decide(self, draft: Draft) -> bool:
        wish = self.wishes[draft.id]
        try:
            kind = await self._decided(draft, wish)
        except AlreadyDecided:
            return False  # settled with another draft that asked the same
        self.done[kind] += 1
        return True

    async def _decided(self, draft: Draft, wish: Wish) -> str:
        moderation = self.book.moderation
        if draft.kind is DraftKind.DECLINED:
            reply = wish.reply or ("" if wish.is_outside else f"Ответ эксперта: {wish.question}")
            if not reply:
                await moderation.reject_moderation_item(draft.id, LOCAL, "not for this base")
                return "rejected"
            answered = await moderation.answer_item(draft.id, LOCAL, reply, keep=Keep.CURATED)
            self._remember(answered.kb_id, wish)
            return "answered"
        if is_right(draft.answer or "", [c.document_id for c in draft.citations], _paths(draft), wish):
            self._remember((await moderation.approve_moderation_item(draft.id, LOCAL)).id, wish)
            return "approved"
        if wish.is_outside and not wish.reply:
            await moderation.reject_moderation_item(draft.id, LOCAL, "not for this base")
            return "rejected"
        better = wish.reply or f"Ответ эксперта: {wish.question}"
        entry = await moderation.approve_moderation_item(draft.id, LOCAL, answer=better)
        self._remember(entry.id, wish)
        return "edited"

    def _remember(self, entry_id: int | None, wish: Wish) -> None:
        if entry_id is not None:
            self.entries[entry_id] = wish.name

    @property
    def minutes(self) -> float:
        return sum(MINUTES[kind] * count for kind, count in self.done.items())


def is_right(answer: str, document_ids: list[str], paths: list[str], wish: Wish) -> bool:
    """Whether an answer from documents is one: it holds the words of the answer, or cites a page about the crop."""
    if wish.answers:
        return any(words.casefold() in answer.casefold() for words in wish.answers)
    places = [*document_ids, *paths]
    return any(folder in place for folder in wish.documents for place in places)


def _paths(draft: Draft) -> list[str]:
    return [citation.document_path for citation in draft.citations]
