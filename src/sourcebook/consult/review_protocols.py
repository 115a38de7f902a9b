"""What consult needs of the review queue: to make drafts of answers, and to ask experts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sourcebook.model.chat import Answer
    from sourcebook.model.documents import JsonValue
    from sourcebook.model.moderation import Draft
    from sourcebook.retrieve.question_context import QuestionContext


class Drafting(Protocol):
    """Makes drafts of answers."""

    async def consider(
        self,
        answer: Answer,
        *,
        user_id: int = 1,
        topic_id: int | None = None,
        category: str | None = None,
        subcategory: str | None = None,
        attachments: Sequence[Mapping[str, JsonValue]] = (),
        collections: Sequence[str] = (),
        visit_key: str | None = None,
        context: QuestionContext | None = None,
    ) -> Draft | None:
        """The draft of this answer, made if it is wanted. The same answer gives the same draft."""
        ...


class ExpertQueue(Drafting, Protocol):
    """Makes drafts of answers, and passes questions to an expert."""

    async def call_human(
        self,
        question: str,
        *,
        user_id: int = 1,
        topic_id: int | None = None,
        session_id: str | None = None,
        category: str | None = None,
        subcategory: str | None = None,
        attachments: Sequence[Mapping[str, JsonValue]] = (),
        details: Mapping[str, JsonValue] | None = None,
        language: str | None = None,
        collection_id: str | None = None,
    ) -> Draft: ...

    async def cancel_item(self, draft_id: int, user_id: int) -> Draft: ...

    async def get_item(self, draft_id: int) -> Draft: ...
