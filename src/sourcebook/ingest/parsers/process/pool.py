"""Files are parsed in child processes, because files are hostile until they are parsed.

A child has little memory, little time, no network and no other program to start. Whatever a file does to it, only that
file fails. Children are started when they are needed, take one file after the other, and are replaced when they die.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Lock
from typing import IO, TYPE_CHECKING, TypeVar

from anyio import CapacityLimiter, Event, from_thread, move_on_after, to_thread

import sourcebook
from sourcebook.errors import BadFile, FileOverLimit, NeedsOcr, NotOpen, ParserDied
from sourcebook.ingest.parsers.image.ocr import can_read_pictures
from sourcebook.ingest.parsers.parsed_text import PageLinks, ParsedText
from sourcebook.ingest.parsers.process.cpu_timeout import until_it_stops_computing
from sourcebook.ingest.parsers.process.pool_protocol import (
    Members,
    Mode,
    ParserReply,
    ParserRequest,
    Picture,
    Wish,
    read_reply,
    write_request,
)
from sourcebook.ingest.parsers.process.process_limits import ParserLimits

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from sourcebook.ingest.parsers.archive.limits import Member
    from sourcebook.ingest.parsers.page_progress import OnPage, OnText

__all__ = ["ParserLimits", "ParserPool"]

WORTH_WAITING = 1.5
"""Seconds that a file waits for a child that is at work before it gets one of its own: to start one takes a tenth of
that in CPU time, most files are read faster, and an embedder on this machine has enough to do meanwhile."""
PATIENCE = 4
"""A child ends itself when it has computed long enough. One that only waits is killed after so many times that."""

# Where the package lies comes last: it must not hide anything of the standard library.
_START = (
    "import sys; sys.path.append(sys.argv.pop(1)); "
    "from sourcebook.ingest.parsers.process.worker import main; main()"
)
_PACKAGE_HOME = str(Path(sourcebook.__file__).absolute().parents[1])
# What a child may know of the environment: how to run, and nothing secret.
_ENVIRONMENT_NAMES = """
    PATH PYTHONPATH PYTHONHOME LD_LIBRARY_PATH DYLD_LIBRARY_PATH SYSTEMROOT TMPDIR TEMP TMP TESSDATA_PREFIX
"""
_ENVIRONMENT = frozenset(_ENVIRONMENT_NAMES.split())
_DEFAULT_LIMITS = ParserLimits()
Wanted = TypeVar("Wanted", ParsedText, Picture, Members, PageLinks)


class ParserPool:
    """Parses files in child processes with limits of memory and time and without network."""

    def __init__(self, limits: ParserLimits = _DEFAULT_LIMITS, workers: int = 2) -> None:
        self._limits = limits
        self._turns = CapacityLimiter(workers)
        self._threads = CapacityLimiter(workers)
        self._idle: list[_Child] = []
        self._busy: set[_Child] = set()
        self._starting = 0
        self._is_free = Event()
        self._is_closed = False
        self._languages: Sequence[str] = ()

    def expect(self, languages: Sequence[str]) -> None:
        """The languages that the letters in pictures are expected to be in, as `ru`."""
        self._languages = [language for language in languages if language.isalpha()]

    async def parse(self, data: bytes, name: str) -> ParsedText:
        """The text of a file, whose kind its content decides; the name only chooses between kinds of text.

        Raises a BadFile, which says why this file cannot be read. Being cancelled ends the parsing too.
        """
        return await self.parse_by_page(data, name, None)

    async def parse_by_page(
        self, data: bytes, name: str, on_page: OnPage | None, on_text: OnText | None = None
    ) -> ParsedText:
        """The same, telling of pages while they are read, if the file has any and takes its time.

        `on_text` is shown the beginning of a long text while the rest is still read, in a thread of its own.
        """
        request = ParserRequest(name, data)
        async with self._turns:
            reply = await self._answer(request, on_page, on_text)
            if isinstance(reply.outcome, NeedsOcr) and can_read_pictures():
                reply = await self._ask(await self._start(Mode.OCR), request, on_page)
        return _required(reply, ParsedText)

    async def draw(self, data: bytes, page: int, quote: str = "") -> bytes:
        """A page of a PDF, counted from 1, as a PNG on which the quote is marked, where it stands there.

        Raises a BadFile, which says why it cannot be drawn. Being cancelled ends the drawing too.
        """
        async with self._turns:
            reply = await self._answer(ParserRequest(quote, data, page, Wish.PICTURE))
        return _required(reply, Picture).data

    async def parse_archive(self, data: bytes, name: str) -> ParsedText:
        """The names of what is in an archive, as its text."""
        async with self._turns:
            reply = await self._answer(ParserRequest(name, data, wish=Wish.CONTENTS))
        return _required(reply, ParsedText)

    async def members(self, data: bytes, name: str) -> Sequence[Member]:
        """The files that are attached to a letter or packed in an archive. Raises a BadFile like `parse`."""
        async with self._turns:
            reply = await self._answer(ParserRequest(name, data, wish=Wish.MEMBERS))
        return _required(reply, Members).files

    async def links(self, data: bytes, address: str) -> PageLinks:
        """Where the page at this address, or the map of a site, leads. Raises a BadFile like `parse`."""
        async with self._turns:
            reply = await self._answer(ParserRequest(address, data, wish=Wish.LINKS))
        return _required(reply, PageLinks)

    async def close(self) -> None:
        """End every child, also one that is at work; its file then fails as if the child had died."""
        self._is_closed = True
        for child in self._busy:
            child.kill()
        while self._idle:
            self._idle.pop().end()

    async def _answer(
        self, request: ParserRequest, on_page: OnPage | None = None, on_text: OnText | None = None
    ) -> ParserReply:
        if not self._idle and (self._busy or self._starting):
            await self._wait_for_idle()
        if self._idle:
            child = self._idle.pop()
            reply = await self._ask(child, request, on_page, on_text)
            if not isinstance(reply.outcome, ParserDied):
                return reply
            # It may have died of an earlier file, or left because nobody asked: a new one knows only this file.
        return await self._ask(await self._start(Mode.PARSE), request, on_page, on_text)

    async def _wait_for_idle(self) -> None:
        """Wait a little for one of the children that are at work."""
        with move_on_after(WORTH_WAITING):
            while not self._idle and not self._is_closed and (self._busy or self._starting):
                await self._is_free.wait()

    def _tell_free(self) -> None:
        """Wake those who wait for a child, whatever became of the one that they may have waited for."""
        self._is_free.set()
        self._is_free = Event()

    async def _start(self, mode: Mode) -> _Child:
        if self._is_closed:
            raise NotOpen("The parsers are closed.")
        languages = self._languages if mode is Mode.OCR else ()
        start = _Start(self._limits, mode, languages)
        self._starting += 1
        try:
            child = await to_thread.run_sync(start.run, limiter=self._threads)
        except BaseException:
            start.give_up()
            raise
        finally:
            self._starting -= 1
        if self._is_closed:
            # Whoever closed the pool meanwhile did not know of it.
            child.end()
            raise NotOpen("The parsers are closed.")
        return child

    async def _ask(
        self,
        child: _Child,
        request: ParserRequest,
        on_page: OnPage | None = None,
        on_text: OnText | None = None,
    ) -> ParserReply:
        def tell(number: int, count: int) -> None:
            # Nobody may be there any more to be told.
            with suppress(RuntimeError):
                from_thread.run_sync(on_page or _nobody, number, count)

        reply = None
        self._busy.add(child)
        try:
            with child.waited_for():
                reply = await to_thread.run_sync(
                    child.ask,
                    request,
                    None if on_page is None else tell,
                    on_text,
                    abandon_on_cancel=True,
                    limiter=self._threads,
                )
        finally:
            self._busy.discard(child)
            if reply is None:
                child.abandon()
            elif not reply.is_last:
                self._keep(child)
            self._tell_free()
        return reply or ParserReply(_too_slow(child.seconds), is_last=True)

    def _keep(self, child: _Child) -> None:
        if self._is_closed or child.mode is Mode.OCR:
            child.end()
        else:
            self._idle.append(child)


class _Child:
    """One process, which answers one request after the other."""

    def __init__(self, limits: ParserLimits, mode: Mode, languages: Sequence[str] = ()) -> None:
        self.mode = mode
        self.seconds = limits.ocr_seconds if mode is Mode.OCR else limits.seconds
        self._lock = Lock()
        self._is_at_work = self._is_abandoned = self._is_ended = False
        far_end, self._lifeline = os.pipe()
        try:
            self._process = _start_process(limits, self.seconds, (mode, *languages), far_end)
        except OSError as error:
            os.close(self._lifeline)
            raise ParserDied(f"No process could be started to read the file: {error}.") from None
        finally:
            os.close(far_end)

    def waited_for(self) -> AbstractContextManager[object]:
        """Cancels within what takes longer than it may."""
        if self.mode is Mode.OCR:
            return move_on_after(self.seconds)
        return until_it_stops_computing(self._process.pid, PATIENCE * self.seconds)

    def ask(
        self, request: ParserRequest, on_page: OnPage | None = None, on_text: OnText | None = None
    ) -> ParserReply:
        """The answer of the child, which is the cause of its death if it died of the request."""
        reply = None
        with self._lock:
            self._is_at_work = True
        # It may die before it has read everything.
        with suppress(OSError):
            write_request(_pipe(self._process.stdin), request)
        with suppress(OSError):
            reply = read_reply(_pipe(self._process.stdout), on_page, on_text)
        with self._lock:
            self._is_at_work = False
            is_over = reply is None or reply.is_last or self._is_abandoned
        if is_over:
            self.end()
        return reply or ParserReply(self._cause_of_death(), is_last=True)

    def abandon(self) -> None:
        """End the child although somebody may still wait for its answer, who then clears up."""
        with self._lock:
            self._is_abandoned = True
            is_awaited = self._is_at_work
        if is_awaited:
            self.kill()
        else:
            self.end()

    def kill(self) -> None:
        """End the process and whatever it started."""
        if self.mode is Mode.OCR and os.name == "posix":
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()

    def end(self) -> None:
        """Kill the process and give back all that belongs to it."""
        with self._lock:
            if self._is_ended:
                return
            self._is_ended = True
        self.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            # What was not written yet finds no reader any more.
            with suppress(OSError):
                _pipe(pipe).close()
        self._process.wait()
        os.close(self._lifeline)

    def _cause_of_death(self) -> BadFile:
        code = self._process.returncode
        if os.name == "posix" and code == -signal.SIGPROF:
            return _too_slow(self.seconds)
        return ParserDied(
            f"The process reading the file died of {_in_words(code)}, perhaps for lack of memory."
        )


class _Start:
    """The start of a child in a thread. Once given up, it ends the child, which nobody else would know of.

    The shields of anyio do not hold against `asyncio.wait_for`, so whoever waits may be gone before the child is there.
    """

    def __init__(self, limits: ParserLimits, mode: Mode, languages: Sequence[str]) -> None:
        self._child_of = partial(_Child, limits, mode, languages)
        self._lock = Lock()
        self._child: _Child | None = None
        self._is_given_up = False

    def run(self) -> _Child:
        child = self._child_of()
        with self._lock:
            self._child = child
            is_given_up = self._is_given_up
        if is_given_up:
            child.end()
        return child

    def give_up(self) -> None:
        with self._lock:
            self._is_given_up = True
            child = self._child
        if child is not None:
            child.end()


def _nobody(number: int, count: int) -> None:
    """Listens to no page."""


def _required(reply: ParserReply, wanted: type[Wanted]) -> Wanted:
    if isinstance(reply.outcome, BadFile):
        raise reply.outcome
    if not isinstance(reply.outcome, wanted):
        raise ParserDied("The process reading the file gave an unexpected answer.")
    return reply.outcome


def _start_process(
    limits: ParserLimits, seconds: float, words: Sequence[str], lifeline: int
) -> subprocess.Popen[bytes]:
    is_posix = os.name == "posix"
    numbers = (lifeline if is_posix else -1, limits.memory, seconds, limits.characters)
    # `-P`: the current folder may hold a file that is called as some module of ours.
    command = [
        sys.executable,
        "-P",
        "-B",
        "-X",
        "utf8",
        "-c",
        _START,
        _PACKAGE_HOME,
        *map(str, numbers),
        *words,
    ]
    return subprocess.Popen(  # noqa: S603 - our own interpreter, with numbers
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        # A second thread of tesseract would only take a core from another child.
        env={name: os.environ[name] for name in _ENVIRONMENT & os.environ.keys()} | {"OMP_THREAD_LIMIT": "1"},
        pass_fds=(lifeline,) if is_posix else (),
        # In a group of its own, it hears nothing of a Ctrl-C that is meant for the parent.
        process_group=0 if is_posix else None,
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
    )


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None  # noqa: S101 - it was asked for when the process was started
    return pipe


def _too_slow(seconds: float) -> FileOverLimit:
    return FileOverLimit(f"Reading the file takes more than {seconds:g} seconds.")


def _in_words(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"
