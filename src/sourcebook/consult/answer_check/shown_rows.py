"""Sentences of answers that show a row of a table: whether the documents still have that row, under the same names.

Comparing words would not do. Beside one another, other rows of the same table have all the words of one that changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sourcebook.consult.citations.marks_and_quotes import cited_sentences
from sourcebook.consult.support.support_check import Doubt, check_support
from sourcebook.curate.quoted_rows import named_row, renamed_cells, shown_row, shows_row_of
from sourcebook.model.answer_check import SentenceFinding, SourceFinding, Verdict

if TYPE_CHECKING:
    from sourcebook.consult.answer_check.verdicts import DocumentTexts


def row_findings(
    answer: str, sources: Sequence[SourceFinding], documents: DocumentTexts, language: str | None
) -> dict[str, SentenceFinding | None]:
    """The sentences that show a quoted row, each with what is wrong with it; None if nothing is."""
    found: dict[str, SentenceFinding | None] = {}
    for sentence in cited_sentences(answer):
        for source in sources:
            # What one source says is true, whatever others have become.
            is_told = sentence.text in found and found[sentence.text] is None
            if not is_told and shows_row_of(sentence.text, source.quote):
                found[sentence.text] = _finding(sentence.text, source, _text(source, documents), language)
    return found


def with_new_names(
    source: SourceFinding, answer: str, documents: DocumentTexts, quotes: Sequence[str]
) -> SourceFinding:
    """The source; as changed if its row stands, but under names that are not those in the answer.

    `quotes` are those of all sources: a sentence that shows the row of another table has that one's names.
    """
    text = _text(source, documents)
    is_renamed = any(
        renamed_cells(each.text, source.quote, text)
        for each in cited_sentences(answer)
        if shows_row_of(each.text, source.quote) or not any(shows_row_of(each.text, q) for q in quotes)
    )
    if source.verdict not in (Verdict.CURRENT, Verdict.MOVED) or not is_renamed:
        return source
    return replace(source, verdict=Verdict.REWORDED, now=named_row(source.quote, text))


def _text(source: SourceFinding, documents: DocumentTexts) -> str:
    document = documents.find(source.found_in or source.path)
    return "" if document is None else document.text


def _finding(sentence: str, source: SourceFinding, text: str, language: str | None) -> SentenceFinding | None:
    if renamed_cells(sentence, source.quote, text):
        return SentenceFinding(sentence, (Doubt.NAME.value,), named_row(source.quote, text))
    is_standing = source.verdict in (Verdict.CURRENT, Verdict.MOVED)
    if is_standing or shown_row(sentence, text, text) is not None:
        return None
    if source.now is None:
        return SentenceFinding(sentence, (Doubt.NO_QUOTE.value,))
    doubts = check_support(source.quote, source.now, language).doubts or (Doubt.WORDS,)
    return SentenceFinding(sentence, tuple(doubt.value for doubt in doubts), named_row(source.now, text))
