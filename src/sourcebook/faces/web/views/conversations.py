"""Conversations: all of them a part at a time, or those in which something was said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Query, Response
from markupsafe import Markup, escape

from sourcebook.faces.http.charged_questions import sees_session
from sourcebook.faces.web.page_frame import Page, Reading
from sourcebook.faces.web.page_routes import page_router
from sourcebook.model.chat import ChatSession

router = page_router()
_ON_A_PAGE = 100
_QUOTED = 20
"""So many of those that were found show where."""
_AROUND = 60


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """A conversation in the list, with the place at which the words were said, if that is not its title."""

    session: ChatSession
    said: Markup | None = None


@router.get("/conversations")
async def conversations(
    page: Reading,
    find: Annotated[str, Query(max_length=200)] = "",
    after: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """The conversations of the caller, newest first; with words, those in whose title or text they stand."""
    wanted = find.strip()
    more: str | None = None
    if wanted:
        rows = await _found(page, wanted)
    else:
        known = await page.book.stores.sessions.get_session(after, page.caller.user_id) if after else None
        listed = await page.book.conversations.latest(_ON_A_PAGE + 1, user=page.caller.user_id, after=known)
        shown = listed[:_ON_A_PAGE]
        more = shown[-1].id if len(listed) > _ON_A_PAGE else None
        rows = [ConversationRow(each) for each in shown if sees_session(page.caller, each, page.settings)]
    return await page.show("conversations.html", "conversations", rows=rows, find=find, more=more)


async def _found(page: Page, wanted: str) -> list[ConversationRow]:
    sessions = [
        each
        for each in await page.book.conversations.search(wanted, _ON_A_PAGE, user=page.caller.user_id)
        if sees_session(page.caller, each, page.settings)
    ]
    return [
        ConversationRow(each, await _place(page, each, wanted) if number < _QUOTED else None)
        for number, each in enumerate(sessions)
    ]


async def _place(page: Page, session: ChatSession, wanted: str) -> Markup | None:
    if wanted.casefold() in (session.title or "").casefold():
        return None
    stored = await page.book.conversations.get(session.id, user=page.caller.user_id)
    for message in stored.messages:
        text = " ".join(message.content.split())
        at = text.casefold().find(wanted.casefold())
        if at >= 0:
            return _marked(text, at, at + len(wanted))
    return None


def _marked(text: str, start: int, end: int) -> Markup:
    """The words with some around them."""
    first, last = max(0, start - _AROUND), min(len(text), end + _AROUND)
    before = ("…" if first else "") + text[first:start]
    behind = text[end:last] + ("…" if last < len(text) else "")
    return Markup("{}<mark>{}</mark>{}").format(escape(before), escape(text[start:end]), escape(behind))
