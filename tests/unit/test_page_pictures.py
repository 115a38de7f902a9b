"""A page of a document as a picture: drawn from the bytes that the text was read from, or not at all."""

from __future__ import annotations

import io
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from fpdf import FPDF
from PIL import Image
from tests.faults.hostile_files import pdf, pdf_page

from sourcebook import AsyncSourcebook, Settings
from sourcebook.errors import BadFile, DocumentNotFound, FileGone, UsageError
from sourcebook.ingest.fingerprint import hash_bytes
from sourcebook.ingest.parsers.pdf.page_picture import LONGEST_SIDE, draw_page
from sourcebook.model.documents import Chunk, Document, EmbeddedChunk, PreparedDocument
from sourcebook.ports.providers import TextRole
from sourcebook.testing.fakes import FakeEmbedder

pytestmark = pytest.mark.anyio

PAGES = ("Raspberries are pruned in late autumn.", "Blueberries want sour soil.")
RED, WHITE = (255, 0, 0), (255, 255, 255)


@pytest.fixture
async def book(tmp_path: Path) -> AsyncGenerator[AsyncSourcebook]:
    settings = Settings(db=str(tmp_path / "base.db"))
    async with AsyncSourcebook(settings=settings, embedder=FakeEmbedder()) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "library"
    made.mkdir()
    (made / "berries.pdf").write_bytes(pdf(*PAGES))
    return made


def shown(png: bytes) -> Image.Image:
    picture = Image.open(io.BytesIO(png), formats=["PNG"])
    picture.load()
    return picture


def test_a_picture_has_the_shape_and_the_colours_of_the_page() -> None:
    picture = shown(draw_page(pdf_page(b"1 0 0 rg 0 700 300 100 re f"), 1))
    assert picture.mode == "RGB"
    assert (picture.width, picture.height) == (pytest.approx(1200, abs=2), pytest.approx(1600, abs=2))
    assert picture.getpixel((100, 100)) == RED
    assert picture.getpixel((1100, 100)) == picture.getpixel((100, 1500)) == WHITE


@pytest.mark.parametrize("size", [(200, 14_000), (14_000, 200), (20, 20), (14_000, 14_000)])
def test_no_side_is_longer_than_the_longest(size: tuple[int, int]) -> None:
    document = FPDF(unit="pt", format=size)
    document.add_page()
    picture = shown(draw_page(bytes(document.output()), 1))
    assert 0 < min(picture.size) <= max(picture.size) <= LONGEST_SIDE


@pytest.mark.parametrize("page", [0, 3])
def test_a_page_that_is_not_there_is_an_error(page: int) -> None:
    with pytest.raises(BadFile, match=f"no page {page}; it has 2"):
        draw_page(pdf(*PAGES), page)


async def test_a_page_is_drawn_from_the_file_where_it_was_added(book: AsyncSourcebook, folder: Path) -> None:
    await book.add(folder)
    (document,) = await book.documents()
    first, second = [await book.page_picture(document.id, page) for page in (1, 2)]
    assert [first, second] == [draw_page(pdf_of(folder), page) for page in (1, 2)]
    assert first != second


def pdf_of(folder: Path) -> bytes:
    return (folder / "berries.pdf").read_bytes()


async def test_a_page_is_drawn_from_the_upload_that_is_kept(book: AsyncSourcebook) -> None:
    report = await book.add_bytes("berries.pdf", pdf(*PAGES))
    assert await book.page_picture(report.document_id, 2) == draw_page(pdf(*PAGES), 2)


@pytest.mark.parametrize("change", [None, b"%PDF-1.7 another", pdf("Other words.")])
async def test_a_file_that_changed_or_went_is_not_drawn(
    book: AsyncSourcebook, folder: Path, change: bytes | None
) -> None:
    await book.add(folder)
    (document,) = await book.documents()
    file = folder / "berries.pdf"
    good = file.read_bytes()
    if change is None:
        file.unlink()
    else:
        file.write_bytes(change)
    with pytest.raises(FileGone):
        await book.page_picture(document.id, 1)
    file.write_bytes(good)
    assert await book.page_picture(document.id, 1) == draw_page(good, 1)


async def test_what_is_no_page_of_a_document_is_refused(book: AsyncSourcebook, folder: Path) -> None:
    await book.add(folder)
    (document,) = await book.documents()
    note = await book.add_text("A note.")
    with pytest.raises(DocumentNotFound):
        await book.page_picture("nothing", 1)
    with pytest.raises(DocumentNotFound):
        await book.page_picture(document.id, 1, collection="elsewhere")
    with pytest.raises(UsageError, match="has no pages"):
        await book.page_picture(note.document_id, 1)
    for page in (-1, 0, 3, 2**31, 2**70):
        with pytest.raises(UsageError, match="no page"):
            await book.page_picture(document.id, page)


async def test_an_imported_document_has_pages_when_its_bytes_are_added(
    book: AsyncSourcebook, folder: Path
) -> None:
    """What another program kept of it does not say what kind of file it was."""
    data = pdf_of(folder)
    chunk = Chunk("1-0", "1", PAGES[0], 0, 0, len(PAGES[0]), page=1)
    document = Document(
        "1", PAGES[0], file_path="old/berries.pdf", file_hash=hash_bytes(data), file_size_bytes=len(data)
    )
    embedder = FakeEmbedder()
    vector = (await embedder.embed([chunk.content], TextRole.PASSAGE))[0]
    await book.stores.library.open_collection("default", embedder.model)
    await book.stores.writer.replace_document(
        "default", PreparedDocument(document, [EmbeddedChunk(chunk, vector)], embedder.model, [])
    )
    await book.add(folder)
    (found,) = await book.documents()
    assert found.id == "1"
    assert await book.page_picture("1", 2) == draw_page(data, 2)
