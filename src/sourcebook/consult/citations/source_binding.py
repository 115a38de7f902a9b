"""Binds an answer to the documents: finds and checks the words that support each sentence, without a model."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from anyio import to_thread

from sourcebook.consult.citations.answer_layout import AnswerLayout, AnswerPartKind
from sourcebook.consult.citations.marks_and_quotes import (
    CitationMarkReader,
    CitedSentence,
    Quote,
    best_quote,
    cited_sentences,
)
from sourcebook.consult.citations.named_sources import NamedSource, NamedSources, named_in
from sourcebook.consult.citations.watched_sources import bears_out
from sourcebook.consult.support.support_check import check_support, share_of_terms, share_of_terms_in
from sourcebook.curate.quoted_rows import columns_of, shown_row
from sourcebook.curate.source_changes import nearest_span
from sourcebook.curate.staleness import compared_form, stands
from sourcebook.model.chat import MANUAL_COLLECTION
from sourcebook.model.curation import CuratedSource
from sourcebook.model.search import RetrievalConfig, SearchResult
from sourcebook.ports.moderation import BoundAnswer
from sourcebook.text.analysis import analyse, words
from sourcebook.text.sentences import sentence_spans
from sourcebook.text.vocabulary.stopwords import asking_words

if TYPE_CHECKING:
    from sourcebook.model.chat import Citation
    from sourcebook.model.documents import Document
    from sourcebook.ports.storage import Library

_PASSAGES = 5
_WORDS_THAT_TELL = 6
_OF_THE_QUESTION = 0.6
_FEWEST_WORDS = 4
"""Of a sentence that can be watched: what has fewer is a heading as often as not."""
_LONGEST_PLACE = 2000
_CODE = re.compile(r"((?<!`)`+[^`]+`+)")
_GAPS = re.compile(r"(?<![\n \t])[ \t]{2,}")
"""Not those that begin a line: they are the depth of a list."""
_GAP_AT_THE_END = re.compile(r"[ \t]+$", re.MULTILINE)
_GAP_BEFORE_AN_END = re.compile(r"[ \t]+([.,;:!?\n])")
Search = Callable[[Sequence[str], str, RetrievalConfig], Awaitable[Sequence[SearchResult]]]


@dataclass(frozen=True, slots=True)
class SourceBinder:
    """The contract of `ports.moderation.Binder`."""

    library: Library
    search: Search

    async def bind(
        self,
        answer: str,
        question: str | None,
        citations: Sequence[Citation],
        collections: Sequence[str],
        language: str | None,
        *,
        named: Sequence[Citation] = (),
        renews: str | None = None,
    ) -> BoundAnswer:
        documents = await self._documents([*citations, *named])
        # In a thread, because a named source may be a whole book, which is compared sentence by sentence.
        work = await to_thread.run_sync(
            partial(self._work, answer, question, citations, named, renews, documents, collections, language)
        )
        return await work.bound(answer)

    def _work(
        self,
        answer: str,
        question: str | None,
        citations: Sequence[Citation],
        named: Sequence[Citation],
        renews: str | None,
        documents: Mapping[tuple[str, str], Document],
        collections: Sequence[str],
        language: str | None,
    ) -> _Binding:
        cited = [source for _, source in _as_they_are(citations, documents)]
        watched = named or ([] if renews is None else named_in(renews, citations, language))
        by_name = NamedSources(
            [
                NamedSource(citation.quote or source.quote, source)
                for citation, source in _as_they_are(watched, documents, answer, language)
            ],
            language,
            must_all_be_used=bool(named),
        )
        said = {place: _sentences_of(document.content) for place, document in documents.items()}
        return _Binding(self, question, citations, cited, documents, said, collections, language, by_name)

    async def _documents(self, citations: Sequence[Citation]) -> dict[tuple[str, str], Document]:
        """The cited documents that still exist, by collection and id."""
        places = dict.fromkeys((c.collection_id, c.document_id) for c in citations)
        found: dict[tuple[str, str], Document] = {}
        for place in places:
            document = None if place[0] == MANUAL_COLLECTION else await self.library.get_document(*place)
            if document is not None and document.is_active:
                found[place] = document
        return found


@dataclass(frozen=True, slots=True)
class _Binding:
    """An answer that is being bound, and what is known about it."""

    binder: SourceBinder
    question: str | None
    citations: Sequence[Citation]
    cited: Sequence[CuratedSource]
    """The citations as they are now."""
    documents: Mapping[tuple[str, str], Document]
    said: Mapping[tuple[str, str], Mapping[str, tuple[int, int]]]
    """The first span of each sentence of these documents, by its compared form."""
    collections: Sequence[str]
    language: str | None
    named: NamedSources

    async def bound(self, answer: str) -> BoundAnswer:
        sentences = await to_thread.run_sync(cited_sentences, answer)
        supports = [await self._support(sentence) for sentence in sentences]
        return await to_thread.run_sync(self._bound, answer, sentences, supports)

    def _bound(
        self, answer: str, sentences: Sequence[CitedSentence], own: Sequence[list[CuratedSource]]
    ) -> BoundAnswer:
        found = self._joined(own)
        supports = self.named.complete(sentences, found)
        sources: list[CuratedSource] = []
        numbers = [[_place(sources, source) for source in support] for support in supports]
        unsupported = [each.text for each, support in zip(sentences, supports, strict=True) if not support]
        # A source that is named does not bring back what its own words no longer say.
        unsaid = [each.text for each, support in zip(sentences, found, strict=True) if not support]
        lost = _borne_out(unsaid, self.citations, self.language)
        text = _marked(answer, sentences, numbers).strip()
        return BoundAnswer(text or answer.strip(), tuple(sources), tuple(unsupported), lost)

    async def _support(self, sentence: CitedSentence) -> list[CuratedSource]:
        """A source from the citations; else the same sentence in a cited document; else from a search."""
        # In threads, because a sentence may be as long as a whole answer.
        if held := await to_thread.run_sync(self._of_citations, sentence):
            return [held]
        query = f"{self.question or ''} {sentence.text}".strip()
        found = await self.binder.search(self.collections, query, RetrievalConfig(top_k=_PASSAGES))
        for passage in found:
            source = await self._quoted(sentence, passage)
            if source is not None:
                return [source]
        return []

    def _joined(self, supports: Sequence[list[CuratedSource]]) -> list[list[CuratedSource]]:
        """Merges the sources of sentences that are consecutive in one quote."""
        joined: list[list[CuratedSource]] = []
        run = 0
        for found in supports:
            stretch = self._stretch(joined[-1][0], found[0]) if joined and joined[-1] and found else None
            if stretch is None:
                run = 0
                joined.append(found)
            else:
                run += 1
                joined[-run:] = [[stretch]] * run
                joined.append([stretch])
        return joined

    def _stretch(self, one: CuratedSource, following: CuratedSource) -> CuratedSource | None:
        """The two as one source, if they are consecutive in one quote of the answer."""
        for cited in self.cited:
            before, found, behind = cited.quote.partition(one.quote)
            gap = len(behind) - len(behind.lstrip())
            if (
                found
                and _document(cited) == _document(one) == _document(following)
                and behind.startswith(following.quote, gap)
            ):
                quote = one.quote + behind[: gap + len(following.quote)]
                start = None if cited.start is None else cited.start + len(before)
                return replace(
                    cited, quote=quote, start=start, end=None if start is None else start + len(quote)
                )
        return None

    def _of_citations(self, sentence: CitedSentence) -> CuratedSource | None:
        return next(chain(self._held(sentence), self._said(sentence)), None)

    def _held(self, sentence: CitedSentence) -> Iterator[CuratedSource]:
        """The quotes that support the sentence, cut to what it needs, because the rest may change."""
        for source in self.cited:
            title = source.document_title or ""
            text = self.documents[_document(source)].content
            if row := shown_row(sentence.text, source.quote, text):
                yield replace(source, quote=text[slice(*row)], start=row[0], end=row[1])
                continue
            context = "\n".join((title, *columns_of(source.quote, text)))
            quote = best_quote(sentence.text, source.quote, self.language, context)
            if quote.is_enough:
                yield _narrowed(source, quote)
            elif check_support(sentence.text, source.quote, self.language, title).is_enough:
                yield source

    def _said(self, sentence: CitedSentence) -> Iterator[CuratedSource]:
        """The sentence itself in a cited document, which a search among many may not find."""
        for (collection_id, document_id), document in self.documents.items():
            span = self.said[collection_id, document_id].get(compared_form(sentence.text))
            if span is not None:
                yield _of_span(collection_id, document, span)

    def _is_about(self, sentence: CitedSentence, passage: str) -> bool:
        """Whether a passage is about the question: a short sentence such as “in July” may stand anywhere."""
        if len(set(analyse(sentence.text, self.language))) >= _WORDS_THAT_TELL:
            return True
        asking = asking_words(self.language)
        asked = " ".join(word for word in words(self.question or "") if word not in asking)
        return bool(asked) and share_of_terms(asked, passage, self.language) >= _OF_THE_QUESTION

    async def _quoted(self, sentence: CitedSentence, passage: SearchResult) -> CuratedSource | None:
        chunk = passage.chunk
        context = "\n".join(part for part in (passage.document_title, chunk.section) if part)
        quote = await to_thread.run_sync(best_quote, sentence.text, chunk.content, self.language, context)
        if not quote.is_enough or passage.collection_id == MANUAL_COLLECTION:
            return None
        if not self._is_about(sentence, f"{context}\n{chunk.content}"):
            return None
        document = await self.binder.library.get_document(passage.collection_id, chunk.document_id)
        start = chunk.start_index + quote.start
        return CuratedSource(
            collection_id=passage.collection_id,
            document_id=chunk.document_id,
            document_path=passage.document_path,
            quote=quote.text,
            document_title=passage.document_title,
            chunk_id=chunk.id,
            page=(document.page_at(start) if document else None) or chunk.page,
            start=start,
            end=chunk.start_index + quote.end,
            file_hash=document.file_hash if document else None,
            section=(document.section_at(start) if document else None) or chunk.section,
        )


def _as_they_are(
    citations: Sequence[Citation],
    documents: Mapping[tuple[str, str], Document],
    answer: str = "",
    language: str | None = None,
) -> list[tuple[Citation, CuratedSource]]:
    """The citations that can still be found, each as a source in its document as it is now.

    The quote is what stands in its place if it has changed, and the words most like the answer if there was none.
    """
    found: list[tuple[Citation, CuratedSource]] = []
    for citation in citations:
        document = documents.get((citation.collection_id, citation.document_id))
        if document is None:
            continue
        source = _of_citation(citation, document)
        if source is None and answer and not citation.quote:
            source = _of_place(citation, document, answer, language)
        if source is not None:
            found.append((citation, source))
    return found


def _of_place(
    citation: Citation, document: Document, answer: str, language: str | None
) -> CuratedSource | None:
    """The sentence of the cited place that shares most words with the answer; if none does, all of it."""
    passage = document.content[citation.start : citation.end]
    share = share_of_terms_in(answer, language)
    spans = [span for span in sentence_spans(passage) if len(words(passage[slice(*span)])) >= _FEWEST_WORDS]
    best = max(spans, key=lambda span: share(passage[slice(*span)]), default=(0, 0))
    start, end = best if share(passage[slice(*best)]) else (0, len(passage))
    quote = passage[start:end].strip()
    if not quote or len(quote) > _LONGEST_PLACE:
        return None
    at = citation.start + passage.index(quote, start)
    return _of_span(citation.collection_id, document, (at, at + len(quote)))


def _of_citation(citation: Citation, document: Document) -> CuratedSource | None:
    """The quote of a citation, or what stands in its place since the document changed."""
    if not citation.quote.strip():
        return None
    if not stands(citation.quote, document.content):
        span = nearest_span(citation.quote, document.content)
        if span is None:
            return None
        source = _of_span(citation.collection_id, document, span)
        return replace(source, section=source.section or citation.section)
    return CuratedSource(
        collection_id=citation.collection_id,
        document_id=citation.document_id,
        document_path=document.file_path or citation.document_path,
        quote=citation.quote,
        document_title=document.title,
        chunk_id=citation.chunk_id or None,
        page=citation.page,
        start=citation.start,
        end=citation.end,
        file_hash=document.file_hash,
        section=citation.section or document.section_at(citation.start),
    )


def _of_span(collection_id: str, document: Document, span: tuple[int, int]) -> CuratedSource:
    start, end = span
    return CuratedSource(
        collection_id=collection_id,
        document_id=document.id,
        document_path=document.file_path,
        quote=document.content[start:end],
        document_title=document.title,
        page=document.page_at(start),
        start=start,
        end=end,
        file_hash=document.file_hash,
        section=document.section_at(start),
    )


def _borne_out(
    sentences: Sequence[str], citations: Sequence[Citation], language: str | None
) -> tuple[str, ...]:
    """The sentences that a citation of a document supports in the words that it was quoted with."""
    quoted = [citation for citation in citations if citation.collection_id != MANUAL_COLLECTION]
    return tuple(
        each
        for each in sentences
        if any(bears_out(each, cited.quote, language, cited.document_title or "") for cited in quoted)
    )


def _document(source: CuratedSource) -> tuple[str, str]:
    return source.collection_id, source.document_id


def _narrowed(source: CuratedSource, quote: Quote) -> CuratedSource:
    start = None if source.start is None else source.start + quote.start
    end = None if source.start is None else source.start + quote.end
    return replace(source, quote=quote.text, start=start, end=end)


def _place(sources: list[CuratedSource], source: CuratedSource) -> int:
    """The number of a source, from 1. A new one is added."""
    for number, known in enumerate(sources, start=1):
        if (_document(known), known.quote) == (_document(source), source.quote):
            return number
    sources.append(source)
    return len(sources)


def _sentences_of(text: str) -> dict[str, tuple[int, int]]:
    """The first span of each sentence, by its compared form."""
    found: dict[str, tuple[int, int]] = {}
    for start, end in sentence_spans(text):
        found.setdefault(compared_form(text[start:end]), (start, end))
    return found


def _marked(answer: str, sentences: Sequence[CitedSentence], numbers: Sequence[Sequence[int]]) -> str:
    """The answer with these marks after its sentences, instead of its own.

    Code, tables and headings get none: their marks go to the prose before them, else to the first prose there is.
    """
    layout = AnswerLayout.of(answer)
    prose = [at for at, sentence in enumerate(sentences) if layout.takes_mark(sentence.end)]
    marks = {at: list(numbers[at]) for at in prose}
    told = {number for found in marks.values() for number in found}
    left: list[int] = []
    for at, found in enumerate(numbers):
        fresh = [number for number in dict.fromkeys(found) if number not in told]
        told.update(fresh)
        before = max((each for each in prose if each <= at), default=prose[0] if prose else None)
        (left if before is None else marks[before]).extend(fresh)
    pieces: list[str] = []
    copied = 0
    for at, sentence in enumerate(sentences):
        pieces += [_as_written(answer, layout, copied, sentence.start)]
        written = _as_written(answer, layout, sentence.start, sentence.end)
        pieces += [written.rstrip(), *(f" [{number}]" for number in marks.get(at, ()))]
        copied = sentence.end
    own_line = "\n\n" + " ".join(f"[{number}]" for number in left) if left else ""
    return "".join([*pieces, _as_written(answer, layout, copied, len(answer)).rstrip(), own_line])


def _as_written(answer: str, layout: AnswerLayout, start: int, end: int) -> str:
    """A span of the answer without its marks. Code stays as it is, and so do spaces in tables."""
    read = {
        AnswerPartKind.CODE: str,
        AnswerPartKind.LINE: _line_without_marks,
        AnswerPartKind.PROSE: without_marks,
    }
    return "".join(read[part.kind](answer[part.start : part.end]) for part in layout.within(start, end))


def _words_alone(text: str) -> str:
    reader = CitationMarkReader()
    return "".join(piece for piece in [*reader.feed(text), *reader.close()] if isinstance(piece, str))


def without_marks(text: str) -> str:
    """The text without its citations, and without the gaps that they leave."""
    return _GAP_BEFORE_AN_END.sub(r"\1", _GAPS.sub(" ", _without_marks_alone(text)))


def _line_without_marks(text: str) -> str:
    return _GAP_AT_THE_END.sub("", _without_marks_alone(text))


def _without_marks_alone(text: str) -> str:
    """The text without its citations. Inside code, `row[1]` is not one."""
    return "".join(part if part.startswith("`") else _words_alone(part) for part in _CODE.split(text))
