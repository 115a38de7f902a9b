"""`sourcebook bot` as a process: what it says without its settings, and how it ends."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from pathlib import Path

import pytest
from tests.faces.shell import Here, clean_environment

from sourcebook.faces.cli.exit_codes import ExitCode
from sourcebook.testing.telegram import TelegramServer

PATIENCE = 400


def test_without_a_token_it_says_what_to_set(tmp_path: Path) -> None:
    done = Here(tmp_path).run("bot", "--json")
    assert done.returncode == ExitCode.USAGE
    assert json.loads(done.stdout)["error"]["message"] == "`telegram_token` is not set."
    wrong = Here(tmp_path).run("bot", SOURCEBOOK_TELEGRAM_TOKEN="nonsense")
    assert wrong.returncode == ExitCode.USAGE
    assert "nonsense" not in wrong.stdout + wrong.stderr


def test_an_address_where_nobody_answers_is_an_error_of_the_provider(tmp_path: Path) -> None:
    done = Here(tmp_path).run(
        "bot",
        SOURCEBOOK_TELEGRAM_TOKEN="42:a-token-for-tests-and-nothing-else-at-all",
        SOURCEBOOK_TELEGRAM_API_BASE="http://127.0.0.1:9",
    )
    assert done.returncode == ExitCode.PROVIDER
    assert "The Bot API cannot be reached" in done.stderr
    assert "a-token-for-tests" not in done.stderr


@pytest.mark.anyio
@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
async def test_it_answers_and_ends_when_it_is_told_to(tmp_path: Path) -> None:
    async with TelegramServer() as telegram:
        telegram.deliver(telegram.person(7, language="ru").says("/help"))
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "sourcebook", "bot", "--json"),
            cwd=tmp_path,
            env=clean_environment()
            | {
                "SOURCEBOOK_TELEGRAM_TOKEN": telegram.token,
                "SOURCEBOOK_TELEGRAM_API_BASE": telegram.address,
            },
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            async with asyncio.timeout(PATIENCE):
                while not telegram.chats[7] and process.returncode is None:  # noqa: ASYNC110 - it tells nobody
                    await asyncio.sleep(0.02)
            process.send_signal(signal.SIGTERM)
            out, err = await asyncio.wait_for(process.communicate(), PATIENCE)
        finally:
            if process.returncode is None:
                process.kill()
        assert telegram.said(7)[0].strip().startswith("Напишите вопрос")
        assert (process.returncode, json.loads(out)["handled"]) == (0, 1)
        assert "The bot @sourcebook_bot is ready" in err.decode()
        assert telegram.unconfirmed == []
