"""What a consultation needs of a base and of a model."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from sourcebook.model.curation import SourceType

if TYPE_CHECKING:
    from sourcebook.model.chat import ChatMessage, ChatSession, Citation, Conversation, SourceState, Tier
    from sourcebook.model.curation import (
        CuratedAnswer,
        CuratedMatch,
        CuratedSource,
        Term,
        Wording,
        WordingStatus,
    )
    from sourcebook.model.documents import JsonValue, Vector
    from sourcebook.ports.moderation import Embedded


@dataclass(frozen=True, slots=True)
class PromptMessage:
    """One message to a chat model; `role` is `system`, `user` or `assistant`."""

    role: str
    content: str


class ChatModel(Protocol):
    """Writes an answer, piece by piece. It has no tools."""

    @property
    def name(self) -> str:
        """What the model is called; answers are stored with it."""
        ...

    def stream(self, messages: Sequence[PromptMessage]) -> AsyncGenerator[str, None]:
        """The pieces of the answer as they come. Closing the generator, or cancelling it, ends the request."""
        ...


class Sessions(Protocol):
    """Conversations. A session belongs to a user; another user's is not found."""

    async def create_session(
        self,
        user_id: int,
        face: str,
        *,
        title: str | None = None,
        scope: Mapping[str, JsonValue] | None = None,
    ) -> ChatSession: ...

    async def get_session(self, session_id: str, user_id: int) -> ChatSession | None: ...

    async def list_sessions(
        self, user_id: int, limit: int = 50, *, after: ChatSession | None = None
    ) -> list[ChatSession]:
        """The latest first; with `after`, those that come behind that one."""
        ...

    async def search_sessions(self, user_id: int, text: str, limit: int = 50) -> list[ChatSession]:
        """The conversations in whose title or messages this text stands, in any case, the latest first."""
        ...

    async def unread_replies(self, user_id: int, since: int) -> list[tuple[str, str]]:
        """The replies of experts that nobody has noted as read: each by its conversation and its own id.

        Only conversations that changed since then are looked at. A note is a message whose external id is `read_note`.
        """
        ...

    async def rename_session(self, session_id: str, user_id: int, title: str) -> None: ...

    async def remove_session(self, session_id: str, user_id: int) -> bool:
        """Remove a conversation with all its messages. True if there was one."""
        ...

    async def add_turn(
        self,
        session_id: str,
        question: str,
        answer: str,
        tier: Tier,
        citations: Sequence[Citation],
        details: Mapping[str, JsonValue],
    ) -> tuple[ChatMessage, ChatMessage]:
        """Store a question and its answer, both or neither."""
        ...

    async def begin(
        self,
        user_id: int,
        face: str,
        scope: Mapping[str, JsonValue],
        question: str,
        answer: str,
        tier: Tier,
        citations: Sequence[Citation],
        details: Mapping[str, JsonValue],
    ) -> tuple[ChatMessage, ChatMessage]:
        """Begin a conversation with its first question and answer, all of it or nothing."""
        ...

    async def recall(self, session_id: str, user_id: int, last: int) -> Conversation | None:
        """A session with its last messages as they were stored; `message_count` counts these. None if there is none."""
        ...

    async def messages(self, session_id: str, user_id: int, last: int | None = None) -> list[ChatMessage]:
        """The messages in their order, or only the last ones. Citations say whether their source has changed.

        So do the passages told beside an answer, in its details; of those removed or hidden, the words are left out.
        """
        ...

    async def source_states(self, citations: Sequence[Citation]) -> list[SourceState]:
        """For each citation, whether its quote is still in its document."""
        ...


class CuratedAnswers(Protocol):
    """Approved answers, found by the distance of their question."""

    async def kb_insert(
        self,
        *,
        collection_id: str,
        category: str,
        answer: str,
        embedding: Vector,
        question: str | None = None,
        subcategory: str | None = None,
        source_type: SourceType = SourceType.MANUAL,
        language: str | None = None,
        approved_by: int | None = None,
        approved_at: int | None = None,
        sources: Sequence[CuratedSource] = (),
    ) -> CuratedAnswer:
        """Add an answer. It was approved now, unless an earlier time is given; without a person it was not."""
        ...

    async def kb_search(
        self,
        category: str | None,
        query_embedding: Vector,
        subcategory: str | None = None,
        limit: int = 3,
        distance_threshold: float = 0.35,
        *,
        collection_id: str = "default",
    ) -> list[CuratedMatch]:
        """The nearest active entries strictly below the threshold, nearest first, ties by id."""
        ...

    async def kb_get(self, entry_id: int) -> CuratedAnswer | None: ...

    async def kb_list(self, collection_id: str | None = None) -> list[CuratedAnswer]: ...

    async def kb_remove(self, entry_id: int) -> bool: ...

    async def kb_confirm_wording(
        self, entry_id: int, question: str, user_id: int, embedded: Embedded
    ) -> Wording | None:
        """Record that a person says that this question asks what the entry answers; once for each person.

        It is matched from the second person on, or at once if who says so may decide on answers. What an expert
        rejected stays rejected. None if it is the entry's own question.
        """
        ...

    async def kb_add_wording(
        self, entry_id: int, question: str, admin_id: int, embedded: Embedded
    ) -> Wording | None:
        """Add a wording that is matched at once; even one that was rejected. None if it is the entry's question."""
        ...

    async def kb_decide_wording(self, wording_id: int, admin_id: int, status: WordingStatus) -> Wording:
        """Accept or reject a wording. A decision may be changed."""
        ...

    async def kb_open_wordings(self) -> int:
        """How many wordings askers confirmed that no expert has decided on."""
        ...


class Terminology(Protocol):
    """The words that answers should use."""

    async def get_all_terms(self) -> list[Term]: ...

    async def add_term(
        self, term: str, preferred_phrase: str, description: str | None = None, language: str | None = None
    ) -> Term:
        """Add a term, or change the one that is written the same."""
        ...

    async def delete_term(self, term: str) -> bool: ...
