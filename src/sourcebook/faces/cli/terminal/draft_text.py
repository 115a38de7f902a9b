"""Drafts as text: what an expert needs to decide, and what a decision did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import indent
from typing import TYPE_CHECKING, Any

from sourcebook.consult.answer.transcript import STATES, moment
from sourcebook.curate.offered_sources import offered_sources
from sourcebook.faces import draft_json_shapes
from sourcebook.faces.cli.terminal.answer_text import sources, titled_place
from sourcebook.faces.cli.terminal.curated_text import bound_lines, category_of, state_of, wording_line
from sourcebook.model.chat import SourceState
from sourcebook.model.moderation import AskedAgain, DraftKind, DraftStatus

if TYPE_CHECKING:
    from sourcebook.model.curation import CuratedAnswer
    from sourcebook.model.moderation import Draft

_SHORT = 70
ASKED_AGAIN = {
    AskedAgain.DECLINED: " If it is asked again, it is declined until most of the quoted text changes.",
    AskedAgain.FROM_NEW_TEXT: " The text that it quoted has changed: if it is asked again, the new text may be given.",
}


def saved_lines(draft: Draft, entry: CuratedAnswer, *, is_guessed: bool) -> Iterator[str]:
    """That a curated answer was saved, and which sources it is watched against, or that none is."""
    yield f"Saved the curated answer {entry.id}, revision {entry.revision}."
    how = f" (guessed; `sourcebook kb edit {entry.id} --category X` changes it)" if is_guessed else ""
    yield f"  Category: {category_of(entry)}{how}"
    if entry.question and entry.question == draft.in_conversation:
        yield f"  Question: {entry.question}"
        yield f"    It is kept with its conversation. `sourcebook kb edit {entry.id} --question X` changes it."
    yield from bound_lines(entry)
    if not entry.sources:
        yield from _offers(draft)
    if entry.stale_since is not None:
        yield f"  It is already stale: {entry.stale_reason}."


def _offers(draft: Draft) -> Iterator[str]:
    """How to bind an answer in other words to what its expert was shown, one command for each passage."""
    offered = {each.number: each for each in offered_sources(draft)}
    command = f"sourcebook moderate keep {draft.id} --source"
    if not offered:
        yield f"If a document says it in other words, name it: `{command} PATH`."
        return
    yield "If it comes from one of these in other words, name it, and it comes back when that changes:"
    for number, each in offered.items():
        place = titled_place(each.document_path, each.document_title, each.section, _page(each.page))
        yield f"  {command} {number}   # {place}"


def draft_lines(draft: Draft, similar: Sequence[Draft], entry: CuratedAnswer | None) -> list[str]:
    """A draft: the question, what came closest or the answer with its sources, and what asks the same."""
    category = " / ".join(part for part in (draft.category_guess, draft.subcategory_guess) if part)
    since = "since" if draft.kind is DraftKind.STALE else "asked"
    lines = [
        f"Draft {draft.id}: {draft.kind.value}, {draft.status.value}, {since} {moment(draft.created_at)}",
        f"Category: {category or 'unknown'}",
        f"Question: {draft.question}",
    ]
    if draft.asked_after:
        lines.append(f"Asked after: {draft.asked_after}")
    if draft.has_changed_sources:
        lines.append("Its source has changed since: see below what it says now.")
    if draft.asked > 1:
        who = (
            f"by {draft.people} people, who all receive"
            if draft.people > 1
            else "by one person, who receives"
        )
        lines.append(f"Asked {draft.asked} times {who} the reply.")
    lines += [
        f"Resembles the curated answer {each['id']}: {each['question']}"
        for each in draft_json_shapes.resembling(draft)
    ]
    if rejected := draft_json_shapes.rejected(draft):
        lines.append(_rejection(rejected))
    lines += _closest(draft)
    if draft.answer:
        lines += ["", draft.answer, *sources(draft.citations, draft.answer)]
    lines += [f"Attached: {', '.join(map(str, each.values()))}" for each in draft.attachments]
    if draft.reason:
        lines.append(f"Reason: {draft.reason}")
    if entry is not None:
        lines.append(f"Curated answer {entry.id}, revision {entry.revision}, {state_of(entry)}")
        lines += [f"  {wording_line(wording)}" for wording in entry.wordings]
    lines += [f"  Looked at: {line}" for line in draft_json_shapes.looked_at(draft)]
    return [*lines, *(f"  Also asked: {short(other.question)} (draft {other.id})" for other in similar)]


def _closest(draft: Draft) -> Iterator[str]:
    """What came closest, numbered: with its number it can be named as the source of an answer in other words."""
    places = draft_json_shapes.nearest(draft)
    for each in places:
        yield f"{'Closest' if each['number'] == 1 else 'Next'}: [{each['number']}] {_near(each)}"
        if each["excerpt"] is not None:
            yield indent(each["excerpt"], "  ")
    offered = offered_sources(draft)
    if places and offered and draft.kind is DraftKind.DECLINED and draft.status is DraftStatus.PENDING:
        yield f"Answer from one of them: `sourcebook moderate answer {draft.id} ANSWER --source {offered[0].number}`"


def _rejection(rejected: Mapping[str, Any]) -> str:
    at, reason = rejected.get("at"), rejected.get("reason")
    when = f" on {moment(at)}" if isinstance(at, int) else ""
    return (
        f"Declined because draft {rejected.get('draft_id')}, which gave the same answer, was rejected{when}"
        + (f": {reason}" if reason else ".")
    )


def _near(place: Mapping[str, Any]) -> str:
    path = str(place.get("document_path"))
    named = titled_place(path, place.get("title"), place.get("section"), _page(place.get("page")))
    state = STATES[SourceState(place["state"])]
    return f"{named} ({state})" if state else named


def _page(page: int | None) -> str | None:
    return None if page is None else f"page {page}"


def short(text: str | None) -> str:
    plain = " ".join((text or "").split())
    return plain if len(plain) <= _SHORT else f"{plain[: _SHORT - 1]}…"
