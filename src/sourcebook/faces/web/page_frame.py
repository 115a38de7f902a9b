"""What every view needs: who looks, the base, their language, and a frame to show things in."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from sourcebook.client import AsyncSourcebook
from sourcebook.errors import AuthError, CollectionNotFound
from sourcebook.faces.http.auth.caller import (
    Admin,
    Book,
    Caller,
    Expert,
    Reader,
    ServerSettings,
    allowed_collections,
)
from sourcebook.faces.http.auth.guarded_routes import require_whole_base
from sourcebook.faces.http.charged_questions import own_session, sees_session
from sourcebook.faces.web.dates_and_numbers import is_today
from sourcebook.faces.web.review_queue import count_cases
from sourcebook.faces.web.template_rendering import HEADERS, render, texts_of, theme_of
from sourcebook.locale import Texts
from sourcebook.model.chat import ChatSession, Conversation
from sourcebook.model.documents import Collection
from sourcebook.model.people import UserRole
from sourcebook.settings import Settings

FRAGMENT = "x-sourcebook-fragment"
"""The header with which our own scripts ask for a part of a page."""
_CONVERSATIONS = 12
_LATELY = 90 * 24 * 3600
_SIGN_IN = "sourcebook_session"


@dataclass(frozen=True, slots=True)
class Sidebar:
    """What stands at the left of every page."""

    waiting: int
    documents: int
    today: Sequence[ChatSession]
    earlier: Sequence[ChatSession]
    replied: Sequence[str]
    """The conversations with an expert's reply that was not read yet, the newest last."""


@dataclass(frozen=True, slots=True)
class Page:
    """One request to the page, and how to answer it."""

    request: Request
    caller: Caller
    book: AsyncSourcebook
    settings: Settings
    texts: Texts

    @property
    def is_fragment(self) -> bool:
        """Whether a script of ours asks for the part that changed, rather than a browser for the whole page."""
        return FRAGMENT in self.request.headers

    @property
    def is_signed_in(self) -> bool:
        """Whether there is a sign-in to end. Who is alone on this machine has none."""
        return _SIGN_IN in self.request.cookies

    @property
    def is_expert(self) -> bool:
        return self.caller.may(UserRole.EXPERT)

    @property
    def is_admin(self) -> bool:
        return self.caller.may(UserRole.ADMIN)

    @property
    def is_overseer(self) -> bool:
        """Whether the caller decides about the base as a whole."""
        return self.is_admin and self.caller.collections is None

    async def collections(self) -> list[Collection]:
        """The collections that the caller may see."""
        return [each for each in await self.book.library.collections() if self.caller.sees(each.id)]

    async def exists(self, collection: str) -> bool:
        """Whether something was ever added to it. The default collection is made with the first document."""
        return any(each.id == collection for each in await self.collections())

    async def conversation(self, session_id: str) -> Conversation:
        """A conversation of the caller, about what the caller may see; any other does not exist."""
        await own_session(self.book, self.settings, self.caller, session_id)
        return await self.book.conversations.get(session_id, user=self.caller.user_id)

    async def conversations(self, limit: int) -> list[ChatSession]:
        """The latest conversations of the caller, about what the caller may see."""
        latest = await self.book.conversations.latest(limit, user=self.caller.user_id)
        return [each for each in latest if sees_session(self.caller, each, self.settings)]

    def seen(self, collection: str) -> str:
        """The collection, if the caller may see it; else there is none."""
        return allowed_collections(self.caller, [collection], self.settings)[0]

    def default_collection(self) -> str:
        """The one to show first."""
        allowed = allowed_collections(self.caller, None, self.settings)
        if not allowed:
            raise CollectionNotFound("There is no collection you may see", hint="Ask an administrator.")
        return allowed[0]

    async def show(self, template: str, place: str, /, *, status: int = 200, **context: Any) -> HTMLResponse:
        """A whole page. `place` is the entry of the shelf that is marked."""
        return self.html(
            render(
                template,
                self.texts,
                page=self,
                place=place,
                shelf=await self._shelf(),
                theme=theme_of(self.request),
                notice=self.request.query_params.get("done", ""),
                **context,
            ),
            status,
        )

    def part(self, template: str, /, *, status: int = 200, **context: Any) -> HTMLResponse:
        """A part of a page, for a script that puts it in place."""
        return self.html(render(template, self.texts, page=self, **context), status)

    def html(self, html: str, status: int = 200) -> HTMLResponse:
        return HTMLResponse(html, status, headers=dict(HEADERS))

    def go(self, address: str) -> RedirectResponse:
        """After something was done: the page that shows it."""
        return RedirectResponse(address, 303, headers=dict(HEADERS))

    async def _shelf(self) -> Sidebar:
        sessions = await self.conversations(_CONVERSATIONS)
        waiting = await count_cases(self) if self.is_expert else 0
        documents = sum(each.document_count for each in await self.collections())
        today = [each for each in sessions if is_today(each.updated_at)]
        earlier = [each for each in sessions if each not in today]
        return Sidebar(waiting, documents, today, earlier, await self._replied())

    async def _replied(self) -> list[str]:
        since = int(time.time()) - _LATELY
        unread = await self.book.stores.sessions.unread_replies(self.caller.user_id, since)
        return list(dict.fromkeys(session for session, _ in unread))


def _reading(request: Request, caller: Reader, book: Book, settings: ServerSettings) -> Page:
    return Page(request, caller, book, settings, texts_of(request))


def _reviewing(request: Request, caller: Expert, book: Book, settings: ServerSettings) -> Page:
    return Page(request, caller, book, settings, texts_of(request))


def _administering(request: Request, caller: Admin, book: Book, settings: ServerSettings) -> Page:
    return Page(request, caller, book, settings, texts_of(request))


def _overseeing(request: Request, caller: Admin, book: Book, settings: ServerSettings) -> Page:
    if caller.collections is not None:
        raise AuthError("This concerns the whole base.", hint="Ask an administrator who may see all of it.")
    return Page(request, caller, book, settings, texts_of(request))


Reading = Annotated[Page, Depends(_reading)]
Reviewing = Annotated[Page, Depends(_reviewing)]
Administering = Annotated[Page, Depends(_administering)]


def _reviewing_all(page: Reviewing) -> Page:
    require_whole_base(page.caller)
    return page


ReviewingAll = Annotated[Page, Depends(_reviewing_all)]
"""For what every expert shares: one of some collections has no say in it."""
Overseeing = Annotated[Page, Depends(_overseeing)]
"""For what concerns everybody: an administrator of some collections has no say in it."""
