"""Where documents come from, and what a base remembers to detect changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from sourcebook.model.documents import DocumentStatus, JsonValue, Metadata

if TYPE_CHECKING:
    from sourcebook.model.documents import DocumentPath


class SourceKind(StrEnum):
    FOLDER = "folder"
    """A folder and everything in it."""
    FILE = "file"
    """Files of a folder that were added one by one."""
    UPLOAD = "upload"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Source:
    """A folder or files that were added. It removes only documents that were last seen under it.

    `options` is what `add` was told, to be used again. Roots of folders never lie inside of each other.
    """

    id: str
    kind: SourceKind
    root: str
    options: Metadata = field(default_factory=dict[str, JsonValue])
    scanned_at: int | None = None

    @property
    def shown(self) -> str:
        """What stands before its paths when people are shown them."""
        shown = self.options.get("shown")
        return shown if isinstance(shown, str) else ""


def shown_path(root: str, path: str) -> str:
    """A path inside a source as people are shown it, behind what the root was called when it was added."""
    return path if root in ("", ".") else f"{root.rstrip('/')}/{path}"


class Absorbed(NamedTuple):
    """A source that becomes a part of another: its paths go on with this in front of them."""

    source_id: str
    prefix: str


class PathState(NamedTuple):
    """A path as it was at the last check."""

    path: str
    document_id: str
    size: int | None
    mtime: int | None
    seen_at: int


class Refused(NamedTuple):
    """Bytes that could not be read, and the parsers that tried."""

    file_hash: str
    parsers: str


class DocumentState(NamedTuple):
    """What is needed to tell whether a document's file changed.

    `file_hash` belongs to the text that is stored. If newer bytes of the file could not be read, they are `refused`,
    and the text goes on to be found. `is_elsewhere`: some path of another source leads to it too.
    """

    id: str
    file_hash: str | None
    status: DocumentStatus = DocumentStatus.COMPLETED
    refused: Refused | None = None
    is_elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class Placement:
    """A document lies at a path, because that is where its bytes are. `file_path` is what people are shown."""

    document_id: str
    file_hash: str
    path: DocumentPath
    file_path: str
    type: str | None = None
    category: str | None = None


@dataclass(frozen=True, slots=True)
class Rearrangement:
    """Documents of a source change their paths, all at once: some come to lie somewhere, some leave a place.

    `seen` are paths where nothing changed but the time of the file.
    """

    source_id: str
    placements: Sequence[Placement] = ()
    left: Sequence[PathState] = ()
    seen: Sequence[PathState] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why the newest version of a document cannot be read. Its old text can still be found."""

    document_id: str
    refused: Refused
    status: DocumentStatus
    error: str
    paths: Sequence[DocumentPath] = ()
    expected_hash: str | None = None


@dataclass(frozen=True, slots=True)
class Labelling:
    """The new category, subcategory and type of a document."""

    document_id: str
    type: str | None
    category: str | None
    subcategory: str | None
