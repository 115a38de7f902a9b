"""What a pool believes of what a child says."""

from __future__ import annotations

import json
from io import BytesIO

import pytest

from sourcebook.errors import BadFile, EncryptedFile, ParserDied
from sourcebook.ingest.parsers.archive.limits import MOST_BYTES, Member
from sourcebook.ingest.parsers.parsed_text import PageLinks, PageSpan, ParsedText, Section
from sourcebook.ingest.parsers.process.pool_protocol import (
    LARGEST_PICTURE,
    PNG,
    Members,
    ParserReply,
    ParserRequest,
    Picture,
    read_reply,
    read_request,
    write_reply,
    write_request,
)

PARSED = ParsedText(
    "Ёж\n\nabc", "title", {"a": [1, None]}, [Section(0, "x"), Section(4, "x > y")], [PageSpan(3, 0, 7)], "k"
)


def framed(shape: object) -> BytesIO:
    body = json.dumps(shape).encode()
    return BytesIO(len(body).to_bytes(8, "big") + body)


def shape(**changes: object) -> dict[str, object]:
    stream = BytesIO()
    write_reply(stream, ParserReply(PARSED))
    return {**json.loads(stream.getvalue()[8:]), **changes}


PICTURE = Picture(PNG + bytes(range(256)))
MEMBERS = Members([Member("a/ё.txt", b"\x00one"), Member("b", b"")])
LINKS = PageLinks(["https://x.org/a"], ["https://x.org/map.xml"], "noindex")


@pytest.mark.parametrize(
    "outcome",
    [PARSED, PICTURE, MEMBERS, LINKS, EncryptedFile("No.", hint="Do.")],
    ids=["text", "picture", "members", "links", "error"],
)
def test_a_reply_arrives_as_it_was_sent(
    outcome: ParsedText | Picture | Members | PageLinks | BadFile,
) -> None:
    stream = BytesIO()
    write_reply(stream, ParserReply(outcome, is_last=True))
    stream.seek(0)
    reply = read_reply(stream)
    assert reply is not None
    assert reply.is_last
    if isinstance(reply.outcome, BadFile):
        assert (type(reply.outcome), reply.outcome.message, reply.outcome.hint) == (
            EncryptedFile,
            "No.",
            "Do.",
        )
    else:
        assert reply.outcome == outcome


@pytest.mark.parametrize("name", ["a.txt", "имя", "", "\udcff broken"])
def test_a_request_arrives_as_it_was_sent(name: str) -> None:
    stream = BytesIO()
    sent = [ParserRequest(name, b"\x00data"), ParserRequest(name, b"\x00data", 12)]
    for request in sent:
        write_request(stream, request)
    stream.seek(0)
    assert [read_request(stream) for _ in sent] == sent
    assert read_request(stream) is None


def test_a_reply_that_ends_early_is_none() -> None:
    for length in (0, 5, 8, 20):
        assert read_reply(BytesIO(framed(shape()).getvalue()[:length])) is None
    assert read_reply(BytesIO(b"\xff" * 100)) is None


@pytest.mark.parametrize(
    "said",
    [
        [],
        {},
        {"last": False},
        {"last": False, "members": [["a", 10]]},
        {"last": False, "members": [["a", -1]]},
        {"last": False, "members": [["a", MOST_BYTES + 1]]},
        {"last": False, "members": [["a\x00", 0]]},
        {"last": False, "links": ["a\x00"], "maps": [], "robots": ""},
        shape(text=5),
        shape(text="a\x00b"),
        shape(text="a\ud800b"),
        shape(title=["x"]),
        shape(metadata=[]),
        shape(sections=[[9, "beyond"]]),
        shape(sections=[[4, "later"], [0, "earlier"]]),
        shape(sections=[[0]]),
        shape(sections="x"),
        shape(pages=[[1, 5, 2]]),
        shape(pages=[[1, -4, 2]]),
        {"last": False, "error": {"code": "x"}},
        {"last": False, "error": "x"},
        {"last": False, "picture": 5},
        {"last": False, "picture": "no base64!"},
        {"last": False, "picture": "bm8gUE5H"},
    ],
    ids=repr,
)
def test_a_reply_that_makes_no_sense_fails_the_file(said: object) -> None:
    reply = read_reply(framed(said))
    assert reply is not None
    assert isinstance(reply.outcome, ParserDied)
    assert reply.is_last


def test_a_picture_that_is_too_large_fails_the_file() -> None:
    stream = BytesIO()
    write_reply(stream, ParserReply(Picture(PNG + bytes(LARGEST_PICTURE))))
    stream.seek(0)
    reply = read_reply(stream)
    assert reply is not None
    assert isinstance(reply.outcome, ParserDied)


def test_a_child_cannot_make_up_errors() -> None:
    reply = read_reply(framed({"last": False, "error": {"code": "auth", "message": "m", "hint": "h"}}))
    assert reply is not None
    assert type(reply.outcome) is BadFile
