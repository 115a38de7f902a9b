"""`book.conversations`: the stored conversations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcebook.consult.answer.transcript import as_markdown
from sourcebook.consult.question.inquiry import LOCAL_USER
from sourcebook.errors import SessionNotFound
from sourcebook.model.chat import Conversation
from sourcebook.ports.arguments import checks_arguments

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sourcebook.doors.connection import DoorConnection
    from sourcebook.model.chat import ChatSession
    from sourcebook.model.documents import JsonValue


@checks_arguments
class ConversationsDoor:
    """Stored conversations: start, list, read, rename, remove and export them. Each belongs to one user."""

    def __init__(self, connection: DoorConnection) -> None:
        self._connection = connection

    async def create(
        self,
        *,
        title: str | None = None,
        scope: Mapping[str, JsonValue] | None = None,
        user: int = LOCAL_USER,
    ) -> ChatSession:
        """Start a conversation. `ask` starts one itself when you name no session."""
        sessions = self._connection.stores.sessions
        return await sessions.create_session(user, self._connection.face, title=title, scope=scope)

    async def latest(
        self, limit: int = 50, *, user: int = LOCAL_USER, after: ChatSession | None = None
    ) -> list[ChatSession]:
        """All conversations, newest first; with `after`, those that come behind that one."""
        return await self._connection.stores.sessions.list_sessions(user, limit, after=after)

    async def search(self, text: str, limit: int = 50, *, user: int = LOCAL_USER) -> list[ChatSession]:
        """The conversations in whose title or messages this text stands, newest first."""
        return await self._connection.stores.sessions.search_sessions(user, text, limit)

    async def get(self, session_id: str, *, user: int = LOCAL_USER) -> Conversation:
        """A conversation with its messages. Each citation says whether its source has since changed or been removed."""
        sessions = self._connection.stores.sessions
        messages = await sessions.messages(session_id, user)
        found = await sessions.get_session(session_id, user)
        if found is None:
            raise SessionNotFound(f"There is no session {session_id!r}")
        return Conversation(found, tuple(messages))

    async def rename(self, session_id: str, title: str, *, user: int = LOCAL_USER) -> None:
        """Rename a conversation."""
        await self._connection.stores.sessions.rename_session(session_id, user, title)

    async def remove(self, session_id: str, *, user: int = LOCAL_USER) -> bool:
        """Remove a conversation and its messages. True if there was one."""
        return await self._connection.stores.sessions.remove_session(session_id, user)

    async def export(self, session_id: str, *, user: int = LOCAL_USER) -> str:
        """A conversation as Markdown, with its sources and whether they have changed since."""
        return as_markdown(await self.get(session_id, user=user))
