"""Values that can be taken over. They are looked at before anything is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sourcebook.errors import UsageError
from sourcebook.model.curation import SourceType
from sourcebook.model.documents import DocumentStatus
from sourcebook.storage.importing.layouts import BOT, NUMBER

if TYPE_CHECKING:
    from sourcebook.storage.importing.layouts import Layout, OldBase

ROLES = {"incoming": "USER", "outgoing": "ASSISTANT"}
"""The directions of messages, and whose they are."""
TOPIC_STATUSES = ("open", "closed")
DRAFT_STATUSES = ("pending", "approved", "rejected")

_PAGE = 5_000
# What each column may hold; nothing at all, where its table says what that means.
_OF_BOT: tuple[tuple[str, str, Sequence[str | None]], ...] = (
    ("documents", "processing_status", (*(status.value for status in DocumentStatus), None)),
    ("topics", "status", (*TOPIC_STATUSES, None)),
    ("messages", "direction", tuple(ROLES)),
    ("knowledge_base", "source_type", (*(kind.value for kind in SourceType), None)),
    ("moderation_queue", "status", (*DRAFT_STATUSES, None)),
)
_OF_CHATS: tuple[tuple[str, str, Sequence[str | None]], ...] = (
    ("chat_messages", "role", ("USER", "ASSISTANT")),
)


async def require_known_values(old: OldBase, layout: Layout) -> None:
    """Refuse a base with a value that nothing here stands for, and name the rows."""
    for table, column, known in _OF_BOT if layout is BOT else _OF_CHATS:
        strange = [
            f"{row['id']} ({row[column]!r})"
            for row in await _all(old, table, column)
            if (row[column] or None) not in known
        ]
        if strange:
            some = ", ".join(strange[:5]) + (f" and {len(strange) - 5} more" if len(strange) > 5 else "")
            raise UsageError(
                f"{table}.{column} holds what is not known, in {some}",
                hint=f"It is one of {', '.join(value for value in known if value)}. Correct it there and import "
                "again; nothing was imported.",
            )


async def _all(old: OldBase, table: str, column: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    after = 0
    while rows := await old.page(table, ("id", column), after, _PAGE):
        after = rows[-1][NUMBER]
        found += [{"id": row["id"], column: row[column]} for row in rows]
    return found
