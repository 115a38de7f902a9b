"""Makes an answer with checked citations from passages: quoted word for word, or written by a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING

from sourcebook.consult.answer.model_decline import is_own_decline, may_become_decline
from sourcebook.consult.answer.prompt import NOTHING_FOUND
from sourcebook.consult.answer.quoted_passages import quoted_passage
from sourcebook.consult.citations.marks_and_quotes import (
    CitationMark,
    CitationMarkReader,
    CitedSentence,
    Piece,
    Quote,
    best_quote,
    cited_sentences,
    is_cut_off,
    marks_come_first,
    quote_at,
    wide_quote,
)
from sourcebook.consult.citations.section_places import section_at
from sourcebook.consult.citations.source_link import source_link
from sourcebook.consult.evidence.passage_surroundings import document_of
from sourcebook.consult.evidence.question_share import emphasised
from sourcebook.consult.evidence.same_text import holds_copy, is_translation
from sourcebook.consult.excerpt.answer_without_model import likely_answers
from sourcebook.consult.excerpt.excerpt_features import Asked
from sourcebook.consult.question.words.typed_words import in_plain_spelling
from sourcebook.model.chat import Citation, Sentence, SupportGrade
from sourcebook.text.case_and_accents import made_storable, without_open_half

if TYPE_CHECKING:
    from sourcebook.consult.answer.quoted_passages import QuotedPassage
    from sourcebook.consult.excerpt.answer_without_model import LikelyAnswer
    from sourcebook.model.documents import Document
    from sourcebook.model.search import SearchResult

_SURE = 0.75
"""Of 599 quoted answers to our questions, 93 % are right from this chance on, and 66 % below it."""

_MOST_BESIDE = 2
_MOST_TRIED = 4
_LEAST_BESIDE = 0.03
"""Below the sure ones, one in eight of the excerpts from this chance on answers where the quoted one does not; of the
less probable, one in thirty."""


@dataclass(frozen=True, slots=True)
class ComposedAnswer:
    """The text of an answer with its marks, its citations, and the verdict on each sentence."""

    text: str
    citations: Sequence[Citation] = ()
    sentences: Sequence[Sentence] = ()
    see_also: Sequence[QuotedPassage] = ()
    """What may answer as well, if a quoted answer is not sure."""


@dataclass(frozen=True, slots=True)
class PassageSources:
    """The passages that an answer is made from, by their numbers, and what is known about them."""

    passages: Sequence[SearchResult]
    documents: Mapping[tuple[str, str], Document]
    language: str | None

    @property
    def lengths(self) -> dict[tuple[str, str], int]:
        """The lengths of the documents by collection and id, without white space at the end."""
        return {key: len(document.content.rstrip()) for key, document in self.documents.items()}

    def citation(
        self,
        number: int,
        passage: SearchResult,
        start: int,
        end: int,
        highlight: Sequence[tuple[int, int]] = (),
    ) -> Citation:
        """A citation of a span of the passage's content. It is verified because it is copied from there.

        `highlight` are the words that answer, as spans of the quote. Their page is cited.
        """
        chunk = passage.chunk
        # A quote may run on to the next page before the words that answer.
        place = start + min((first for first, _ in highlight), default=0)
        page = self.page(passage, place)
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
            file_hash=self.file_hash(passage),
            section=self.section(passage, place, (start, end)),
            highlight=tuple(highlight),
        )

    def also_in(self, passage: SearchResult, quote: str) -> tuple[str, ...]:
        """The paths of other documents found that say the same as a quote."""
        others = (
            other.document_path
            for other in self.passages
            if document_of(other) != document_of(passage)
            and (holds_copy(other, quote) or is_translation(passage, other))
        )
        return tuple(dict.fromkeys(others))

    def page(self, passage: SearchResult, start: int) -> int | None:
        """The page of a character of the passage, which may begin on an earlier page."""
        document = self._document(passage)
        found = document.page_at(passage.chunk.start_index + start) if document else None
        return found or passage.chunk.page

    def section(self, passage: SearchResult, start: int, quoted: tuple[int, int]) -> str | None:
        """The section of a character of the passage, which may have several; in a sheet, all quoted rows."""
        document = self._document(passage)
        found = document.section_at(passage.chunk.start_index + start) if document else None
        # The passage tells which cells are in a row.
        if found is None or found == passage.chunk.section:
            return section_at(passage.chunk, start, quoted)
        return found

    def file_hash(self, passage: SearchResult) -> str | None:
        """The hash of the document that the passage stands in, as it was read."""
        document = self._document(passage)
        return document.file_hash if document else None

    def _document(self, passage: SearchResult) -> Document | None:
        return self.documents.get(document_of(passage))


def extracted(
    question: str, weights: Mapping[str, float], sources: PassageSources, language: str | None
) -> ComposedAnswer | None:
    """An answer in the words of the passages: each excerpt is its own quote. The words are compared in `language`."""
    question = in_plain_spelling(question)
    asked = Asked(question, emphasised(weights, question, language), language, sources.language)
    answers = likely_answers(asked, sources.passages, 1 + _MOST_TRIED, sources.lengths)
    if not answers:
        return None
    first, *others = answers
    citations: list[Citation] = []
    sentences: list[Sentence] = []
    text = ""
    for number, found in enumerate(first.extracts, start=1):
        piece, passage = found.excerpt, found.source
        citation = sources.citation(number, passage, piece.start, piece.end, piece.highlight)
        citations.append(replace(citation, also_in=sources.also_in(passage, citation.quote)))
        start = len(text) + (2 if text else 0)
        # After a listing, the mark must not be on the line that closes it.
        mark = f"\n[{number}]" if piece.text.endswith("```") else f" [{number}]"
        text += ("\n\n" if text else "") + piece.text + mark
        sentences.append(Sentence(start, len(text), (number,), verified=True))
    see_also = (
        ()
        if first.chance >= _SURE
        else tuple(islice(_worth_showing(others, citations, sources), _MOST_BESIDE))
    )
    return ComposedAnswer(text, tuple(citations), tuple(sentences), see_also)


def _worth_showing(
    others: Sequence[LikelyAnswer], citations: Sequence[Citation], sources: PassageSources
) -> Iterator[QuotedPassage]:
    """What may answer as well and is not too improbable: each section once, and no copy of what is cited."""
    copies = {path for citation in citations for path in citation.also_in}
    shown = {(citation.document_id, citation.section) for citation in citations}
    for other in others:
        best = other.extracts[0]
        beside = quoted_passage(best, sources.passages[best.passage], sources)
        chunk, path = beside.passage.chunk, beside.passage.document_path
        place = (chunk.document_id, chunk.section)
        if other.chance >= _LEAST_BESIDE and path not in copies and place not in shown:
            shown.add(place)
            yield beside


_NOWHERE = 0
"""In place of a passage's number, for a mark without a passage."""


@dataclass(slots=True)
class _Source:
    """The source of a mark: the number of a passage as the model was given it, and the quoted span of that passage.

    The span is chosen when the mark is written, and again, for good, when its sentence has ended.
    """

    passage: int
    span: tuple[int, int] | None = None
    is_settled: bool = False


@dataclass(slots=True)
class StreamedAnswer:
    """Follows a model as it writes: tells what may be shown, checks each finished sentence, and composes the answer.

    Marks are numbered in the order of their first use, whatever numbers the model uses. Each stands for one quote: two
    sentences from different places of a passage have different numbers.
    """

    sources: PassageSources
    _reader: CitationMarkReader = field(default_factory=CitationMarkReader)
    _text: str = ""
    _by_number: list[_Source] = field(default_factory=list[_Source])
    _quotes: dict[tuple[str, int], Quote] = field(default_factory=dict[tuple[str, int], Quote])
    _unknown: set[int] = field(default_factory=set[int])
    """Numbers that the model made up."""
    _checked: list[tuple[CitedSentence, list[Citation]]] = field(
        default_factory=list[tuple[CitedSentence, list[Citation]]]
    )
    _shown: bool = False
    _half: str = ""

    def feed(self, text: str) -> str:
        """What may be shown after this piece. What may still become a decline is held back."""
        whole, self._half = without_open_half(self._half + text)
        return self._show(self._reader.feed(made_storable(whole)))

    def close(self) -> str:
        """What may be shown at the end, without a mark that was never closed."""
        ending = self._reader.feed(made_storable(self._half))
        ending += (
            piece for piece in self._reader.close() if isinstance(piece, str) and not is_cut_off(piece)
        )
        return self._show(ending, is_last=True)

    @property
    def has_nothing(self) -> bool:
        """Whether the model wrote nothing, or that the passages do not answer."""
        if not self._text.strip() or NOTHING_FOUND in self._text:
            return True
        return not self._by_number and not self._unknown and is_own_decline(self._text)

    @property
    def _is_open(self) -> bool:
        if NOTHING_FOUND.startswith(self._text.strip()[: len(NOTHING_FOUND)]):
            return True
        cites = bool(self._by_number or self._unknown)
        return not self._shown and not cites and may_become_decline(self._text)

    def new_citations(self, *, is_last: bool = False) -> list[Citation]:
        """The citations of the sentences that have ended since the last call."""
        ended = cited_sentences(self._text)
        ready = ended if is_last else ended[:-1]
        found: list[Citation] = []
        for sentence in ready[len(self._checked) :]:
            citations = list(self._checked_citations(sentence)) or list(self._own_citation(sentence))
            self._checked.append((sentence, citations))
            found += citations
        return found

    def composed(self) -> ComposedAnswer:
        """The whole answer, with added marks where we found the source. Call it after `close` and `new_citations`."""
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
        for piece in pieces:
            self._text += piece if isinstance(piece, str) else self._marks(piece)
        if not is_last and self._is_open:
            return ""
        if self.has_nothing:
            return ""
        self._shown = True
        return self._text[before:]

    def _marks(self, mark: CitationMark) -> str:
        ended = [] if marks_come_first(self._text) else cited_sentences(self._text)
        sentence = ended[-1].text if ended else ""
        return "".join(f"[{self._number(passage, sentence)}]" for passage in mark.numbers)

    def _number(self, passage: int, sentence: str) -> int:
        """The number that readers see for the words of the passage that support the sentence."""
        if not self._is_given(passage):
            # A number that the model made up is kept, unless a source already has it.
            self._unknown.add(passage)
            return passage if passage > len(self._by_number) or passage < 1 else self._put(_Source(_NOWHERE))
        if not sentence:
            # The mark comes before its sentence, so what to quote is not known yet.
            return self._put(_Source(passage))
        return self._numbered(passage, self._best(sentence, passage).span)

    def _numbered(self, passage: int, span: tuple[int, int] | None) -> int:
        for shown, source in enumerate(self._by_number, start=1):
            if (source.passage, source.span) == (passage, span):
                return shown
        return self._put(_Source(passage, span))

    def _put(self, source: _Source) -> int:
        """Give the source the next free number. Numbers that the model made up are skipped."""
        while len(self._by_number) + 1 in self._unknown:
            self._by_number.append(_Source(_NOWHERE))
        self._by_number.append(source)
        return len(self._by_number)

    def _is_given(self, passage: int) -> bool:
        return 1 <= passage <= len(self.sources.passages)

    def _checked_citations(self, sentence: CitedSentence) -> Iterator[Citation]:
        for shown in sentence.numbers:
            source = self._by_number[shown - 1] if 1 <= shown <= len(self._by_number) else None
            if source is not None and self._is_given(source.passage):
                yield self._citation(shown, source.passage, self._settled(sentence.text, source))

    def _settled(self, sentence: str, source: _Source) -> Quote:
        """The quote for a sentence that has ended. A settled span is kept if it supports the sentence."""
        if source.is_settled and source.span is not None:
            passage, context = self._passage(source.passage)
            kept = quote_at(sentence, passage.chunk.content, source.span, self.sources.language, context)
            if kept.is_enough:
                return kept
        best = self._best(sentence, source.passage)
        if not source.is_settled:
            source.span, source.is_settled = best.span, True
        return best

    def _own_citation(self, sentence: CitedSentence) -> Iterator[Citation]:
        """A source for a sentence without one: the first passage that says it, if need be in other words.

        Small models forget to cite.
        """
        if sentence.numbers or sentence.text.endswith("?"):
            return
        found: tuple[int, Quote] | None = None
        for passage in range(1, len(self.sources.passages) + 1):
            quote = self._best(sentence.text, passage)
            if quote.is_verified:
                found = passage, quote
                break
            if quote.is_enough and found is None:
                found = passage, quote
        found = found or self._wide(sentence.text)
        if found is not None:
            passage, quote = found
            shown = self._numbered(passage, quote.span)
            self._by_number[shown - 1].is_settled = True
            yield self._citation(shown, passage, quote)

    def _wide(self, sentence: str) -> tuple[int, Quote] | None:
        """The first passage that says it in several lines."""
        for number in range(1, len(self.sources.passages) + 1):
            passage, context = self._passage(number)
            if quote := wide_quote(sentence, passage.chunk.content, self.sources.language, context):
                return number, quote
        return None

    def _best(self, sentence: str, number: int) -> Quote:
        """The words of a passage that support a sentence best, cached."""
        # Called with and without the full stop if the mark is before it.
        key = (" ".join(sentence.split()).removesuffix(".").rstrip(), number)
        if key not in self._quotes:
            passage, context = self._passage(number)
            self._quotes[key] = best_quote(key[0], passage.chunk.content, self.sources.language, context)
        return self._quotes[key]

    def _passage(self, number: int) -> tuple[SearchResult, str]:
        """A passage, and its title and section."""
        passage = self.sources.passages[number - 1]
        return passage, "\n".join(part for part in (passage.document_title, passage.chunk.section) if part)

    def _citation(self, shown: int, number: int, quote: Quote) -> Citation:
        citation = self.sources.citation(shown, self.sources.passages[number - 1], quote.start, quote.end)
        return replace(citation, verified=quote.is_verified, doubts=quote.doubts, support=quote.grade)


def _doubts(sentence: CitedSentence, citations: Sequence[Citation]) -> tuple[str, ...]:
    """Why a sentence is not verified: it cites nothing, an unknown number, or passages that do not say it."""
    if not sentence.numbers and not citations:
        return ("no_citation",)
    if len(citations) < len(sentence.numbers):
        return ("unknown_number",)
    if any(citation.verified for citation in citations):
        return ()
    best = [c for c in citations if c.support is _support(sentence, citations)]
    return tuple(dict.fromkeys(doubt for citation in best for doubt in citation.doubts))


def _support(sentence: CitedSentence, citations: Sequence[Citation]) -> SupportGrade:
    """The grade of the best citation; doubtful if the sentence cites an unknown number."""
    if len(citations) < len(sentence.numbers):
        return SupportGrade.DOUBTFUL
    grades = {citation.support for citation in citations}
    return next((grade for grade in SupportGrade if grade in grades), SupportGrade.DOUBTFUL)
