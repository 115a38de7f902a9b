"""`sourcebook chat`: through a pipe, and at a terminal with somebody who presses Ctrl-C."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from tests.faces.shell import Here, Shell, clean_environment
from tests.faults.chat_servers import ChatServer, chatting, endless, says, status

from sourcebook import Sourcebook

PRUNING = "Everbearing raspberries fruit twice. Prune everbearing raspberries in late autumn."
SOIL = "Blueberries want sour soil. The pH of the soil for blueberries is between 4.0 and 5.0."
QUESTION = "When do I prune everbearing raspberries?"
SECONDS = 200


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    (tmp_path / "data").mkdir()
    with Sourcebook(tmp_path / "data" / "knowledge_base.db") as book:
        book.add_text(PRUNING, id="pruning.md", title="Pruning")
        book.add_text(SOIL, id="soil.md", title="Soil")
    return Here(tmp_path)


def model_at(server: ChatServer) -> dict[str, str]:
    return {"SOURCEBOOK_CHAT_MODEL": "openai:berry", "SOURCEBOOK_CHAT_BASE_URL": f"{server.url}/v1"}


def piped(
    shell: Shell, *lines: str, session: str | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "sourcebook", "chat", *(["--session", session] if session else [])],
        cwd=shell.folder,
        env=clean_environment() | variables,
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        encoding="utf-8",
        timeout=SECONDS,
        check=False,
    )


def test_a_chat_answers_line_by_line_and_tells_about_its_last_answer(shell: Shell) -> None:
    done = piped(shell, "/sources", QUESTION, "", "And why?", "/sources", "/why", "/help", "/new", "/sources")
    assert done.returncode == 0, done.stderr
    assert "in late autumn. [1]" in done.stdout
    assert [line for line in done.stdout.splitlines() if line.startswith("> ")] == [
        "> /sources",
        f"> {QUESTION}",
        "> And why?",
        "> /sources",
        "> /why",
        "> /help",
        "> /new",
        "> /sources",
    ]
    assert (
        done.stdout.index(f"> {QUESTION}")
        < done.stdout.index("in late autumn. [1]")
        < done.stdout.index("> And")
    )
    assert "Prune everbearing raspberries in late autumn.”" in done.stdout
    assert f"Searched for: {QUESTION} And why?" in done.stdout
    assert "/exit" in done.stderr
    assert done.stderr.count("There is no answer with sources yet.") == 1
    assert "Started a new conversation.\nThere is no answer in the new conversation yet." in done.stderr
    (session,) = shell.json("sessions", "list")["sessions"]
    assert (session["message_count"], session["face"]) == (4, "cli")


def test_a_decline_is_said_to_have_no_sources(shell: Shell) -> None:
    done = piped(shell, QUESTION, "/new", "Who won the chess olympiad of 1987?", "/sources")
    assert done.returncode == 0, done.stderr
    assert "The last answer has no sources." in done.stderr
    assert "no answer with sources yet" not in done.stderr


def test_a_chat_goes_on_with_a_session_and_ends_with_exit(shell: Shell) -> None:
    session = shell.json("ask", QUESTION)["session_id"]
    done = piped(shell, "And why?", "/exit", "What soil do blueberries want?", session=session)
    assert done.stderr == f"Session {session}\n"
    assert "sour" not in done.stdout
    assert shell.json("sessions", "list")["sessions"][0]["message_count"] == 4


def test_help_answers_from_the_manual_in_a_conversation_of_its_own(shell: Shell) -> None:
    done = piped(shell, QUESTION, "/help How do I back up the base?")
    assert done.returncode == 0, done.stderr
    assert "sourcebook backup backups/monday" in done.stdout
    assert "[1] " in done.stdout.partition("sourcebook backup")[2]
    assert "manual/" in done.stdout
    titles = {session["title"] for session in shell.json("sessions", "list")["sessions"]}
    assert titles == {QUESTION, "How do I back up the base?"}


def test_help_explains_words_by_the_glossary_and_tasks_by_the_guides(shell: Shell) -> None:
    asked = ["how do i add a folder", "what does stale mean", "what is a tier", "how do I approve an answer"]
    done = piped(shell, *(f"/help {question}" for question in asked))
    add, stale, tier, approve = re.split(r"^> /help .*$", done.stdout, flags=re.MULTILINE)[1:]
    assert "sourcebook add ~/notes " in add
    assert "a curated answer whose source has changed" in stale
    assert "where an answer came from" in tier
    assert "sourcebook moderate approve 12" in approve
    assert done.stdout.count("manual/glossary.md") == 2


def test_what_makes_no_sense_ends_a_chat_in_a_pipe_with_its_exit_code(shell: Shell) -> None:
    wrong = piped(shell, "/bogus", QUESTION)
    assert (wrong.returncode, wrong.stdout) == (2, "> /bogus\n")
    assert "no command /bogus" in wrong.stderr
    assert shell.json("chat", exit_code=2)["error"]["hint"] == "Use `sourcebook ask --json --session ID`."
    assert shell.run("chat", "--session", "none").returncode == 3
    with chatting(status(401)) as server:
        refused = piped(shell, QUESTION, QUESTION, **model_at(server))
    assert refused.returncode == 6
    assert server.url in refused.stderr
    assert len(server.calls) == 1


class Terminal:
    """A person at a terminal."""

    def __init__(self, process: subprocess.Popen[bytes], screen: int) -> None:
        self.process = process
        self._screen = screen
        self.shown = ""

    def type(self, text: str) -> None:
        os.write(self._screen, text.encode())

    def look(self) -> str:
        """What is shown and was not waited for yet."""
        if select.select([self._screen], [], [], 0.1)[0]:
            with suppress(OSError):
                self.shown += os.read(self._screen, 65536).decode("utf-8", "replace")
        return self.shown

    def wait_for(self, wanted: str) -> None:
        """Until these words are shown. They, and what came before, are then forgotten."""
        until = time.monotonic() + SECONDS
        while wanted not in self.look():
            assert time.monotonic() < until, f"{wanted!r} did not come, but: {self.shown}"
        self.shown = self.shown.partition(wanted)[2]

    def press_ctrl_c(self, worked: Callable[[], bool]) -> None:
        """As a person would: again, if nothing happens. What comes just before a line is read, Python does not see."""
        for _ in range(10):
            self.process.send_signal(signal.SIGINT)
            until = time.monotonic() + 3
            while time.monotonic() < until:
                if worked():
                    return
                time.sleep(0.05)

    def ended(self) -> int:
        return self.process.wait(SECONDS)


@contextmanager
def terminal(shell: Shell, **variables: str) -> Generator[Terminal]:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "sourcebook", "chat"],
        cwd=shell.folder,
        env=clean_environment() | variables | {"TERM": "dumb"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        yield Terminal(process, ours)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        os.close(ours)


def test_ctrl_c_stops_an_answer_and_loses_nothing_else(shell: Shell) -> None:
    answers = endless(), says("Prune everbearing raspberries in late autumn [1].")
    with chatting(*answers) as server, terminal(shell, **model_at(server)) as person:
        person.wait_for("> ")
        person.type(f"{QUESTION}\n")
        person.wait_for("word word")
        person.process.send_signal(signal.SIGINT)
        person.wait_for("Stopped.")
        assert server.left.wait(SECONDS), "the model's request goes on"
        person.wait_for("> ")
        person.type(f"{QUESTION}\n")
        person.wait_for("late autumn [1].")
        person.wait_for("> ")
        person.type("\x04")
        person.wait_for("Session ")
        assert person.ended() == 0
    (session,) = shell.json("sessions", "list")["sessions"]
    assert session["message_count"] == 2


def test_ctrl_c_twice_leaves(shell: Shell) -> None:
    with terminal(shell) as person:
        person.wait_for("> ")
        person.press_ctrl_c(lambda: "Ctrl-C again" in person.look())
        person.wait_for("Ctrl-C again")
        person.wait_for("> ")
        person.press_ctrl_c(lambda: person.process.poll() is not None)
        assert person.ended() == 130


def test_at_a_terminal_an_error_does_not_end_the_chat(shell: Shell) -> None:
    answers = status(401), says("Prune in late autumn [1].")
    with chatting(*answers) as server, terminal(shell, **model_at(server)) as person:
        person.wait_for("> ")
        person.type(f"{QUESTION}\n")
        person.wait_for(f"Error: {server.url}/v1 answered 401")
        person.wait_for("> ")
        person.type(f"{QUESTION}\n")
        person.wait_for("late autumn [1].")
        person.wait_for("> ")
        person.type("/exit\n")
        assert person.ended() == 0
    assert not re.search("Traceback", person.shown)


def test_an_offered_answer_is_taken_in_a_chat(shell: Shell) -> None:
    with Sourcebook(shell.folder / "data" / "knowledge_base.db") as book:
        book.curated.insert("180 pounds.", category="k", question="What is the hotel limit in London?")
    done = piped(shell, "What is the maximum for London hotels?", "/similar 1")
    assert done.returncode == 0, done.stderr
    assert "Approved answer to a similar question: What is the hotel limit in London?\n" in done.stdout
    assert "180 pounds.\n" in done.stdout
    assert "No such answer was offered." in piped(shell, QUESTION, "/similar 2").stderr
