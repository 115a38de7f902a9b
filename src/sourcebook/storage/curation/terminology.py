"""The words that answers should use: the contract of `ports.chat.Terminology`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcebook.errors import UsageError
from sourcebook.model.curation import Term
from sourcebook.storage.argument_checks import require_storable
from sourcebook.text.case_and_accents import normal_form

if TYPE_CHECKING:
    from sourcebook.ports.clock_and_jobs import Clock
    from sourcebook.storage.database import Database, Row


class SqlTerminology:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def get_all_terms(self) -> list[Term]:
        return [_term_from(row) for row in await self._database.fetch("terminology_entries")]

    async def add_term(
        self, term: str, preferred_phrase: str, description: str | None = None, language: str | None = None
    ) -> Term:
        require_storable("the term", term, preferred_phrase, description, language)
        key = normal_form(term)
        if not key or not preferred_phrase.strip():
            raise UsageError("A term needs a word and the phrase to use instead")
        async with self._database.transaction() as transaction:
            row = await transaction.fetch_one(
                "put_terminology",
                term=term.strip(),
                term_key=key,
                preferred_phrase=preferred_phrase.strip(),
                description=description,
                language=language,
                now=self._clock.now(),
            )
        assert row is not None, "an insert returns its row"  # noqa: S101
        return _term_from(row)

    async def delete_term(self, term: str) -> bool:
        return bool(await self._database.execute("delete_terminology", term_key=normal_form(term)))


def _term_from(row: Row) -> Term:
    return Term(
        id=row["id"],
        term=row["term"],
        preferred_phrase=row["preferred_phrase"],
        description=row["description"],
        language=row["language"],
        created_at=row["created_at"],
    )
