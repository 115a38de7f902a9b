"""When the base is not sure that it holds an answer, a chat model reads what came closest, and its answer must hold."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING

from sourcebook.consult.answer.composer import ComposedAnswer
from sourcebook.model.chat import Failed, SupportGrade

if TYPE_CHECKING:
    from sourcebook.model.chat import AnswerEvent

Written = AsyncGenerator["AnswerEvent | ComposedAnswer", None]


async def only_if_supported(written: Written) -> Written:
    """The events of an answer when it is complete and what it says was found in its passages; else none but a failure.

    Nobody reads words that are taken back a moment later.
    """
    held: list[AnswerEvent | ComposedAnswer] = []
    async with aclosing(written) as events:
        async for event in events:
            if isinstance(event, Failed):
                yield event
                return
            held.append(event)
    if held and isinstance(held[-1], ComposedAnswer) and is_supported(held[-1]):
        for event in held:
            yield event


def is_supported(answer: ComposedAnswer) -> bool:
    """Whether some sentence was found in its source, and none contradicts it."""
    return any(sentence.support is not SupportGrade.DOUBTFUL for sentence in answer.sentences)
