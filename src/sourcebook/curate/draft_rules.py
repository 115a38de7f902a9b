"""The rules of the review queue: what becomes a draft, who may decide, and what a decision does. Without I/O."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b
from typing import TYPE_CHECKING

from sourcebook.curate.question_groups import question_terms
from sourcebook.errors import AlreadyDecided, AuthError, CuratedAnswerNotFound, UsageError
from sourcebook.model.chat import Tier
from sourcebook.model.moderation import AskedAgain, DraftKind, DraftStatus

if TYPE_CHECKING:
    from sourcebook.model.chat import Answer
    from sourcebook.model.curation import CuratedAnswer
    from sourcebook.model.moderation import Draft

DECIDING_ROLES = frozenset({"admin", "expert"})
_MARK = re.compile(r" \[\d+\]")
FALLBACK_CATEGORY = "general"
"""The category of an answer if none was named or guessed."""


class DraftAnswers(StrEnum):
    """Which answers from documents are put before a person."""

    ALL = "all"
    MODEL = "model"
    UNVERIFIED = "unverified"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class DraftPolicy:
    """Which answers from documents become drafts, and what share of them. Unanswered questions always do."""

    answers: DraftAnswers = DraftAnswers.ALL
    share: float = 1.0


def drafted_as(answer: Answer, policy: DraftPolicy) -> DraftKind | None:
    """The kind of draft that an answer becomes, None if it becomes none."""
    if answer.tier is Tier.CURATED or answer.details.get("outdated"):
        return None  # an outdated approved answer is in review already
    if answer.details.get("filter_warnings"):
        return None  # the filter was mistaken, and what the documents say is not known
    if answer.tier is Tier.NONE:
        return DraftKind.DECLINED
    wanted = {
        DraftAnswers.ALL: True,
        DraftAnswers.MODEL: answer.details.get("model") is not None,
        DraftAnswers.UNVERIFIED: is_weak(answer),
        DraftAnswers.NONE: False,
    }[policy.answers]
    return DraftKind.ANSWER if wanted and _lot(answer.message_id or answer.question) < policy.share else None


def kept_question(draft: Draft, answer: str) -> str:
    """The question as it can be asked again, by anybody: with its conversation, if the answer is about that.

    A short question may be complete by itself. It is not if only the question before it found the answer in the
    documents, or if an expert's answer names what that one was about.
    """
    whole = draft.in_conversation
    if whole is None or draft.details.get("whole_question"):
        return whole or draft.question
    if draft.kind is DraftKind.ANSWER and draft.details.get("searched") == whole:
        return whole
    before = question_terms(whole, draft.language) - question_terms(draft.question, draft.language)
    is_edited = (draft.answer or "").strip() != answer.strip()
    return whole if is_edited and before & question_terms(answer, draft.language) else draft.question


def is_weak(answer: Answer) -> bool:
    """Whether an answer has a sentence that its citations do not support."""
    return answer.tier is Tier.MODEL or any(sentence.is_doubtful for sentence in answer.sentences)


def _lot(name: str) -> float:
    """A random number from 0 to 1, always the same for a name."""
    return int.from_bytes(blake2b(name.encode(), digest_size=7).digest(), "big") / 2**56


def already_decided(draft: Draft, decided_by: str) -> AlreadyDecided:
    if draft.status is DraftStatus.CANCELLED:
        by = f"closed: {draft.reason}" if draft.reason else "withdrawn by the person who asked"
    else:
        by = f"{draft.status} by {decided_by}"
    return AlreadyDecided(
        f"Draft {draft.id} was already {by}", decided_by=decided_by, status=draft.status.value
    )


def require_decider(user_id: int, role: str | None, *, is_blocked: bool) -> None:
    """Only experts and administrators decide."""
    if role not in DECIDING_ROLES or is_blocked:
        raise AuthError(
            f"User {user_id} may not decide on drafts", hint="Only experts and administrators may."
        )


def require_replied(draft: Draft) -> str:
    """The words of a reply that was given to a question."""
    if draft.kind is not DraftKind.DECLINED or draft.status is not DraftStatus.APPROVED or not draft.answer:
        raise UsageError(f"Draft {draft.id} has no reply yet", hint="Answer or approve it instead.")
    return draft.answer


def lost_support(entry: CuratedAnswer, unsupported: Sequence[str]) -> list[str]:
    """The sentences that have lost their source: the approved answer has them with one.

    An answer written by hand has no marks; its sources count for all its sentences.
    """
    said = " ".join(entry.answer.split())
    mark = " [" if _MARK.search(said) else ""
    return [s for s in unsupported if entry.sources and f"{' '.join(s.split())}{mark}" in said]


def lost_quotes(draft: Draft, lost: Sequence[str]) -> list[str]:
    """The sentences of an answer from documents that these no longer say. What its expert wrote is not among them."""
    said = " ".join(_MARK.sub("", draft.answer or "").split())
    return [s for s in lost if draft.kind is DraftKind.ANSWER and " ".join(s.split()) in said]


def asked_again(draft: Draft, still_said: Sequence[bool]) -> AskedAgain | None:
    """What happens when a rejected question is asked again. The rejection holds for the quoted text only.

    `still_said` tells for each quote whether it, or most of its words, are still in the document.
    """
    if draft.kind is not DraftKind.ANSWER or draft.status is not DraftStatus.REJECTED:
        return None
    return AskedAgain.DECLINED if all(still_said) else AskedAgain.FROM_NEW_TEXT


def require_rebindable(entry: CuratedAnswer | None, entry_id: int) -> CuratedAnswer:
    """The entry if it may get further sources. A stale one must be decided on first."""
    if entry is None or not entry.is_active:
        raise CuratedAnswerNotFound(f"There is no curated answer {entry_id}")
    if entry.stale_since is not None:
        raise UsageError(
            f"The curated answer {entry_id} is stale", hint="Decide on its draft, and name the sources there."
        )
    return entry


def require_answerable(draft: Draft) -> None:
    if draft.kind is not DraftKind.DECLINED:
        raise UsageError(
            f"Draft {draft.id} is not a question waiting for an answer", hint="Approve or reject it instead."
        )


def retires_its_entry(draft: Draft, *, is_stale: bool) -> bool:
    """Whether rejecting this draft retires its curated answer.

    It does if the answer is stale and nobody wants to renew it. If somebody only proposed other words, it stays.
    """
    return draft.kind is DraftKind.STALE and is_stale
