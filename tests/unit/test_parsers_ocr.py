"""Pages that are pictures are read where tesseract and the extra `ocr` are installed."""

from __future__ import annotations

import pytest
from fpdf import FPDF
from PIL import Image, ImageDraw, ImageFont

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
