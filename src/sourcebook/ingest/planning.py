"""What is to be done with a file, given what the base already holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sourcebook.model.documents import Document


class Step(StrEnum):
    NOTHING = "nothing"
    """The document holds these bytes already."""
    RECORD_PATH = "record_path"
    """Another document holds these bytes: it now lies here too."""
    ADD = "add"
    UPDATE = "update"


@dataclass(frozen=True, slots=True)
class KnownDocument:
    file_hash: str | None
    is_active: bool = True


@dataclass(slots=True)
class KnownDocuments:
    """The documents of a collection by id and by hash, kept up to date while files are added."""

    by_id: dict[str, KnownDocument] = field(default_factory=dict[str, KnownDocument])
    owners: dict[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def of(cls, documents: Iterable[Document]) -> KnownDocuments:
        known = cls()
        for document in documents:
            known.put(document.id, KnownDocument(document.file_hash, document.is_active))
        return known

    def put(self, document_id: str, known: KnownDocument) -> None:
        self.forget(document_id)
        self.by_id[document_id] = known
        if known.file_hash is not None:
            self.owners[known.file_hash] = document_id

    def forget(self, document_id: str) -> None:
        before = self.by_id.pop(document_id, None)
        if before and before.file_hash and self.owners.get(before.file_hash) == document_id:
            del self.owners[before.file_hash]


def next_step(known: KnownDocuments, document_id: str, file_hash: str) -> Step:
    """What makes the base agree with a file of this hash."""
    present = known.by_id.get(document_id)
    if present is not None and present.file_hash == file_hash:
        return Step.NOTHING
    if file_hash in known.owners:
        return Step.RECORD_PATH
    return Step.ADD if present is None else Step.UPDATE
