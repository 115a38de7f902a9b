"""What a change of the documents means for an approved answer.

While the quotes that the approver read still stand, nothing is checked. Otherwise each sentence of the answer is
compared with what the documents say now and with what the quotes said, and only new doubts count. A sentence in the
expert's own words is judged by how its quotes have changed, and one that shows a row of a table by that row alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sourcebook.consult.answer_check.shown_rows import row_findings, with_new_names
from sourcebook.consult.citations.marks_and_quotes import cited_sentences
from sourcebook.consult.support.support_check import (
    Doubt,
    Support,
    check_support,
    lost_facts,
    share_of_terms_in,
)
from sourcebook.curate.source_changes import nearest_stretch
from sourcebook.curate.staleness import stands
from sourcebook.model.answer_check import (
    AnswerFile,
    AnswerFinding,
    FileSource,
    SentenceFinding,
    SourceFinding,
    Verdict,
)
from sourcebook.text.languages import detect_language
from sourcebook.text.sentences import sentence_spans

_PLACES = 8
"""The most places of a document that are compared with a sentence."""
_STRETCH = 3
_NAMED = frozenset({Doubt.NUMBER, Doubt.NAME, Doubt.WORDS})
"""Doubts about single words. They are new if the old quotes had these words."""


@dataclass(frozen=True)
class CheckedDocument:
    """The text of a document. `raw` is its file, if that is text: its lines are those that people see."""

    path: str
    text: str
    title: str | None = None
    raw: str | None = None

    @cached_property
    def stretches(self) -> list[str]:
        """All runs of one to three sentences."""
        spans = sentence_spans(self.text)
        return [
            self.text[spans[first][0] : spans[last][1]]
            for first in range(len(spans))
            for last in range(first, min(first + _STRETCH, len(spans)))
        ]

    def line_of(self, words: str) -> int | None:
        """The number of the line on which these words begin."""
        first = next((line.strip() for line in words.splitlines() if line.strip()), "")
        lines = (self.raw or "").splitlines()
        for beginning in (first, first[:40]):
            for number, line in enumerate(lines, start=1):
                if beginning and beginning in line:
                    return number
        return None


class DocumentTexts:
    """The documents of a folder by their paths."""

    def __init__(self, documents: Sequence[CheckedDocument]) -> None:
        self._documents: Mapping[str, CheckedDocument] = {each.path: each for each in documents}

    def __len__(self) -> int:
        return len(self._documents)

    def find(self, path: str) -> CheckedDocument | None:
        """The document at this path, or the only one whose path ends with it."""
        if path in self._documents:
            return self._documents[path]
        ending = [each for name, each in self._documents.items() if name.endswith(f"/{path}")]
        shorter = [each for name, each in self._documents.items() if path.endswith(f"/{name}")]
        found = ending or shorter
        return found[0] if len(found) == 1 else None

    def holding(self, quote: str) -> CheckedDocument | None:
        return next((each for each in self._documents.values() if stands(quote, each.text)), None)


def checked(answer: AnswerFile, documents: DocumentTexts) -> AnswerFinding:
    """Whether the documents still support this answer."""
    if not answer.sources:
        return _finding(answer, Verdict.UNCHECKED, "It names no source, so no change can be noticed.")
    quotes = [source.quote for source in answer.sources]
    sources = [
        with_new_names(_source(source, documents), answer.answer, documents, quotes)
        for source in answer.sources
    ]
    gravest = max((each.verdict for each in sources), key=list(Verdict).index)
    if gravest is Verdict.CURRENT:
        return _finding(answer, gravest, "Its sources stand as they were quoted.", sources)
    if gravest is Verdict.MOVED:
        moved = next(each for each in sources if each.verdict is Verdict.MOVED)
        return _finding(answer, gravest, f"A quote has moved from {moved.path} to {moved.found_in}.", sources)
    return _changed(answer, sources, documents)


def _source(source: FileSource, documents: DocumentTexts) -> SourceFinding:
    document = documents.find(source.path)
    if document is not None and stands(source.quote, document.text):
        line = document.line_of(source.quote)
        return SourceFinding(document.path, source.quote, Verdict.CURRENT, source.quote, line=line)
    elsewhere = documents.holding(source.quote)
    if elsewhere is not None:
        line = elsewhere.line_of(source.quote)
        return SourceFinding(source.path, source.quote, Verdict.MOVED, source.quote, elsewhere.path, line)
    if document is None:
        return SourceFinding(source.path, source.quote, Verdict.UNANSWERABLE)
    now = nearest_stretch(source.quote, document.text)
    if now is None:
        return SourceFinding(document.path, source.quote, Verdict.UNANSWERABLE)
    return SourceFinding(document.path, source.quote, Verdict.REWORDED, now, line=document.line_of(now))


def _changed(answer: AnswerFile, sources: Sequence[SourceFinding], documents: DocumentTexts) -> AnswerFinding:
    language = answer.language or detect_language(answer.answer)
    standing = [each.quote for each in sources if each.verdict in (Verdict.CURRENT, Verdict.MOVED)]
    read = [text for each in sources if (text := documents.find(each.found_in or each.path)) is not None]
    rows = row_findings(answer.answer, sources, documents, language)
    doubted = [each for each in rows.values() if each is not None]
    for sentence in cited_sentences(answer.answer):
        if sentence.text in rows:
            continue
        now = [*standing, *(place for text in read for place in _places(sentence.text, text, language))]
        place, support = _best(sentence.text, now, language)
        if support.is_enough:
            continue
        if new := _new_doubts(sentence.text, sources, place or "", support, language):
            doubted.append(SentenceFinding(sentence.text, tuple(doubt.value for doubt in new), place))
    return _judged(answer, sources, doubted)


def _new_doubts(
    sentence: str, sources: Sequence[SourceFinding], place: str, support: Support, language: str | None
) -> list[Doubt]:
    """The doubts that the change causes. A sentence may have been approved although it says more than its quotes."""
    quotes = [each.quote for each in sources]
    _, before = _best(sentence, quotes, language)
    of_quotes = set(_doubts_of_quotes(sources, language))
    if Doubt.WORDS in before.doubts:
        new = of_quotes
    else:
        # For a kind of doubt that existed before, only the quotes show whether there is a new reason.
        new = {doubt for doubt in support.doubts if doubt not in before.doubts or doubt in of_quotes - _NAMED}
    new |= set(lost_facts(sentence, "\n".join(quotes), place, language)) & {*support.doubts}
    return sorted(new, key=list(Doubt).index)


def _judged(
    answer: AnswerFile, sources: Sequence[SourceFinding], doubted: Sequence[SentenceFinding]
) -> AnswerFinding:
    if not doubted:
        return _finding(
            answer, Verdict.REWORDED, "A source was reworded; the answer still agrees with it.", sources
        )
    reworded = next((each for each in sources if each.verdict is Verdict.REWORDED), None)
    if reworded is not None:
        return _finding(answer, Verdict.UNTRUE, f"{reworded.path} now says something else.", sources, doubted)
    gone = next(each for each in sources if each.verdict is Verdict.UNANSWERABLE)
    return _finding(answer, Verdict.UNANSWERABLE, f"{gone.path} no longer says it.", sources, doubted)


def _doubts_of_quotes(sources: Sequence[SourceFinding], language: str | None) -> Iterator[Doubt]:
    """The doubts about the old quotes, compared with what stands in their place now."""
    for source in sources:
        if source.verdict is Verdict.REWORDED and source.now is not None:
            yield from check_support(source.quote, source.now, language).doubts
        elif source.verdict is Verdict.UNANSWERABLE:
            yield Doubt.NO_QUOTE


def _best(sentence: str, places: Sequence[str], language: str | None) -> tuple[str | None, Support]:
    """The place that supports the sentence best, and how well; or one that says nearly the same and contradicts it."""
    found = [(place, check_support(sentence, place, language)) for place in places]
    if not found:
        return None, Support((Doubt.NO_QUOTE, Doubt.WORDS), 0.0)
    against = max((it for it in found if it[1].is_contradicted), key=lambda it: it[1].likeness, default=None)
    best = max(found, key=lambda it: (it[1].is_enough, it[1].is_verified, it[1].share, -len(it[0])))
    if against is not None and against[1].likeness > best[1].likeness:
        return against
    return best


def _places(sentence: str, document: CheckedDocument, language: str | None) -> list[str]:
    """The places of a document that share most words with a sentence; of equals, the shorter ones first."""
    share = share_of_terms_in(sentence, language)
    ranked = sorted(document.stretches, key=lambda place: (-round(share(place), 2), len(place)))
    return ranked[:_PLACES]


def _finding(
    answer: AnswerFile,
    verdict: Verdict,
    message: str,
    sources: Sequence[SourceFinding] = (),
    sentences: Sequence[SentenceFinding] = (),
) -> AnswerFinding:
    return AnswerFinding(answer.name, answer.question, verdict, message, tuple(sources), tuple(sentences))
