"""A conversation as a chat program sends it: whole, with each question."""

from __future__ import annotations

import hashlib
import json
import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from sourcebook.errors import UsageError
from sourcebook.faces.http.charged_questions import sees_session
from sourcebook.ports.chat import PromptMessage

if TYPE_CHECKING:
    from sourcebook.client import AsyncSourcebook
    from sourcebook.faces.http.auth.caller import Caller
    from sourcebook.settings import Settings

LONGEST_QUESTION = 10_000
_SPOKEN = ("user", "assistant")
_FOOTNOTES = re.compile(r"\n\n---\n\[\d+\] .*\Z", re.DOTALL)
_REMEMBERED = 10_000


@dataclass(frozen=True, slots=True)
class SentConversation:
    """The question, and what was said before it. Instructions to a model are left out: answers come from the base."""

    question: str
    earlier: Sequence[PromptMessage]


def read_conversation(messages: Sequence[dict[str, Any]]) -> SentConversation:
    """The last message of the user is the question."""
    spoken = [
        PromptMessage(str(message.get("role")), _text(message.get("content")))
        for message in messages
        if message.get("role") in _SPOKEN
    ]
    last = next((n for n in range(len(spoken) - 1, -1, -1) if spoken[n].role == "user"), None)
    if last is None or not spoken[last].content.strip():
        raise UsageError("There is no question.", hint="Send a message of the role `user` with text.")
    question = spoken[last].content
    if len(question) > LONGEST_QUESTION:
        raise UsageError(
            f"The question is longer than {LONGEST_QUESTION} characters.", hint="Ask a shorter question."
        )
    earlier = [PromptMessage(each.role, _FOOTNOTES.sub("", each.content)) for each in spoken[:last]]
    return SentConversation(question, [each for each in earlier if each.content.strip()])


class KnownConversations:
    """Which stored conversation a sent one is, so that its next question continues it instead of beginning another.

    It is kept in memory: what a restart forgets is answered all the same, with what the program sent as its history.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[str, int]] = OrderedDict()

    async def find(
        self,
        book: AsyncSourcebook,
        settings: Settings,
        caller: Caller,
        model: str,
        earlier: Sequence[PromptMessage],
    ) -> str | None:
        """The session that holds exactly these messages, if the caller may see it."""
        session_id, count = self._known.get(_key(caller, model, earlier), ("", 0))
        if not session_id:
            return None
        session = await book.stores.sessions.get_session(session_id, caller.user_id)
        if session is None or session.message_count != count:
            return None
        return session_id if sees_session(caller, session, settings) else None

    def remember(
        self,
        caller: Caller,
        model: str,
        sent: SentConversation,
        answer: str,
        session_id: str,
        *,
        is_continued: bool,
    ) -> None:
        """The session that holds this conversation from now on, if it holds all of it."""
        if sent.earlier and not is_continued:
            return
        said = [*sent.earlier, PromptMessage("user", sent.question), PromptMessage("assistant", answer)]
        key = _key(caller, model, said)
        self._known[key] = (session_id, len(said))
        self._known.move_to_end(key)
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)


def _key(caller: Caller, model: str, said: Sequence[PromptMessage]) -> str:
    turns = [(each.role, " ".join(each.content.split())) for each in said]
    return hashlib.sha256(json.dumps([caller.source, caller.user_id, model, turns]).encode()).hexdigest()


def _text(content: object) -> str:
    """The words of a message, which may be a list of parts. Pictures and files are no words."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [
        cast("dict[str, object]", part) for part in cast("list[object]", content) if isinstance(part, dict)
    ]
    texts = [part.get("text") for part in parts]
    return "\n".join(text for text in texts if isinstance(text, str))
