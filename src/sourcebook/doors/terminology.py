"""`book.terminology`: words to avoid, and the phrases to use instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcebook.ports.arguments import checks_arguments

if TYPE_CHECKING:
    from sourcebook.doors.connection import DoorConnection
    from sourcebook.model.curation import Term


@checks_arguments
class TerminologyDoor:
    """Words to avoid, and the phrases to use instead."""

    def __init__(self, connection: DoorConnection) -> None:
        self._connection = connection

    async def all(self) -> list[Term]:
        """The terminology: words to avoid, and the phrases to use instead."""
        return await self._connection.stores.terms.get_all_terms()

    async def add(
        self, term: str, preferred_phrase: str, *, description: str | None = None, language: str | None = None
    ) -> Term:
        """Add a word to avoid and the phrase to use instead, or change the phrase of an existing word."""
        return await self._connection.stores.terms.add_term(term, preferred_phrase, description, language)

    async def remove(self, term: str) -> bool:
        """Remove a word from the terminology. True if it was there."""
        return await self._connection.stores.terms.delete_term(term)
