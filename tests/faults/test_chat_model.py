"""F13 and F14: a chat model that is late, busy, broken or talks nonsense; and people who leave in the middle."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from pathlib import Path

import anyio
import pytest
from tests.faces.shell import Here
from tests.faults.chat_servers import (
    ChatServer,
    Reply,
    breaks_off,
    chatting,
    endless,
    lines,
    says,
    silent,
    status,
)
from tests.unit.consulting import QUESTION, desk

from sourcebook import Sourcebook
from sourcebook.errors import (
    BadProviderAnswer,
    ProviderBusy,
    ProviderError,
    ProviderRefused,
    ProviderTimeout,
    ProviderUnreachable,
)
from sourcebook.ports.chat import PromptMessage
from sourcebook.providers.chat_generation_options import Writing
from sourcebook.providers.model_server_address import Address
from sourcebook.providers.openai_chat import OpenAIChat
from sourcebook.providers.retries import Patience

pytestmark = pytest.mark.anyio

KEY = "canary-of-the-chat-model"
ASKED = [PromptMessage("system", "Be brief."), PromptMessage("user", "When?")]
PATIENT = Patience(seconds=30, attempts=2, first_wait=0.01)
HASTY = Patience(seconds=0.5, attempts=2, first_wait=0.01)
LONG = 60.0
"""Seconds for which a server is silent that nobody waits for."""
SOON = 40.0
"""Seconds that are ample on a busy machine and far from LONG."""


def model(server: ChatServer, patience: Patience = PATIENT) -> OpenAIChat:
    return OpenAIChat("berry", Address(f"{server.url}/v1", KEY), patience, Writing(most_tokens=60))


async def written(chat: OpenAIChat) -> str:
    try:
        async with aclosing(chat.stream(ASKED)) as pieces:
            return "".join([piece async for piece in pieces])
    finally:
        await chat.close()


async def test_an_answer_comes_as_it_is_written_and_the_request_is_what_servers_know() -> None:
    with chatting(says("In ", "late ", "autumn.")) as server:
        assert await written(model(server)) == "In late autumn."
    (call,) = server.calls
    assert call.headers["authorization"] == f"Bearer {KEY}"
    assert (call.body["model"], call.body["stream"], call.body["max_tokens"]) == ("berry", True, 60)
    assert call.body["messages"][1] == {"role": "user", "content": "When?"}
    assert "tools" not in call.body


FAULTS: dict[str, tuple[Reply, type[ProviderError]]] = {
    "silent": (silent(LONG), ProviderTimeout),
    "silent on the way": (silent(LONG, "In "), ProviderTimeout),
    "busy": (status(429), ProviderBusy),
    "busy for an hour": (status(429, Retry_After="3600"), ProviderBusy),
    "server error": (status(500, "<html>oops</html>"), ProviderBusy),
    "refused": (status(401), ProviderRefused),
    "unknown model": (status(404), ProviderRefused),
    "truncated": (breaks_off("In late "), BadProviderAnswer),
    "truncated at once": (breaks_off(), BadProviderAnswer),
    "not JSON": (lines('{"choices": [{"del'), BadProviderAnswer),
    "no choices": (lines('{"choices": []}', "[DONE]"), BadProviderAnswer),
    "null": (lines("null", "[DONE]"), BadProviderAnswer),
    "a list": (lines("[]", "[DONE]"), BadProviderAnswer),
    "choices of numbers": (lines('{"choices": [1, 2]}', "[DONE]"), BadProviderAnswer),
    "content that is no text": (
        lines('{"choices": [{"delta": {"content": [7]}, "finish_reason": "stop"}]}', "[DONE]"),
        BadProviderAnswer,
    ),
    "nothing written": (says(), BadProviderAnswer),
    "another kind of page": (lines("<html>", kind="text/html"), BadProviderAnswer),
}


@pytest.mark.parametrize(("fault", "error"), FAULTS.values(), ids=FAULTS.keys())
async def test_a_fault_is_an_error_of_its_kind_that_names_the_address_and_what_to_check(
    fault: Reply, error: type[ProviderError]
) -> None:
    with chatting(fault) as server:
        start = time.monotonic()
        with pytest.raises(error) as caught:
            await written(model(server, HASTY if error is ProviderTimeout else PATIENT))
        assert time.monotonic() - start < SOON
        assert f"{server.url}/v1" in caught.value.message
    assert "chat_" in caught.value.hint
    assert "embed" not in caught.value.hint


async def test_a_server_that_is_not_there_is_named() -> None:
    with chatting(says("x")) as server:
        address = server
    with pytest.raises(ProviderUnreachable) as caught:
        await written(model(address))
    assert f"{address.url}/v1" in caught.value.message
    assert "chat_base_url" in caught.value.hint


async def test_what_fails_before_the_first_word_is_tried_again_and_waits_as_it_is_told() -> None:
    with chatting(status(429, Retry_After="0.3"), says("Autumn.")) as server:
        start = time.monotonic()
        assert await written(model(server)) == "Autumn."
        assert time.monotonic() - start >= 0.3
    assert len(server.calls) == 2


def refusal(message: str, param: str = "null") -> Reply:
    return status(400, f'{{"error": {{"message": "{message}", "param": {param}}}}}')


async def test_an_option_that_a_model_refuses_is_left_out_from_then_on() -> None:
    no_limit = "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
    no_choice = "Unsupported value: only the default is allowed."
    with chatting(refusal(no_limit), refusal(no_choice, '"temperature"'), says("Autumn.")) as server:
        chat = model(server, Patience(seconds=30, attempts=1))
        assert await written(chat) == "Autumn."
        assert await written(chat) == "Autumn."
    first, second, third, next_answer = [call.body for call in server.calls]
    assert (first["max_tokens"], first["temperature"]) == (60, 0.0)
    assert "max_tokens" not in second
    assert second["max_completion_tokens"] == third["max_completion_tokens"] == 60
    assert "temperature" in second
    assert "temperature" not in third
    assert next_answer == third


async def test_a_refusal_of_something_else_is_told_at_once() -> None:
    with chatting(refusal("The context is too long.")) as server, pytest.raises(ProviderRefused):
        await written(model(server))
    assert len(server.calls) == 1


async def test_what_fails_after_the_first_word_is_not_tried_again() -> None:
    with chatting(breaks_off("In ")) as server, pytest.raises(BadProviderAnswer):
        await written(model(server))
    assert len(server.calls) == 1


async def test_the_key_of_the_chat_model_is_shown_nowhere(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    for fault in (status(401, f'{{"error": {{"message": "wrong key {KEY}"}}}}'), lines(f'{{"{KEY}": ')):
        with chatting(fault) as server:
            chat = model(server)
            with pytest.raises(ProviderError) as caught:
                await written(chat)
        assert KEY not in str(caught.value.as_dict()) + repr(chat) + str(caught.getrepr(style="native"))
    assert KEY not in caplog.text


# Through the whole of the program


@pytest.mark.parametrize("fault", [breaks_off("Prune "), status(500), silent(LONG, "Prune ")])
async def test_an_answer_that_fails_is_not_stored_and_the_next_one_is(tmp_path: Path, fault: Reply) -> None:
    good = says("Prune everbearing raspberries in late autumn [1].")
    with chatting(fault) as server:
        chat = model(server, Patience(seconds=3, attempts=2, first_wait=0.01))
        async with desk(tmp_path, chat) as at:
            with pytest.raises(ProviderError):
                await at.book.ask(QUESTION)
            assert await at.book.sessions() == []
            server.planned[:] = [good]
            answer = await at.book.ask(QUESTION)
            assert answer.sentences[0].verified
            assert await at.turns() == 2
        await chat.close()


ENDLESS: dict[str, tuple[Reply, Writing, type[ProviderError]]] = {
    "too long": (endless(), Writing(most_seconds=0.3), ProviderTimeout),
    "empty for too long": (endless(piece=""), Writing(most_seconds=0.3), ProviderTimeout),
    "too many characters": (endless(0), Writing(most_characters=500), BadProviderAnswer),
    "too many empty pieces": (endless(0, None), Writing(most_pieces=300), BadProviderAnswer),
}


@pytest.mark.parametrize(("fault", "writing", "error"), ENDLESS.values(), ids=ENDLESS.keys())
async def test_an_answer_that_does_not_end_is_given_up_and_not_asked_for_again(
    fault: Reply, writing: Writing, error: type[ProviderError]
) -> None:
    with chatting(fault) as server:
        chat = OpenAIChat(
            "berry", Address(f"{server.url}/v1", KEY), Patience(seconds=LONG, attempts=3), writing
        )
        with anyio.fail_after(SOON), pytest.raises(error) as caught:
            await written(chat)
        assert "chat_" in caught.value.hint
        await _hung_up(server)
    assert len(server.calls) == 1


async def until(is_so: Callable[[], bool]) -> None:
    for _ in range(int(SOON / 0.02)):
        if is_so():
            return
        await anyio.sleep(0.02)
    raise AssertionError("it did not come to that")


@pytest.fixture
async def tasks() -> AsyncGenerator[None, None]:
    """No task is left behind."""
    before = len(asyncio.all_tasks())
    yield
    await until(lambda: len(asyncio.all_tasks()) <= before)


@pytest.mark.usefixtures("tasks")
@pytest.mark.parametrize(
    "fault", [endless(), silent(LONG, "word "), silent(LONG)], ids=["talks", "pauses", "silent"]
)
async def test_who_leaves_in_the_middle_ends_the_request_soon(tmp_path: Path, fault: Reply) -> None:
    with chatting(fault) as server:
        chat = model(server, Patience(seconds=LONG, attempts=2))
        async with desk(tmp_path, chat) as at:
            asking = asyncio.create_task(at.book.ask(QUESTION))
            await until(lambda: bool(server.calls))
            await anyio.sleep(0.3)
            start = time.monotonic()
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            assert time.monotonic() - start < SOON
            await _hung_up(server)
            assert time.monotonic() - start < SOON
            assert await at.book.sessions() == []
        await chat.close()


async def _hung_up(server: ChatServer) -> None:
    """Until the server's end of the connection is closed by the other side."""
    connection = server.calls[0].handler.connection
    with anyio.fail_after(SOON):
        while not server.left.is_set():
            try:
                connection.setblocking(False)
                if connection.recv(1) == b"":
                    return
            except BlockingIOError:
                await anyio.sleep(0.02)
            except OSError:
                return


def test_a_server_that_is_down_is_exit_code_6_and_a_sentence_that_says_what_to_check(tmp_path: Path) -> None:
    with Sourcebook(tmp_path / "base.db") as book:
        book.add_text("Prune everbearing raspberries in late autumn.", id="pruning")
    shell = Here(tmp_path)
    variables = {
        "SOURCEBOOK_DB": "base.db",
        "SOURCEBOOK_CHAT_MODEL": "openai:berry",
        "SOURCEBOOK_CHAT_BASE_URL": "http://127.0.0.1:9/v1",
        "SOURCEBOOK_CHAT_API_KEY": KEY,
    }
    done = shell.run("ask", QUESTION, **variables)
    assert (done.returncode, done.stdout) == (6, "")
    assert "http://127.0.0.1:9/v1 could not be reached" in done.stderr
    assert "`chat_base_url`" in done.stderr
    assert KEY not in done.stderr
    error = shell.json("ask", QUESTION, exit_code=6, **variables)["error"]
    assert error["code"] == "provider_unreachable"
    assert shell.json("sessions", "list", exit_code=0, **variables) == {"sessions": []}
