"""Optional models that check an answer: a reader marks the words that answer, a judge finds contradictions.

They add to the rules. If a model fails, the answer is what it would have been without it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sourcebook.errors import ProviderError
from sourcebook.model.chat import SupportGrade

if TYPE_CHECKING:
    from sourcebook.consult.answer.composer import ComposedAnswer
    from sourcebook.model.chat import Citation, Sentence
    from sourcebook.model.search import SearchResult
    from sourcebook.ports.providers import EntailmentJudge, ReadAnswer, Reader

CONTRADICTION = "contradiction"
SURE_CONTRADICTION = 0.8
"""From this likelihood on, a sentence is doubtful. Judges are often too sure, so a lower one would doubt true ones."""
SURE_OF_NOTHING = -5.0
"""If the reader's certainty is below this everywhere, there is no answer. Not measured; a careful guess."""

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ModelChecks:
    """The models that check an answer before it is given; either may be missing."""

    reader: Reader | None = None
    judge: EntailmentJudge | None = None

    async def read(
        self, question: str, composed: ComposedAnswer, passages: Sequence[SearchResult]
    ) -> ComposedAnswer | None:
        """A quoted answer with the words marked that answer; None if the reader is sure that nothing answers."""
        if self.reader is None or not passages:
            return composed
        try:
            quoted = await self.reader.read(question, [citation.quote for citation in composed.citations])
            if all(answer.certainty < SURE_OF_NOTHING for answer in quoted):
                others = await self.reader.read(question, [passage.chunk.content for passage in passages])
                if all(answer.certainty < SURE_OF_NOTHING for answer in others):
                    return None
        except ProviderError as error:
            _LOG.warning("The reader was left out: %s", error.message)
            return composed
        pairs = zip(composed.citations, quoted, strict=True)
        return replace(composed, citations=tuple(_marked(citation, answer) for citation, answer in pairs))

    async def judged(self, composed: ComposedAnswer) -> ComposedAnswer:
        """A written answer in which each sentence that contradicts its source is doubtful."""
        if self.judge is None:
            return composed
        texts = {citation.number: citation.quote for citation in composed.citations}
        asked = list(_pairs(composed, texts))
        if not asked:
            return composed
        try:
            found = await self.judge.judge([pair for _, pair in asked])
        except ProviderError as error:
            _LOG.warning("The judge was left out: %s", error.message)
            return composed
        contradicted = {
            place
            for (place, _), one in zip(asked, found, strict=True)
            if one.contradicts >= SURE_CONTRADICTION
        }
        sentences = [
            _doubted(sentence) if place in contradicted else sentence
            for place, sentence in enumerate(composed.sentences)
        ]
        return replace(composed, sentences=tuple(sentences))


def _pairs(composed: ComposedAnswer, quotes: dict[int, str]) -> Iterator[tuple[int, tuple[str, str]]]:
    """Each sentence that cites something, with all that it cites."""
    for place, sentence in enumerate(composed.sentences):
        cited = [quotes[number] for number in sentence.numbers if number in quotes]
        if cited:
            yield place, ("\n".join(cited), composed.text[sentence.start : sentence.end])


def _marked(citation: Citation, answer: ReadAnswer) -> Citation:
    if answer.certainty <= 0 or answer.start >= answer.end:
        return citation
    return replace(citation, highlight=((answer.start, answer.end),))


def _doubted(sentence: Sentence) -> Sentence:
    doubts = tuple(dict.fromkeys([*sentence.doubts, CONTRADICTION]))
    return replace(sentence, verified=False, doubts=doubts, support=SupportGrade.DOUBTFUL)
