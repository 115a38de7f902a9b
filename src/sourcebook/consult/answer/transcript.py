"""Writes a conversation as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sourcebook.model.chat import Role, SourceState

if TYPE_CHECKING:
    from sourcebook.model.chat import ChatMessage, Citation, Conversation

STATES = {
    SourceState.CURRENT: "",
    SourceState.CHANGED: "the source has changed",
    SourceState.REMOVED: "the source was removed",
}
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|!])")


def as_markdown(conversation: Conversation) -> str:
    """The whole conversation. Text of documents and people is escaped, so that none of it becomes markup."""
    session = conversation.session
    head = [
        f"# {_plain(session.title or 'Conversation')}",
        f"Session {session.id}, {moment(session.created_at)}",
    ]
    turns = [_turn(message) for message in conversation.messages]
    return "\n\n".join([*head, *turns]) + "\n"


def moment(seconds: int) -> str:
    """A time for people, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _turn(message: ChatMessage) -> str:
    if message.role is Role.USER:
        return f"## {_plain(message.content)}"
    paragraphs = [_paragraphs(message.content)]
    if message.citations:
        paragraphs.append("\n".join(_sources(message)))
    if message.is_expert_only:
        paragraphs.append("*From the expert, not from the documents.*")
    return "\n\n".join(paragraphs)


def _sources(message: ChatMessage) -> Iterator[str]:
    for citation in message.citations:
        place = _plain(citation.document_title or citation.document_path)
        page = "" if citation.page is None else f", page {citation.page}"
        notes = "".join(f" — {note}" for note in _notes(citation))
        quote = _plain(" ".join(citation.quote.split()))
        yield f"- \\[{citation.number}\\] {place}{page} ({_plain(citation.document_path)}): “{quote}”{notes}"


def _notes(citation: Citation) -> Iterator[str]:
    if not citation.verified:
        yield "unverified" if citation.is_doubtful else "reworded"
    if said := STATES[citation.state]:
        yield said


def _plain(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _paragraphs(text: str) -> str:
    return "\n\n".join(_plain(part) for part in re.split(r"\n\s*\n", text) if part.strip())
