"""What is read out of letters that other programs wrote in their own ways."""

from __future__ import annotations

from base64 import b64encode

import pytest

from sourcebook.ingest.parsers.mail import letter as letter_module
from sourcebook.ingest.parsers.mail.flowed_text import flowed
from sourcebook.ingest.parsers.mail.letter import read_letter
from sourcebook.ingest.parsers.text.decoding import decode

HEAD = b"From: a@example.org\nSubject: Hello\nMIME-Version: 1.0\n"


def body(kind: bytes, data: bytes) -> str:
    return read_letter(HEAD + b"Content-Type: " + kind + b"\n\n" + data).body


def test_japanese_letters_are_read_in_the_encoding_that_they_name() -> None:
    text = "会議は六月三日に行います。"
    assert body(b"text/plain; charset=iso-2022-jp", text.encode("iso-2022-jp")) == text


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        (b"\x1b$B2q5D\x1b(B \x1b$B-!\x1b(B \x1b$BM=;;\x1b(B", "会議 ① 予算"),
        (b"\x1b$B2q5D/!yu!A\x1b(B", "会議\ufffd﨑〜"),
        (b"\x1b$B-!\x1b(B \x1b(I12\x1b(B \x1b$(D0!\x1b(B", "① ｱｲ 丂"),
        (b"\x1b$B2q5D5\nlast", "会議5\nlast"),
        (b"\x1b$B2q5D\nnext \x1b$B2q\xff\x1b(B", "会議\nnext 会\ufffd"),
    ],
)
def test_one_sign_beyond_the_standard_spoils_no_japanese_letter(sent: bytes, shown: str) -> None:
    assert body(b"text/plain; charset=ISO-2022-JP", sent) == shown


@pytest.mark.parametrize("kind", [b"text/plain; charset=ISO-2022-JP", b"text/plain"])
def test_a_subject_in_bare_japanese_is_read(kind: bytes) -> None:
    subject = "会議".encode("iso-2022-jp")
    assert read_letter(b"Subject: " + subject + b"\nContent-Type: " + kind + b"\n\nx").subject == "会議"


def test_a_circled_number_in_an_encoded_subject_is_read() -> None:
    word = b64encode(b"\x1b$B2q5D-!\x1b(B")
    assert read_letter(b"Subject: =?ISO-2022-JP?B?" + word + b"?=\n\nx").subject == "会議①"


def test_the_first_of_several_headers_is_shown_even_if_a_later_one_is_bare() -> None:
    letter = read_letter("To: first@example.org\nTo: Пётр <second@example.org>\n\nx".encode())
    assert letter.headers == {"To": "first@example.org"}


def test_only_headers_that_are_shown_are_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[bytes] = []

    def record(data: bytes, declared: str | None = None) -> str:
        decoded.append(data)
        return decode(data, declared)

    monkeypatch.setattr(letter_module, "decode", record)
    many = "".join(f"X-{number}: Ж\nSubject: Пётр {number}\n" for number in range(50))
    assert read_letter(f"{many}\nx".encode()).subject == "Пётр 0"
    assert decoded == ["Пётр 0".encode(), b"x"]


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
