"""How a pool and its children speak: frames over pipes, with JSON inside.

A child reads hostile files, so what it answers is checked like anything that comes from outside.
"""

from __future__ import annotations

import json
import struct
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from itertools import pairwise
from typing import IO, TYPE_CHECKING, Any, cast

from sourcebook.errors import BadFile, ParserDied, SourcebookError
from sourcebook.ingest.parsers.archive.limits import MOST_BYTES, MOST_MEMBERS, Member
from sourcebook.ingest.parsers.parsed_text import PageLinks, PageSpan, ParsedText, Section
from sourcebook.text.case_and_accents import storable

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.page_progress import OnPage, OnText
    from sourcebook.model.documents import Metadata

_REQUEST = struct.Struct(">IQIB")
_REPLY = struct.Struct(">Q")
_PAGE = struct.Struct(">II")
_PAGE_MARK = 2**64 - 1
"""In the place of the length of a reply: what follows tells of a page."""
_TEXT_MARK = 2**64 - 2
"""The same: what follows has the shape of a reply and is the beginning of a text that is still read."""
LONGEST_REPLY = 512 * 1024 * 1024
LARGEST_PICTURE = 10_000_000
PNG = b"\x89PNG\r\n\x1a\n"


class Mode(StrEnum):
    """What a child is for: files of every kind, or the letters in pictures of pages."""

    PARSE = "parse"
    OCR = "ocr"


class Wish(IntEnum):
    """What is wanted of a file."""

    TEXT = 0
    PICTURE = 1
    """Of a page."""
    CONTENTS = 2
    """The names of what is in an archive, as its text."""
    MEMBERS = 3
    """The files that are in it or attached to it."""
    LINKS = 4
    """The addresses that a page or a map of a site leads to."""


@dataclass(frozen=True, slots=True)
class ParserRequest:
    """A file, and what is wanted of it. Pages are counted from 1.

    For a picture, `name` holds the words that are to be marked on it, if any are.
    """

    name: str
    data: bytes
    page: int = 0
    wish: Wish = Wish.TEXT


@dataclass(frozen=True, slots=True)
class Picture:
    """A page of a file, as a PNG."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Members:
    """The files in a file."""

    files: Sequence[Member]


@dataclass(frozen=True, slots=True)
class ParserReply:
    """What a child made of a file. After its `is_last` reply it takes no further one."""

    outcome: ParsedText | Picture | Members | PageLinks | BadFile
    is_last: bool = False


def write_request(stream: IO[bytes], request: ParserRequest) -> None:
    # The name of a file may hold bytes that are no text.
    name = request.name.encode(errors="surrogatepass")
    stream.write(_REQUEST.pack(len(name), len(request.data), request.page, request.wish))
    stream.write(name)
    stream.write(request.data)
    stream.flush()


def read_request(stream: IO[bytes]) -> ParserRequest | None:
    """The next file, or None when nobody will send one any more."""
    head = stream.read(_REQUEST.size)
    if len(head) < _REQUEST.size:
        return None
    name_length, length, page, wish = _REQUEST.unpack(head)
    name, data = stream.read(name_length), stream.read(length)
    if len(data) != length:
        return None
    return ParserRequest(name.decode(errors="surrogatepass"), data, page, Wish(wish))


def write_reply(stream: IO[bytes], reply: ParserReply) -> None:
    body = json.dumps(_shape(reply), ensure_ascii=False).encode()
    stream.write(_REPLY.pack(len(body)))
    stream.write(body)
    if isinstance(reply.outcome, Members):
        # Their bytes follow as they are: as text they would take up a third more.
        for member in reply.outcome.files:
            stream.write(member.data)
    stream.flush()


def write_page(stream: IO[bytes], number: int, count: int) -> None:
    """Tell that a page was read. Any number of these may come before a reply."""
    stream.write(_REPLY.pack(_PAGE_MARK) + _PAGE.pack(number, count))
    stream.flush()


def write_beginning(stream: IO[bytes], parsed: ParsedText) -> None:
    """Show a text whose rest is still read. Any number of these may come before a reply."""
    stream.write(_REPLY.pack(_TEXT_MARK))
    write_reply(stream, ParserReply(parsed))


def read_reply(
    stream: IO[bytes], on_page: OnPage | None = None, on_text: OnText | None = None
) -> ParserReply | None:
    """What the child answered, or None if it died before it could. Pages and texts that it shows are handed on."""
    while len(head := stream.read(_REPLY.size)) == _REPLY.size:
        (length,) = _REPLY.unpack(head)
        if length == _PAGE_MARK:
            told = stream.read(_PAGE.size)
            if len(told) == _PAGE.size and on_page is not None:
                on_page(*_PAGE.unpack(told))
            continue
        if length == _TEXT_MARK:
            shown = read_reply(stream)
            if shown is None or not isinstance(shown.outcome, ParsedText):
                return None
            if on_text is not None:
                on_text(shown.outcome)
            continue
        if length > LONGEST_REPLY:
            return None
        body = stream.read(length)
        return _reply(body, stream) if len(body) == length else None
    return None


def _shape(reply: ParserReply) -> dict[str, object]:
    outcome = reply.outcome
    if isinstance(outcome, SourcebookError):
        return {"last": reply.is_last, "error": outcome.as_dict()}
    if isinstance(outcome, Picture):
        return {"last": reply.is_last, "picture": b64encode(outcome.data).decode()}
    if isinstance(outcome, Members):
        return {"last": reply.is_last, "members": [[file.name, len(file.data)] for file in outcome.files]}
    if isinstance(outcome, PageLinks):
        return {"last": reply.is_last, "links": outcome.pages, "maps": outcome.maps, "robots": outcome.robots}
    return {
        "last": reply.is_last,
        "text": outcome.text,
        "title": outcome.title,
        "metadata": outcome.metadata,
        "sections": outcome.sections,
        "pages": outcome.pages,
        "kind": outcome.kind,
    }


def _reply(body: bytes, stream: IO[bytes]) -> ParserReply:
    try:
        shape = json.loads(body)
        return ParserReply(_outcome(shape, stream), bool(shape["last"]))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        died = ParserDied(f"The process reading the file gave an invalid answer: {error}.")
        return ParserReply(died, is_last=True)


def _outcome(
    shape: dict[str, Any], stream: IO[bytes]
) -> ParsedText | Picture | Members | PageLinks | BadFile:
    if "error" in shape:
        return _error(shape["error"])
    if "members" in shape:
        return Members(list(_members(shape["members"], stream)))
    if "links" in shape:
        return PageLinks(_texts(shape["links"]), _texts(shape["maps"]), _text(shape["robots"]))
    return _picture(shape["picture"]) if "picture" in shape else _parsed(shape)


def _members(value: object, stream: IO[bytes]) -> Iterator[Member]:
    sizes = [int(size) for _, size in _rows(value)]
    if len(sizes) > MOST_MEMBERS or any(size < 0 for size in sizes) or sum(sizes) > MOST_BYTES:
        raise ValueError("too much")
    for name, size in _rows(value):
        data = stream.read(int(size))
        if len(data) != size or not _text(name):
            raise ValueError("no file")
        yield Member(_text(name), data)


def _texts(value: object) -> list[str]:
    return [_text(one) for one in cast("list[object]", value)] if isinstance(value, list) else []


def _picture(value: object) -> Picture:
    data = b64decode(_text(value), validate=True)
    if len(data) > LARGEST_PICTURE or not data.startswith(PNG):
        raise ValueError("no picture")
    return Picture(data)


def _error(shape: dict[str, str]) -> BadFile:
    known = {kind.code: kind for kind in (BadFile, *BadFile.__subclasses__())}
    kind = known.get(shape["code"], BadFile)
    return kind(_text(shape["message"]), hint=_text(shape["hint"]))


def _parsed(shape: dict[str, object]) -> ParsedText:
    text, title, metadata = _text(shape["text"]), shape["title"], shape["metadata"]
    if not isinstance(metadata, dict):
        raise TypeError("no metadata")
    sections = [Section(int(start), _text(path)) for start, path in _rows(shape["sections"])]
    pages = [PageSpan(int(number), int(start), int(end)) for number, start, end in _rows(shape["pages"])]
    _check_order([section.start for section in sections], len(text))
    _check_order([place for page in pages for place in (page.start, page.end)], len(text))
    return ParsedText(
        text=text,
        title=None if title is None else _text(title),
        metadata=cast("Metadata", metadata),
        sections=sections,
        pages=pages,
        kind=_text(shape["kind"]),
    )


def _check_order(places: list[int], length: int) -> None:
    if any(before > after for before, after in pairwise([0, *places, length])):
        raise ValueError("places outside of the text")


def _rows(value: object) -> list[list[int]]:
    if not isinstance(value, list):
        raise TypeError("no list")
    return cast("list[list[int]]", value)


def _text(value: object) -> str:
    if not isinstance(value, str) or not storable(value):
        raise TypeError("no text")
    return value
