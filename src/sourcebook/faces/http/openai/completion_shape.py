"""Answers in the shape of chat completions."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from sourcebook.faces import json_shapes

if TYPE_CHECKING:
    from sourcebook.model.chat import Answer


class Completion:
    """One completion: whole, or in pieces. All of its pieces have the same id."""

    def __init__(self, model: str) -> None:
        self._head = {"id": f"chatcmpl-{uuid4().hex}", "created": int(time.time()), "model": model}

    def whole(self, question: str, text: str, answer: Answer | None) -> dict[str, Any]:
        message = {"role": "assistant", "content": text, "refusal": None}
        return {
            **self._head,
            "object": "chat.completion",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
            "usage": usage(question, text),
            **_extra(answer),
        }

    def piece(self, text: str, *, is_first: bool = False) -> dict[str, Any]:
        delta = {"role": "assistant", "content": text} if is_first else {"content": text}
        return self._chunk([{"index": 0, "delta": delta, "finish_reason": None, "logprobs": None}])

    def end(self, answer: Answer | None) -> dict[str, Any]:
        last: dict[str, Any] = {"index": 0, "delta": {}, "finish_reason": "stop", "logprobs": None}
        return self._chunk([last]) | _extra(answer)

    def used(self, question: str, text: str) -> dict[str, Any]:
        return self._chunk([]) | {"usage": usage(question, text)}

    def _chunk(self, choices: list[dict[str, Any]]) -> dict[str, Any]:
        return {**self._head, "object": "chat.completion.chunk", "choices": choices}


def usage(question: str, text: str) -> dict[str, int]:
    """An estimate: four characters are about one model token."""
    asked, written = -(-len(question) // 4), -(-len(text) // 4)
    return {"prompt_tokens": asked, "completion_tokens": written, "total_tokens": asked + written}


def _extra(answer: Answer | None) -> dict[str, Any]:
    """What OpenAI has no field for. Its clients pass it on as it is."""
    return {} if answer is None else {"sourcebook": json_shapes.answer(answer)}
