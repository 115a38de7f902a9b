"""The child process: reads files from a pipe, one after the other, and answers each.

The answer is its text, the picture of a page, or an error.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Sequence
from functools import partial
from typing import IO, TYPE_CHECKING

from sourcebook.errors import BadFile, FileOverLimit
from sourcebook.ingest.parsers.page_progress import listening
from sourcebook.ingest.parsers.parse import parse
from sourcebook.ingest.parsers.process.pool_protocol import (
    Members,
    Mode,
    ParserReply,
    ParserRequest,
    Picture,
    Wish,
    read_request,
    write_beginning,
    write_page,
    write_reply,
)
from sourcebook.ingest.parsers.process.process_limits import (
    STARTS_PROGRAMS,
    ParserLimits,
    confine,
    die_with_parent,
    limit_time,
    peak_memory,
)

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.parsed_text import PageLinks, ParsedText

IDLE_SECONDS = 60.0
TELL_SECONDS = 0.2
TIRED_SHARE = 4
"""A child that once held more than this part of its memory is replaced, so that no file pays for another."""


def main() -> None:
    """Serve until the pipe ends.

    Arguments: lifeline, memory, seconds, characters, and `ocr` to read pictures, with the languages that are in them.
    """
    lifeline, memory, seconds, characters, mode, *languages = sys.argv[1:]
    limits = ParserLimits(int(memory), float(seconds), int(characters))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if int(lifeline) >= 0:
        die_with_parent(int(lifeline))
    requests, replies = _private_pipes()
    confine(limits, programs=STARTS_PROGRAMS if mode == Mode.OCR else frozenset())
    while _is_asked(requests) and (request := read_request(requests)) is not None:
        limit_time(limits.seconds)
        with listening(_PageTeller(replies), partial(write_beginning, replies)):
            reply = _answer(request, limits, mode, languages)
        write_reply(replies, reply)
        limit_time(0)
        if reply.is_last:
            break


class _PageTeller:
    """Tells the pool of pages, a few times in a second."""

    def __init__(self, replies: IO[bytes]) -> None:
        self._replies = replies
        self._told = time.monotonic()

    def __call__(self, number: int, count: int) -> None:
        now = time.monotonic()
        if now - self._told >= TELL_SECONDS:
            self._told = now
            write_page(self._replies, number, count)


def _private_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """The two pipes under numbers of their own: a library that prints something must not print it into an answer."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    os.close(nothing)
    return requests, replies


def _is_asked(requests: IO[bytes]) -> bool:
    """Whether a file comes before it is time to go: a pool that lies idle should cost nothing."""
    if sys.platform == "win32":
        return True
    ready, _, _ = select.select([requests], [], [], IDLE_SECONDS)
    return bool(ready)


def _answer(request: ParserRequest, limits: ParserLimits, mode: str, languages: list[str]) -> ParserReply:
    try:
        if request.wish not in (Wish.TEXT, Wish.CONTENTS):
            return ParserReply(_other(request), _is_tired(limits))
        parsed = _seen(request.data, languages) if mode == Mode.OCR else _text(request)
    except BadFile as error:
        return ParserReply(error, _is_tired(limits))
    except MemoryError:
        return ParserReply(FileOverLimit("Reading the file takes too much memory."), is_last=True)
    except Exception as error:
        # No parser means to raise anything else; the process may be in any state now.
        return ParserReply(BadFile(f"The parser failed on this file: {type(error).__name__}."), is_last=True)
    if len(parsed.text) > limits.characters:
        longest = f"The file contains more than {limits.characters:,} characters of text."
        return ParserReply(FileOverLimit(longest), is_last=True)
    return ParserReply(parsed, _is_tired(limits))


def _seen(data: bytes, languages: Sequence[str]) -> ParsedText:
    # Few children read pictures: the others start without what it takes.
    from sourcebook.ingest.parsers.image.ocr import read_pictures  # noqa: PLC0415

    return read_pictures(data, languages)


def _text(request: ParserRequest) -> ParsedText:
    if request.wish is Wish.CONTENTS:
        from sourcebook.ingest.parsers.archive.members import parse_archive  # noqa: PLC0415

        return parse_archive(request.data)
    return parse(request.data, request.name)


def _other(request: ParserRequest) -> Picture | Members | PageLinks:
    """Something else than the text. What it takes is loaded here: most processes that read files never need it."""
    if request.wish is Wish.MEMBERS:
        from sourcebook.ingest.parsers.archive.members import members_of  # noqa: PLC0415

        return Members(members_of(request.data, request.name))
    if request.wish is Wish.LINKS:
        from sourcebook.ingest.parsers.web.links import links_of  # noqa: PLC0415

        return links_of(request.data, request.name)
    from sourcebook.ingest.parsers.pdf.page_picture import draw_page  # noqa: PLC0415

    return Picture(draw_page(request.data, request.page, request.name))


def _is_tired(limits: ParserLimits) -> bool:
    return peak_memory() > limits.memory // TIRED_SHARE
