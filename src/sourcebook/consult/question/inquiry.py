"""A question: its text, its collections, and its conversation."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from sourcebook.model.chat import ChatMessage, Role
from sourcebook.model.search import In
from sourcebook.text.case_and_accents import made_storable

if TYPE_CHECKING:
    from sourcebook.model.chat import Answer, ChatSession
    from sourcebook.model.documents import JsonValue
    from sourcebook.model.search import MetadataFilter
    from sourcebook.ports.chat import PromptMessage
    from sourcebook.retrieve.question_context import QuestionContext

LOCAL_USER = 1
HELP_FILTER = In("type", ("documentation", "readme"))
"""The documents that `help` answers from."""

Keep: TypeAlias = "Callable[[Answer, QuestionContext], Awaitable[Answer]]"


class OnReadOnly(StrEnum):
    """What to do with a question if the base can only be read: refuse it, or answer and keep nothing."""

    REFUSE = "refuse"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question and its limits. Limits that are not given come from the session; without one, from `otherwise`."""

    question: str
    collections: Sequence[str] = ()
    session_id: str | None = None
    user_id: int = LOCAL_USER
    face: str = "python"
    category: str | None = None
    subcategory: str | None = None
    filter: MetadataFilter | None = None
    language: str | None = None
    otherwise: Sequence[str] = ("default",)
    """The collections to ask if neither the question nor its session names any."""
    similar: int | None = None
    """The approved answer that the asker chose among those offered."""
    is_new_session: bool = False
    """Whether the session was just made for this question, so that it is empty."""
    earlier: Sequence[PromptMessage] = ()
    """Earlier messages of a conversation that is kept elsewhere. Ignored if the session has messages."""
    reads_unsure: bool = True
    """Whether a chat model may read what came nearly close enough."""
    on_read_only: OnReadOnly = OnReadOnly.REFUSE
    keep: Keep | None = field(default=None, compare=False, repr=False)
    """Stores the answer instead of the session's turn, for callers that store more in the same transaction."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "question", made_storable(self.question))

    def within(self, session: ChatSession | None) -> Inquiry:
        """The question with the limits of its session where it has none."""
        scope: Mapping[str, JsonValue] = {} if session is None else session.scope
        remembered = scope.get("collections")
        named = [n for n in remembered if isinstance(n, str)] if isinstance(remembered, Sequence) else []
        return replace(
            self,
            collections=tuple(self.collections or named or self.otherwise),
            category=self.category or _text(scope.get("category")),
            subcategory=self.subcategory or _text(scope.get("subcategory")),
        )

    def earlier_messages(self, last: int) -> list[ChatMessage]:
        """The last messages of a conversation that is kept elsewhere."""
        roles = {role.value.lower(): role for role in Role}
        spoken = [each for each in self.earlier[-last:] if each.role in roles]
        return [ChatMessage("", "", n, roles[each.role], each.content) for n, each in enumerate(spoken)]

    @property
    def scope(self) -> dict[str, JsonValue]:
        """The limits to remember for a session that begins with this question."""
        scope: dict[str, JsonValue] = {
            "collections": list(self.collections),
            "category": self.category,
            "subcategory": self.subcategory,
        }
        return {name: value for name, value in scope.items() if value}


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None
