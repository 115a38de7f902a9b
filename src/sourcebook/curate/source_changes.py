"""What the sources of an approved answer said and say now, word by word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from sourcebook.curate.changed_rows import paired_rows, row_in_its_place, row_in_new_words, rows_as_said
from sourcebook.curate.staleness import stands
from sourcebook.model.chat import SourceState
from sourcebook.model.curation import SourceChange, WordChange
from sourcebook.text.analysis import words
from sourcebook.text.layout.tables import is_row
from sourcebook.text.sentences import sentence_spans

if TYPE_CHECKING:
    from sourcebook.model.curation import CuratedAnswer, CuratedSource
    from sourcebook.model.documents import JsonValue
    from sourcebook.ports.stores import Stores

_LIKE_ENOUGH = 0.4
"""Two stretches must have this share of words in common for one to be the new form of the other."""


async def source_changes(sources: Sequence[CuratedSource], stores: Stores) -> list[SourceChange]:
    """What became of the sources that have changed, or whose context has."""
    found: list[SourceChange] = []
    for source in sources:
        state = source.state or SourceState.CURRENT
        if state is not SourceState.CURRENT or source.context_changes:
            text = await _text(stores, source)
            found.append(change_of(source, text))
    return found


async def told_changes(entry: CuratedAnswer, stores: Stores, collections: Sequence[str]) -> list[JsonValue]:
    """What the changed sources of a stale answer said and say now. Only sources in these collections."""
    if entry.stale_since is None:
        return []
    asked = [each for each in entry.sources if each.collection_id in collections]
    return [
        {
            "document_path": each.document_path,
            "state": each.state.value,
            "before": each.told_before,
            "after": each.told_after,
        }
        for each in await source_changes(asked, stores)
        if each.state is not SourceState.CURRENT
    ]


def change_of(source: CuratedSource, text: str | None) -> SourceChange:
    """How a source has changed. `text` is its document as it is now; None if that is gone."""
    is_standing = text is not None and stands(source.quote, text)
    after = None
    if text is not None:
        after = source.quote if is_standing else nearest_stretch(source.quote, text)
    return SourceChange(
        document_id=source.document_id,
        document_path=source.document_path,
        document_title=source.document_title,
        state=source.state or SourceState.CURRENT,
        before=source.quote,
        after=after,
        words=() if after is None or text is None else shown_changes(source.quote, after, text),
        # Nothing stands around words that are gone.
        context=source.context_changes if is_standing else (),
    )


def in_new_words(answer: str, changes: Sequence[SourceChange]) -> str | None:
    """The answer with its quoted sentences in the new words of their sources; None if none can be replaced.

    What a person wrote in other words stays, and so does what the sources no longer say.
    """
    renewed = answer
    for change in changes:
        for old, new in _replaced_sentences(change.before, change.after or ""):
            renewed = row_in_new_words(renewed, old, new) if is_row(old) else renewed.replace(old, new)
    return None if renewed == answer else renewed


def _replaced_sentences(before: str, after: str) -> Iterator[tuple[str, str]]:
    old, new = _sentences(before), _sentences(after)
    for tag, first, last, start, end in SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
        if tag == "replace" and all(map(is_row, old[first:last])):
            yield from paired_rows(old[first:last], [each for each in new[start:end] if is_row(each)])
        elif tag == "replace" and last - first == end - start:
            yield from zip(old[first:last], new[start:end], strict=True)
        elif tag == "replace" and last - first == 1:
            yield old[first], _joined(new[start:end])


def _sentences(text: str) -> list[str]:
    return [text[start:end].strip() for start, end in sentence_spans(text)]


def nearest_stretch(quote: str, text: str) -> str | None:
    """The sentences of a text that are most like the quote; None if none are."""
    place = nearest_span(quote, text)
    return None if place is None else text[slice(*place)]


def nearest_span(quote: str, text: str) -> tuple[int, int] | None:
    """The span of those sentences, without the white space around them; of a row of a table, that of its new form."""
    if is_row(quote) and "\n" not in quote.strip():
        return row_in_its_place(quote, text)
    wanted = Counter(words(quote))
    spans = list(sentence_spans(text))
    counts = [Counter(words(text[start:end])) for start, end in spans]
    length = max(1, len(list(sentence_spans(quote))))
    best, place = 0.0, None
    for size in {max(1, length - 1), length, length + 1}:
        for first in range(len(spans) - size + 1):
            found = sum(counts[first : first + size], Counter[str]())
            alike = 2 * (wanted & found).total() / max(1, wanted.total() + found.total())
            if alike > best:
                best, place = alike, (spans[first][0], spans[first + size - 1][1])
    if place is None or best < _LIKE_ENOUGH:
        return None
    stretch = text[slice(*place)]
    start = place[0] + len(stretch) - len(stretch.lstrip())
    return start, start + len(stretch.strip())


def shown_changes(before: str, after: str, text: str) -> list[WordChange]:
    """The changes from a quote to its new form as people are shown them: rows cell by cell."""
    return word_changes(*rows_as_said(before, after, text))


def word_changes(before: str, after: str) -> list[WordChange]:
    """The two texts as runs of words that are the same, removed or added."""
    old, new = before.split(), after.split()
    changes: list[WordChange] = []
    for tag, first, last, start, end in SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
        if tag == "equal":
            changes.append(WordChange("same", _joined(old[first:last])))
            continue
        if first < last:
            changes.append(WordChange("removed", _joined(old[first:last])))
        if start < end:
            changes.append(WordChange("added", _joined(new[start:end])))
    return changes


def _joined(found: Sequence[str]) -> str:
    return " ".join(found)


async def _text(stores: Stores, source: CuratedSource) -> str | None:
    document = await stores.library.get_document(source.collection_id, source.document_id)
    return None if document is None or not document.is_active else document.content
