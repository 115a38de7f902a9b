"""What waits for an expert, and what of it needs one.

Every answer may become a draft, so that it can be approved. Nobody waits for that: the inbox shows what needs a person,
and keeps the rest a click away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcebook.curate.gaps import gap_reason
from sourcebook.model.moderation import Draft, DraftKind

if TYPE_CHECKING:
    from sourcebook.faces.web.page_frame import Page

DOUBTFUL = "doubtful"
"""An answer of which some sentence could not be confirmed."""
SEALS = {
    DraftKind.STALE.value: "changed",
    DraftKind.DECLINED.value: "none",
    DOUBTFUL: "doubtful",
    DraftKind.ANSWER.value: "checked",
}
"""The kinds as an expert sees them, the most urgent first, with their seals."""
_SHOWN = 200


def kind_of(draft: Draft) -> str:
    return DOUBTFUL if draft.kind is DraftKind.ANSWER and gap_reason(draft) == "weak" else draft.kind.value


def shown_kind(draft: Draft) -> str:
    """What its seal says: of an answer whose source has changed, that it has."""
    return DraftKind.STALE.value if draft.has_changed_sources else kind_of(draft)


def needs_person(draft: Draft) -> bool:
    """Whether something is wrong or missing until a person has looked."""
    return kind_of(draft) != DraftKind.ANSWER.value


async def count_cases(page: Page) -> int:
    """How many cases wait for an expert: those that the inbox lists, and those beyond what it lists at once."""
    counted = await page.book.stores.moderation.count_cases(answers=_SHOWN)
    home = page.settings.collection
    return sum(count for collection, count in counted.items() if page.caller.sees(collection or home))


async def pending_drafts(page: Page) -> list[Draft]:
    """The drafts that the caller may see, the oldest of each kind."""
    pending = page.book.moderation.get_pending_moderation_items
    found = [draft for kind in DraftKind for draft in await pending(_SHOWN, kind=kind)]
    return [draft for draft in found if may_see(page, draft)]


def may_see(page: Page, draft: Draft) -> bool:
    """Whether the caller may see the collection that a draft belongs to."""
    return page.caller.sees(draft.collection_id or page.settings.collection)
