"""Documents and the paths where they lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcebook.errors import DocumentNotFound
from sourcebook.model.documents import DocumentPath
from sourcebook.storage.rows import document_from, file_name, normal_or_none

if TYPE_CHECKING:
    from sourcebook.model.documents import Document
    from sourcebook.storage.database import Executor


async def find(executor: Executor, collection_id: str, document_id: str) -> Document | None:
    row = await executor.fetch_one("document_by_id", collection_id=collection_id, document_id=document_id)
    return None if row is None else document_from(row)


async def find_by_hash(executor: Executor, collection_id: str, file_hash: str) -> Document | None:
    row = await executor.fetch_one("document_by_hash", collection_id=collection_id, file_hash=file_hash)
    return None if row is None else document_from(row)


async def list_all(executor: Executor, collection_id: str) -> list[Document]:
    """All documents without their text, by path."""
    return [document_from(row) for row in await executor.fetch("all_documents", collection_id=collection_id)]


async def require(executor: Executor, collection_id: str, document_id: str) -> None:
    row = await executor.fetch_one("document_state", collection_id=collection_id, document_id=document_id)
    if row is None:
        raise DocumentNotFound(f"there is no document {document_id!r} in the collection {collection_id!r}")


async def paths(executor: Executor, collection_id: str, document_id: str) -> list[DocumentPath]:
    rows = await executor.fetch("paths_of_document", collection_id=collection_id, document_id=document_id)
    return [DocumentPath(r["source_id"], r["path"], r["subcategory"], r["mtime"], r["size"]) for r in rows]


async def path_owner(executor: Executor, collection_id: str, source_id: str, path: str) -> str | None:
    row = await executor.fetch_one("path_owner", collection_id=collection_id, source_id=source_id, path=path)
    return None if row is None else row["document_id"]


async def put_path(
    executor: Executor, collection_id: str, document_id: str, path: DocumentPath, now: int
) -> None:
    await executor.execute(
        "put_path",
        collection_id=collection_id,
        source_id=path.source_id,
        path=path.path,
        document_id=document_id,
        subcategory=path.subcategory,
        subcategory_key=normal_or_none(path.subcategory),
        mtime=path.mtime,
        size=path.size,
        now=now,
    )


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
