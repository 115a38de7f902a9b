"""Has a chat model write an answer, and shows and checks it as it is written."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING

from sourcebook.consult.answer.composer import ComposedAnswer, PassageSources, StreamedAnswer, extracted
from sourcebook.consult.answer.left_to_model import only_if_supported
from sourcebook.consult.answer.prompt import build_prompt, within_budget
from sourcebook.errors import BadProviderAnswer, SourcebookError
from sourcebook.model.chat import AnswerEvent, CitationChecked, ExcerptFound, Failed, TokenWritten

if TYPE_CHECKING:
    from sourcebook.consult.answer.model_checks import ModelChecks
    from sourcebook.consult.answer_policy import AnswerPolicy
    from sourcebook.consult.evidence.passages import JudgedPassages
    from sourcebook.consult.open_question import OpenQuestion
    from sourcebook.ports.chat import ChatModel


class ModelWriting:
    """Has a chat model write answers from passages, within the limits of a policy."""

    def __init__(self, chat_model: ChatModel, policy: AnswerPolicy, checks: ModelChecks) -> None:
        self._chat_model = chat_model
        self._policy = policy
        self._checks = checks

    def write(
        self, question: OpenQuestion, found: JudgedPassages, sources: PassageSources
    ) -> AsyncGenerator[AnswerEvent | ComposedAnswer, None]:
        """The events while the model writes, and at the end the answer, unless it found none."""
        events = self._streamed(question, found, sources)
        return events if found.verdict.is_accepted else only_if_supported(events)

    async def _streamed(
        self, question: OpenQuestion, found: JudgedPassages, sources: PassageSources
    ) -> AsyncGenerator[AnswerEvent | ComposedAnswer, None]:
        asked = question.inquiry.question
        if (
            self._policy.shows_excerpt
            and found.verdict.is_accepted
            and (excerpt := extracted(asked, found.weights, sources, found.language))
        ):
            yield ExcerptFound(excerpt.text, excerpt.citations)
        prompt = build_prompt(
            asked,
            sources.passages,
            language=question.language,
            terms=question.terms.relevant(
                [*question.wordings, *(passage.chunk.content for passage in sources.passages)]
            ),
            history=within_budget(question.history, self._policy.history_size),
            is_unsure=not found.verdict.is_accepted,
        )
        answer = StreamedAnswer(sources)
        try:
            async with aclosing(self._within_limits(self._chat_model.stream(prompt))) as pieces:
                async for piece in pieces:
                    if shown := answer.feed(piece):
                        yield TokenWritten(shown)
                    for citation in answer.new_citations():
                        yield CitationChecked(citation)
        except SourcebookError as error:
            yield Failed(error.code, error.message, error.hint, error)
            return
        if shown := answer.close():
            yield TokenWritten(shown)
        if answer.has_nothing:
            return
        for citation in answer.new_citations(is_last=True):
            yield CitationChecked(citation)
        yield await self._checks.judged(answer.composed())

    async def _within_limits(self, pieces: AsyncGenerator[str, None]) -> AsyncGenerator[str, None]:
        """What a model writes. One that does not come to an end is given up."""
        characters = count = 0
        async with aclosing(pieces) as written:
            async for piece in written:
                characters, count = characters + len(piece), count + 1
                if characters > self._policy.answer_size or count > self._policy.answer_pieces:
                    raise BadProviderAnswer(
                        f"The chat model did not come to an end: {characters} characters in {count} pieces.",
                        hint="Raise `chat_characters` if answers may be that long.",
                    )
                yield piece
