"""S13, S14: secrets are nowhere but where they belong, and no data is ever run."""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.faces.server_desk import PASSWORD, ServerDesk, server_desk

from sourcebook.faces.http.auth.sign_in import COOKIE
from sourcebook.faces.logs import formatter
from sourcebook.settings import Settings

pytestmark = pytest.mark.anyio
SOURCES = sorted((Path(__file__).parents[2] / "src").rglob("*.py"))
RUNS_DATA = re.compile(
    r"\bimport (?:pickle|dill|joblib|marshal|shelve)\b|\byaml\.load\(|(?<![\w.])(?:eval|exec)\("
    r"|trust_remote_code|torch\.load|allow_pickle=True"
)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncGenerator[ServerDesk, None]:
    async with server_desk(str(tmp_path / "base.db"), log_level="debug") as made:
        yield made


async def test_no_secret_is_in_logs_answers_or_figures(
    desk: ServerDesk, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    key, wrong = desk.keys["admin"], "sb_" + "wrongsecret" * 4
    said: list[str] = []

    async def call(method: str, path: str, **more: object) -> None:
        said.append((await client.request(method, path, **more)).text)  # type: ignore[arg-type]

    client = desk.client()
    signed = await client.post("/api/login", json={"login": "admin", "password": PASSWORD})
    token = signed.cookies[COOKIE]
    for body in (
        {"login": "admin", "password": "hunter2hunter2"},
        {"login": "hunter2hunter2", "password": "x"},
        {"login": 5, "password": ["hunter2hunter2"]},
        {"password": "hunter2hunter2"},
    ):
        await call("POST", "/api/login", json=body)
    await call("GET", "/api/me")
    client = desk.client("admin")
    for path in (
        "/api/me",
        "/metrics",
        "/api/health",
        "/api/users",
        "/openapi.json",
        "/api/nothing",
        "/v1/models",
    ):
        await call("GET", path)
    await call("POST", "/api/search", content=b"{")
    await call("POST", "/v1/chat/completions", json={"messages": "x"})
    client = desk.client(wrong)
    await call("GET", "/api/me")
    await call("GET", "/v1/models")
    written = [
        formatter(Settings(log_format=form)).format(r) for r in caplog.records for form in ("text", "json")
    ]
    everything = "\n".join([*said, *written])
    assert len(written) > 5
    for secret in (key, key[11:], wrong, PASSWORD, "hunter2", token):
        assert secret not in everything


async def test_a_new_key_and_a_sign_in_show_no_secret_when_printed(desk: ServerDesk) -> None:
    made = await desk.book.keys.create("program")
    begun = await desk.book.accounts.sign_in("admin", PASSWORD)
    assert made.secret not in repr(made)
    assert begun.token not in repr(begun)


async def test_secrets_have_256_bits_and_are_stored_as_hashes(desk: ServerDesk) -> None:
    secrets = {(await desk.book.keys.create(f"k{n}")).secret for n in range(5)}
    assert len(secrets) == 5
    assert all(len(secret) == 3 + 43 for secret in secrets)
    for secret in secrets:
        assert await desk.book.keys.identify(secret) is not None
        assert await desk.book.keys.identify(secret[:-1]) is None
        assert await desk.book.keys.identify(secret + "x") is None


def test_no_data_is_ever_run() -> None:
    found = [
        f"{path.name}: {line.strip()}"
        for path in SOURCES
        for line in path.read_text("utf-8").splitlines()
        if RUNS_DATA.search(line)
    ]
    assert len(SOURCES) > 300
    assert found == []
    for bad in ("import pickle", "yaml.load(text)", "    eval(text)", "np.load(f, allow_pickle=True)"):
        assert RUNS_DATA.search(bad)
