"""Fixtures for every test: an open base of each backend, and a clock that stands still."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

pytest.register_assert_rewrite("sourcebook.testing.contract")

from sourcebook.assembly import OpenBase, open_base  # noqa: E402 - after the rewriting is switched on
from sourcebook.settings import Settings  # noqa: E402
from sourcebook.testing.fakes import FixedClock  # noqa: E402

BACKENDS = ("sqlite",)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture(params=BACKENDS)
def db(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a fresh base of the backend is made."""
    assert request.param == "sqlite"
    return str(tmp_path / "base.db")


@pytest.fixture
async def base(db: str, clock: FixedClock) -> AsyncGenerator[OpenBase, None]:
    opened = await open_base(Settings(db=db), clock)
    yield opened
    await opened.close()
