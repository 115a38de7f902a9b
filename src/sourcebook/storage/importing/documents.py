"""Documents of another layout as documents of ours: the thinking, without a base."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from sourcebook.errors import UsageError
from sourcebook.ingest.folder.type_rules import TypeRule, type_of
from sourcebook.model.documents import Chunk, Document, DocumentStatus
from sourcebook.storage.importing.texts import Placed, joined, located
from sourcebook.storage.index.document_tracker import content_hash
from sourcebook.text.languages import detect_language

if TYPE_CHECKING:
    from sourcebook.model.documents import JsonValue
    from sourcebook.storage.importing.layouts import Values

# A time far beyond any that seconds could mean is one in thousandths.
_THOUSANDTHS = 100_000_000_000


@dataclass(frozen=True, slots=True)
class OldDocument:
    """A document with its chunks, their vectors as text, and its times."""

    document: Document
    chunks: Sequence[Chunk]
    embeddings: Sequence[str]
    indexed_at: int
    created_at: int
    uploaded_at: int | None = None
    hidden: int = 0
    """Chunks that were hidden one by one, and are left out."""
    added: int = 0
    """Chunks that did not stand in the text, and were written behind it."""

    def under(self, prefix: str) -> OldDocument:
        """The same under other ids."""
        name = f"{prefix}-{self.document.id}"
        return replace(
            self,
            document=replace(self.document, id=name),
            chunks=[replace(c, id=f"{prefix}-{c.id}", document_id=name) for c in self.chunks],
        )


def of_chats(row: Values, chunks: Sequence[Values], rules: Sequence[TypeRule]) -> OldDocument:
    text, identity = str(row["content"]), str(row["id"])
    ordered = sorted(chunks, key=lambda c: c["chunk_index"])
    placed = located(text, [(c["content"], c["start_index"]) for c in ordered])
    path, indexed_at = str(row["file_path"]), seconds(row["indexed_at"])
    return OldDocument(
        document=Document(
            id=identity,
            content=placed.text,
            title=row["title"],
            file_path=path,
            file_hash=content_hash(placed.text),
            type=type_of(PurePosixPath("/") / path.replace("\\", "/"), rules),
            language=detect_language(placed.text),
        ),
        chunks=[
            replace(chunk, token_count=row["token_count"] or 0)
            for row, chunk in zip(ordered, _chunks(identity, ordered, "content", placed), strict=True)
        ],
        embeddings=[c["embedding"] for c in ordered],
        indexed_at=indexed_at,
        created_at=indexed_at,
        added=placed.added,
    )


def of_bot(row: Values, chunks: Sequence[Values], rules: Sequence[TypeRule]) -> OldDocument:
    """Its text was not kept, so it is put together from the chunks, which overlap."""
    identity, path = str(row["id"]), str(row["file_path"])
    is_active = of_bot_is_active(row)
    shown = [c for c in chunks if of_bot_is_active(c) or not is_active]
    ordered = sorted(shown, key=lambda c: (c["chunk_index"], c["id"]))
    placed = joined([c["chunk_text"] for c in ordered])
    created_at = seconds(row["created_at"])
    return OldDocument(
        document=Document(
            id=identity,
            content=placed.text,
            file_path=path,
            file_hash=str(row["file_hash"]).lower(),
            file_size_bytes=row["file_size_bytes"],
            type=type_of(PurePosixPath("/") / path.replace("\\", "/"), rules),
            category=row["category"],
            subcategory=row["subcategory"],
            language=detect_language(placed.text),
            status=_status(row["processing_status"] or "pending", identity),
            processing_error=row["processing_error"],
            is_active=is_active,
        ),
        chunks=[
            replace(chunk, page=old["page_number"], metadata=_own_labels(old, row))
            for old, chunk in zip(ordered, _chunks(identity, ordered, "chunk_text", placed), strict=True)
        ],
        embeddings=[c["embedding"] for c in ordered],
        indexed_at=created_at,
        created_at=created_at,
        uploaded_at=seconds(row["uploaded_at"]),
        hidden=len(chunks) - len(shown),
    )


def of_bot_is_active(row: Values) -> bool:
    """Whether a bot shows the row: it asks for those that are active, and so not for those that say nothing."""
    return bool(row["is_active"])


def seconds(value: int | None) -> int:
    """A time in Unix seconds; one that is not known is the beginning of time."""
    if value is None:
        return 0
    return value // 1000 if value > _THOUSANDTHS else value


def _chunks(document_id: str, rows: Sequence[Values], text: str, placed: Placed) -> list[Chunk]:
    return [
        Chunk(
            id=str(row["id"]),
            document_id=document_id,
            content=row[text],
            chunk_index=row["chunk_index"],
            start_index=start,
            end_index=end,
            created_at=seconds(row["created_at"]),
        )
        for row, (start, end) in zip(rows, placed.spans, strict=True)
    ]


def _own_labels(chunk: Values, document: Values) -> dict[str, JsonValue]:
    """What a chunk says otherwise than its document: a filter asks the chunk first."""
    labels = ("category", "subcategory")
    return {name: chunk[name] for name in labels if chunk[name] not in (None, document[name])}


def _status(value: str, identity: str) -> DocumentStatus:
    try:
        return DocumentStatus(value)
    except ValueError as error:
        raise UsageError(f"The document {identity} has the status {value!r}, which is not known") from error
