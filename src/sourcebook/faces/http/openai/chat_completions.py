"""`/v1/models` and `/v1/chat/completions`."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field

from sourcebook.errors import NothingAsked
from sourcebook.faces.footnotes import footnotes
from sourcebook.faces.http.auth.caller import Book, Reader
from sourcebook.faces.http.charged_questions import Questions
from sourcebook.faces.http.limits.client_disconnect import while_present
from sourcebook.faces.http.openai.completion_shape import Completion
from sourcebook.faces.http.openai.conversation import KnownConversations, read_conversation
from sourcebook.faces.http.openai.model_names import MAIN, collections_named, find_model, models
from sourcebook.faces.http.openai.questions import ChatQuestion
from sourcebook.faces.http.openai.router import openai_router
from sourcebook.faces.http.openai.safe_markdown import safe_text
from sourcebook.faces.http.openai.stream import StreamedCompletion
from sourcebook.faces.small_talk_reply import reply_to

router = openai_router()


class StreamOptions(BaseModel):
    include_usage: bool = False


class ChatBody(BaseModel):
    """A conversation. What else OpenAI knows, such as `temperature` or `tools`, is accepted and has no effect."""

    model_config = ConfigDict(extra="allow")

    messages: list[dict[str, Any]] = Field(
        max_length=2000, description="The conversation; the user's last message is the question."
    )
    model: str = Field(MAIN, max_length=300, description="`sourcebook`, or `sourcebook:COLLECTION`.")
    stream: bool | None = Field(False, description="Whether to send the answer while it is written.")
    stream_options: StreamOptions | None = None


@router.get("/models", summary="The collections, as models")
async def list_models(caller: Reader, book: Book) -> dict[str, Any]:
    """`sourcebook` is the default collection; `sourcebook:NAME` is another one."""
    return {"object": "list", "data": await models(book, caller)}


@router.get("/models/{name:path}", summary="One of them")
async def get_model(name: str, caller: Reader, book: Book) -> dict[str, Any]:
    return await find_model(book, caller, name)


@router.post("/chat/completions", summary="Ask, in the shape of OpenAI", response_model=None)
async def chat(body: ChatBody, request: Request, questions: Questions) -> dict[str, Any] | StreamedCompletion:
    """The answer with its sources as footnotes, and under `sourcebook` as `/api/ask` gives it."""
    sent = read_conversation(body.messages)
    known: KnownConversations = request.app.state.known_conversations
    book, settings, caller = questions.book, questions.settings, questions.caller
    collections = collections_named(body.model, caller, settings)
    asked = ChatQuestion(questions, body.model, collections, sent, known)
    if sent.earlier:
        asked.session = await known.find(book, settings, caller, body.model, sent.earlier)
    completion = Completion(body.model)
    if body.stream:
        options = body.stream_options
        return StreamedCompletion(asked, completion, with_usage=options is not None and options.include_usage)
    try:
        answer = await while_present(request, asked.ask())
    except NothingAsked as error:
        return completion.whole(sent.question, reply_to(error.kind, sent.question), None)
    text = safe_text(answer.answer)
    asked.remember(text)
    return completion.whole(sent.question, text + safe_text(footnotes(answer)), answer)
