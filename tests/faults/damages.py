"""What disks do to files, and a base with something to lose."""

from __future__ import annotations

import random
import re
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path
from typing import TypeVar

import apsw
from tests.faults.bases import digest_of, plain_connection

from sourcebook import AsyncSourcebook, RetrievalConfig, RetrievalMode, Settings
from sourcebook.errors import NotFound, StorageError
from sourcebook.testing.crash import prepared_document, word_of
from sourcebook.testing.fakes import FakeEmbedder

T = TypeVar("T")
PAGE = 4096
DOCUMENTS = 40
Damage = Callable[[bytearray, random.Random], None]


def flip_bytes(content: bytearray, chance: random.Random, pages: int = 50) -> None:
    """One bit in each of so many pages."""
    for page in chance.sample(range(len(content) // PAGE), pages):
        content[page * PAGE + chance.randrange(PAGE)] ^= 1 << chance.randrange(8)


def zero_pages(content: bytearray, chance: random.Random, pages: int = 5) -> None:
    for page in chance.sample(range(len(content) // PAGE), pages):
        content[page * PAGE : (page + 1) * PAGE] = bytes(PAGE)


def cut(content: bytearray, chance: random.Random) -> None:
    """The end is gone."""
    del content[chance.randrange(len(content) // 2, len(content)) :]


def break_header(content: bytearray, chance: random.Random) -> None:
    content[:100] = bytes(100)


def flip_a_declaration(content: bytearray, chance: random.Random) -> None:
    """A letter in the texts by which tables are declared, and in what is left of earlier ones on the same pages."""
    letter, bit = chance.randrange(10), 1 << chance.randrange(8)
    for found in re.finditer(rb"constraint", bytes(content)):
        content[found.start() + letter] ^= bit


def spoiled(path: Path, damage: Damage, seed: int) -> None:
    content = bytearray(path.read_bytes())
    damage(content, random.Random(seed))
    for side in ("-wal", "-shm"):
        path.with_name(path.name + side).unlink(missing_ok=True)
    path.write_bytes(content)


def book_at(path: Path) -> AsyncSourcebook:
    """The base with an embedder of its model."""
    return AsyncSourcebook(settings=Settings(db=str(path)), embedder=FakeEmbedder(16, "crash"))


async def make_base(path: Path) -> None:
    """Documents, a person with money and a conversation, and a curated answer."""
    await digest_of(path, dict.fromkeys(range(DOCUMENTS), 0))
    with closing(plain_connection(path, apsw.SQLITE_OPEN_READWRITE)) as connection:
        connection.execute("begin")
        connection.execute("update users set token_balance = 300 where id = 1")
        for number in range(300):
            connection.execute(
                "insert into token_transactions (user_id, amount, operation_type, description, idempotency_key,"
                " created_at) values (1, 1, 'admin_credit', ?, ?, 0)",
                ("a gift of one token " * 5, f"key {number}"),
            )
            connection.execute(
                "insert into knowledge_base (collection_id, category, category_key, question, answer, created_at,"
                " updated_at) values ('default', 'a', 'a', ?, ?, 0, 0)",
                (f"question {number}", "an answer that somebody approved " * 5),
            )
        connection.execute("commit")


def truth() -> dict[str, str]:
    """The texts as they were written."""
    return {d.id: d.content for d in (prepared_document(n).document for n in range(DOCUMENTS))}


async def wrongly_served(path: Path) -> set[str]:
    """The documents of which a text is served that was never written. Only errors of ours may come instead."""
    known, wrong = truth(), set[str]()
    async with _opened(path) as book:
        if book is None:
            return wrong
        for document_id, text in known.items():
            document = await _unless_damaged(partial(book.document, document_id))
            if document is not None and document.status.value == "completed" and document.content != text:
                wrong.add(document_id)
        for mode in RetrievalMode:
            for question in (word_of(3), "mulch orchard", "малина почва"):
                config = RetrievalConfig(mode=mode, top_k=100)
                found = await _unless_damaged(partial(book.search, question, config))
                for result in found or []:
                    chunk = result.chunk
                    text = known.get(chunk.document_id, "")
                    if text[chunk.start_index : chunk.end_index] != chunk.content:
                        wrong.add(chunk.document_id)
        await _unless_damaged(book.documents)
        await _unless_damaged(book.collections)
    return wrong


@asynccontextmanager
async def _opened(path: Path) -> AsyncGenerator[AsyncSourcebook | None]:
    book = book_at(path)
    opened = await _unless_damaged(book.open)
    try:
        yield opened
    finally:
        await book.close()


async def _unless_damaged(call: Callable[[], Awaitable[T]]) -> T | None:
    try:
        return await call()
    except (StorageError, NotFound):
        return None
