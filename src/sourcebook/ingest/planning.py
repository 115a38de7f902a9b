"""What is to be done with a file, given what the base already holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sourcebook.ingest.reading import Raw
    from sourcebook.model.documents import Document


class Step(StrEnum):
    NOTHING = "nothing"
    """The document holds these bytes already, under these labels."""
    RECORD_PATH = "record_path"
    """Another document holds these bytes: it now lies here too."""
    ADD = "add"
    UPDATE = "update"
    """The document holds other bytes, or other labels."""


@dataclass(slots=True)
class KnownDocuments:
    """The documents of a collection, without their text, by id and by hash; kept up to date while files are added."""

    by_id: dict[str, Document] = field(default_factory=dict[str, "Document"])
    owners: dict[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def of(cls, documents: Iterable[Document]) -> KnownDocuments:
        known = cls()
        for document in documents:
            known.put(document)
        return known

    def put(self, document: Document) -> None:
        self.forget(document.id)
        self.by_id[document.id] = replace(document, content="")
        if document.file_hash is not None:
            self.owners[document.file_hash] = document.id

    def forget(self, document_id: str) -> None:
        before = self.by_id.pop(document_id, None)
        if before and before.file_hash and self.owners.get(before.file_hash) == document_id:
            del self.owners[before.file_hash]


def next_step(known: KnownDocuments, raw: Raw) -> Step:
    """What makes the base agree with what was found."""
    present = known.by_id.get(raw.document_id)
    if present is not None and present.file_hash == raw.file_hash:
        return Step.NOTHING if raw.agrees_with(present) else Step.UPDATE
    if raw.file_hash in known.owners:
        return Step.RECORD_PATH
    return Step.ADD if present is None else Step.UPDATE
