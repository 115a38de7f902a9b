"""The caller's own conversations."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path, Query
from fastapi.responses import PlainTextResponse
from pydantic import Field

from sourcebook.errors import SessionNotFound
from sourcebook.faces import json_shapes
from sourcebook.faces.http.auth.caller import Book, Reader, ServerSettings
from sourcebook.faces.http.auth.guarded_routes import guarded_router
from sourcebook.faces.http.charged_questions import own_session, sees_session
from sourcebook.faces.http.openapi import examples
from sourcebook.faces.http.responses.cursors import cursor_of, cut, parts_of
from sourcebook.faces.http.routes.shared_parameters import Body, Cursor, Limit
from sourcebook.model.chat import ChatSession

router = guarded_router("sessions")
SessionId = Annotated[str, Path(max_length=100, description="The conversation's id.")]
_FOUND_AT_ONCE = 200


class Rename(Body):
    """A new title."""

    title: str = Field(min_length=1, max_length=200, description="The new title.")


@router.get(
    "/sessions",
    summary="List or search conversations",
    responses=examples.shown({"sessions": [examples.SESSION], "next": None}),
)
async def list_sessions(
    caller: Reader,
    book: Book,
    settings: ServerSettings,
    text: Annotated[
        str | None,
        Query(min_length=1, max_length=500, description="Words that stand in the title or the messages."),
    ] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> dict[str, Any]:
    """Your conversations, newest first; with `text`, those in which it stands. Nobody else's are listed."""
    if text is not None:
        found = await book.conversations.search(text, _FOUND_AT_ONCE, user=caller.user_id)
        own = [session for session in found if sees_session(caller, session, settings)]
        return {"sessions": [json_shapes.session(session) for session in own[:limit]], "next": None}
    after = None
    if cursor is not None:
        updated_at, session_id = parts_of(cursor, int, str)
        after = ChatSession(session_id, None, caller.user_id, "", updated_at=updated_at)
    found = await book.conversations.latest(limit + 1, user=caller.user_id, after=after)
    shown, last = cut(found, limit)
    return {
        "sessions": [json_shapes.session(s) for s in shown if sees_session(caller, s, settings)],
        "next": None if last is None else cursor_of(last.updated_at, last.id),
    }


@router.get(
    "/sessions/{session_id}",
    summary="Read a conversation",
    responses=examples.shown({"session": examples.CONVERSATION}),
)
async def read(session_id: SessionId, caller: Reader, book: Book, settings: ServerSettings) -> dict[str, Any]:
    """A conversation with its messages. Each citation says whether its source has since changed or been removed."""
    await own_session(book, settings, caller, session_id)
    return {
        "session": json_shapes.conversation(await book.conversations.get(session_id, user=caller.user_id))
    }


@router.patch(
    "/sessions/{session_id}",
    summary="Rename a conversation",
    responses=examples.shown({"session": examples.SESSION}),
)
async def rename(
    session_id: SessionId, body: Rename, caller: Reader, book: Book, settings: ServerSettings
) -> dict[str, Any]:
    """Give a conversation another title."""
    await own_session(book, settings, caller, session_id)
    await book.conversations.rename(session_id, body.title, user=caller.user_id)
    return {"session": json_shapes.session(await own_session(book, settings, caller, session_id))}


@router.get(
    "/sessions/{session_id}/export",
    summary="Export a conversation",
    response_class=PlainTextResponse,
    responses=examples.text("text/markdown", "The conversation as Markdown."),
)
async def export(
    session_id: SessionId, caller: Reader, book: Book, settings: ServerSettings
) -> PlainTextResponse:
    """A conversation as Markdown, with its sources and whether they have changed since."""
    await own_session(book, settings, caller, session_id)
    written = await book.conversations.export(session_id, user=caller.user_id)
    return PlainTextResponse(
        written,
        media_type="text/markdown",
        headers={"Content-Disposition": 'attachment; filename="conversation.md"'},
    )


@router.delete(
    "/sessions/{session_id}",
    summary="Remove a conversation",
    responses=examples.shown({"removed": "6f1c…"}),
)
async def remove(
    session_id: SessionId, caller: Reader, book: Book, settings: ServerSettings
) -> dict[str, Any]:
    """Remove a conversation with its messages."""
    await own_session(book, settings, caller, session_id)
    if not await book.conversations.remove(session_id, user=caller.user_id):
        raise SessionNotFound(f"There is no session {session_id!r}")
    return {"removed": session_id}
