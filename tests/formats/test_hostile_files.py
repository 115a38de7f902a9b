"""Hostile files of the newer formats: refused with a reason or read without what harms; nothing is fetched."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import suppress
from pathlib import Path

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from tests.formats import hostile

from sourcebook.errors import BadFile, DamagedFile, EncryptedFile, FileOverLimit
from sourcebook.ingest.parsers.process.pool import ParserPool

FILES = Path(__file__).parent / "files"
ENDINGS = ["xlsx", "ods", "odt", "odp", "pptx", "rtf", "epub", "eml", "mbox", "ipynb", "srt", "vtt", "docx"]


class Pool:
    """Parses in a child process, as for users."""

    def __init__(self, portal: BlockingPortal, pool: ParserPool) -> None:
        self._portal = portal
        self._pool = pool

    def text(self, data: bytes, name: str = "file") -> str:
        return self._portal.call(self._pool.parse, data, name).text

    def members(self, data: bytes, name: str) -> dict[str, bytes]:
        return {m.name: m.data for m in self._portal.call(self._pool.members, data, name)}

    def refusal(self, data: bytes, name: str = "file") -> BadFile:
        with pytest.raises(BadFile) as caught:
            self.text(data, name)
        return caught.value


@pytest.fixture(scope="module")
def pool() -> Generator[Pool]:
    with start_blocking_portal() as portal:
        opened = ParserPool(workers=1)
        yield Pool(portal, opened)
        portal.call(opened.close)


def file_of(ending: str) -> bytes:
    return min(FILES.glob(f"*.{ending}")).read_bytes()


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_that_ends_early_is_read_as_far_as_it_goes_or_refused(pool: Pool, ending: str) -> None:
    data = file_of(ending)
    for share in (0.1, 0.5, 0.9, 0.99):
        try:
            pool.text(data[: int(len(data) * share)], f"x.{ending}")
        except BadFile as error:
            assert type(error) is not BadFile  # noqa: PT017 - a parser that failed in a way it does not declare


@pytest.mark.parametrize("ending", ["xlsx", "ods", "odt", "odp", "pptx", "rtf", "epub", "docx"])
def test_content_decides_and_not_the_name(pool: Pool, ending: str) -> None:
    data = file_of(ending)
    assert pool.text(data, "wrong.pdf") == pool.text(data, f"right.{ending}")


def sheet_with(prolog: str) -> bytes:
    return hostile.xlsx(hostile.cell("before&e;after"), prolog)


def text_with(prolog: str) -> bytes:
    return hostile.odt("before&e;after", prolog)


@pytest.mark.parametrize("build", [sheet_with, text_with])
def test_no_file_is_read_for_an_entity(pool: Pool, tmp_path: Path, build: Callable[[str], bytes]) -> None:
    (tmp_path / "secret").write_text("secret")
    data = build(hostile.OUTSIDE.format(path=tmp_path / "secret"))
    with suppress(BadFile):
        assert "secret" not in pool.text(data)


@pytest.mark.parametrize(
    "data",
    [hostile.xlsx(hostile.cell("x&j;"), hostile.BILLION), hostile.odt("x&j;", hostile.BILLION)],
    ids=["xlsx", "odt"],
)
def test_entities_do_not_grow(pool: Pool, data: bytes) -> None:
    try:
        assert len(pool.text(data)) < 100
    except BadFile as error:
        assert isinstance(error, (DamagedFile, FileOverLimit))  # noqa: PT017


def test_a_cell_at_the_end_of_the_world_takes_no_room(pool: Pool) -> None:
    assert pool.text(hostile.xlsx(hostile.cell("far away", "XFD1048576"))) == "A\n\nfar away"


def test_a_cell_that_repeats_a_million_times_is_cut(pool: Pool) -> None:
    cells = '<table:table-cell table:number-columns-repeated="999999"><text:p>x</text:p></table:table-cell>'
    row = f'<table:table-row table:number-rows-repeated="999999">{cells}</table:table-row>'
    body = f'<office:spreadsheet><table:table table:name="A">{row * 3}</table:table></office:spreadsheet>'
    try:
        assert len(pool.text(hostile.opendocument("spreadsheet", body))) < 60_000_000
    except BadFile as error:
        assert isinstance(error, FileOverLimit)  # noqa: PT017


def test_text_that_is_nested_without_end_is_refused(pool: Pool) -> None:
    data = hostile.odt("<text:span>" * 100_000 + "x" + "</text:span>" * 100_000)
    assert isinstance(pool.refusal(data), FileOverLimit)
    assert isinstance(pool.refusal(b"{\\rtf1 " + b"{" * 100_000 + b"x", "x.rtf"), FileOverLimit)


def test_a_package_that_unpacks_to_very_much_is_refused(pool: Pool) -> None:
    rows = "".join(
        f'<row r="{n}"><c t="inlineStr"><is><t>{"0" * 30_000}</t></is></c></row>' for n in range(15_000)
    )
    assert isinstance(pool.refusal(hostile.xlsx(rows)), FileOverLimit)


def test_a_locked_book_is_told_apart(pool: Pool) -> None:
    lock = (
        b'<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" '
        b'xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData><enc:EncryptionMethod '
        b'Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/></enc:EncryptedData></encryption>'
    )
    data = hostile.epub(b"<html><body>x</body></html>", {"META-INF/encryption.xml": lock})
    assert isinstance(pool.refusal(data), EncryptedFile)


def test_a_book_whose_fonts_are_scrambled_is_read(pool: Pool) -> None:
    fonts = (
        b'<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" '
        b'xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData><enc:EncryptionMethod '
        b'Algorithm="http://www.idpf.org/2008/embedding"/></enc:EncryptedData></encryption>'
    )
    data = hostile.epub(b"<html><body>A story.</body></html>", {"META-INF/encryption.xml": fonts})
    assert pool.text(data) == "A story."


def test_scripts_of_a_book_are_not_text(pool: Pool) -> None:
    body = b"<body><script>steal()</script><p>A story.</p><p hidden=''>x</p></body>"
    chapter = b"<html><head><title/></head>" + body + b"</html>"
    assert pool.text(hostile.epub(chapter)) == "A story."


def test_names_in_an_archive_never_lead_out_of_it(pool: Pool) -> None:
    found = pool.members(
        hostile.tar({"../../etc/passwd": b"x", "/abs/y": b"y", "a/./b.txt": b"z"}, {"link": "/etc/passwd"}),
        "x.tar",
    )
    assert found == {"etc/passwd": b"x", "abs/y": b"y", "a/b.txt": b"z"}
    assert pool.members(hostile.tar_gz({"a.txt": b"1"}), "x.tar.gz") == {"a.txt": b"1"}


def test_an_archive_that_unpacks_to_very_much_is_not_unpacked(pool: Pool) -> None:
    with pytest.raises(FileOverLimit):
        pool.members(hostile.zip_bomb(500), "x.zip")
    with pytest.raises(FileOverLimit):
        pool.members(hostile.zip_bomb(60), "x.zip")


def test_a_letter_with_a_thousand_parts_in_each_other_comes_to_an_end(pool: Pool) -> None:
    inner = b"Content-Type: text/plain\n\ndeep inside\n"
    for number in range(300):
        edge = b"b%d" % number
        inner = b"Content-Type: multipart/mixed; boundary=%b\n\n--%b\n%b\n--%b--\n" % (
            edge,
            edge,
            inner,
            edge,
        )
    try:
        assert "Subject: deep" in pool.text(b"Subject: deep\n" + inner, "x.eml")
    except BadFile as error:
        assert type(error) is not BadFile  # noqa: PT017


def test_a_letter_in_an_encoding_that_is_none_is_read(pool: Pool) -> None:
    header = b'Subject: odd\nContent-Type: text/plain; charset="ko\x00i8"\n\n'
    data = header + "Привет\n".encode()
    assert "Subject: odd" in pool.text(data, "x.eml")


def test_a_notebook_that_is_none_is_refused(pool: Pool) -> None:
    assert isinstance(pool.refusal(b'{"cells": ', "x.ipynb"), DamagedFile)
    assert isinstance(pool.refusal(b'{"cells": [{"cell_type": "code", "source": 7}]}', "x.ipynb"), BadFile)
