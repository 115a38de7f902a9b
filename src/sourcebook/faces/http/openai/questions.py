"""A question of a chat program on its way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sourcebook.faces.http.charged_questions import SentQuestion

if TYPE_CHECKING:
    from sourcebook.faces.http.charged_questions import QuestionDesk
    from sourcebook.faces.http.openai.conversation import KnownConversations, SentConversation
    from sourcebook.model.chat import Answer, AnswerEvent


@dataclass
class ChatQuestion:
    """The last message of a conversation, and the stored conversation that it continues, if there is one."""

    questions: QuestionDesk
    model: str
    collections: list[str]
    sent: SentConversation
    known: KnownConversations
    session: str | None = None
    answer: Answer | None = None

    async def ask(self, on_event: Callable[[AnswerEvent], None] | None = None) -> Answer:
        """The answer. What was said before is context; it is not stored again."""
        asked = SentQuestion(
            self.sent.question,
            session=self.session,
            collections=self.collections,
            earlier=() if self.session else self.sent.earlier,
        )
        self.answer = await self.questions.ask(asked, on_event)
        return self.answer

    def remember(self, text: str) -> None:
        if self.answer is not None and self.answer.session_id is not None:
            self.known.remember(
                self.questions.caller,
                self.model,
                self.sent,
                text,
                self.answer.session_id,
                is_continued=self.session is not None,
            )
