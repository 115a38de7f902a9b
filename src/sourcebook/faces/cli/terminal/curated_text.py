"""Curated answers as text: their wordings, and what has changed in their sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sourcebook.consult.answer.transcript import moment
from sourcebook.consult.citations.marks_and_quotes import cited_sentences, sentences_without_source
from sourcebook.consult.citations.watched_sources import watched_sources
from sourcebook.curate.quoted_rows import told_quote
from sourcebook.faces.cli.terminal.plurals import counted
from sourcebook.model.chat import SourceState
from sourcebook.model.curation import WordingStatus

if TYPE_CHECKING:
    from sourcebook.model.curation import CuratedAnswer, SourceChange, Wording

_STATUSES = {
    WordingStatus.PROPOSED: "not matched yet",
    WordingStatus.CONFIRMED: "matched",
    WordingStatus.ACCEPTED: "accepted",
    WordingStatus.REJECTED: "rejected",
}
_PARTS = {
    "title": "The title",
    "section": "The heading",
    "columns": "The head of the table",
    "sentence_before": "The sentence before it",
}


def category_of(entry: CuratedAnswer) -> str:
    return f"{entry.category} / {entry.subcategory}" if entry.subcategory else entry.category


def state_of(entry: CuratedAnswer) -> str:
    if not entry.is_active:
        return "inactive"
    if entry.stale_since is not None:
        return f"stale: {entry.stale_reason}"
    return "the context has changed" if entry.has_changed_context else "current"


def entry_lines(entry: CuratedAnswer, changes: Sequence[SourceChange]) -> Iterator[str]:
    """Everything about a curated answer."""
    by = f", approved by {entry.approved_by_name}" if entry.approved_by_name else ""
    at = f" on {moment(entry.approved_at)}" if entry.approved_at is not None else ""
    yield f"Curated answer {entry.id}, revision {entry.revision}{by}{at}: {state_of(entry)}"
    yield f"Category: {category_of(entry)}"
    if entry.question:
        yield f"Question: {entry.question}"
    yield from ("", entry.answer, "")
    for number, source in enumerate(entry.sources, start=1):
        yield f"[{number}] {source.document_path}: “{told_quote(source.quote, entry.answer)}”"
    for wording in entry.wordings:
        yield wording_line(wording)
    yield from change_lines(changes)


def support_lines(entry: CuratedAnswer) -> Iterator[str]:
    """The words in the documents that a curated answer is watched against, and whether they say what it says."""
    for bound in watched_sources(entry):
        how = "Supported by" if bound.is_supporting else "Watched against"
        yield f"  {how} {bound.source.document_path}: “{told_quote(bound.source.quote, entry.answer)}”"
        if bound.missing:
            yield f"    That text does not say: {', '.join(bound.missing)}. Check the answer."


def bound_lines(entry: CuratedAnswer) -> Iterator[str]:
    """What a curated answer that was just saved is watched against, and what no document supports."""
    yield from support_lines(entry)
    has_marks = any(each.numbers for each in cited_sentences(entry.answer))
    for sentence in sentences_without_source(entry.answer) if has_marks else []:
        yield f"  Not supported by any document: “{sentence}”"
    if not entry.sources:
        yield "Nothing in the documents supports it, so it cannot be marked stale when a document changes."
    elif entry.stale_since is None:
        yield "It comes back for review when that text changes."


def wording_line(wording: Wording) -> str:
    people = f", confirmed by {counted(wording.people, 'person', 'people')}" if wording.people else ""
    return f"Wording {wording.id}: {wording.question} ({_STATUSES[wording.status]}{people})"


def change_lines(changes: Sequence[SourceChange]) -> Iterator[str]:
    """Old and new text of each source, with the words that were [-removed-] and {+added+}."""
    for change in changes:
        yield from _changed(change)


def _changed(change: SourceChange) -> Iterator[str]:
    yield f"Source: {change.document_path}"
    if change.state is not SourceState.CURRENT:
        before = change.told_before if change.words else told_quote(change.before)
        yield f"  before: {' '.join(before.split())}"
        if change.state is SourceState.REMOVED:
            yield "  now:    the document is no longer in the base"
        elif change.after is None:
            yield "  now:    nothing like it is there any more"
        elif change.before.split() == change.after.split():
            yield "  now:    the same words; they have changed meanwhile, or what they rely on has"
        else:
            yield f"  now:    {' '.join((change.told_after or '').split())}"
            yield f"  words:  {_marked(change)}"
    for part in change.context:
        yield f"  {_PARTS.get(part.part, part.part)} was “{part.before or ''}” and is “{part.after or ''}”."


def _marked(change: SourceChange) -> str:
    marks = {"same": "{}", "removed": "[-{}-]", "added": "{{+{}+}}"}
    return " ".join(marks[run.kind].format(run.text) for run in change.words)
