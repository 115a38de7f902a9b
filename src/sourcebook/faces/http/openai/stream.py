"""A completion as OpenAI streams it."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import anyio
from starlette.responses import Response

from sourcebook.errors import NothingAsked, SourcebookError
from sourcebook.faces.footnotes import footnotes
from sourcebook.faces.http.openai.errors import error_body, openai_problem
from sourcebook.faces.http.openai.safe_markdown import SafeText, safe_text
from sourcebook.faces.http.responses import events as sse
from sourcebook.faces.http.responses.hints import hint_of
from sourcebook.faces.http.responses.problems import status_of
from sourcebook.faces.small_talk_reply import reply_to
from sourcebook.model.chat import TokenWritten

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from starlette.types import Receive, Scope, Send

    from sourcebook.faces.http.openai.completion_shape import Completion
    from sourcebook.faces.http.openai.questions import ChatQuestion
    from sourcebook.model.chat import AnswerEvent

_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]


class StreamedCompletion(Response):
    """Asks when it is sent. A client that leaves ends the work.

    While there is nothing to send, a comment goes out every few seconds: a proxy ends connections that are silent. An
    error before anything was sent has its own status; a later one is told in the stream.
    """

    def __init__(self, question: ChatQuestion, completion: Completion, *, with_usage: bool) -> None:
        super().__init__()
        self._question = question
        self._completion = completion
        self._with_usage = with_usage
        self._safe = SafeText()
        self._written: list[str] = []
        self._is_started = False
        self._error: SourcebookError | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        events, arriving = anyio.create_memory_object_stream["AnswerEvent"](float("inf"))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_end_when_gone, receive, tasks.cancel_scope)
            tasks.start_soon(self._ask, events)
            await self._send_words(arriving, send)
            if self._error is None or isinstance(self._error, NothingAsked):
                await self._send_ending(send)
            elif self._is_started:
                await self._end(send, {"error": _told(self._error)})
            else:
                await openai_problem(self._error)(scope, receive, send)
            tasks.cancel_scope.cancel()

    async def _ask(self, events: MemoryObjectSendStream[AnswerEvent]) -> None:
        # Who stopped listening has closed the other end before this task is cancelled.
        with events, suppress(anyio.BrokenResourceError):
            try:
                await self._question.ask(events.send_nowait)
            except SourcebookError as error:
                self._error = error

    async def _send_words(self, arriving: MemoryObjectReceiveStream[AnswerEvent], send: Send) -> None:
        with arriving:
            beat_at = _next_beat()
            while True:
                event = None
                try:
                    with anyio.CancelScope(deadline=beat_at):
                        event = await arriving.receive()
                except anyio.EndOfStream:
                    break
                # Much may happen of which a client is sent nothing: what counts is the time since it was.
                if event is None:
                    await self._send(sse.as_sse(sse.BEAT, {}).encode(), send)
                elif isinstance(event, TokenWritten) and (shown := self._safe.feed(event.text)):
                    await self._send_piece(shown, send)
                else:
                    continue
                beat_at = _next_beat()
        if rest := self._safe.close():
            await self._send_piece(rest, send)

    async def _send_ending(self, send: Send) -> None:
        """What was not streamed yet: an answer that is there at once, and the sources."""
        answer, question = self._question.answer, self._question.sent.question
        if isinstance(self._error, NothingAsked):
            await self._send_piece(reply_to(self._error.kind, question), send)
        elif answer is not None:
            if not self._written:
                await self._send_piece(safe_text(answer.answer), send)
            self._question.remember("".join(self._written))
            await self._send_piece(safe_text(footnotes(answer)), send)
        last = [self._completion.end(answer)]
        if self._with_usage:
            last.append(self._completion.used(question, "".join(self._written)))
        await self._end(send, *last, "[DONE]")

    async def _send_piece(self, text: str, send: Send) -> None:
        piece = self._completion.piece(text, is_first=not self._written)
        self._written.append(text)
        await self._send(_line(piece), send)

    async def _end(self, send: Send, *contents: dict[str, Any] | str) -> None:
        await self._send(b"".join(map(_line, contents)), send, is_last=True)

    async def _send(self, body: bytes, send: Send, *, is_last: bool = False) -> None:
        if not self._is_started:
            self._is_started = True
            await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
        await send({"type": "http.response.body", "body": body, "more_body": not is_last})


def _next_beat() -> float:
    return anyio.current_time() + sse.BEAT_SECONDS


async def _end_when_gone(receive: Receive, scope: anyio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue
    scope.cancel()


def _told(error: SourcebookError) -> dict[str, str | None]:
    return error_body(status_of(error), f"{error.message} {hint_of(error)}".strip(), error.code)


def _line(content: dict[str, Any] | str) -> bytes:
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    return f"data: {text}\n\n".encode()
