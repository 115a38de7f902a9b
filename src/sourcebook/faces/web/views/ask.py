"""Ask: a question, its answer as it is written, and the source beside it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from typing import Annotated, Any, Literal
from urllib.parse import quote as quoted

from fastapi import Form, Query, Response
from fastapi.responses import PlainTextResponse, StreamingResponse

from sourcebook.errors import DraftNotFound, SessionNotFound
from sourcebook.faces.http import asking
from sourcebook.faces.http.asking import SentQuestion
from sourcebook.faces.http.caller import allowed_collections
from sourcebook.faces.http.events import answer_events, as_sse
from sourcebook.faces.web.conversation_view import conversation_view, leaf_at, note_read, thumb_key, turn_now
from sourcebook.faces.web.error_words import words_of
from sourcebook.faces.web.markup import plain
from sourcebook.faces.web.page import Page, Reading
from sourcebook.faces.web.rendering import HEADERS, render
from sourcebook.faces.web.routes import page_router
from sourcebook.faces.web.upload_rows import open_uploads
from sourcebook.model.chat import Answer, AnswerEvent
from sourcebook.model.moderation import DraftStatus
from sourcebook.model.people import Direction

router = page_router()
_LONGEST = 10_000
_EXAMPLES = 4
Question = Annotated[str, Form(max_length=_LONGEST)]


@router.get("/")
async def home(page: Reading) -> Response:
    return page.go("/ask")


@router.get("/ask")
async def new(page: Reading, question: Annotated[str, Query(max_length=_LONGEST)] = "") -> Response:
    """An empty conversation; on an empty base, what to do first."""
    collections = await page.collections()
    if not any(each.document_count for each in collections):
        chosen = page.default_collection()
        uploads = await open_uploads(page, chosen) if page.is_admin else ()
        return await page.show("first_run.html", "ask", chosen=chosen, uploads=uploads)
    return await page.show(
        "ask.html",
        "ask",
        view=None,
        leaf=None,
        asked=question,
        collections=collections,
        examples=await _examples(page),
    )


@router.get("/ask/{session_id}")
async def conversation(page: Reading, session_id: str, source: str = "") -> Response:
    """A conversation, with the source that was chosen beside it, or that of the last answer."""
    stored = await page.conversation(session_id)
    view = await conversation_view(page, stored)
    leaf = await leaf_at(page, stored, source)
    if page.is_fragment:
        return page.part("leaf.html", leaf=leaf)
    await note_read(page, stored)
    collections = await page.collections()
    return await page.show(
        "ask.html", "ask", view=view, leaf=leaf, asked="", collections=collections, examples=()
    )


@router.post("/ask")
async def ask(
    page: Reading,
    question: Question = "",
    session: Annotated[str, Form()] = "",
    collection: Annotated[str, Form()] = "",
    similar: Annotated[int | None, Form()] = None,
) -> Response:
    """The answer as events while it is written; without scripts, the page that has it."""
    if session:
        await _require_scope(page, session)

    async def asked(on_event: Callable[[AnswerEvent], None] | None = None) -> Answer:
        if page.settings.http_charges:
            searched = _searched(page, session, collection)
            visit = SentQuestion(question, session or None, searched, similar=similar)
            return await asking.ask(page.book, page.settings, page.caller, visit, on_event)
        return await page.book.ask(
            question,
            session=session or None,
            collection=_searched(page, session, collection),
            user=page.caller.user_id,
            similar=similar,
            on_event=on_event,
        )

    if "text/event-stream" not in page.request.headers.get("accept", ""):
        answer = await asked()
        return page.go(f"/ask/{quoted(answer.session_id or '')}#last")
    headers = {**HEADERS, "X-Accel-Buffering": "no"}
    return StreamingResponse(_written(page, asked), media_type="text/event-stream", headers=headers)


@router.post("/ask/{session_id}/expert")
async def ask_the_expert(page: Reading, session_id: str, question: Question) -> Response:
    """Take a question to a person. Their reply appears in this conversation."""
    stored = await page.conversation(session_id)
    collections = stored.session.scope.get("collections")
    named = [str(each) for each in collections] if isinstance(collections, list) else []
    await page.book.moderation.call_human(
        question,
        user_id=page.caller.user_id,
        session_id=session_id,
        collection_id=next((each for each in named if page.caller.sees(each)), page.default_collection()),
    )
    return page.go(f"/ask/{quoted(session_id)}?done=expert_called#last")


@router.post("/ask/{session_id}/withdraw")
async def withdraw(page: Reading, session_id: str, draft: Annotated[int, Form()]) -> Response:
    """Take back a question that waits for an expert. Somebody else's is told like one that does not exist."""
    own = await page.book.moderation.items_of(page.caller.user_id, status=DraftStatus.PENDING)
    if not any(each.id == draft and each.session_id == session_id for each in own):
        raise DraftNotFound(f"there is no draft {draft}")
    await page.book.moderation.cancel_item(draft, page.caller.user_id)
    return page.go(f"/ask/{quoted(session_id)}?done=withdrawn#last")


@router.post("/ask/{session_id}/thumb")
async def thumb(
    page: Reading,
    session_id: str,
    message: Annotated[str, Form()],
    value: Annotated[Literal["up", "down"], Form()],
) -> Response:
    """Note whether an answer helped. Said again, the last word counts."""
    stored = await page.conversation(session_id)
    if message not in {each.id for each in stored.messages}:
        raise SessionNotFound(f"there is no message {message!r}")
    people, key = page.book.people, thumb_key(page, message)
    logged = await people.log_message(
        page.caller.user_id,
        Direction.INCOMING,
        chat_message_id=message,
        session_id=session_id,
        external_id=key,
        meta={"thumb": value},
    )
    if logged is None and (known := await people.find_message(key)) is not None:
        await people.update_message_meta(known.id, {"thumb": value})
    return page.go(f"/ask/{quoted(session_id)}?done=thanks#last")


@router.post("/ask/{session_id}/rename")
async def rename(page: Reading, session_id: str, title: Annotated[str, Form(max_length=200)]) -> Response:
    await page.conversation(session_id)
    if title.strip():
        await page.book.conversations.rename(session_id, title.strip(), user=page.caller.user_id)
    return page.go("/conversations?done=renamed")


@router.post("/ask/{session_id}/remove")
async def remove(page: Reading, session_id: str) -> Response:
    await page.conversation(session_id)
    if not await page.book.conversations.remove(session_id, user=page.caller.user_id):
        raise SessionNotFound(f"there is no session {session_id!r}")
    return page.go("/conversations?done=removed")


@router.get("/ask/{session_id}/export")
async def export(page: Reading, session_id: str) -> Response:
    """The conversation as a Markdown file."""
    await page.conversation(session_id)
    text = await page.book.conversations.export(session_id, user=page.caller.user_id)
    name = f"sourcebook-{session_id[:8]}.md"
    headers = {**HEADERS, "Content-Disposition": f'attachment; filename="{name}"'}
    return PlainTextResponse(text, headers=headers, media_type="text/markdown")


async def _examples(page: Page) -> list[str]:
    """Questions that have an approved answer: what people ask here, in the language of the page if there are some."""
    entries = [
        each
        for each in await page.book.curated.all()
        if each.question and each.stale_since is None and page.caller.sees(each.collection_id)
    ]
    entries.sort(key=lambda each: (each.language != page.texts.language, -each.updated_at))
    return [each.question for each in entries if each.question][:_EXAMPLES]


def _searched(page: Page, session: str, collection: str) -> list[str] | None:
    """A conversation remembers where it looks; a new one looks where it was told to, or at the default."""
    if collection:
        return allowed_collections(page.caller, [collection], page.settings)
    return None if session else allowed_collections(page.caller, None, page.settings)


async def _require_scope(page: Page, session: str) -> None:
    """A conversation that looks where the caller may no longer look is over."""
    stored = await page.conversation(session)
    named = stored.session.scope.get("collections")
    if isinstance(named, list):
        allowed_collections(page.caller, [str(each) for each in named], page.settings)


async def _written(page: Page, asked: Callable[..., Any]) -> AsyncGenerator[str, None]:
    """The events of an answer: `found`, `draft` with what is written so far, and at last `done` or `failed`."""
    given: list[Answer] = []

    async def asking(on_event: Callable[[AnswerEvent], None]) -> Answer:
        given.append(await asked(on_event))
        return given[0]

    text = ""
    async for name, content in answer_events(asking):
        match name:
            case "searching":
                yield as_sse("searching", {})
            case "passages":
                titles = dict.fromkeys(each["title"] or each["document_path"] for each in content["results"])
                yield as_sse("found", {"titles": list(titles)[:6], "count": len(content["results"])})
            case "token":
                text += content["text"]
                yield as_sse("draft", {"html": plain(text)})
            case "done" | "declined":
                yield await _done(page, given[0])
            case "failed":
                yield _failed(page, content)
            case _:
                pass


async def _done(page: Page, answer: Answer) -> str:
    turn = await turn_now(page, answer)
    leaf = await leaf_at(
        page, await page.book.conversations.get(turn.session_id, user=page.caller.user_id), ""
    )
    return as_sse(
        "done",
        {
            "html": render("turn_body.html", page.texts, page=page, turn=turn, is_last=True),
            "leaf": render("leaf.html", page.texts, page=page, leaf=leaf),
            "session": turn.session_id,
            "address": f"/ask/{quoted(turn.session_id)}",
        },
    )


def _failed(page: Page, content: dict[str, Any]) -> str:
    words = words_of(page.texts, content["code"], content["message"])
    return as_sse("failed", {"html": render("error_part.html", page.texts, words=words)})
