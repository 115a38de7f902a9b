"""A file that comes as bytes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sourcebook.errors import UsageError
from sourcebook.ingest.add_request import NO_LABELS, Labels
from sourcebook.ingest.folder.file_names import readable
from sourcebook.text.case_and_accents import storable

if TYPE_CHECKING:
    from sourcebook.model.documents import JsonValue, Metadata

LONGEST_NAME = 1000


@dataclass(frozen=True, slots=True)
class IncomingFile:
    """Bytes with a name, and an id that stays the same if the name changes."""

    name: str
    data: bytes
    id: str | None = None
    title: str | None = None
    metadata: Metadata = field(default_factory=dict[str, "JsonValue"])
    labels: Labels = NO_LABELS

    def path(self) -> str:
        path = readable(self.id or self.name).replace("\x00", "\\x00")
        if not path.strip() or len(path) > LONGEST_NAME or not storable(path):
            raise UsageError(f"A name has 1 to {LONGEST_NAME} characters.")
        return path
