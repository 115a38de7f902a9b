"""An answer as the page shows it: its sentences with their grades, one seal, numbered sources, and why."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, cast
from urllib.parse import quote as quoted

from markupsafe import Markup, escape

from sourcebook.faces.answer_notice import is_only_removed
from sourcebook.faces.draft_json_shapes import quotes_closest, see_also_places
from sourcebook.faces.web.dates_and_numbers import day
from sourcebook.faces.web.diff_view import word_diff
from sourcebook.faces.web.safe_html import Span, marked
from sourcebook.faces.web.sheet_rows import is_row_of_sheet
from sourcebook.locale import Texts
from sourcebook.model.chat import Answer, ChatMessage, Citation, Sentence, SourceState, SupportGrade, Tier
from sourcebook.model.documents import JsonValue
from sourcebook.text.sentences import sentence_spans

_MARK = re.compile(r"\[(\d{1,3})\]")
_BETWEEN_CELLS = " · "
_ONLY_MARKS = re.compile(r"(?:\s*\[\d{1,3}\])+\s*")


@dataclass(frozen=True, slots=True)
class Given:
    """An answer and its place in a conversation: one that was just given, or one that is read again."""

    text: str
    tier: Tier | None
    citations: Sequence[Citation]
    details: Mapping[str, JsonValue]
    session_id: str
    message_id: str
    sentences: Sequence[Sentence] | None = None

    @classmethod
    def now(cls, answer: Answer) -> Given:
        sentences = None if answer.tier is Tier.CURATED else answer.sentences
        return cls(
            answer.answer,
            answer.tier,
            answer.citations,
            answer.details,
            answer.session_id or "",
            answer.message_id or "",
            sentences,
        )

    @classmethod
    def stored(cls, message: ChatMessage) -> Given:
        return cls(
            message.content, message.tier, message.citations, message.details, message.session_id, message.id
        )


@dataclass(frozen=True, slots=True)
class Seal:
    """How far an answer can be trusted, in a few words: `kind` also chooses the drawing, never the colour alone."""

    kind: str
    words: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A source in the list below an answer. `index` is its place among the citations."""

    number: int
    index: int
    title: str
    section: str | None
    page: int | None
    file: str
    leaf: str
    document: str
    state: str
    grade: str
    says_now: Markup | None = None
    """What stands in the place of a quote that is no longer there, against what was quoted."""


@dataclass(frozen=True, slots=True)
class SourceGroup:
    """One place in a document with all the numbers that lead to it."""

    lines: Sequence[SourceLine]

    @property
    def first(self) -> SourceLine:
        return self.lines[0]

    @property
    def state(self) -> str:
        return next((line.state for line in self.lines if line.state != "current"), "current")

    @property
    def is_doubtful(self) -> bool:
        return any(line.grade == "doubtful" for line in self.lines)


@dataclass(frozen=True, slots=True)
class ShownDoubt:
    """A sentence that could not be checked, and why."""

    sentence: str
    reasons: Sequence[str]


@dataclass(frozen=True, slots=True)
class AnswerView:
    html: Markup
    seal: Seal
    sources: Sequence[SourceGroup] = ()
    doubts: Sequence[ShownDoubt] = ()
    changed: Sequence[SourceLine] = ()
    is_excerpt: bool = False
    has_table_rows: bool = False
    is_watched: bool = False
    """Whether an expert is asked to look at it again when a source of it changes: an approved answer."""
    copy: str = ""
    outdated: Markup | None = None
    """What an approved answer said that this one takes the place of, against what is said now."""
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])


def answer_view(
    texts: Texts, given: Given, approver: str | None = None, says_now: Mapping[int, Markup] | None = None
) -> AnswerView:
    """Everything that is shown of one answer. `says_now` is what stands in the place of a citation, by its index."""
    sentences = given.sentences if given.sentences is not None else _sentences(given)
    lines = [
        _line(given, index, citation, (says_now or {}).get(index))
        for index, citation in enumerate(given.citations)
    ]
    listed = list({line.number: line for line in reversed(lines)}.values())[::-1]
    listed.sort(key=lambda line: line.number)
    return AnswerView(
        html=_html(texts, given, sentences, lines),
        seal=_seal(texts, given, sentences, approver),
        sources=_grouped(listed),
        doubts=[
            ShownDoubt(_without_marks(given.text[s.start : s.end]), _reasons(texts, s.doubts))
            for s in sentences
            if s.is_doubtful
        ],
        changed=list({line.document: line for line in lines if line.state != "current"}.values()),
        is_excerpt=_is_excerpt(given),
        has_table_rows=_has_table_rows(given),
        # A reply of an expert has sources only if it was approved, too.
        is_watched=given.tier in (None, Tier.CURATED),
        copy=_as_text(texts, given, listed),
        outdated=_outdated(given),
        details=given.details,
    )


def leaf_address(given: Given, index: int) -> str:
    """Where the source of a citation is shown beside the answer."""
    return f"/ask/{quoted(given.session_id, safe='')}?source={quoted(given.message_id, safe='')}.{index}#leaf"


def document_address(collection: str, document: str, start: int | None = None, end: int | None = None) -> str:
    """A document's own page; with a span, at that place."""
    address = f"/documents/{quoted(collection, safe='')}/{quoted(document, safe='')}"
    return address if start is None or end is None else f"{address}?start={start}&end={end}#quote"


def place_address(row: Mapping[str, Any]) -> str | None:
    """Where a passage told beside an answer can be read; None if it was removed."""
    if row["state"] == SourceState.REMOVED.value:
        return None
    return document_address(
        str(row["collection_id"]), str(row["document_id"]), row["start_index"], row["end_index"]
    )


def file_name(path: str) -> str:
    return PurePosixPath(path).name or path


def _sentences(given: Given) -> list[Sentence]:
    """The sentences of an answer that is read again, found by its marks.

    An excerpt has its mark at the end, for all of it; in what a model or a person wrote, each sentence has its own.
    """
    text = given.text
    spans = [(0, len(text))] if _is_excerpt(given) else _with_marks(text, sentence_spans(text))
    left = {number: list(each) for number, each in _by_number(given.citations).items()}
    found: list[Sentence] = []
    for start, end in spans:
        numbers = [int(mark[1]) for mark in _MARK.finditer(text, start, end)]
        cited = [_next(left[number]) for number in numbers if left.get(number)]
        numbers = numbers or _quoted_in(text[start:end], given)
        found.append(_sentence(given, start, end, numbers, cited))
    return found


def _quoted_in(sentence: str, given: Given) -> list[int]:
    """The numbers of an approved answer's sources that hold a sentence word for word: one mark may end several."""
    if given.tier is not Tier.CURATED:
        return []
    words = " ".join(sentence.split())
    found = [each.number for each in given.citations if words in " ".join((each.quote or "").split())]
    return list(dict.fromkeys(found))


def _is_excerpt(given: Given) -> bool:
    """Whether it is in the words of the documents alone.

    What they answered when they changed is told without a tier; nothing but an excerpt has words that are marked.
    """
    if given.tier is None:
        return any(citation.highlight for citation in given.citations)
    return given.tier is Tier.DOCUMENTS and given.details.get("model") is None


def _sentence(
    given: Given, start: int, end: int, numbers: Sequence[int], cited: Sequence[Citation]
) -> Sentence:
    doubts = tuple(dict.fromkeys(doubt for citation in cited for doubt in citation.doubts))
    if not cited:
        # What a person approved needs no mark; what a model wrote does.
        is_checked = given.tier is not Tier.DOCUMENTS
        reasons = () if is_checked else ("no_citation",)
        grade = SupportGrade.EXACT if is_checked else SupportGrade.DOUBTFUL
        return Sentence(start, end, tuple(numbers), is_checked, reasons, grade)
    worst = max(cited, key=lambda each: list(SupportGrade).index(each.support))
    verified = all(citation.verified for citation in cited)
    return Sentence(start, end, tuple(numbers), verified, doubts, worst.support)


def _by_number(citations: Sequence[Citation]) -> dict[int, list[Citation]]:
    found: dict[int, list[Citation]] = {}
    for citation in citations:
        found.setdefault(citation.number, []).append(citation)
    return found


def _next(left: list[Citation]) -> Citation:
    """The citation of the next mark with this number; the last one stands for all marks that follow."""
    return left.pop(0) if len(left) > 1 else left[0]


def _with_marks(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Marks belong to the sentence before them, even behind its full stop."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if lead := _ONLY_MARKS.match(text, start, end):
            if joined:
                joined[-1] = (joined[-1][0], lead.end())
            start = lead.end()
        if text[start:end].strip():
            joined.append((start, end))
    return joined


def _html(texts: Texts, given: Given, sentences: Sequence[Sentence], lines: Sequence[SourceLine]) -> Markup:
    gone = {line.number for line in lines if line.state != "current"}
    spans = [Span(s.start, s.end, _tag(texts, s, is_gone=not gone.isdisjoint(s.numbers))) for s in sentences]
    places: dict[int, list[SourceLine]] = {}
    for line in lines:
        places.setdefault(line.number, []).append(line)

    def reference(number: int, before: int) -> str:
        cited = places.get(number)
        if not cited:
            return f"[{number}]"
        line = cited[min(before, len(cited) - 1)]
        label = escape(texts("source_number", number=number))
        return (
            f'<a class="ref" href="{escape(line.leaf)}" data-number="{number}" data-index="{line.index}" '
            f'aria-label="{label}">{number}</a>'
        )

    return marked(given.text, spans, _keys(given), reference)


def _tag(texts: Texts, sentence: Sentence, *, is_gone: bool) -> str:
    """How a sentence is marked. One whose source has changed is `gone`: it is never shown as confirmed."""
    numbers = " ".join(map(str, sentence.numbers))
    gone = " gone" if is_gone else ""
    if sentence.is_doubtful:
        why = escape(" ".join([texts("unverified"), *_reasons(texts, sentence.doubts)]))
        return f'span class="s doubtful{gone}" data-numbers="{numbers}" tabindex="0" data-why="{why}"'
    if not sentence.verified:
        return f'span class="s close{gone}" data-numbers="{numbers}" data-why="{escape(texts("reworded"))}"'
    return f'span class="s{gone}" data-numbers="{numbers}"'


def _keys(given: Given) -> list[tuple[int, int]]:
    """The words of an excerpt that carry the answer, as spans of its text."""
    found: list[tuple[int, int]] = []
    for citation in given.citations:
        for start, end in citation.highlight:
            words = citation.quote[start:end]
            at = given.text.find(words) if words.strip() else -1
            if at >= 0 and all(at >= e or at + len(words) <= s for s, e in found):
                found.append((at, at + len(words)))
    whole = len(_without_marks(given.text))
    return [] if whole and sum(end - start for start, end in found) > 0.9 * whole else found


def _seal(texts: Texts, given: Given, sentences: Sequence[Sentence], approver: str | None) -> Seal:
    has_changed = any(citation.state is not SourceState.CURRENT for citation in given.citations)
    is_removed = is_only_removed(given.citations)
    changed = texts("seal_removed" if is_removed else "seal_changed")
    if given.tier is Tier.NONE:
        return Seal("none", texts("seal_unsure" if quotes_closest(given.details) else "seal_none"))
    origin = "seal_expert" if given.citations else "seal_expert_only"
    if given.tier is None and not _is_excerpt(given):
        return Seal("changed", changed) if has_changed else Seal("approved", texts(origin))
    if given.tier is Tier.CURATED:
        note = _approval(texts, given, approver)
        if has_changed or given.details.get("stale"):
            return Seal("changed", changed, note)
        return Seal("approved", texts("seal_approved" if given.citations else origin), note)
    if has_changed:
        return Seal(
            "changed", changed, texts("removed_since_answer" if is_removed else "changed_since_answer")
        )
    if given.tier is Tier.MODEL:
        return Seal("doubtful", texts("seal_model"))
    if see_also_places(given.details):
        return Seal("quiet checked", texts("seal_likely"), _checked(texts, given, sentences))
    return Seal("checked", texts("seal_documents"), _checked(texts, given, sentences))


def _outdated(given: Given) -> Markup | None:
    entry = given.details.get("outdated")
    said = entry.get("answer") if isinstance(entry, dict) else None
    if not isinstance(said, str):
        return None
    return word_diff(_without_marks(said), _without_marks(given.text))


def _approval(texts: Texts, given: Given, approver: str | None) -> str:
    at = given.details.get("approved_at")
    when = day(texts, at) if isinstance(at, int) else ""
    if approver and when:
        return texts("approved_by_on", name=approver, date=when)
    return texts("approved_on", date=when) if when else ""


def _checked(texts: Texts, given: Given, sentences: Sequence[Sentence]) -> str:
    if given.details.get("model") is None:
        return texts("quoted_rows" if _has_table_rows(given) else "quoted_word_for_word")
    sound = sum(not sentence.is_doubtful for sentence in sentences)
    return texts("sentences_checked", n=len(sentences), checked=sound) if sentences else ""


def _has_table_rows(given: Given) -> bool:
    """Whether an excerpt says rows of a table as lines, with the names of their columns: no document has those.

    Of a sheet the lines are all that is kept; those of other tables are written for the answer.
    """
    if any(is_row_of_sheet(citation.document_path, citation.quote) for citation in given.citations):
        return True
    quoted = " ".join(" ".join(citation.quote.split()) for citation in given.citations)
    lines = (_without_marks(line).removeprefix("- ") for line in given.text.splitlines())
    return any(_BETWEEN_CELLS in line and line not in quoted for line in lines)


def _reasons(texts: Texts, doubts: Sequence[str]) -> list[str]:
    keys = (f"doubt_{doubt}" for doubt in dict.fromkeys(doubts))
    return [texts(key) for key in keys if key in texts.entries]


def _line(given: Given, index: int, citation: Citation, says_now: Markup | None) -> SourceLine:
    return SourceLine(
        number=citation.number,
        index=index,
        title=citation.document_title or file_name(citation.document_path),
        section=citation.section_name,
        page=citation.page,
        file=file_name(citation.document_path),
        leaf=leaf_address(given, index),
        document=document_address(citation.collection_id, citation.document_id, citation.start, citation.end),
        state=citation.state.value,
        grade="doubtful" if citation.is_doubtful else "exact" if citation.verified else "close",
        says_now=says_now,
    )


def _grouped(lines: Sequence[SourceLine]) -> list[SourceGroup]:
    places: dict[tuple[object, ...], list[SourceLine]] = {}
    for line in lines:
        place = (line.document.partition("?")[0], line.section, line.page)
        places.setdefault(place, []).append(line)
    return [SourceGroup(each) for each in places.values()]


def _without_marks(text: str) -> str:
    return " ".join(_MARK.sub("", text).split())


def _as_text(texts: Texts, given: Given, sources: Sequence[SourceLine]) -> str:
    """What `Copy` copies: the answer, and its sources by name."""
    lines = [given.text.strip()]
    if sources:
        lines.append("")
    for source in sources:
        page = "" if source.page is None else f", {texts('page_short', page=source.page)}"
        lines.append(f"[{source.number}] {source.title}{page} ({source.file})")
    return "\n".join(lines)


def rows(value: object) -> list[dict[str, Any]]:
    """The rows of a list in an answer's details."""
    each = cast("list[Any]", value) if isinstance(value, list) else []
    return [cast("dict[str, Any]", row) for row in each if isinstance(row, dict)]
