"""Ask: a question, its answer as it is written, and the source beside it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from functools import partial
from typing import Annotated, Any, Literal
from urllib.parse import quote as quoted

from fastapi import Form, Query, Response
from fastapi.responses import PlainTextResponse

from sourcebook.consult.question.conversation.small_talk import small_talk
from sourcebook.errors import DraftNotFound, SessionNotFound
from sourcebook.faces.http.charged_questions import Questions, SentQuestion
from sourcebook.faces.http.limits.client_disconnect import while_present
from sourcebook.faces.http.responses.events import Asking, Event, EventStream, answer_events
from sourcebook.faces.small_talk_reply import reply_to
from sourcebook.faces.web.conversation_view import conversation_view, leaf_at, note_read, thumb_key, turn_now
from sourcebook.faces.web.error_words import words_of
from sourcebook.faces.web.page_frame import Page, Reading
from sourcebook.faces.web.page_routes import page_router
from sourcebook.faces.web.safe_html import plain
from sourcebook.faces.web.template_rendering import HEADERS, render
from sourcebook.faces.web.upload_rows import open_uploads
from sourcebook.model.chat import Answer, AnswerEvent
from sourcebook.model.consultations import Direction
from sourcebook.model.moderation import DraftStatus

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
    questions: Questions,
    question: Question = "",
    session: Annotated[str, Form()] = "",
    collection: Annotated[str, Form()] = "",
    similar: Annotated[int | None, Form()] = None,
    key: Annotated[str, Form(max_length=100)] = "",
) -> Response:
    """The answer as events while it is written; without scripts, the page that has it."""
    chosen = [page.seen(collection)] if collection else None
    sent = SentQuestion(question, session or None, chosen, key=key or None, similar=similar)
    if session:
        await page.conversation(session)
    if "text/event-stream" not in page.request.headers.get("accept", ""):
        answer = await while_present(page.request, questions.ask(sent))
        return page.go(f"/ask/{quoted(answer.session_id or '')}#last")
    return EventStream(_written(page, question, partial(questions.ask, sent)), HEADERS)


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
        raise DraftNotFound(f"There is no draft {draft}")
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
        raise SessionNotFound(f"There is no message {message!r}")
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
        raise SessionNotFound(f"There is no session {session_id!r}")
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


async def _written(page: Page, question: str, ask: Asking) -> AsyncGenerator[Event, None]:
    """The events of an answer: `found`, `draft` with what is written so far, and at last `done` or `failed`.

    To who asks nothing something is `said`.
    """
    given: list[Answer] = []

    async def asking(on_event: Callable[[AnswerEvent], None]) -> Answer:
        given.append(await ask(on_event))
        return given[0]

    text = ""
    async with aclosing(answer_events(asking)) as events:
        async for name, content in events:
            match name:
                case "searching" | "":
                    yield name, {}
                case "passages":
                    found = content["results"]
                    titles = dict.fromkeys(each["title"] or each["document_path"] for each in found)
                    yield "found", {"titles": list(titles)[:6], "count": len(found)}
                case "token":
                    text += content["text"]
                    yield "draft", {"html": plain(text)}
                case "done" | "declined":
                    yield "done", await _done(page, given[0])
                case "failed" if (kind := small_talk(question)) is not None:
                    yield "said", {"html": plain(reply_to(kind.value, question, page.texts.language))}
                case "failed":
                    yield "failed", _failed(page, content)
                case _:
                    pass


async def _done(page: Page, answer: Answer) -> dict[str, Any]:
    turn = await turn_now(page, answer)
    leaf = await leaf_at(
        page, await page.book.conversations.get(turn.session_id, user=page.caller.user_id), ""
    )
    return {
        "html": render("turn_body.html", page.texts, page=page, turn=turn, is_last=True),
        "leaf": render("leaf.html", page.texts, page=page, leaf=leaf),
        "session": turn.session_id,
        "address": f"/ask/{quoted(turn.session_id)}",
    }


def _failed(page: Page, content: dict[str, Any]) -> dict[str, Any]:
    words = words_of(page.texts, content["code"], content["message"])
    return {"html": render("error_part.html", page.texts, words=words)}
