"""If it is unsure whether the base has an answer, a chat model decides, and its answer must be supported."""

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
    """The events of an answer, held back until it is complete and supported; otherwise nothing but a failure.

    So nobody reads words that are withdrawn a moment later.
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
    """Whether at least half of its sentences are supported by their sources. The others are shown as doubtful."""
    found = sum(sentence.support is not SupportGrade.DOUBTFUL for sentence in answer.sentences)
    return found > 0 and 2 * found >= len(answer.sentences)
