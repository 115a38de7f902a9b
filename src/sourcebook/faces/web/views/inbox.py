"""Inbox of the expert: drafts to approve, questions to answer, approved answers whose source has changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Form, Response
from markupsafe import Markup

from sourcebook.consult.citations.watched_sources import missing_in_sources
from sourcebook.curate.offered_sources import offered_sources, quoted_sources
from sourcebook.curate.source_changes import nearest_stretch
from sourcebook.errors import DraftNotFound, SupportLost, UserNotFound
from sourcebook.faces import draft_json_shapes
from sourcebook.faces.http.auth.caller import require_seen
from sourcebook.faces.http.responses.seen_shapes import as_seen
from sourcebook.faces.source_place import below_title, source_place
from sourcebook.faces.web.answer_view import file_name, place_address, rows
from sourcebook.faces.web.diff_view import word_diff
from sourcebook.faces.web.page_frame import Page, Reviewing
from sourcebook.faces.web.page_routes import page_router
from sourcebook.faces.web.review_queue import (
    SEALS,
    kind_of,
    may_see,
    needs_person,
    pending_drafts,
    shown_kind,
)
from sourcebook.faces.web.safe_html import plain
from sourcebook.faces.web.source_view import Leaf, leaf_of
from sourcebook.model.chat import SourceState
from sourcebook.model.curation import CuratedAnswer, CuratedSource
from sourcebook.model.moderation import Draft, DraftKind, DraftStatus, Keep, LostSupport

router = page_router()
_LONGEST = 20_000
_MOST_DIGITS = 15
Text = Annotated[str, Form(max_length=_LONGEST)]
Sources = Annotated[list[int], Form(max_length=20)]


@dataclass(frozen=True, slots=True)
class WaitingDraft:
    """A line of the queue. `asked` counts how often the same was asked, not what only resembles it."""

    draft: Draft
    kind: str
    seal: str
    asked: int


@dataclass(frozen=True, slots=True)
class ShownChange:
    """What changed in a source of an approved answer. Without a difference it is gone."""

    path: str
    difference: Markup | None
    quote: str


@dataclass(frozen=True, slots=True)
class NearPlace:
    """A passage that came closest to a declined question, and where to read it."""

    number: int
    name: str
    page: int | None
    address: str | None
    says: Markup | None = None
    """What it says that may be the answer."""
    state: str = SourceState.CURRENT.value


@dataclass(frozen=True, slots=True)
class Case:
    """One draft with everything that is needed to decide it."""

    draft: Draft
    asker: str
    answer: str
    similar: Sequence[Draft]
    leaves: Sequence[Leaf]
    changes: Sequence[ShownChange]
    entry: CuratedAnswer | None
    category: str
    categories: Sequence[str]
    looked_at: Sequence[dict[str, Any]]
    near: Sequence[NearPlace]
    rejected: Mapping[str, Any] | None
    """The draft whose rejection made this question be declined, and the reason."""
    before: int | None
    after: int | None
    in_new_words: str | None
    """The answer as its changed sources say it now, if that can be said."""
    offered: frozenset[int]
    """The numbers of the passages that the answer may be bound to; none where there is nothing to bind."""


@dataclass(frozen=True, slots=True)
class Watched:
    """The names of an answer's sources, and the numbers and names of the answer that none of them has."""

    names: Sequence[str] = ()
    lacking: Sequence[str] = ()


@router.get("/inbox")
async def inbox(page: Reviewing, kind: str = "", decided: str = "") -> Response:
    """The queue of what needs a person, with its first draft open. The rest is a click away."""
    waiting = await _waiting(page, kind)
    first = waiting[0].draft.id if waiting else None
    return await _shown(page, waiting, first, kind, decided=decided)


@router.get("/inbox/{draft_id}")
async def one(
    page: Reviewing, draft_id: int, kind: str = "", words: str = "", decided: str = "", then: str = ""
) -> Response:
    """One draft. With the words “new”, a stale answer is put as its sources say it now.

    `then` is the draft to go on with, if this one was decided already.
    """
    draft = await _own(page, draft_id)
    if not kind and not needs_person(draft):
        kind = kind_of(draft)
    return await _shown(
        page,
        await _waiting(page, kind),
        draft_id,
        kind,
        takes_new_words=words == "new",
        decided=decided,
        then=then,
    )


@router.post("/inbox/{draft_id}/approve")
async def approve(
    page: Reviewing,
    draft_id: int,
    answer: Text,
    question: Text = "",
    category: Annotated[str, Form(max_length=200)] = "",
    force: Annotated[str, Form()] = "",
    source: Sources = [],  # noqa: B006 - FastAPI copies it
    then: str = "",
    kind: str = "",
) -> Response:
    """Approve the answer, as it is or in other words. From now on it comes first."""
    draft = await _own(page, draft_id)
    require_seen(draft, source, page.caller)
    moderation = page.book.moderation
    chosen = category.strip() or None
    if draft.kind is DraftKind.DECLINED:
        replied = await moderation.answer_item(
            draft_id, page.caller.user_id, answer, keep=Keep.CURATED, category=chosen, sources=source
        )
        entry = await _entry(page, replied.kb_id)
    else:
        lost = LostSupport.ACCEPT if force else LostSupport.REFUSE
        try:
            entry = await moderation.approve_moderation_item(
                draft_id,
                page.caller.user_id,
                answer=answer,
                question=question.strip() or None,
                category=chosen,
                on_lost_support=lost,
                sources=source,
            )
        except SupportLost as error:
            return await _shown(page, await _waiting(page, kind), draft_id, kind, lost=error, written=answer)
    if entry is None or entry.sources:
        return page.go(_next(then, kind, "approved", decided=draft_id))
    # Nothing will ever tell that it is out of date: who approves it should know, and can name its source here.
    if _offered(page, await _own(page, draft_id), entry):
        return page.go(_next(str(draft_id), kind, "approved") + (f"&then={then}" if then.isdecimal() else ""))
    return page.go(_next(then, kind, "approved_without_source"))


@router.post("/inbox/{draft_id}/sources")
async def bind(
    page: Reviewing,
    draft_id: int,
    source: Sources = [],  # noqa: B006 - FastAPI copies it
    then: str = "",
    kind: str = "",
) -> Response:
    """Bind what a draft became to passages that it was shown with: when they change, it comes back."""
    draft = await _own(page, draft_id)
    require_seen(draft, source, page.caller)
    if not source:
        shown = await _shown(page, await _waiting(page, kind), draft_id, kind, is_unticked=True, then=then)
        shown.status_code = 400
        return shown
    await page.book.moderation.keep_answer(draft_id, page.caller.user_id, sources=source)
    return page.go(_next(then, kind, "bound", decided=draft_id))


@router.post("/inbox/{draft_id}/reply")
async def reply(page: Reviewing, draft_id: int, answer: Text, then: str = "", kind: str = "") -> Response:
    """Reply to the person who asked, and keep nothing."""
    await _own(page, draft_id)
    await page.book.moderation.answer_item(draft_id, page.caller.user_id, answer, keep=Keep.REPLY_ONLY)
    return page.go(_next(then, kind, "replied"))


@router.post("/inbox/{draft_id}/reject")
async def reject(
    page: Reviewing, draft_id: int, reason: Text = "", then: str = "", kind: str = ""
) -> Response:
    """Turn it down. Who asked a question that could not be answered is told the reason."""
    await _own(page, draft_id)
    await page.book.moderation.reject_moderation_item(draft_id, page.caller.user_id, reason.strip())
    again = await page.book.moderation.asked_again(draft_id)
    return page.go(_next(then, kind, "rejected" if again is None else f"rejected_{again.value}"))


async def _shown(
    page: Page,
    waiting: Sequence[WaitingDraft],
    draft_id: int | None,
    kind: str,
    *,
    lost: SupportLost | None = None,
    written: str = "",
    takes_new_words: bool = False,
    is_unticked: bool = False,
    decided: str = "",
    then: str = "",
) -> Response:
    """The queue and one draft of it. What was `written` is kept when it could not be approved, and `lost` says why."""
    case = None if draft_id is None else await _case(page, await _own(page, draft_id), waiting)
    if case is not None and written:
        case = replace(case, answer=written)
    if case is not None and takes_new_words and case.in_new_words:
        case = replace(case, answer=case.in_new_words, in_new_words=None)
    counts = Counter(kind_of(draft) for draft in await pending_drafts(page))
    return await page.show(
        "inbox.html",
        "inbox",
        waiting=waiting,
        case=case,
        counts=counts,
        kinds=[each for each in SEALS if counts[each] and each != DraftKind.ANSWER.value],
        kind=kind,
        lost=lost,
        is_unticked=is_unticked,
        watched=await _watched(page, decided),
        then=then if then.isdecimal() else "",
    )


async def _watched(page: Page, decided: str) -> Watched:
    """What the answer that was just approved is watched against, as far as the expert may see it.

    The number comes from an address that may be old: of a draft that is gone there is nothing to tell.
    """
    if not decided.isdecimal() or len(decided) > _MOST_DIGITS:
        return Watched()
    try:
        draft = await _own(page, int(decided))
    except DraftNotFound:
        return Watched()
    entry = await _entry(page, draft.kb_id)
    if entry is None:
        return Watched()
    seen = [each for each in entry.sources if page.caller.sees(each.collection_id)]
    names = list(dict.fromkeys(_source_name(source) for source in seen))
    return Watched(names, missing_in_sources(entry) if len(seen) == len(entry.sources) else ())


def _source_name(source: CuratedSource) -> str:
    name = source.document_title or file_name(source.document_path)
    return source_place(name, below_title(name, source.section), None)


async def _waiting(page: Page, kind: str) -> list[WaitingDraft]:
    """What waits: approved answers that may be wrong by now first, then what has no answer, then doubtful ones.

    Drafts of answers that were confirmed are shown when asked for: nobody waits for those.
    """
    drafts = await pending_drafts(page)
    chosen = [draft for draft in drafts if (kind_of(draft) == kind if kind else needs_person(draft))]
    return [
        WaitingDraft(draft, shown_kind(draft), SEALS[shown_kind(draft)], draft.asked)
        for draft in sorted(chosen, key=lambda each: (list(SEALS).index(kind_of(each)), each.id))
    ]


async def _own(page: Page, draft_id: int) -> Draft:
    """The draft, if it is of a collection that the expert may see."""
    draft = await page.book.moderation.get_item(draft_id)
    if not page.caller.sees(draft.collection_id or page.settings.collection):
        raise DraftNotFound(f"There is no draft {draft_id}")
    return draft


async def _case(page: Page, draft: Draft, waiting: Sequence[WaitingDraft]) -> Case:
    ids = [each.draft.id for each in waiting]
    at = ids.index(draft.id) if draft.id in ids else -1
    entry = await _entry(page, draft.stale_kb_id or draft.kb_id)
    seen = as_seen(draft, page.caller)
    return Case(
        draft=draft,
        asker=await _name(page, draft.user_id),
        answer=seen.answer or (entry.answer if entry else ""),
        similar=[each for each in await page.book.moderation.similar(draft.id) if may_see(page, each)],
        leaves=await _leaves(page, draft),
        changes=[
            await _change(page, source)
            for source in _quoted(draft, entry)
            if source.state not in (None, SourceState.CURRENT) and page.caller.sees(source.collection_id)
        ],
        entry=entry,
        category=draft.category_guess or (entry.category if entry else ""),
        categories=await _categories(page, draft),
        looked_at=rows(seen.details.get("passages"))[:5],
        near=_near(page, draft),
        rejected=draft_json_shapes.rejected(seen),
        before=ids[at - 1] if at > 0 else None,
        after=ids[at + 1] if 0 <= at < len(ids) - 1 else None,
        in_new_words=await _in_new_words(page, draft, _quoted(draft, entry)),
        offered=_offered(page, draft, entry),
    )


def _quoted(draft: Draft, entry: CuratedAnswer | None) -> Sequence[CuratedSource]:
    """What a draft stands on: the sources of the answer that it renews, or what it quotes itself."""
    return entry.sources if entry is not None and draft.kind is DraftKind.STALE else quoted_sources(draft)


def _offered(page: Page, draft: Draft, entry: CuratedAnswer | None) -> frozenset[int]:
    """What waits can be bound when it is decided, what is approved without a source afterwards.

    What a stale answer stands on is known: it stays so.
    """
    is_unbound = entry is not None and entry.is_active and not entry.sources
    if draft.kind is DraftKind.STALE or not (draft.status is DraftStatus.PENDING or is_unbound):
        return frozenset()
    return frozenset(c.number for c in offered_sources(draft) if page.caller.sees(c.collection_id))


def _near(page: Page, draft: Draft) -> list[NearPlace]:
    """What came closest, as far as the expert may see it."""
    return [
        NearPlace(
            row["number"],
            _near_name(row),
            row.get("page"),
            place_address(row),
            None if row["excerpt"] is None else plain(row["excerpt"]),
            row["state"],
        )
        for row in draft_json_shapes.nearest(draft)
        if page.caller.sees(row["collection_id"])
    ]


def _near_name(row: Mapping[str, Any]) -> str:
    """The document and the headings below its title, which is often the first of them."""
    name = str(row.get("title") or file_name(row["document_path"]))
    return source_place(name, below_title(name, row.get("section")), None)


async def _in_new_words(page: Page, draft: Draft, quoted: Sequence[CuratedSource]) -> str | None:
    """Only for who may see every source of the answer."""
    if not all(page.caller.sees(source.collection_id) for source in quoted):
        return None
    return await page.book.moderation.in_new_words(draft.id)


async def _entry(page: Page, number: int | None) -> CuratedAnswer | None:
    return None if number is None else await page.book.stores.curated.kb_get(number)


async def _categories(page: Page, draft: Draft) -> list[str]:
    """The categories in use, to choose from."""
    known = await page.book.stores.moderation.categories(draft.collection_id or page.settings.collection)
    return sorted({category for category, _ in known})


async def _leaves(page: Page, draft: Draft) -> list[Leaf]:
    """Each source once, with the document as it stands."""
    found: list[Leaf] = []
    places = {(c.document_id, c.start): c for c in draft.citations if page.caller.sees(c.collection_id)}
    for citation in list(places.values())[:6]:
        document = await page.book.library.get(citation.document_id, collection=citation.collection_id)
        found.append(leaf_of(citation, document))
    return found


async def _change(page: Page, source: CuratedSource) -> ShownChange:
    document = await page.book.library.get(source.document_id, collection=source.collection_id)
    diff = None
    if document is not None and (now := nearest_stretch(source.quote, document.content)) is not None:
        diff = word_diff(source.quote, now, document.content)
    return ShownChange(source.document_path, diff, source.quote)


async def _name(page: Page, user_id: int) -> str:
    if user_id == page.caller.user_id:
        return page.texts("you")
    try:
        return (await page.book.people.get_user(user_id)).shown_name
    except UserNotFound:
        return page.texts("somebody")


def _next(then: str, kind: str, done: str, **more: int) -> str:
    """Where to go on after a decision: to the next draft of the kind that was looked at; after the last, to all."""
    told = {"done": done, **more}
    if not then.isdecimal():
        return f"/inbox?{urlencode(told)}"
    return f"/inbox/{then}?{urlencode({'kind': kind, **told} if kind else told)}"
