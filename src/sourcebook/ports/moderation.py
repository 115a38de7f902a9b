"""What review needs from a base and from its documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sourcebook.model.chat import Citation
    from sourcebook.model.curation import CuratedAnswer, CuratedSource
    from sourcebook.model.documents import EmbeddingModel, Vector
    from sourcebook.model.moderation import Draft, DraftKind, DraftStatus, NewDraft, Revision


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question that stands in the queue, and the group that it belongs to."""

    question: str
    language: str | None
    group_key: str


@dataclass(frozen=True, slots=True)
class Embedded:
    """A vector and the model that made it."""

    vector: Vector
    model: EmbeddingModel


@dataclass(frozen=True, slots=True)
class DecisionCounts:
    """Counts of what happened between two moments."""

    questions: int
    people: int
    tiers: dict[str, int]
    drafts: dict[str, int]
    tokens: dict[str, int]
    """The sum of the changes of balances, by the kind of operation."""
    became_stale: Sequence[CuratedAnswer]


class ModerationQueue(Protocol):
    """Drafts. Each is decided exactly once, however many try at the same time."""

    async def add(self, draft: NewDraft) -> Draft:
        """Put a draft into the queue, in the group of a question that is much the same if it names no group.

        One that was made of the same message before is returned instead. The same open question is put before an
        expert once: what repeats it is counted there.
        """
        ...

    async def get(self, draft_id: int) -> Draft | None: ...

    async def require_waiting(self, draft_id: int) -> None:
        """AlreadyDecided if the draft does not wait, DraftNotFound if there is none."""
        ...

    async def pending(
        self,
        limit: int = 20,
        *,
        kind: DraftKind | None = None,
        after: int = 0,
        collection_id: str | None = None,
    ) -> list[Draft]:
        """The drafts that wait, oldest first, behind the one with the number `after`."""
        ...

    async def in_group(self, group_key: str) -> list[Draft]:
        """The drafts of a group that wait."""
        ...

    async def repeats(self, draft_id: int) -> list[Draft]:
        """The drafts that wait and repeat this one."""
        ...

    async def of_user(self, user_id: int, status: DraftStatus | None = None) -> list[Draft]:
        """What a person asked, the latest first."""
        ...

    async def rejected_answers(self, collection_id: str, limit: int = 500) -> list[Draft]:
        """The answers from documents that experts rejected, the latest first."""
        ...

    async def before_approval(self, entry_id: int) -> Draft | None:
        """The answer from documents that an approved answer was made of, with what it quoted."""
        ...

    async def count_pending(self) -> dict[DraftKind, int]: ...

    async def count_cases(self, answers: int) -> dict[str | None, int]:
        """How many drafts wait that need a person, by their collection.

        That is every draft but answers, and those of the oldest so many answers that are weak.
        """
        ...

    async def categories(self, collection_id: str) -> list[tuple[str, str | None]]:
        """The categories of documents and curated answers, each with its subcategories."""
        ...

    async def approve(
        self, draft_id: int, admin_id: int, revision: Revision, embedded: Embedded
    ) -> CuratedAnswer:
        """Make a curated answer of a draft, or renew the one that it is about, and settle what asked the same."""
        ...

    async def reject(self, draft_id: int, admin_id: int, reason: str) -> Draft:
        """Reject a draft. A stale answer is no longer used; the person who asked a declined question learns why."""
        ...

    async def reply(
        self,
        draft_id: int,
        admin_id: int,
        text: str,
        revision: Revision | None = None,
        embedded: Embedded | None = None,
    ) -> Draft:
        """Reply to the person who asked, through the outbox. With a revision, also keep it as a curated answer."""
        ...

    async def keep(
        self, draft_id: int, admin_id: int, revision: Revision, embedded: Embedded
    ) -> CuratedAnswer:
        """Make a curated answer of a reply that was given; if it was made before, that one."""
        ...

    async def rebind(
        self, draft_id: int, admin_id: int, entry: CuratedAnswer, revision: Revision, embedded: Embedded
    ) -> CuratedAnswer:
        """Give the curated answer that a draft became other sources. Refused if it is not the same any more."""
        ...

    async def cancel(self, draft_id: int, user_id: int) -> Draft:
        """Withdraw your own question."""
        ...

    async def close_own(self, user_id: int, question: str, entry_id: int) -> None:
        """A person took an approved answer: their question that waits in these words is closed with a note."""
        ...

    async def close_found(
        self, draft_id: int, answer: str, citations: Sequence[Citation], reason: str
    ) -> Draft | None:
        """The documents answer a question that waits: close it and its repeats with a note, and tell who asked.

        None if somebody decided on it meanwhile.
        """
        ...

    async def propose(self, entry_id: int, editor_id: int, revision: Revision) -> Draft:
        """Put a change of a curated answer into the queue. The approved words are given until it is approved."""
        ...

    async def troubled(self, since: int, limit: int = 5000) -> list[Draft]:
        """Questions that were not answered well: waiting or turned down, the latest first."""
        ...

    async def decided(self, since: int = 0, limit: int = 5000) -> list[Draft]:
        """Drafts that were approved or rejected, in the order in which they were made."""
        ...

    async def tally(self, since: int, until: int) -> DecisionCounts: ...


@dataclass(frozen=True, slots=True)
class BoundAnswer:
    """An answer whose marks number its sources in their order, and the sentences for which nothing was found.

    `lost` are the sentences that a citation bore out when it was quoted, and that the documents no longer say.
    """

    text: str
    sources: Sequence[CuratedSource] = ()
    unsupported: Sequence[str] = ()
    lost: Sequence[str] = ()


class Binder(Protocol):
    """Finds the words in the documents that support an answer."""

    async def bind(
        self,
        answer: str,
        question: str | None,
        citations: Sequence[Citation],
        collections: Sequence[str],
        language: str | None,
        *,
        named: Sequence[Citation] = (),
        renews: str | None = None,
    ) -> BoundAnswer:
        """Check every sentence against what it cites, or else against what a search for it finds.

        A sentence for which nothing is found has the sources that a person `named`: for this text or, without such,
        for the approved one that it `renews`. Where these no longer have its numbers and names, it has none.
        """
        ...
