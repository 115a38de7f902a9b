"""A part of the documents of a collection, with what a person should know of each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from sourcebook.faces.web.answer_view import document_address, file_name
from sourcebook.faces.web.error_words import ErrorWords, words_of
from sourcebook.faces.web.page_frame import Page
from sourcebook.locale import Texts
from sourcebook.model.documents import Document, DocumentListing, DocumentStatus

STATES = ("all", "failed", "reading", "review", "hidden")
_ON_A_PAGE = 100
_STATUSES = {
    "failed": (DocumentStatus.FAILED, DocumentStatus.NEEDS_OCR),
    "reading": (DocumentStatus.PENDING, DocumentStatus.PROCESSING),
}


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document in the list. `state` is what a person should know about it first, `reason` why it was not read."""

    document: Document
    name: str
    address: str
    answers: int
    to_review: int
    state: str
    reason: ErrorWords | None


@dataclass(frozen=True, slots=True)
class Standing:
    """How many approved answers stand on each document, by its id, and how many of those are to be reviewed."""

    answers: Counter[str]
    stale: Counter[str]


async def standing_on(page: Page, collection: str) -> Standing:
    curated = await page.book.curated.all(collection)
    held = [(each, {source.document_id for source in each.sources}) for each in curated]
    return Standing(
        Counter(i for _, ids in held for i in ids),
        Counter(i for each, ids in held if each.stale_since is not None for i in ids),
    )


async def listed_part(
    page: Page,
    collection: str,
    state: str,
    find: str,
    after: tuple[str, str] | None,
    standing: Standing,
) -> tuple[list[DocumentRow], tuple[str, str] | None]:
    """As many documents as fit on a page, behind the place of the last one, and the last place if there are more."""
    if not await page.exists(collection):
        return [], None
    listing = DocumentListing(limit=_ON_A_PAGE + 1, after=after, text=find or None)
    if state == "review":
        found = await _to_review(page, collection, listing, standing)
    else:
        found = await _of_state(page, collection, listing, state)
    shown = found[:_ON_A_PAGE]
    last = (shown[-1].file_path, shown[-1].id) if len(found) > _ON_A_PAGE else None
    rows = [_row(page.texts, collection, each, standing) for each in shown]
    return (rows if page.is_expert else [_for_reader(row) for row in rows]), last


async def _of_state(page: Page, collection: str, listing: DocumentListing, state: str) -> list[Document]:
    if not page.is_expert:
        listing = replace(listing, status=DocumentStatus.COMPLETED)
    elif state == "hidden":
        listing = replace(listing, is_active=False)
    elif state in _STATUSES:
        parts = [
            await page.book.library.part(replace(listing, status=status), collection=collection)
            for status in _STATUSES[state]
        ]
        merged = [document for part in parts for document in part]
        return sorted(merged, key=lambda each: (each.file_path, each.id))[: listing.limit]
    return await page.book.library.part(listing, collection=collection)


async def _to_review(
    page: Page, collection: str, listing: DocumentListing, standing: Standing
) -> list[Document]:
    """The documents under answers to review. There are never many, so each is looked up."""
    wanted = (listing.text or "").casefold()
    found = [await page.book.library.get(each, collection=collection) for each in standing.stale]
    kept = [
        replace(each, content="")
        for each in found
        if each is not None
        and wanted in f"{each.title or ''}\n{each.file_path}".casefold()
        and (listing.after is None or (each.file_path, each.id) > listing.after)
    ]
    return sorted(kept, key=lambda each: (each.file_path, each.id))[: listing.limit]


def state_of(document: Document, stale: int) -> str:
    match document.status:
        case DocumentStatus.FAILED | DocumentStatus.NEEDS_OCR:
            return "failed"
        case DocumentStatus.PENDING | DocumentStatus.PROCESSING:
            return "reading"
        case _ if not document.is_active:
            return "hidden"
        case _:
            return "review" if stale else "ready"


def reason_of(texts: Texts, document: Document) -> ErrorWords | None:
    """Why a document could not be read, and what to do. The base keeps it as a code and a message."""
    said = document.processing_error or ""
    code, colon, message = said.partition(": ")
    if not said:
        return None
    is_code = bool(colon) and code.replace("_", "").isalpha()
    return words_of(texts, code if is_code else "bad_file", message if is_code else said)


def _row(texts: Texts, collection: str, document: Document, standing: Standing) -> DocumentRow:
    stale = standing.stale[document.id]
    return DocumentRow(
        document,
        document.title or file_name(document.file_path),
        document_address(collection, document.id),
        standing.answers[document.id],
        stale,
        state_of(document, stale),
        reason_of(texts, document),
    )


def _for_reader(row: DocumentRow) -> DocumentRow:
    """What is to be reviewed concerns those who can."""
    return replace(row, state="ready", to_review=0) if row.state == "review" else row
