"""Approved answers and terms: what people decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Form, Query, Response

from sourcebook.errors import CuratedAnswerNotFound
from sourcebook.faces.web.answer_view import document_address
from sourcebook.faces.web.page import Page, Reviewing, ReviewingAll
from sourcebook.faces.web.routes import page_router
from sourcebook.model.curation import CuratedAnswer
from sourcebook.model.people import User

router = page_router()
_LONGEST = 20_000
Text = Annotated[str, Form(max_length=_LONGEST)]


@dataclass(frozen=True, slots=True)
class CuratedRow:
    entry: CuratedAnswer
    approver: str
    sources: list[tuple[str, str]]


@router.get("/curated")
async def listed(
    page: Reviewing, find: Annotated[str, Query(max_length=200)] = "", state: str = ""
) -> Response:
    """The approved answers, those to look at again first."""
    entries = [each for each in await page.book.curated.all() if page.caller.sees(each.collection_id)]
    people = {user.id: user for user in await page.book.people.list_users()}
    wanted = find.strip().casefold()
    stale = sum(each.stale_since is not None for each in entries)
    found = [
        _row(page, each, people)
        for each in sorted(entries, key=lambda e: (e.stale_since is None, -(e.approved_at or e.created_at)))
        if wanted in f"{each.question or ''} {each.answer} {each.category}".casefold()
        and (state != "stale" or each.stale_since is not None)
    ]
    return await page.show(
        "curated.html", "curated", rows=found, total=len(entries), stale=stale, find=find, state=state
    )


@router.post("/curated")
async def add(
    page: Reviewing, answer: Text, question: Text, category: Annotated[str, Form(max_length=200)] = ""
) -> Response:
    """Add an approved answer of one's own."""
    await page.book.curated.insert(
        answer,
        question=question.strip() or None,
        category=category.strip() or page.texts("general_category"),
        approved_by=page.caller.user_id,
        collection=page.default_collection(),
    )
    return page.go("/curated?done=kept")


@router.post("/curated/{entry_id}/edit")
async def edit(page: Reviewing, entry_id: int, answer: Text, question: Text = "") -> Response:
    """Propose other words. They go to the inbox, and the approved ones are given until then."""
    await _own(page, entry_id)
    draft = await page.book.moderation.edit_entry(
        entry_id, page.caller.user_id, answer=answer, question=question.strip() or None
    )
    return page.go(f"/inbox/{draft.id}?done=proposed")


@router.post("/curated/{entry_id}/remove")
async def remove(page: Reviewing, entry_id: int) -> Response:
    await _own(page, entry_id)
    await page.book.curated.remove(entry_id)
    return page.go("/curated?done=removed")


@router.get("/terms")
async def terms(page: Reviewing) -> Response:
    """Words to avoid, and what to say instead."""
    return await page.show("terms.html", "terms", terms=await page.book.terminology.all())


@router.post("/terms")
async def add_term(
    page: ReviewingAll,
    term: Annotated[str, Form(max_length=200)],
    preferred: Annotated[str, Form(max_length=500)],
    description: Annotated[str, Form(max_length=1000)] = "",
) -> Response:
    await page.book.terminology.add(term, preferred, description=description.strip() or None)
    return page.go("/terms?done=saved")


@router.post("/terms/remove")
async def remove_term(page: ReviewingAll, term: Annotated[str, Form(max_length=200)]) -> Response:
    await page.book.terminology.remove(term)
    return page.go("/terms?done=removed")


async def _own(page: Page, entry_id: int) -> CuratedAnswer:
    entry = await page.book.stores.curated.kb_get(entry_id)
    if entry is None or not page.caller.sees(entry.collection_id):
        raise CuratedAnswerNotFound(f"there is no curated answer {entry_id}")
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
    }
    return CuratedRow(entry, name, list(places.values()))
