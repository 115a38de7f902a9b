"""An answer as server-sent events, while it is being written."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any

import anyio

from sourcebook.errors import SourcebookError
from sourcebook.faces import json_shapes
from sourcebook.model.chat import (
    Answer,
    AnswerEvent,
    CitationChecked,
    Declined,
    Done,
    Failed,
    PassagesFound,
    Searching,
    TokenWritten,
)

Asking = Callable[[Callable[[AnswerEvent], None]], Awaitable[Answer]]


async def answer_events(ask: Asking) -> AsyncGenerator[tuple[str, dict[str, Any]], None]:
    """The name and content of each event. It ends with `done`, `declined` or `failed`.

    `done` and `declined` come when the answer is stored. Closing the generator ends the work, and a model's request.
    """
    send, receive = anyio.create_memory_object_stream[AnswerEvent](float("inf"))

    async def work() -> None:
        with send:
            try:
                answer = await ask(send.send_nowait)
                declined = answer.tier.value == "none"
                send.send_nowait(Declined(answer) if declined else Done(answer))
            except SourcebookError as error:
                send.send_nowait(Failed(error.code, error.message, error.hint, error))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(work)
        last: AnswerEvent | None = None
        with receive:
            async for event in receive:
                if isinstance(event, Done | Declined | Failed):
                    last = event  # the one after storing has the session and message
                else:
                    yield _named(event)
        if last is not None:
            yield _named(last)
        tasks.cancel_scope.cancel()


def as_sse(name: str, content: dict[str, Any]) -> str:
    """One event as it goes over the wire."""
    return f"event: {name}\ndata: {json.dumps(content, ensure_ascii=False)}\n\n"


def _named(event: AnswerEvent) -> tuple[str, dict[str, Any]]:
    match event:
        case Searching():
            return "searching", {"question": event.question}
        case PassagesFound():
            return "passages", {"results": [json_shapes.search_result(each) for each in event.passages]}
        case TokenWritten():
            return "token", {"text": event.text}
        case CitationChecked():
            return "citation", json_shapes.citation(event.citation)
        case Done() | Declined():
            name = "done" if isinstance(event, Done) else "declined"
            return name, json_shapes.answer(event.answer, with_details=True)
        case _:
            return "failed", {"code": event.code, "message": event.message, "hint": event.hint}
