"""Documents and the paths where they lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sourcebook.errors import DocumentNotFound
from sourcebook.model.documents import DocumentPath, DocumentStatus
from sourcebook.storage.argument_checks import metadata_text
from sourcebook.storage.rows import document_from, file_name, normal_or_none, with_refused

if TYPE_CHECKING:
    from sourcebook.model.documents import Document, DocumentListing, Metadata
    from sourcebook.model.sources import Labelling, PathState, Refusal
    from sourcebook.storage.database import Executor, Row


async def find(executor: Executor, collection_id: str, document_id: str) -> Document | None:
    row = await executor.fetch_one("document_by_id", collection_id=collection_id, document_id=document_id)
    return None if row is None else document_from(row)


async def find_by_hash(executor: Executor, collection_id: str, file_hash: str) -> Document | None:
    row = await executor.fetch_one("document_by_hash", collection_id=collection_id, file_hash=file_hash)
    return None if row is None else document_from(row)


async def list_all(executor: Executor, collection_id: str) -> list[Document]:
    """All documents without their text, by path."""
    return [document_from(row) for row in await executor.fetch("all_documents", collection_id=collection_id)]


async def list_part(
    executor: Executor, collection_id: str, listing: DocumentListing, after: tuple[str, str], limit: int
) -> list[Document]:
    """The next documents behind the one with this path and id, without their text. `text` is not looked at."""
    rows = await executor.fetch(
        "part_of_documents",
        collection_id=collection_id,
        after_path=after[0],
        after_id=after[1],
        status=None if listing.status is None else listing.status.value,
        category_key=normal_or_none(listing.category),
        subcategory_key=normal_or_none(listing.subcategory),
        type=listing.type,
        language=listing.language,
        active=None if listing.is_active is None else int(listing.is_active),
        limit=limit,
    )
    return [document_from(row) for row in rows]


async def heads(executor: Executor, collection_id: str, document_ids: Sequence[str]) -> list[Document]:
    """Those of the documents that exist, without their text."""
    rows = await executor.fetch(
        "document_heads", collection_id=collection_id, document_ids=list(document_ids)
    )
    return [document_from(row) for row in rows]


async def require(executor: Executor, collection_id: str, document_id: str) -> None:
    row = await executor.fetch_one("document_state", collection_id=collection_id, document_id=document_id)
    if row is None:
        raise DocumentNotFound(f"There is no document {document_id!r} in the collection {collection_id!r}")


async def paths(executor: Executor, collection_id: str, document_id: str) -> list[DocumentPath]:
    rows = await executor.fetch("paths_of_document", collection_id=collection_id, document_id=document_id)
    return [path_from(row) for row in rows]


def path_from(row: Row) -> DocumentPath:
    return DocumentPath(row["source_id"], row["path"], row["subcategory"], row["mtime"], row["size"])


async def path_owner(executor: Executor, collection_id: str, source_id: str, path: str) -> str | None:
    row = await executor.fetch_one("path_owner", collection_id=collection_id, source_id=source_id, path=path)
    return None if row is None else row["document_id"]


async def put_path(
    executor: Executor, collection_id: str, document_id: str, path: DocumentPath, now: int
) -> None:
    await executor.execute("put_path", **path_row(collection_id, document_id, path, now))


def path_row(collection_id: str, document_id: str, path: DocumentPath, now: int) -> dict[str, object]:
    return {
        "collection_id": collection_id,
        "source_id": path.source_id,
        "path": path.path,
        "document_id": document_id,
        "subcategory": path.subcategory,
        "subcategory_key": normal_or_none(path.subcategory),
        "mtime": path.mtime,
        "size": path.size,
        "now": now if path.seen_at is None else path.seen_at,
    }


async def delete_path(executor: Executor, collection_id: str, source_id: str, path: str) -> None:
    await executor.execute("delete_path", collection_id=collection_id, source_id=source_id, path=path)


async def relocate(
    executor: Executor, collection_id: str, document_id: str, path: DocumentPath, file_path: str, now: int
) -> None:
    """Show the document as lying at this path, with what the path says of it."""
    await executor.execute(
        "relocate_document",
        collection_id=collection_id,
        document_id=document_id,
        file_path=file_path,
        filename=file_name(file_path),
        subcategory=path.subcategory,
        subcategory_key=normal_or_none(path.subcategory),
        mtime=path.mtime,
        now=now,
    )


async def delete_unseen_path(
    executor: Executor, collection_id: str, source_id: str, known: PathState
) -> bool:
    """Delete a path unless it was seen, or taken by another document, since it was known so."""
    changed = await executor.execute(
        "leave_path_unseen_since",
        collection_id=collection_id,
        source_id=source_id,
        path=known.path,
        document_id=known.document_id,
        seen_at=known.seen_at,
    )
    return changed == 1


async def refuse(
    executor: Executor, collection_id: str, document: Document, refusal: Refusal, now: int
) -> None:
    """Say of the document that its newest bytes cannot be read."""
    layout = with_refused(document.layout, refusal.refused)
    await _put_status(executor, collection_id, document, refusal.status, refusal.error, layout, now)


async def accept(executor: Executor, collection_id: str, document: Document, now: int) -> None:
    """Say of the document that its text is that of its file again."""
    layout = with_refused(document.layout, None)
    await _put_status(executor, collection_id, document, DocumentStatus.COMPLETED, None, layout, now)


async def _put_status(
    executor: Executor,
    collection_id: str,
    document: Document,
    status: DocumentStatus,
    error: str | None,
    layout: Metadata,
    now: int,
) -> None:
    await executor.execute(
        "set_status_and_layout",
        collection_id=collection_id,
        document_id=document.id,
        processing_status=status.value,
        processing_error=error,
        layout=metadata_text(layout, f"the layout of document {document.id}"),
        now=now,
    )


async def label(executor: Executor, collection_id: str, labelling: Labelling, now: int) -> None:
    await executor.execute(
        "label_document",
        collection_id=collection_id,
        document_id=labelling.document_id,
        type=labelling.type,
        category=labelling.category,
        category_key=normal_or_none(labelling.category),
        subcategory=labelling.subcategory,
        subcategory_key=normal_or_none(labelling.subcategory),
        now=now,
    )


async def label_paths(executor: Executor, collection_id: str, paths: Sequence[DocumentPath]) -> None:
    await executor.execute_many(
        "label_path",
        (
            {
                "collection_id": collection_id,
                "source_id": path.source_id,
                "path": path.path,
                "subcategory": path.subcategory,
                "subcategory_key": normal_or_none(path.subcategory),
            }
            for path in paths
        ),
    )
