"""Bases of other programs, made from their own tables, come over completely: every row is compared."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests import old_bases
from tests.faces.shell import Shell
from tests.postgres_server import at_database, create_database, drop_database

from sourcebook import AsyncSourcebook
from sourcebook.errors import CollectionConflict, EmbeddingSizeMismatch, UsageError
from sourcebook.model.chat import SourceState
from sourcebook.model.search import RetrievalConfig, RetrievalMode
from sourcebook.settings import Settings
from sourcebook.storage.importing.people import place_key
from sourcebook.storage.postgres import driver
from sourcebook.testing.fakes import FakeEmbedder

if TYPE_CHECKING:
    from sourcebook.model.add_reports import Progress
    from sourcebook.storage.maintenance.base_copy import CopySource

pytestmark = pytest.mark.anyio

# None of its rows says anything of the base itself.
OF_EACH_BASE = {"schema_migrations", "base_info", "postings"}


@asynccontextmanager
async def opened(db: str) -> AsyncGenerator[AsyncSourcebook, None]:
    settings = Settings(db=db, embedder="none", embedding_cache="none")
    async with AsyncSourcebook(settings=settings, embedder=FakeEmbedder()) as book:
        yield book


async def rows_of(book: AsyncSourcebook, table: str) -> list[dict[str, Any]]:
    """All rows of a table of a base, in the order of their keys."""
    return (await contents(book))[table]


async def contents(book: AsyncSourcebook) -> dict[str, list[dict[str, Any]]]:
    from sourcebook.assembly import copy_end

    async with copy_end(book._opened().database) as end:  # pyright: ignore[reportPrivateUsage]
        return {shape.name: await _whole(end, shape) for shape in await end.shapes()}


async def _whole(end: CopySource, shape: Any) -> list[dict[str, Any]]:
    return [] if shape.name in OF_EACH_BASE else await end.page(shape, None, 1_000_000)


def cosine(blob: bytes, text: str) -> float:
    one, other = np.frombuffer(blob, "<f2").astype(float), np.array(json.loads(text))
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


class TestChats:
    @pytest.fixture
    def old(self, tmp_path: Path) -> Path:
        old_bases.chats(tmp_path / "old.db")
        return tmp_path / "old.db"

    async def test_every_row_comes_over(self, old: Path, db: str) -> None:
        async with opened(db) as book:
            report = await book.import_bundle(old, model="mine")
            there = {
                table: their_rows(old, table) for table in ("documents", "document_chunks", "chat_sessions")
            }
            here = await contents(book)
        assert (report.documents, report.chunks) == (len(there["documents"]), len(there["document_chunks"]))
        assert report.rows == {"chat_messages": 160, "chat_sessions": 20}
        assert report.left_out == {}
        documents = {row["id"]: row for row in here["documents"]}
        for row in there["documents"]:
            same(
                documents[row["id"]], row, "id", "file_path", "title", "content", "indexed_at", "chunk_count"
            )
        assert documents["doc-1"]["type"] == "documentation"
        chunks = {row["id"]: row for row in here["document_chunks"]}
        vectors = {row["chunk_id"]: row["vector"] for row in here["vectors"]}
        for row in there["document_chunks"]:
            found = chunks[row["id"]]
            same(found, row, "id", "document_id", "chunk_index", "content", "token_count", "created_at")
            text = documents[row["document_id"]]["content"]
            assert text[found["start_index"] : found["end_index"]] == row["content"]
            assert cosine(vectors[row["id"]], row["embedding"]) > 0.99999
        sessions = {row["id"]: row for row in here["chat_sessions"]}
        for row in there["chat_sessions"]:
            same(sessions[row["id"]], row, "id", "title", "created_at", "updated_at")

    async def test_chats_keep_their_order_and_their_citations(self, old: Path, db: str) -> None:
        async with opened(db) as book:
            await book.import_bundle(old, model="mine")
            here = {row["id"]: row for row in await rows_of(book, "chat_messages")}
            conversation = await book.session("s-3")
        for row in their_rows(old, "chat_messages"):
            same(here[row["id"]], row, "id", "session_id", "role", "content", "created_at")
            cited, theirs = here[row["id"]]["citations"], row["citations"]
            assert (cited is None) == (theirs is None)
            if theirs is not None:
                keys = ("text", "documentPath", "documentTitle", "chunkId")
                assert [{k: c[k] for k in keys} for c in json.loads(cited)] == json.loads(theirs)
        said = [message.content for message in conversation.messages]
        assert said == [text for turn in range(4) for text in (f"Вопрос {turn}?", f"Ответ {turn}.")]
        assert {c.state for m in conversation.messages for c in m.citations} == {SourceState.CURRENT}

    async def test_imported_again_nothing_changes(self, old: Path, db: str) -> None:
        async with opened(db) as book:
            await book.import_bundle(old, model="mine")
            before = await contents(book)
            report = await book.import_bundle(old, model="mine")
            assert await contents(book) == before
            assert (report.unchanged, report.chunks, report.rows) == (
                6,
                0,
                {"chat_messages": 0, "chat_sessions": 0},
            )

    async def test_without_a_model_everything_is_embedded_again_and_found(self, old: Path, db: str) -> None:
        async with opened(db) as book:
            report = await book.import_bundle(old)
            for mode in RetrievalMode:
                found = await book.search("признак3", RetrievalConfig(mode=mode, top_k=1))
                assert [r.chunk.document_id for r in found] == ["doc-3"], mode
            health = await book.doctor()
        assert report.vectors == report.chunks > 0
        assert {finding.code for finding in health.findings} <= {"model_missing"}

    async def test_vectors_of_several_sizes_are_refused_and_nothing_is_written(
        self, old: Path, db: str
    ) -> None:
        change(old, "update document_chunks set embedding = '[1, 2]' where id = 'doc-2-0'")
        async with opened(db) as book:
            with pytest.raises(EmbeddingSizeMismatch, match="1 of 2"):
                await book.import_bundle(old, model="mine")
            assert await book.collections() == []

    async def test_a_chunk_that_stands_nowhere_is_kept_behind_the_text(self, old: Path, db: str) -> None:
        change(old, "update document_chunks set content = 'нечто иное' where id = 'doc-2-0'")
        async with opened(db) as book:
            report = await book.import_bundle(old, model="mine")
            document = await book.document("doc-2")
            health = await book.doctor()
        assert report.left_out == {"chunks that stood nowhere in their text, now behind it": 1}
        assert document is not None
        assert document.content.endswith("\n\nнечто иное")
        assert {finding.code for finding in health.findings} <= {"model_missing"}

    async def test_other_vectors_than_those_of_the_collection_are_refused(self, old: Path, db: str) -> None:
        async with opened(db) as book:
            await book.add_text("Нечто.", id="note")
            with pytest.raises(CollectionConflict):
                await book.import_bundle(old, model="mine")

    async def test_another_layout_is_said_to_be_none(self, tmp_path: Path, db: str) -> None:
        change(tmp_path / "other.db", "create table notes (id text)")
        old_bases.chats(tmp_path / "less.db")
        change(tmp_path / "less.db", "alter table document_chunks drop column token_count")
        async with opened(db) as book:
            with pytest.raises(UsageError, match=r"documents\.id is missing and 24 more"):
                await book.import_bundle(tmp_path / "other.db")
            with pytest.raises(UsageError, match=r"document_chunks\.token_count is missing\.\n"):
                await book.import_bundle(tmp_path / "less.db")


def their_rows(path: Path, table: str) -> list[dict[str, Any]]:
    base = sqlite3.connect(path)
    base.row_factory = sqlite3.Row
    try:
        return [dict(row) for row in base.execute(f"select * from {table}")]  # noqa: S608
    finally:
        base.close()


def change(path: Path, statement: str) -> None:
    base = sqlite3.connect(path)
    base.execute(statement)
    base.commit()
    base.close()


def same(here: dict[str, Any], there: dict[str, Any], *columns: str) -> None:
    assert {c: here[c] for c in columns} == {c: there[c] for c in columns}


@pytest.fixture(scope="module")
def old_bot(postgres_address: str) -> Iterator[str]:
    """The whole of a bot's database."""
    yield from made(postgres_address, "sourcebook_old_bot", old_bases.BotRows())


@pytest.fixture
def small(postgres_address: str) -> Iterator[str]:
    """One that a test may change."""
    yield from made(postgres_address, "sourcebook_small_bot", old_bases.BotRows(4, 12, 60, 6, 6, 3, 2))


@pytest.fixture
def second(postgres_address: str) -> Iterator[str]:
    """The database of another bot."""
    yield from made(postgres_address, "sourcebook_second_bot", old_bases.BotRows(3, 6, 20, 4, 3, 4, 3))


def made(server: str, name: str, rows: old_bases.BotRows) -> Iterator[str]:
    drop_database(server, name)
    create_database(server, name)
    old_bases.bot(at_database(server, name), rows)
    yield at_database(server, name)
    drop_database(server, name)


class TestBot:
    async def test_every_row_comes_over(self, old_bot: str, db: str) -> None:
        async with opened(db) as book:
            report = await book.import_bundle(old_bot, model="openai:text-embedding-3-small")
            here = await contents(book)
            health = await book.doctor()
        there = await asked(old_bot)
        assert {finding.code for finding in health.findings} == {"failed_documents"}
        assert report.rows["messages"] == len(there["messages"]) == 10_000
        people(here, there)
        said(here, there)
        money(here, there)
        curated(here, there)
        papers(here, there)
        assert {row["name"] for row in here["models"]} == {"openai:text-embedding-3-small"}

    async def test_imported_again_nothing_changes_and_what_is_new_comes_over(
        self, small: str, db: str
    ) -> None:
        async with opened(db) as book:
            await book.import_bundle(small)
            before = await contents(book)
            report = await book.import_bundle(small)
            assert await contents(book) == before
            assert sum(report.rows.values()) == 0
            await told(
                small,
                "insert into messages (user_id, direction, text, session_id, topic_id) "
                "values (1, 'incoming', 'ещё', 'chat:0', 1)",
            )
            await told(small, "update users set token_balance = token_balance + 3 where id = 2")
            report = await book.import_bundle(small)
            assert {t: n for t, n in report.rows.items() if n} == {"messages": 1, "token_transactions": 1}
            here = await contents(book)
        assert [r["content"] for r in here["chat_messages"] if r["content"] == "ещё"] == ["ещё"]
        money(here, await asked(small))

    async def test_into_a_base_that_has_people_already(self, small: str, db: str) -> None:
        """Who is known by their number in Telegram is the same person; all others get numbers that are free."""
        async with opened(db) as book:
            database = book._opened().database  # pyright: ignore[reportPrivateUsage]
            for number, telegram in ((2, 77), (3, 10_000)):
                await database.execute(
                    "import_user", user_id=number, telegram_user_id=telegram, username=None, first_name="Я",
                    last_name=None, created_at=1, updated_at=1,
                )  # fmt: skip
            await book.import_bundle(small)
            here = await contents(book)
        there = await asked(small)
        telegrams = [row["telegram_user_id"] for row in here["users"] if row["telegram_user_id"]]
        assert sorted(telegrams) == [77, 10_000, 10_001, 10_002, 10_003]
        assert next(r["id"] for r in here["users"] if r["telegram_user_id"] == 10_000) == 3
        money(here, there)
        said(here, there)

    async def test_a_second_bot_does_not_take_the_place_of_the_first(
        self, small: str, second: str, db: str
    ) -> None:
        await told(second, "update users set telegram_user_id = telegram_user_id + 500")
        await told(second, "update documents set file_hash = md5(file_hash)")
        await told(second, "update document_chunks set chunk_text = 'другое ' || chunk_text")
        async with opened(db) as book:
            await book.import_bundle(small)
            report = await book.import_bundle(second)
            here = await contents(book)
            health = await book.doctor()
        assert (report.duplicates, report.unchanged) == (0, 0)
        assert len(here["documents"]) == 7
        assert len(here["messages"]) == 80
        assert {finding.code for finding in health.findings} == {"failed_documents"}

    async def test_it_is_found_after_embedding_again(self, small: str, db: str) -> None:
        seen: list[Progress] = []
        async with opened(db) as book:
            await book.import_bundle(small, on_progress=seen.append)
            found = await book.search("признак100", RetrievalConfig(top_k=3))
            curated = await book.kb_search("Когда обрезать сорт 1?", distance_threshold=0.1)
        assert found[0].chunk.document_id == "1"
        assert [match.entry.question for match in curated[:1]] == ["Когда обрезать сорт 1?"]
        assert seen[-1].done == seen[-1].total > 0

    async def test_an_import_that_was_stopped_anywhere_goes_on_when_it_is_run_again(
        self, small: str, db: str
    ) -> None:
        class StoppedError(Exception):
            pass

        async with opened(db) as book:
            for last in (1, 3, 5, 8, 10):
                told_so_far = 0

                def stop_there(progress: Progress, last: int = last) -> None:
                    nonlocal told_so_far
                    told_so_far += 1
                    if told_so_far == last:
                        raise StoppedError

                with pytest.raises(StoppedError):
                    await book.import_bundle(small, on_progress=stop_there)
            await book.import_bundle(small)
            here = await contents(book)
        there = await asked(small)
        people(here, there)
        said(here, there)
        money(here, there)
        papers(here, there)
        assert len(here["knowledge_base"]) == len(there["knowledge_base"])
        assert len(here["moderation_queue"]) == len(there["moderation_queue"])

    async def test_a_row_that_cannot_be_is_named_and_no_person_is_imported(self, small: str, db: str) -> None:
        await told(small, "update messages set direction = 'sideways' where id = 5")
        async with opened(db) as book:
            with pytest.raises(UsageError, match=r"messages.direction .* 5 \('sideways'\)"):
                await book.import_bundle(small)
            assert [row["id"] for row in await rows_of(book, "users")] == [1]
            await told(small, "update messages set direction = 'incoming' where id = 5")
            report = await book.import_bundle(small)
        assert report.rows["messages"] == 60

    async def test_the_command_says_what_came_over(self, small: str, tmp_path: Path, shell: Shell) -> None:
        done = shell.run("--db", str(tmp_path / "new.db"), "import", small, "--model", "mine", "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["rows"]["knowledge_base"] == 6


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


async def asked(address: str) -> dict[str, list[dict[str, Any]]]:
    connection = await driver.connect(address, patience=120, settings={})
    try:
        tables = ("users", "topics", "messages", "token_transactions", "moderation_queue", "terminology")
        found = {t: await connection.fetch(f"select * from {t} order by id") for t in tables}  # noqa: S608
        for table in ("knowledge_base", "documents", "document_chunks"):
            embedding = ", embedding::text as embedding" if table != "documents" else ""
            columns = "*" if table == "documents" else f"to_jsonb(t) - 'embedding' as row{embedding}"
            found[table] = await connection.fetch(f"select {columns} from {table} t order by id")  # noqa: S608
    finally:
        await connection.close()
    return {
        table: [
            {**json.loads(row["row"]), "embedding": row["embedding"]} if "row" in row else dict(row)
            for row in rows
        ]
        for table, rows in found.items()
    }


async def told(address: str, statement: str) -> None:
    connection = await driver.connect(address, patience=120, settings={})
    await connection.execute(statement)
    await connection.close()


Tables = dict[str, list[dict[str, Any]]]


def numbers(here: Tables, there: Tables) -> dict[int, int]:
    """The number of each user here, by the one there."""
    known = {row["telegram_user_id"]: row["id"] for row in here["users"]}
    return {row["id"]: known[row["telegram_user_id"]] for row in there["users"]}


def people(here: Tables, there: Tables) -> None:
    users = {row["telegram_user_id"]: row for row in here["users"]}
    assert len(here["users"]) == len(there["users"]) + 1
    for row in there["users"]:
        same(users[row["telegram_user_id"]], row, "username", "first_name", "last_name", "token_balance")
        assert users[row["telegram_user_id"]]["created_at"] == int(row["created_at"].timestamp())
    mine = numbers(here, there)
    assert len(here["topics"]) == len(there["topics"])
    for found, row in zip(here["topics"], there["topics"], strict=True):
        assert (found["id"], found["user_id"], found["channel_key"]) == (
            row["id"],
            mine[row["user_id"]],
            place_key(row["session_id"]),
        )
        assert found["culture"] == row["culture"]
    last_open = {(r["user_id"], r["session_id"]): r["id"] for r in there["topics"] if r["status"] == "open"}
    assert {r["id"] for r in here["topics"] if r["status"] == "open"} == set(last_open.values())


def said(here: Tables, there: Tables) -> None:
    """Every message is there once, in the history of its topic if it has one, in its order."""
    mine = numbers(here, there)
    history = {row["id"]: row for row in here["chat_messages"]}
    topics = {row["id"]: row["session_id"] for row in here["topics"]}
    places = {row["id"]: row["channel_key"] for row in here["chat_sessions"]}
    assert len(here["messages"]) == len(there["messages"])
    last: dict[str, int] = {}
    for found, row in zip(here["messages"], there["messages"], strict=True):
        words = history.get(found["chat_message_id"])
        assert (found["text"] if words is None else words["content"]) == row["text"]
        assert (words is None) == (row["topic_id"] is None)
        assert (found["user_id"], found["direction"]) == (mine[row["user_id"]], row["direction"])
        assert places[found["session_id"]] == place_key(row["session_id"])
        assert json.loads(found["meta"] or "null") == json.loads(row["meta"] or "null")
        if words is not None:
            assert topics[found["topic_id"]] == words["session_id"] == found["session_id"]
            assert words["role"] == ("USER" if row["direction"] == "incoming" else "ASSISTANT")
            assert words["position"] == last.get(words["session_id"], -1) + 1
            last[words["session_id"]] = words["position"]


def money(here: Tables, there: Tables) -> None:
    """Every transaction is there, and the sum of a user's is the balance."""
    mine = numbers(here, there)
    known = Counter(
        (r["user_id"], r["amount"], r["operation_type"], r["description"]) for r in here["token_transactions"]
    )
    theirs = Counter(
        (mine[r["user_id"]], r["amount"], r["operation_type"], r["description"])
        for r in there["token_transactions"]
    )
    assert theirs <= known
    sums: Counter[int] = Counter()
    for row in here["token_transactions"]:
        sums[row["user_id"]] += row["amount"]
    balances = {row["id"]: row["token_balance"] for row in here["users"]}
    for row in there["users"]:
        assert balances[mine[row["id"]]] == sums[mine[row["id"]]] == row["token_balance"]


def curated(here: Tables, there: Tables) -> None:
    mine = numbers(here, there)
    vectors = {row["knowledge_base_id"]: row["vector"] for row in here["knowledge_base_vectors"]}
    for found, row in zip(here["knowledge_base"], there["knowledge_base"], strict=True):
        same(found, row, "id", "category", "subcategory", "question", "answer", "source_type")
        assert bool(found["is_active"]) is row["is_active"]
        assert found["category_key"] in ("питание_растений", "посадка_и_уход")
        assert cosine(vectors[found["id"]], row["embedding"]) > 0.99999
    answers = {row["id"]: row for row in here["knowledge_base"]}
    for found, row in zip(here["moderation_queue"], there["moderation_queue"], strict=True):
        same(found, row, "id", "question", "answer", "category_guess", "status", "topic_id", "kb_id")
        assert (found["user_id"], found["admin_id"]) == (mine[row["user_id"]], mine.get(row["admin_id"]))
        if row["kb_id"] is not None:
            assert answers[row["kb_id"]]["draft_id"] == found["id"]
            assert answers[row["kb_id"]]["approved_by"] == found["admin_id"]
    for found, row in zip(here["terminology"], there["terminology"], strict=True):
        same(found, row, "term", "preferred_phrase", "description")


def papers(here: Tables, there: Tables) -> None:
    documents = {row["id"]: row for row in here["documents"]}
    for row in there["documents"]:
        found = documents[str(row["id"])]
        same(found, row, "filename", "file_path", "file_hash", "file_size_bytes", "category", "subcategory")
        same(found, row, "processing_status", "processing_error")
        assert (found["chunk_count"], bool(found["is_active"])) == (row["total_chunks"], row["is_active"])
        number = int(row["filename"].removesuffix(".pdf"))
        assert found["content"] == ("" if row["processing_error"] else old_bases.sentences(100 + number, 25))
    chunks = {row["id"]: row for row in here["document_chunks"]}
    vectors = {row["chunk_id"]: row["vector"] for row in here["vectors"]}
    assert len(chunks) == len(there["document_chunks"])
    for row in there["document_chunks"]:
        found = chunks[str(row["id"])]
        assert (found["content"], found["document_id"]) == (row["chunk_text"], str(row["document_id"]))
        assert (found["chunk_index"], found["page_number"]) == (row["chunk_index"], row["page_number"])
        assert found["end_index"] - found["start_index"] == row["chunk_size"]
        assert (
            len(vectors[found["id"]]) != 2 * old_bases.BOT_SIZE
            or cosine(vectors[found["id"]], row["embedding"]) > 0.99999
        )
