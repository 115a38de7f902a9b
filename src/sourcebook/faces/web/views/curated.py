"""Approved answers, and other wordings of their questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import Form, Query, Response

from sourcebook.errors import CuratedAnswerNotFound, WordingNotFound
from sourcebook.faces.web.answer_view import document_address
from sourcebook.faces.web.page_frame import Page, Reviewing
from sourcebook.faces.web.page_routes import page_router
from sourcebook.model.curation import CuratedAnswer, Wording, WordingStatus
from sourcebook.model.people import User

router = page_router()
_LONGEST = 20_000
_ON_A_PAGE = 100
_UNDECIDED = (WordingStatus.CONFIRMED, WordingStatus.PROPOSED)
Text = Annotated[str, Form(max_length=_LONGEST)]
Label = Annotated[str, Form(max_length=2000)]


@dataclass(frozen=True, slots=True)
class CuratedRow:
    """An approved answer in the list. `asked_also` are the wordings of its question, those to decide on first."""

    entry: CuratedAnswer
    approver: str
    sources: list[tuple[str, str]]
    asked_also: list[Wording]


@router.get("/curated")
async def listed(
    page: Reviewing,
    find: Annotated[str, Query(max_length=200)] = "",
    state: str = "",
    start: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
) -> Response:
    """The approved answers, those to look at again first."""
    entries = [each for each in await page.book.curated.all() if page.caller.sees(each.collection_id)]
    people = {user.id: user for user in await page.book.people.list_users()}
    wanted = find.strip().casefold()
    found = [
        each
        for each in sorted(entries, key=lambda e: (e.stale_since is None, -(e.approved_at or e.created_at)))
        if wanted in f"{each.question or ''} {each.answer} {each.category}".casefold()
        and (state != "stale" or each.stale_since is not None)
        and (state != "wordings" or _has_open_wording(each))
    ]
    shown = found[start : start + _ON_A_PAGE]
    return await page.show(
        "curated.html",
        "curated",
        rows=[_row(page, each, people) for each in shown],
        total=len(entries),
        stale=sum(each.stale_since is not None for each in entries),
        wordings=sum(_has_open_wording(each) for each in entries),
        categories=sorted({each.category for each in entries}),
        find=find,
        state=state,
        more=start + _ON_A_PAGE if len(found) > start + _ON_A_PAGE else None,
    )


@router.post("/curated")
async def add(
    page: Reviewing, answer: Text, question: Text, category: Annotated[str, Form(max_length=200)] = ""
) -> Response:
    """Add an approved answer of one's own."""
    entry = await page.book.curated.insert(
        answer,
        question=question.strip() or None,
        category=category.strip() or page.texts("general_category"),
        approved_by=page.caller.user_id,
        collection=page.default_collection(),
    )
    return page.go(f"/curated?done={'kept' if entry.sources else 'approved_without_source'}")


@router.post("/curated/{entry_id}/edit")
async def edit(
    page: Reviewing,
    entry_id: int,
    answer: Text,
    question: Text = "",
    category: Label = "",
    subcategory: Label = "",
) -> Response:
    """Propose other words or another category. They go to the inbox; the approved ones are given until then."""
    await _own(page, entry_id)
    draft = await page.book.moderation.edit_entry(
        entry_id,
        page.caller.user_id,
        answer=answer,
        question=question.strip() or None,
        category=category.strip() or None,
        subcategory=subcategory.strip() or None,
    )
    return page.go(f"/inbox/{draft.id}?done=proposed")


@router.post("/curated/{entry_id}/remove")
async def remove(page: Reviewing, entry_id: int) -> Response:
    await _own(page, entry_id)
    await page.book.curated.remove(entry_id)
    return page.go("/curated?done=removed")


@router.post("/curated/{entry_id}/wordings")
async def add_wording(page: Reviewing, entry_id: int, question: Label) -> Response:
    """Add another wording of its question, which then gets the answer like the first."""
    await _own(page, entry_id)
    await page.book.curated.add_wording(entry_id, question, admin_id=page.caller.user_id)
    return page.go(f"/curated?done=saved#answer-{entry_id}")


@router.post("/curated/{entry_id}/wordings/{wording_id}")
async def decide_wording(
    page: Reviewing,
    entry_id: int,
    wording_id: int,
    decision: Annotated[Literal["accept", "reject"], Form()],
) -> Response:
    """Let a wording that askers confirmed get the answer, or say that it asks something else."""
    entry = await _own(page, entry_id)
    if wording_id not in {each.id for each in entry.wordings}:
        raise WordingNotFound(f"There is no wording {wording_id}")
    curated = page.book.curated
    decide = curated.accept_wording if decision == "accept" else curated.reject_wording
    await decide(wording_id, admin_id=page.caller.user_id)
    return page.go(f"/curated?done=saved#answer-{entry_id}")


async def _own(page: Page, entry_id: int) -> CuratedAnswer:
    entry = await page.book.stores.curated.kb_get(entry_id)
    if entry is None or not page.caller.sees(entry.collection_id):
        raise CuratedAnswerNotFound(f"There is no curated answer {entry_id}")
    return entry


def _row(page: Page, entry: CuratedAnswer, people: dict[int, User]) -> CuratedRow:
    user = people.get(entry.approved_by or 0)
    name = page.texts("you") if entry.approved_by == page.caller.user_id else user.shown_name if user else ""
    places = {
        source.document_id: (
            source.document_title or source.document_path,
            document_address(source.collection_id, source.document_id, source.start, source.end),
        )
        for source in entry.sources
        if page.caller.sees(source.collection_id)
    }
    asked_also = sorted(
        entry.wordings, key=lambda each: (each.status not in _UNDECIDED, -each.people, each.id)
    )
    return CuratedRow(entry, name, list(places.values()), asked_also)


def _has_open_wording(entry: CuratedAnswer) -> bool:
    """Whether askers said of another question that it asks the same, and no expert has decided on it."""
    return any(each.status in _UNDECIDED for each in entry.wordings)
