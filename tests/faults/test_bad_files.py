"""B02 to B05: whatever a file is made of, it is read right or refused with a reason, in bounded time and memory."""

from __future__ import annotations

import codecs
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from tests.faults import hostile_files as hostile

from sourcebook.errors import (
    BadFile,
    DamagedFile,
    EmptyFile,
    EncryptedFile,
    FileOverLimit,
    NeedsOcr,
    ParserDied,
    UnsupportedFile,
)
from sourcebook.ingest.parsers.image.ocr import can_read_pictures
from sourcebook.ingest.parsers.process.pool import ParserLimits, ParserPool

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.parsed_text import ParsedText

SECONDS = 30.0
MEGABYTE = 1024 * 1024


class Parser:
    """A pool that answers without `await`, and fails a test whose file takes too long."""

    def __init__(self, portal: BlockingPortal, pool: ParserPool) -> None:
        self._portal = portal
        self._pool = pool

    def __call__(self, data: bytes, name: str = "file") -> ParsedText:
        started = time.monotonic()
        try:
            return self._portal.call(self._pool.parse, data, name)
        finally:
            assert time.monotonic() - started < SECONDS + 60

    def refuses(self, data: bytes, *reasons: type[BadFile], name: str = "file") -> BadFile:
        with pytest.raises(BadFile) as caught:
            self(data, name)
        assert isinstance(caught.value, reasons), caught.value
        assert caught.value.message.endswith(".")
        return caught.value


def said(parse: Parser, data: bytes) -> str:
    """The text of a file, or the code of what is wrong with it."""
    try:
        return parse(data).text
    except BadFile as error:
        return error.code


@contextmanager
def parsing() -> Generator[Parser]:
    with start_blocking_portal() as portal:
        pool = ParserPool(ParserLimits(seconds=SECONDS), workers=1)
        yield Parser(portal, pool)
        portal.call(pool.close)


@pytest.fixture(scope="module")
def parse() -> Generator[Parser]:
    with parsing() as parser:
        yield parser


# ---- B02: DOCX


def test_a_document_is_read_beside_what_has_no_business_in_it(parse: Parser, tmp_path: Path) -> None:
    nested = hostile.packed({"b.zip": hostile.packed({"c.zip": hostile.packed({"d": b"x"})})})
    strange = {"../../evil": b"x", "/etc/evil": b"x", "C:\\evil": b"x", "word/embeddings/a.zip": nested}
    assert parse(hostile.docx(more=strange)).text == hostile.SENTENCE


def test_macros_are_ignored(parse: Parser) -> None:
    data = hostile.docx(
        document_type=hostile.MACRO_TYPE, more={"word/vbaProject.bin": b"\xd0\xcf\x11\xe0" * 500}
    )
    assert parse(data, "x.docm").text == hostile.SENTENCE


@pytest.mark.parametrize("megabytes", [30, 150, 420])
def test_a_document_that_unpacks_to_very_much_is_refused(parse: Parser, megabytes: int) -> None:
    data = hostile.docx_bomb(megabytes)
    assert len(data) < 3 * MEGABYTE
    parse.refuses(data, FileOverLimit)


def test_a_document_of_a_hundred_thousand_parts_is_refused(parse: Parser) -> None:
    parse.refuses(hostile.docx_of_many_entries(100_000), FileOverLimit)


def test_an_archive_that_holds_no_document_is_refused_as_one(parse: Parser) -> None:
    inner = hostile.packed({"inner.docx": hostile.docx()})
    assert "archive" in parse.refuses(inner, UnsupportedFile, name="x.docx").message


def test_no_file_is_read_for_a_document(parse: Parser, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("canary-7781")
    prolog = (
        f'<!DOCTYPE d [<!ENTITY x SYSTEM "{secret.as_uri()}"><!ENTITY % y SYSTEM "{secret.as_uri()}"> %y;]>'
    )
    data = hostile.docx(hostile.paragraph("a &x; b"), prolog=prolog)
    assert "canary" not in said(parse, data)


def test_entities_that_grow_without_end_are_refused(parse: Parser) -> None:
    grown = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    prolog = f'<!DOCTYPE d [<!ENTITY a0 "lol">{grown}]>'
    parse.refuses(hostile.docx(hostile.paragraph("&a11;"), prolog=prolog), FileOverLimit)


def test_tables_in_tables_in_tables_are_refused(parse: Parser) -> None:
    deep = "<w:tbl><w:tr><w:tc>" * 20_000 + "</w:tc></w:tr></w:tbl>" * 20_000
    parse.refuses(hostile.docx(deep), FileOverLimit)


def test_a_document_without_its_text_is_damaged(parse: Parser) -> None:
    parse.refuses(hostile.docx(without=["word/document.xml"]), DamagedFile)


@pytest.mark.parametrize("build", [hostile.docx_with_a_password, hostile.docx_with_locked_entries])
def test_a_document_with_a_password_is_told_apart(parse: Parser, build: Callable[[], bytes]) -> None:
    parse.refuses(build(), EncryptedFile)


def test_a_cut_document_is_damaged(parse: Parser) -> None:
    data = hostile.docx(hostile.paragraph(hostile.SENTENCE * 50))
    for length in range(10, len(data) - 1, len(data) // 20):
        parse.refuses(data[:length], DamagedFile)


# ---- B03: PDF


@pytest.mark.parametrize("megabytes", [10, 200])
def test_a_page_that_unpacks_to_very_much_is_refused(parse: Parser, megabytes: int) -> None:
    data = hostile.pdf_bomb(megabytes)
    assert len(data) < 2 * MEGABYTE
    parse.refuses(data, FileOverLimit, ParserDied)


def test_a_million_claimed_pages_are_not_looked_for(parse: Parser) -> None:
    parse.refuses(hostile.pdf_of_claimed_pages(1_000_000), FileOverLimit)


def test_pages_that_are_claimed_and_not_there_do_not_hide_the_one_that_is(parse: Parser) -> None:
    parsed = parse(hostile.pdf_of_claimed_pages(20_000))
    assert parsed.text == "one page"
    assert [page.number for page in parsed.pages] == [1]


def test_loops_in_a_pdf_come_to_an_end(parse: Parser) -> None:
    parse.refuses(hostile.pdf_whose_pages_loop(), DamagedFile)
    assert parse(hostile.pdf_whose_table_loops()).text == "text"


def test_a_pdf_with_a_password_is_told_apart(parse: Parser) -> None:
    parse.refuses(hostile.pdf("a", password="secret"), EncryptedFile)


def test_a_pdf_without_pages_is_no_document_and_has_no_password_either(parse: Parser) -> None:
    parse.refuses(hostile.pdf("a", password="secret"), EncryptedFile)
    empty = hostile.pdf_of_objects({1: hostile.CATALOG, 2: b"<</Type/Pages/Kids[]/Count 0>>"})
    parse.refuses(empty, DamagedFile, EmptyFile)


@pytest.mark.skipif(can_read_pictures(), reason="here they are read")
@pytest.mark.parametrize("build", [hostile.scanned_pdf, hostile.pdf_with_broken_picture])
def test_pages_that_are_pictures_need_ocr(parse: Parser, build: Callable[[], bytes]) -> None:
    error = parse.refuses(build(), NeedsOcr)
    assert error.code == "needs_ocr"
    assert "ocr" in error.hint


def test_a_font_made_of_noise_does_not_stop_the_rest(parse: Parser) -> None:
    assert parse(hostile.pdf_with_broken_font()).text.isprintable()


def test_a_pdf_cut_at_fifty_places_is_read_as_far_as_it_goes_or_refused(parse: Parser) -> None:
    pages = [f"Page {number}. {hostile.SENTENCE}" for number in range(8)]
    data = hostile.pdf(*pages)
    whole = ["\n\n".join(pages[:count]) for count in range(1, 9)]
    for place in range(1, 51):
        assert said(parse, data[: len(data) * place // 51]) in ("damaged_file", "empty_file", *whole), place


# ---- B04: HTML and Markdown

RUSSIAN = "Малину обрезают поздней осенью, а клубнику укрывают соломой. Ёж ест яблоки."
UKRAINIAN = "Малину обрізають пізньої осені, а полуницю вкривають соломою. Їжак їсть яблука."


def page(body: str, charset: str | None = None) -> str:
    meta = f'<meta charset="{charset}">' if charset else ""
    return f"<!doctype html><html><head>{meta}<title>t</title></head><body><p>{body}</p></body></html>"


@pytest.mark.parametrize(
    ("encoding", "declared", "text"),
    [
        ("utf-8", "utf-8", RUSSIAN),
        ("utf-8", None, RUSSIAN),
        ("utf-8", "windows-1251", RUSSIAN),
        ("cp1251", "windows-1251", RUSSIAN),
        ("cp1251", None, RUSSIAN),
        ("cp1251", "utf-8", RUSSIAN),
        ("cp1251", "iso-8859-1", RUSSIAN),
        ("koi8-r", "koi8-r", RUSSIAN),
        ("koi8-r", None, RUSSIAN),
        ("koi8-u", "koi8-u", UKRAINIAN),
        ("koi8-u", None, UKRAINIAN),
        ("cp1252", "no-such-charset", "A poda da framboesa não é difícil: são três ações."),
        ("shift_jis", "shift_jis", "いちごは太陽と水が好きです。"),
    ],
)
def test_a_page_is_read_in_its_charset_whatever_it_declares(
    parse: Parser, encoding: str, declared: str | None, text: str
) -> None:
    assert parse(page(text, declared).encode(encoding), "page.html").text == text


@pytest.mark.parametrize("mark", [codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE])
def test_a_byte_order_mark_decides(parse: Parser, mark: bytes) -> None:
    encoding = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le"}.get(mark, "utf-16-be")
    for name, source in (("a.html", page(RUSSIAN, "koi8-r")), ("a.md", RUSSIAN), ("a.txt", RUSSIAN)):
        assert parse(mark + source.encode(encoding), name).text == RUSSIAN


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("line.html", b"<html><body>" + b"word " * 2_000_000),
        ("tags.html", b"<html><body>" + b"<div>" * 100_000 + b"word" + b"</div>" * 100_000),
        ("open.html", b"<html><body>" + b"<b><p>" * 50_000 + b"word"),
        ("tables.html", b"<html><body>" + b"<table><tr><td>" * 20_000 + b"word"),
        ("line.md", b"word " * 2_000_000),
        ("quotes.md", b"> " * 100_000 + b"word"),
        ("brackets.md", b"[" * 500_000 + b"word"),
        ("tags.md", b"<div " * 500_000 + b"word"),
        ("fences.md", b"```\n\n" * 200_000 + b"word"),
        ("records.json", b'{"a":' * 900 + b'"word"' + b"}" * 900),
        ("lists.json", b"[" * 200_000 + b"word"),
        ("quote.csv", b'a,b\n"' + b"word," * 1_000_000),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_long_lines_and_deep_nesting_are_read_in_time(parse: Parser, name: str, data: bytes) -> None:
    started = time.monotonic()
    assert "word" in parse(data, name).text or name == "records.json"
    assert time.monotonic() - started < 90


def test_what_nobody_sees_of_a_page_is_left_out(parse: Parser) -> None:
    source = """<!doctype html><html><head><base href="http://evil.example/"><title>Visible</title></head><body>
        <script>secret()</script><style>.secret{}</style><noscript>secret</noscript><template>secret</template>
        <p hidden>secret</p><p style="display: none">secret</p><p style="font-size:0">secret</p>
        <p style="position:absolute; left:-9999px">secret</p><p aria-hidden="true">secret</p><!-- secret -->
        <p class="visually-hidden">secret</p><div style="visibility:hidden"><p>secret</p></div>
        <img src="data:image/png;base64,secret" alt="secret"><a href="data:text/html,secret">a link</a>
        <p>Wa&#8203;ter &#x202e;is&#x202c; we&shy;t&#xE0041;.</p><p style="font-size:0.8em;opacity:0.5">Seen.</p>
        </body></html>"""
    assert parse(source.encode(), "x.html").text == "a link\n\nWater is wet.\n\nSeen."


def test_what_nobody_sees_of_markdown_is_left_out(parse: Parser) -> None:
    source = """# Plain

a<!-- secret --> b\u200bc\u202ed

<!-- secret

secret -->

<script>secret()</script>

<div hidden>
secret
</div>

```html
<!-- shown, because it is a listing -->
```

![picture](data:image/png;base64,%s)
""" % ("c2VjcmV0" * 100)
    text = parse(source.encode(), "x.md").text
    assert "secret" not in text
    assert "c2VjcmV0" not in text
    assert "a bcd" in text
    assert "<!-- shown, because it is a listing -->" in text


def test_nul_and_lone_surrogates_do_not_reach_the_base(parse: Parser) -> None:
    words = b"Strawberries are red and sweet. " * 20
    assert parse(words + b"\x00 end \xed\xa0\x80.", "x.txt").text.replace("\ufffd", "").endswith(" end .")
    assert parse(b'{"a": "x\\ud800y\\u0000z"}', "x.json").text == "a: xyz"


# ---- B05: type confusion


@pytest.mark.parametrize(
    ("data", "name", "kind"),
    [
        (page("text").encode(), "x.pdf", "text/html"),
        (page("text").encode(), "x.docx", "text/html"),
        (page("text").encode(), "x", "text/html"),
        (hostile.pdf("text"), "x.html", "application/pdf"),
        (hostile.pdf("text"), "x.txt", "application/pdf"),
        (b"\n\n" + hostile.pdf("text"), "x", "application/pdf"),
        (hostile.docx(hostile.paragraph("text")), "x.pdf", "docx"),
        (b"text", "x.pdf", "text/plain"),
        (b'{"title": "text"}', "x.docx", "application/json"),
        (b"# text\n", "x.md", "text/markdown"),
        (b"text = 1\n", "x.py", "text/x-source"),
    ],
)
def test_content_decides_what_a_file_is(parse: Parser, data: bytes, name: str, kind: str) -> None:
    parsed = parse(data, name)
    assert kind in (parsed.kind, parsed.kind.rpartition("wordprocessingml.")[2].replace("document", "docx"))
    assert "text" in parsed.text


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"MZ\x90\x00" + bytes(range(256)) * 20, "Windows"),
        (b"\x7fELF" + b"\x00" * 500, "program"),
        (b"\x1f\x8b\x08" + bytes(range(256)), "archive"),
        (hostile.packed({"a.txt": b"x"}), "archive"),
        (hostile.packed({"xl/workbook.bin": b"x"}), "spreadsheet"),
        (b"SQLite format 3\x00" + bytes(500), "database"),
    ],
)
@pytest.mark.parametrize("name", ["x.pdf", "x.txt", "x.md", "x"])
def test_what_is_not_read_is_refused_by_its_content_and_named(
    parse: Parser, data: bytes, what: str, name: str
) -> None:
    assert what in parse.refuses(data, UnsupportedFile, name=name).message


@pytest.mark.parametrize("data", [bytes(range(256)) * 40, b"\x00\x01\x02\x03" * 500])
def test_noise_is_a_damaged_file_where_its_name_promises_one_and_else_no_text(
    parse: Parser, data: bytes
) -> None:
    assert "named .pdf" in parse.refuses(data, DamagedFile, name="x.pdf").message
    for name in ("x.txt", "x.md", "x"):
        assert "neither text" in parse.refuses(data, UnsupportedFile, name=name).message


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n" + bytes(500), b"\xff\xd8\xff\xe0" + bytes(500)])
def test_a_picture_needs_ocr_whatever_its_name(parse: Parser, data: bytes) -> None:
    assert "picture" in parse.refuses(data, NeedsOcr, DamagedFile, name="x.txt").message


@pytest.mark.parametrize("name", ["x.pdf", "x.docx", "x.html", "x.md", "x.json", "x.csv", "x.txt", "x"])
@pytest.mark.parametrize("data", [b"", b"\n \t\n", b"\xef\xbb\xbf", b"\x00\x00"])
def test_a_file_with_nothing_in_it_is_empty_whatever_its_name(parse: Parser, data: bytes, name: str) -> None:
    parse.refuses(data, EmptyFile, name=name)


def test_a_text_that_begins_like_a_program_is_a_text(parse: Parser) -> None:
    assert parse(b"MZ is how programs for DOS begin.", "x.txt").text.startswith("MZ")
    assert parse(b"BM25 ranks passages.", "x.md").text.startswith("BM25")


# ---- the bounds themselves

_MEASURE = """
import resource, sys
from tests.faults import hostile_files as hostile
from tests.faults.test_bad_files import parsing
from sourcebook.errors import BadFile
with parsing() as parse:
    for data in (hostile.docx_bomb(380), hostile.pdf_bomb(200), b"<p>" + b"<i>word</i> " * 400_000):
        try:
            parse(data, "x.html")
        except BadFile:
            pass
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds the memory of a process for certain")
def test_the_worst_of_them_take_no_more_than_half_a_gigabyte() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE], capture_output=True, text=True, check=True, timeout=400
    )
    assert 100 < int(done.stdout) <= 512
