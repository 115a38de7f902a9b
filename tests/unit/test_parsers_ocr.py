"""Pages that are pictures are read where tesseract and the extra `ocr` are installed."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from fpdf import FPDF
from PIL import Image, ImageDraw, ImageFont

from sourcebook.errors import NeedsOcr
from sourcebook.ingest.parsers.image.ocr import can_read_pictures
from sourcebook.ingest.parsers.process.pool import ParserPool

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not can_read_pictures(), reason='needs tesseract and `pip install "sourcebook[ocr]"`'),
]


async def test_the_letters_of_a_picture_are_read_in_a_process_without_network() -> None:
    picture = Image.new("L", (1600, 400), 255)
    ImageDraw.Draw(picture).text(
        (80, 120), "Prune in late autumn", fill=0, font=ImageFont.load_default(size=90)
    )
    document = FPDF()
    document.set_font("Helvetica", size=12)
    document.add_page()
    document.image(picture, 10, 10, 190)
    document.add_page()
    document.multi_cell(0, 6, "A page with letters.")
    pool = ParserPool(workers=1)
    try:
        parsed = await pool.parse(bytes(document.output()), "scan.pdf")
    finally:
        await pool.close()
    assert parsed.text == "Prune in late autumn\n\nA page with letters."
    assert [page.number for page in parsed.pages] == [1, 2]


@pytest.mark.parametrize("form", ["PNG", "JPEG", "TIFF"])
async def test_a_picture_file_is_read_page_by_page(form: str) -> None:
    pictures = [Image.new("L", (1600, 400), 255) for _ in range(2)]
    for number, picture in enumerate(pictures):
        words = f"Water the bed {number + 1}"
        ImageDraw.Draw(picture).text((80, 120), words, fill=0, font=ImageFont.load_default(size=90))
    stream = BytesIO()
    more: dict[str, Any] = {"save_all": True, "append_images": pictures[1:]} if form == "TIFF" else {}
    pictures[0].save(stream, form, **more)
    pool = ParserPool(workers=1)
    try:
        parsed = await pool.parse(stream.getvalue(), "scan")
    finally:
        await pool.close()
    assert parsed.text == ("Water the bed 1\n\nWater the bed 2" if form == "TIFF" else "Water the bed 1")
    assert [page.number for page in parsed.pages] == ([1, 2] if form == "TIFF" else [1])


async def test_a_picture_that_no_pack_can_read_fails_with_the_pack_that_is_missing() -> None:
    stream = BytesIO()
    Image.new("L", (400, 100), 255).save(stream, "PNG")
    pool = ParserPool(workers=1)
    pool.expect(["vi"])
    try:
        with pytest.raises(NeedsOcr, match="vie"):
            await pool.parse(stream.getvalue(), "scan.png")
    finally:
        await pool.close()
