"""What is read out of letters that other programs wrote in their own ways."""

from __future__ import annotations

import pytest

from sourcebook.ingest.parsers.mail.flowed_text import flowed
from sourcebook.ingest.parsers.mail.letter import read_letter

HEAD = b"From: a@example.org\nSubject: Hello\nMIME-Version: 1.0\n"


def body(kind: bytes, data: bytes) -> str:
    return read_letter(HEAD + b"Content-Type: " + kind + b"\n\n" + data).body


def test_japanese_letters_are_read_in_the_encoding_that_they_name() -> None:
    text = "会議は六月三日に行います。"
    assert body(b"text/plain; charset=iso-2022-jp", text.encode("iso-2022-jp")) == text


def test_a_name_in_bare_letters_of_another_encoding_is_read() -> None:
    letter = read_letter(
        'From: "Café Lumière" <cafe@example.fr>\nContent-Type: text/plain; charset=windows-1252\n\nMenu\n'.encode(
            "cp1252"
        )
    )
    assert letter.headers["From"] == '"Café Lumière" <cafe@example.fr>'


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("one \ntwo\nthree", "one two\nthree"),
        ("> one \n> two\nthree", "> one two\nthree"),
        ("> one \ntwo", "> one\ntwo"),
        ("one \n\ntwo", "one\n\ntwo"),
        ("one\n-- \nAnna", "one\n-- \nAnna"),
        (" > no quotation", "> no quotation"),
    ],
)
def test_lines_that_were_broken_to_be_sent_are_joined(sent: str, shown: str) -> None:
    assert flowed(sent, deletes_space=False) == shown


def test_the_space_at_the_end_of_a_line_may_be_no_part_of_it() -> None:
    assert flowed("会議 \nは", deletes_space=True) == "会議は"
    assert body(b"text/plain; format=flowed; delsp=yes", b"sun \nflower") == "sunflower"


def alternative(plain: str, page: str) -> str:
    parts = f"--x\nContent-Type: text/plain\n\n{plain}\n--x\nContent-Type: text/html\n\n{page}\n--x--\n"
    return body(b"multipart/alternative; boundary=x", parts.encode())


def test_a_page_that_says_much_more_than_the_plain_text_is_read() -> None:
    long = "The inspection is on 7 April at 14:00 in room B12, behind the boiler house."
    assert alternative("You are invited.", f"<p>{long}</p>") == long
    assert alternative("You are invited to the club.", "<p>You are <b>invited</b> to the club.</p>") == (
        "You are invited to the club."
    )
