"""The two layouts that can be imported, and how they are recognised."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from sourcebook.errors import UsageError

Values: TypeAlias = Mapping[str, Any]

NUMBER = "row_number"
"""The column that every row has beside its own: its place in the order in which the rows were made."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The tables of a layout with the columns that are read of them."""

    name: str
    tables: Mapping[str, Sequence[str]]


CHATS = Layout(
    "a file with documents and chats",
    {
        "documents": ("id", "file_path", "title", "content", "indexed_at", "chunk_count"),
        "document_chunks": (
            *("id", "document_id", "chunk_index", "content", "start_index", "end_index", "token_count"),
            *("embedding", "created_at"),
        ),
        "chat_sessions": ("id", "title", "created_at", "updated_at"),
        "chat_messages": ("id", "session_id", "role", "content", "citations", "created_at"),
    },
)

BOT = Layout(
    "the database of a bot",
    {
        "users": (
            *("id", "telegram_user_id", "username", "first_name", "last_name", "token_balance"),
            *("created_at", "updated_at"),
        ),
        "topics": ("id", "user_id", "session_id", "status", "culture", "created_at", "updated_at"),
        "messages": (
            *("id", "user_id", "direction", "text", "session_id", "topic_id", "meta", "created_at"),
        ),
        "token_transactions": ("id", "user_id", "amount", "operation_type", "description", "created_at"),
        "knowledge_base": (
            *("id", "category", "subcategory", "question", "answer", "source_type", "embedding"),
            *("is_active", "created_at", "updated_at"),
        ),
        "moderation_queue": (
            *("id", "user_id", "topic_id", "question", "answer", "category_guess", "status", "admin_id"),
            *("kb_id", "created_at", "updated_at"),
        ),
        "documents": (
            *("id", "filename", "file_path", "file_hash", "file_size_bytes", "category", "subcategory"),
            *(
                "uploaded_at",
                "processing_status",
                "processing_error",
                "total_chunks",
                "is_active",
                "created_at",
            ),
        ),
        "document_chunks": (
            *("id", "document_id", "chunk_index", "chunk_text", "chunk_size", "page_number", "embedding"),
            *("category", "subcategory", "is_active", "created_at"),
        ),
        "terminology": ("id", "term", "preferred_phrase", "description", "created_at"),
    },
)


class OldBase(Protocol):
    """A base of another program at one moment, read by name: times are Unix seconds, vectors and JSON are text."""

    async def columns(self) -> dict[str, set[str]]:
        """Its tables, each with its columns."""
        ...

    async def count(self, table: str) -> int: ...

    async def last(self, table: str) -> int:
        """The highest number of a row; 0 if there is none."""
        ...

    async def page(self, table: str, columns: Sequence[str], after: int, limit: int) -> list[Values]:
        """The rows behind this number, in their order, each with its number."""
        ...

    async def belonging(
        self, table: str, columns: Sequence[str], owner: str, ids: Sequence[object]
    ) -> list[Values]:
        """The rows whose column `owner` is one of these, in their order."""
        ...

    async def sizes(self, table: str) -> dict[int, int]:
        """How many vectors of each size there are. What is no list of numbers has the size 0."""
        ...


def recognised(found: Mapping[str, Collection[str]]) -> Layout:
    """The layout that these tables have, or an error that says what is missing."""
    if "schema_migrations" in found and "base_info" in found:
        raise UsageError(
            "This is already a Sourcebook base", hint="Copy it with `sourcebook copy SRC DST` instead."
        )
    layout = BOT if "users" in found or "knowledge_base" in found else CHATS
    missing = [
        f"{table}.{column}"
        for table, columns in layout.tables.items()
        for column in columns
        if column not in found.get(table, ())
    ]
    if missing:
        several = f" and {len(missing) - 1} more columns" if len(missing) > 1 else ""
        raise UsageError(
            f"This is not {layout.name}: {missing[0]} is missing{several}",
            hint="The layouts that can be imported are in docs/reference/schema.md.",
        )
    return layout
