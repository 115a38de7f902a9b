"""Other wordings of curated questions: confirmed by askers, decided by experts, matched like the first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcebook.curate.draft_rules import DECIDING_ROLES
from sourcebook.errors import ActiveModelChanged, CuratedAnswerNotFound, UsageError, WordingNotFound
from sourcebook.model.curation import Wording, WordingStatus
from sourcebook.storage.argument_checks import require_storable
from sourcebook.storage.curation.curated_rows import encoded_question, read_entries, wording_from
from sourcebook.storage.curation.draft_decisions import close_answered_by, require_decider_row
from sourcebook.storage.index import collections, vector_encoding
from sourcebook.text.analysis import words

if TYPE_CHECKING:
    from sourcebook.model.curation import CuratedAnswer
    from sourcebook.ports.moderation import Embedded
    from sourcebook.storage.database import Executor

PEOPLE_TO_CONFIRM = 2
"""How many people must confirm that a wording asks the same before it is matched without an expert."""


def question_key(question: str) -> str:
    """What two wordings have in common that differ only in case, white space and punctuation."""
    return " ".join(words(question))


async def confirm(
    transaction: Executor, entry_id: int, question: str, user_id: int, embedded: Embedded, now: int
) -> Wording | None:
    """A person says that this question asks what the entry answers. None if it is the entry's own question.

    Who may decide on answers has decided with that, but does not undo what another expert rejected.
    """
    wording = await _put(transaction, entry_id, question, embedded, now)
    if wording is None:
        return None
    await transaction.execute("insert_confirmation", wording_id=wording.id, user_id=user_id, now=now)
    if wording.status in (WordingStatus.PROPOSED, WordingStatus.CONFIRMED) and await _may_decide(
        transaction, user_id
    ):
        await _set_status(transaction, wording.id, WordingStatus.ACCEPTED, user_id, now)
    else:
        await transaction.execute("confirm_wording", wording_id=wording.id, enough=PEOPLE_TO_CONFIRM)
    return await require(transaction, wording.id)


async def add(
    transaction: Executor, entry_id: int, question: str, admin_id: int, embedded: Embedded, now: int
) -> Wording | None:
    """An expert adds a wording, even one that was rejected before. None if it is the entry's own question."""
    await require_decider_row(transaction, admin_id)
    wording = await _put(transaction, entry_id, question, embedded, now)
    if wording is None:
        return None
    return await decide(transaction, wording.id, admin_id, WordingStatus.ACCEPTED, now)


async def decide(
    transaction: Executor, wording_id: int, admin_id: int, status: WordingStatus, now: int
) -> Wording:
    await require_decider_row(transaction, admin_id)
    await require(transaction, wording_id)
    await _set_status(transaction, wording_id, status, admin_id, now)
    decided = await require(transaction, wording_id)
    if status is WordingStatus.ACCEPTED:
        entry = await _entry(transaction, decided.entry_id)
        await close_answered_by(transaction, entry, decided.question, admin_id, now)
    return decided


async def require(executor: Executor, wording_id: int) -> Wording:
    row = await executor.fetch_one("wording_by_id", wording_id=wording_id)
    if row is None:
        raise WordingNotFound(f"There is no wording {wording_id}")
    return wording_from(row)


async def _put(
    transaction: Executor, entry_id: int, question: str, embedded: Embedded, now: int
) -> Wording | None:
    """The wording with its vector, made if it is new."""
    require_storable("the wording", question)
    key, said = question_key(question), " ".join(question.split())
    if not key:
        raise UsageError("The wording is empty", hint="Write a question.")
    entry = await _entry(transaction, entry_id)
    if entry.question is not None and question_key(entry.question) == key:
        return None
    stored = await collections.require(transaction, entry.collection_id)
    if stored.collection.model != embedded.model:
        raise ActiveModelChanged(f"The model of the collection {entry.collection_id!r} has changed")
    await transaction.execute(
        "insert_wording",
        entry_id=entry_id,
        question=said,
        question_key=key,
        status=WordingStatus.PROPOSED.value,
        now=now,
    )
    row = await transaction.fetch_one("wording_of_question", entry_id=entry_id, question_key=key)
    assert row is not None, "it was there, or was made"  # noqa: S101
    vector = vector_encoding.checked(embedded.vector, stored.collection.embedding_dimensions, "the wording")
    await transaction.execute(
        "insert_wording_vector",
        wording_id=row["id"],
        model_id=stored.model_id,
        vector=encoded_question(vector),
    )
    return wording_from(row)


async def _entry(transaction: Executor, entry_id: int) -> CuratedAnswer:
    found = await read_entries(transaction, [entry_id])
    if not found:
        raise CuratedAnswerNotFound(f"There is no curated answer {entry_id}")
    return found[0]


async def _set_status(
    transaction: Executor, wording_id: int, status: WordingStatus, admin_id: int, now: int
) -> None:
    await transaction.execute(
        "decide_wording", wording_id=wording_id, status=status.value, admin_id=admin_id, now=now
    )


async def _may_decide(transaction: Executor, user_id: int) -> bool:
    who = await transaction.fetch_one("decider", user_id=user_id)
    return who is not None and who["role"] in DECIDING_ROLES and not who["is_blocked"]
