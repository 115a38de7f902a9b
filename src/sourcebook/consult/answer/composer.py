"""From passages to an answer with checked citations: taken from them word for word, or written by a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sourcebook.consult.answer.citations import (
    CitationMarkReader,
    CitedSentence,
    Piece,
    best_quote,
    cited_sentences,
)
from sourcebook.consult.answer.extract import Asked, emphasised, extract
from sourcebook.consult.answer.prompt import NOTHING_FOUND
from sourcebook.consult.wording import source_link
from sourcebook.model.chat import Citation, Sentence, SupportGrade

if TYPE_CHECKING:
    from sourcebook.model.documents import Document
    from sourcebook.model.search import SearchResult


@dataclass(frozen=True, slots=True)
class ComposedAnswer:
    """The text of an answer with its marks, the citations behind them, and what became of each sentence."""

    text: str
    citations: Sequence[Citation] = ()
    sentences: Sequence[Sentence] = ()


@dataclass(frozen=True, slots=True)
class PassageSources:
    """The passages that an answer is made from, by their numbers, and what is known about them."""

    passages: Sequence[SearchResult]
    documents: Mapping[tuple[str, str], Document]
    language: str | None

    def citation(
        self,
        number: int,
        passage: SearchResult,
        start: int,
        end: int,
        highlight: Sequence[tuple[int, int]] = (),
    ) -> Citation:
        """A citation of a span of the passage's content, verified by being what stands there.

        `highlight` are the words that carry the answer, as spans of the quote: it is cited with their page.
        """
        chunk = passage.chunk
        document = self.documents.get((passage.collection_id, chunk.document_id))
        # A passage may go over to the next page before the quote, and a quote before what it is quoted for.
        carrying = chunk.start_index + start + min((first for first, _ in highlight), default=0)
        page = (document.page_at(carrying) if document else None) or chunk.page
        return Citation(
            number=number,
            text=source_link(passage.document_path, passage.document_title, page, self.language),
            collection_id=passage.collection_id,
            document_id=chunk.document_id,
            document_path=passage.document_path,
            document_title=passage.document_title,
            chunk_id=chunk.id,
            page=page,
            start=chunk.start_index + start,
            end=chunk.start_index + end,
            quote=chunk.content[start:end],
            verified=True,
            file_hash=document.file_hash if document else None,
            section=chunk.section,
            highlight=tuple(highlight),
        )


def extracted(
    question: str, weights: Mapping[str, float], desk: PassageSources, language: str | None
) -> ComposedAnswer | None:
    """An answer in the words of the passages: each excerpt is its own quote. `language` is that of the words."""
    asked = Asked(question, emphasised(weights, question, language), language, desk.language)
    citations: list[Citation] = []
    sentences: list[Sentence] = []
    text = ""
    for number, found in enumerate(extract(asked, desk.passages), start=1):
        piece, passage = found.excerpt, desk.passages[found.passage]
        citations.append(desk.citation(number, passage, piece.start, piece.end, piece.highlight))
        start = len(text) + (2 if text else 0)
        # Behind a listing, the mark must not stand on the line that closes it.
        mark = f"\n[{number}]" if piece.text.endswith("```") else f" [{number}]"
        text += ("\n\n" if text else "") + piece.text + mark
        sentences.append(Sentence(start, len(text), (number,), verified=True))
    return ComposedAnswer(text, tuple(citations), tuple(sentences)) if citations else None


@dataclass(slots=True)
class StreamedAnswer:
    """Follows a model that writes: tells what may be shown, checks each sentence as it ends, and sums up.

    Marks are shown in the order of their first use, whatever numbers the model uses.
    """

    desk: PassageSources
    _reader: CitationMarkReader = field(default_factory=CitationMarkReader)
    _text: str = ""
    _places: dict[int, int] = field(default_factory=dict[int, int])
    _checked: list[tuple[CitedSentence, list[Citation]]] = field(
        default_factory=list[tuple[CitedSentence, list[Citation]]]
    )
    _shown: bool = False

    def feed(self, text: str) -> str:
        """What may be shown after this piece. The word for "nothing found" is held back until it is known."""
        return self._show(self._reader.feed(text))

    def close(self) -> str:
        return self._show(self._reader.close(), is_last=True)

    @property
    def has_nothing(self) -> bool:
        """Whether the model said that the passages do not answer, or nothing at all."""
        return not self._text.strip() or NOTHING_FOUND in self._text

    def new_citations(self, *, is_last: bool = False) -> list[Citation]:
        """The citations of the sentences that have ended since the last time."""
        ended = cited_sentences(self._text)
        ready = ended if is_last else ended[:-1]
        found: list[Citation] = []
        for sentence in ready[len(self._checked) :]:
            citations = list(self._checked_citations(sentence)) or list(self._own_citation(sentence))
            self._checked.append((sentence, citations))
            found += citations
        return found

    def composed(self) -> ComposedAnswer:
        """The whole answer, with marks also where we found the source. Call it when everything was fed and checked."""
        text = ""
        copied = len(self._text) - len(self._text.lstrip())
        sentences: list[Sentence] = []
        for sentence, citations in self._checked:
            end = min(sentence.end, len(self._text.rstrip()))
            start = len(text) + sentence.start - copied
            text += self._text[copied:end]
            copied = end
            numbers = sentence.numbers or tuple(citation.number for citation in citations)
            if citations and not sentence.numbers:
                text += "".join(f" [{number}]" for number in numbers)
            doubts = _doubts(sentence, citations)
            support = _support(sentence, citations)
            sentences.append(Sentence(start, len(text), numbers, not doubts, doubts, support))
        text += self._text[copied:].rstrip()
        return ComposedAnswer(text, tuple(c for _, found in self._checked for c in found), tuple(sentences))

    def _show(self, pieces: Sequence[Piece], *, is_last: bool = False) -> str:
        before = len(self._text) if self._shown else 0
        self._text += "".join(map(self._written, pieces))
        if not is_last and NOTHING_FOUND.startswith(self._text.strip()[: len(NOTHING_FOUND)]):
            return ""
        if self.has_nothing:
            return ""
        self._shown = True
        return self._text[before:]

    def _written(self, piece: Piece) -> str:
        if isinstance(piece, str):
            return piece
        return "".join(f"[{self._shown_as(number)}]" for number in piece.numbers)

    def _shown_as(self, number: int) -> int:
        """The number that readers see. One that was not given stays what it is: it must not point at another source."""
        if not 1 <= number <= len(self.desk.passages):
            return number
        return self._places.setdefault(number, len(self._places) + 1)

    def _checked_citations(self, sentence: CitedSentence) -> Iterator[Citation]:
        given = {shown: number for number, shown in self._places.items()}
        for shown in sentence.numbers:
            number = given.get(shown, 0)
            if 1 <= number <= len(self.desk.passages):
                yield self._cited(sentence, number, shown)

    def _own_citation(self, sentence: CitedSentence) -> Iterator[Citation]:
        """A source for a sentence that names none: the first passage that says it, or says it in other words.

        Small models forget to cite.
        """
        if sentence.numbers or sentence.text.endswith("?"):
            return
        reworded: list[tuple[int, Citation]] = []
        for number in range(1, len(self.desk.passages) + 1):
            citation = self._cited(sentence, number, self._places.get(number, len(self._places) + 1))
            if citation.verified:
                reworded = [(number, citation)]
                break
            if citation.support is not SupportGrade.DOUBTFUL:
                reworded.append((number, citation))
        for number, citation in reworded[:1]:
            self._places[number] = citation.number
            yield citation

    def _cited(self, sentence: CitedSentence, number: int, shown: int) -> Citation:
        """A sentence checked against a passage; `shown` is the number that readers see."""
        passage = self.desk.passages[number - 1]
        context = "\n".join(part for part in (passage.document_title, passage.chunk.section) if part)
        quote = best_quote(sentence.text, passage.chunk.content, self.desk.language, context)
        citation = self.desk.citation(shown, passage, quote.start, quote.end)
        return replace(citation, verified=quote.is_verified, doubts=quote.doubts, support=quote.grade)


def _doubts(sentence: CitedSentence, citations: Sequence[Citation]) -> tuple[str, ...]:
    """Why a sentence is not verified: it cites nothing, a number that was not given, or what does not say it."""
    if not sentence.numbers and not citations:
        return ("no_citation",)
    if len(citations) < len(sentence.numbers):
        return ("unknown_number",)
    if any(citation.verified for citation in citations):
        return ()
    best = [c for c in citations if c.support is _support(sentence, citations)]
    return tuple(dict.fromkeys(doubt for citation in best for doubt in citation.doubts))


def _support(sentence: CitedSentence, citations: Sequence[Citation]) -> SupportGrade:
    """What the best of its citations makes of a sentence; one that names a source that was not given is doubtful."""
    if len(citations) < len(sentence.numbers):
        return SupportGrade.DOUBTFUL
    grades = {citation.support for citation in citations}
    return next((grade for grade in SupportGrade if grade in grades), SupportGrade.DOUBTFUL)
