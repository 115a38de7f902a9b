"""An answer as server-sent events, while it is being written."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing, suppress
from typing import Any, TypeAlias

import anyio
from fastapi.responses import StreamingResponse
from starlette.types import Send

from sourcebook.errors import SourcebookError
from sourcebook.faces import json_shapes
from sourcebook.faces.http.responses.hints import hint_of
from sourcebook.model.chat import (
    Answer,
    AnswerEvent,
    CitationChecked,
    Declined,
    Done,
    ExcerptFound,
    Failed,
    PassagesFound,
    Searching,
    TokenWritten,
)

Event: TypeAlias = tuple[str, dict[str, Any]]
"""The name of an event, and its content."""
Asking = Callable[[Callable[[AnswerEvent], None]], Awaitable[Answer]]
BEAT = ""
"""The name of an event that says nothing: something must be sent now and then, or a proxy ends the connection."""
BEAT_SECONDS = 15.0


async def answer_events(ask: Asking) -> AsyncGenerator[Event, None]:
    """The name and content of each event. It ends with `done`, `declined` or `failed`.

    `done` and `declined` come when the answer is stored. Closing the generator ends the work, and a model's request.
    While nothing happens, there is a `BEAT` every few seconds.
    """
    send, receive = anyio.create_memory_object_stream[AnswerEvent](float("inf"))

    async def work() -> None:
        # Who stopped listening has closed the other end before this task is cancelled.
        with send, suppress(anyio.BrokenResourceError):
            try:
                answer = await ask(send.send_nowait)
                declined = answer.tier.value == "none"
                send.send_nowait(Declined(answer) if declined else Done(answer))
            except SourcebookError as error:
                send.send_nowait(Failed(error.code, error.message, hint_of(error), error))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(work)
        last: AnswerEvent | None = None
        with receive:
            while True:
                event = None
                try:
                    with anyio.move_on_after(BEAT_SECONDS):
                        event = await receive.receive()
                except anyio.EndOfStream:
                    break
                if event is None:
                    yield BEAT, {}
                elif isinstance(event, Done | Declined | Failed):
                    last = event  # the one after storing has the session and message
                else:
                    yield _named(event)
        if last is not None:
            yield _named(last)
        tasks.cancel_scope.cancel()


def as_sse(name: str, content: dict[str, Any]) -> str:
    """One event as it goes over the wire."""
    if name == BEAT:
        return ":\n\n"
    return f"event: {name}\ndata: {json.dumps(content, ensure_ascii=False)}\n\n"


class EventStream(StreamingResponse):
    """Events as a response. When the client leaves, the generator is closed at once, and with it the work behind it."""

    def __init__(self, events: AsyncGenerator[Event, None], headers: Mapping[str, str] | None = None) -> None:
        self._sent = _lines(events)
        super().__init__(
            self._sent,
            media_type="text/event-stream",
            headers={**(headers or {}), "Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )

    async def stream_response(self, send: Send) -> None:
        # Left to the garbage collector, it would be closed in another task, which its task group does not bear.
        async with aclosing(self._sent):
            await super().stream_response(send)


async def _lines(events: AsyncGenerator[Event, None]) -> AsyncGenerator[str, None]:
    async with aclosing(events):
        async for name, content in events:
            yield as_sse(name, content)


def _named(event: AnswerEvent) -> Event:
    match event:
        case Searching():
            return "searching", {"question": event.question}
        case PassagesFound():
            return "passages", {"results": [json_shapes.search_result(each) for each in event.passages]}
        case ExcerptFound():
            cited = [json_shapes.citation(each) for each in event.citations]
            return "excerpt", {"text": event.text, "citations": cited}
        case TokenWritten():
            return "token", {"text": event.text}
        case CitationChecked():
            return "citation", json_shapes.citation(event.citation)
        case Done() | Declined():
            name = "done" if isinstance(event, Done) else "declined"
            return name, json_shapes.answer(event.answer, with_details=True)
        case _:
            return "failed", {"code": event.code, "message": event.message, "hint": event.hint}
